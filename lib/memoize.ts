import { LruMap } from 'toad-cache'

/** Makes a thing of each object once, and keeps it as long as there is the object: what follows from it is not worked out anew for each request. */
export function memoize<Of extends object, Made> (make: (of: Of) => Made): (of: Of) => Made {
  const known = new WeakMap<Of, Made>()
  return of => {
    const found = known.get(of)
    if (found !== undefined) return found
    const made = make(of)
    known.set(of, made)
    return made
  }
}

/** Makes a thing of a text, and keeps those of the `most` texts that were asked for last. A bound, because clients choose the texts; those longer than `longest` are never kept. */
export function memoizeRecent<Made> (make: (text: string) => Made, { most, longest = Infinity }: { readonly most: number, readonly longest?: number }): (text: string) => Made {
  const known = new LruMap<Made>(most)
  return text => {
    const found = known.get(text)
    if (found !== undefined) return found
    const made = make(text)
    if (text.length <= longest) known.set(text, made)
    return made
  }
}
