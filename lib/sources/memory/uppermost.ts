/** The highest number of a changing set. A number that goes, even the highest, seldom costs a pass over the others. */
export interface Uppermost {
  /** To be called when the number is new in the set. */
  add (value: number): void
  remove (value: number): void
  /** The highest number above 0; 0 where there is none. */
  highest (): number
}

// Twice as many are kept at most: so many removals of the highest cost one pass over all.
const fewest = 1000

/** `set` holds the numbers, among other keys. */
export function makeUppermost (set: ReadonlyMap<unknown, unknown>): Uppermost {
  // Every number of the set above `floor`, ascending.
  const kept: number[] = []
  let floor = Infinity

  const add = (value: number) => {
    if (value <= floor) return
    const position = positionOf(kept, value)
    // A pass over rising numbers takes a third of the time so.
    if (position === kept.length) kept.push(value)
    else kept.splice(position, 0, value)
    if (kept.length > 2 * fewest) floor = kept.splice(0, fewest).at(-1) ?? floor
  }

  const remove = (value: number) => {
    if (value > floor) kept.splice(positionOf(kept, value), 1)
  }

  const highest = () => {
    if (kept.length === 0 && floor > 0) {
      floor = 0
      for (const value of set.keys()) if (typeof value === 'number') add(value)
    }
    return kept.at(-1) ?? 0
  }

  return { add, remove, highest }
}

/** The position of the number, or where it belongs. */
function positionOf (kept: readonly number[], value: number): number {
  if (value > (kept.at(-1) ?? -Infinity)) return kept.length
  let low = 0
  let high = kept.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((kept[middle] ?? value) < value) low = middle + 1
    else high = middle
  }
  return low
}
