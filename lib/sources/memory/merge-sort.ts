import { tick } from './clock.ts'
import { leaving, resumed } from './suspension.ts'

type Compare<T> = (one: T, other: T) => number

/** Returns the elements sorted as Array.prototype.sort() does, which it may use on the list. Can be suspended. */
export function sortLong<T> (list: T[], compare: Compare<T>): readonly T[] {
  if (list.length <= run) return list.sort(compare)
  const state = resumed<State<T>>() ?? { source: list, target: [], width: 0, left: 0 }
  try {
    if (state.width === 0) sortRuns(state, compare)
    while (state.width < list.length) mergeRuns(state, compare)
    return state.source
  } catch (error) {
    throw leaving(error, state)
  }
}

// A list of this length is sorted in a millisecond or two.
const run = 1024

/** The next element goes to the end of the target. */
interface State<T> {
  source: T[]
  target: T[]
  /** The length of the sorted runs of the source; 0 if they are not yet sorted. */
  width: number
  /** The position of the next element of the first of the two runs that are merged. */
  left: number
}

function sortRuns<T> (state: State<T>, compare: Compare<T>): void {
  const { source, target } = state
  while (target.length < source.length) {
    tick()
    for (const element of source.slice(target.length, target.length + run).sort(compare)) target.push(element)
  }
  turn(state, run)
}

function mergeRuns<T> (state: State<T>, compare: Compare<T>): void {
  const { source, target, width } = state
  while (target.length < source.length) {
    const start = target.length - target.length % (2 * width)
    mergePair(state, { start, middle: start + width, end: Math.min(start + 2 * width, source.length) }, compare)
  }
  turn(state, 2 * width)
}

/** The target becomes the source. */
function turn<T> (state: State<T>, width: number): void {
  Object.assign(state, { source: state.target, target: [], width, left: 0 })
}

interface Pair { readonly start: number, readonly middle: number, readonly end: number }

function mergePair<T> (state: State<T>, { start, middle, end }: Pair, compare: Compare<T>): void {
  const { source, target } = state
  const at = (position: number) => source[position] as T
  const isSorted = middle >= end || compare(at(middle - 1), at(middle)) <= 0
  if (isSorted && target.length === start) {
    for (let position = start; position < end; position++) target.push(at(position))
  }
  while (target.length < end) {
    tick()
    const right = middle + target.length - state.left
    const takesLeft = right >= end || (state.left < middle && compare(at(state.left), at(right)) <= 0)
    target.push(at(takesLeft ? state.left++ : right))
  }
  state.left = end
}
