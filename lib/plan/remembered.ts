/** Makes a thing of each key once, and keeps it as long as there is the key: what follows from the model alone is not worked out anew for each request. */
export function remembered<Key extends object, Made> (make: (key: Key) => Made): (key: Key) => Made {
  const known = new WeakMap<Key, Made>()
  return key => {
    const found = known.get(key)
    if (found !== undefined) return found
    const made = make(key)
    known.set(key, made)
    return made
  }
}
