import { distance } from 'fastest-levenshtein'

/**
 * Returns the name that was probably meant: the most similar one, without regard to case; undefined if none is similar
 * enough. `most`: the most edits.
 */
export function suggest (name: string, names: Iterable<string>, most = Infinity): string | undefined {
  // A longer text is not a typing error, and the distance costs time in the product of both lengths.
  if (name.length > 64) return undefined
  const given = name.toLowerCase()
  let best: string | undefined
  let least = Math.min(most, Math.max(1, Math.floor(name.length / 3))) + 1
  for (const candidate of names) {
    const edits = editsBetween(given, candidate.toLowerCase())
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

/** Returns the end of a message for clients: the name that was probably meant. */
export const didYouMean = (suggestion: string | undefined): string =>
  suggestion === undefined ? '' : ` Did you mean '${suggestion}'?`

/** Returns the end of a message for the application: the known name that was probably meant. */
export function orNearest (name: string, known: Iterable<string>): string {
  const near = suggest(name, known)
  return near === undefined ? '' : `; did you mean '${near}'?`
}
