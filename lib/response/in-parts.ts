import { AsyncResource } from 'node:async_hooks'
import { batching } from '../scheduling/batching.ts'

/** Work that is done in parts: yields the number of characters that each has read and written. */
export type InParts<T> = Generator<number, T>

/** Returns the result of work that is done in one turn. */
export function doAtOnce<T> (work: InParts<T>): T {
  for (;;) {
    const { done, value } = work.next()
    if (done === true) return value
  }
}

/** Returns the result of work that gives up the event loop after each `slice`; a promise of it where it is long. */
export function doInParts<T> (work: InParts<T>): T | Promise<T> {
  const first = doSlice(work)
  return first === undefined ? finishLater(work) : first.result
}

async function finishLater<T> (work: InParts<T>): Promise<T> {
  const resource = new AsyncResource('DataApiPage')
  for (;;) {
    const last = await batching.step(() => doSlice(work), resource)
    if (last !== undefined) return last.result
  }
}

// In characters: some milliseconds, for which other requests wait.
const slice = 2 ** 18

/** Does the next parts of some work. Returns its result once it is done. */
function doSlice<T> (work: InParts<T>): { readonly result: T } | undefined {
  for (let rest = slice; rest > 0;) {
    const { done, value } = work.next()
    if (done === true) return { result: value }
    rest -= value
  }
  return undefined
}
