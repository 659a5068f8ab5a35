import { distance } from 'fastest-levenshtein'

/** The one of the names that was probably meant, if any is near. */
export function suggest (name: string, names: Iterable<string>): string | undefined {
  // Longer input is no slip of the pen, and its distance would cost the product of the lengths.
  if (name.length > 64) return undefined
  let best: string | undefined
  let least = Math.max(1, Math.floor(name.length / 3)) + 1
  for (const candidate of names) {
    const steps = stepsBetween(name, candidate)
    if (steps >= least) continue
    best = candidate
    least = steps
  }
  return best
}

/** Two letters that changed places are one slip, which the distance counts as two. */
function stepsBetween (name: string, candidate: string): number {
  const steps = distance(name, candidate)
  return steps === 2 && sorted(name) === sorted(candidate) ? 1 : steps
}

const sorted = (text: string) => [...text].sort().join('')
