/** Returns the object behind a proxy that counts the reads of its properties. */
export const countReads = (row: object, counter: { reads: number }) => new Proxy(row, {
  get (target, property, receiver) {
    counter.reads++
    return Reflect.get(target, property, receiver)
  }
})
