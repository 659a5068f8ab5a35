export const encode = (value: unknown): string => encodeURIComponent(value as string)

/**
 * Returns the path that a function works on: of an item, if the first argument is its identifier, which it removes;
 * otherwise of the resource itself. Objects are queries and bodies.
 */
export const located = (path: string, given: unknown[]): string =>
  path + (/^[snb]/.test(typeof [given[0]].flat()[0]) ? segment(given.shift()) : '')

/** Returns the segment of an item, of one or more values. Throws a TypeError for one that no URL can hold. */
export function segment (id: unknown): string {
  const text = [id].flat().map(encode).join()
  // URLs drop these.
  if (/^\.{0,2}$/.test(text)) throw new TypeError(`identifier: ${text}`)
  return `/${text}`
}
