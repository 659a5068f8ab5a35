import { distance } from 'fastest-levenshtein'

/** Returns the name most similar to the one given, by edit distance; undefined if none is similar enough. */
export function suggest (name: string, names: Iterable<string>): string | undefined {
  // A longer text is not a typing error, and the distance costs time in the product of both lengths.
  if (name.length > 64) return undefined
  let best: string | undefined
  let least = Math.max(1, Math.floor(name.length / 3)) + 1
  for (const candidate of names) {
    const edits = editsBetween(name, candidate)
    if (edits >= least) continue
    best = candidate
    least = edits
  }
  return best
}

/** The edit distance, but two swapped letters count as one edit instead of two. */
function editsBetween (name: string, candidate: string): number {
  const edits = distance(name, candidate)
  return edits === 2 && sorted(name) === sorted(candidate) ? 1 : edits
}

const sorted = (text: string) => [...text].sort().join('')
