/** The argument of memory(): an array of items, or a Map whose values are the items. */
export type Rows = readonly object[] | ReadonlyMap<unknown, object>

/**
 * A row and its rank. Numbers rise in the order of the rows. A removal leaves a gap and changes no other place.
 * `key` is the row's key in a Map, undefined in an array.
 */
export interface RowPlace {
  readonly row: object
  readonly key: unknown
  number: number
}

export const isMap = (rows: Rows): rows is ReadonlyMap<unknown, object> => rows instanceof Map

export const sizeOf = (rows: Rows) => isMap(rows) ? rows.size : rows.length

/** Returns the position of a place; -1 if it is not among the places. */
export function positionOf (places: readonly RowPlace[], place: RowPlace): number {
  // If nothing was removed before it, the number is the position.
  if (places[place.number] === place) return place.number
  const position = positionFrom(places, place.number)
  return places[position] === place ? position : -1
}

/**
 * Returns the first position whose number is at least `number`; the length if there is none. Numbers rise by at least
 * one, so the first and the last number bound the binary search; without gaps no step of it is needed.
 */
export function positionFrom (places: readonly RowPlace[], number: number): number {
  const { length } = places
  const most = number - numberAt(places, 0)
  const least = length - 1 - (numberAt(places, length - 1) - number)
  let low = Math.min(length, Math.max(0, least))
  let high = Math.min(length, Math.max(low, most))
  while (low < high) {
    const middle = (low + high) >>> 1
    if (numberAt(places, middle) < number) low = middle + 1
    else high = middle
  }
  return low
}

const numberAt = (places: readonly RowPlace[], position: number) => places[position]?.number ?? 0

/** Makes the numbers rise again after the places from `start` to before `end` were added. Others seldom change. */
export function renumber (places: readonly RowPlace[], start: number, end: number): void {
  let previous = places[start - 1]?.number ?? -1
  for (let position = start; position < places.length; position++) {
    const place = places[position]
    if (place === undefined || (position >= end && place.number > previous)) return
    if (place.number <= previous) place.number = previous + 1
    previous = place.number
  }
}
