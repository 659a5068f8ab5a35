/** The highest number of a changing set. Removing a number, even the highest, seldom costs a pass over the others. */
export interface Uppermost {
  /** Must be called when a number was added to the set. */
  add (value: number): void
  /** Must be called when a number was removed from the set. */
  remove (value: number): void
  /** Returns the highest number; 0 if none is above 0. */
  highest (): number
}

// At most twice this number is kept. That many removals of the highest number cost one pass over the set.
const fewest = 1000

/** Makes the highest number of a set: the keys of the Map that are numbers. */
export function makeUppermost (set: ReadonlyMap<unknown, unknown>): Uppermost {
  // Every number of the set above `floor`, ascending.
  const kept: number[] = []
  let floor = Infinity

  const add = (value: number) => {
    if (value <= floor) return
    const position = positionOf(kept, value)
    // With push() a pass over rising numbers takes a third of the time.
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

/** Returns the position of the number, or the position where it belongs. */
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
