import { distance } from 'fastest-levenshtein'

/** Returns the known name that is at most two edits away. */
export function nearest (name: string, known: readonly string[]): string | undefined {
  const [best] = known
    .map(one => ({ one, edits: distance(one.toLowerCase(), name.toLowerCase()) }))
    .filter(({ edits }) => edits <= 2)
    .toSorted((one, other) => one.edits - other.edits)
  return best?.one
}
