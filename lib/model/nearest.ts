import { distance } from 'fastest-levenshtein'

/** Returns the known name that is at most two edits away. */
export function nearest (name: string, known: readonly string[]): string | undefined {
  const [best] = known
    .map(one => ({ one, edits: distance(one.toLowerCase(), name.toLowerCase()) }))
    .filter(({ edits }) => edits <= 2)
    .toSorted((one, other) => one.edits - other.edits)
  return best?.one
}

/** The end of a message at registration: the known name that was probably meant. */
export function orNearest (name: string, known: readonly string[]): string {
  const near = nearest(name, known)
  return near === undefined ? '' : `; did you mean '${near}'?`
}
