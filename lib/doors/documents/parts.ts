import { AsyncResource } from 'node:async_hooks'
import { batching } from '../../core/scheduling/batching.ts'
import { isObject } from '../../core/errors/is-object.ts'

/** Work that ends with a result. After each of its parts, other work may have its turn. */
export type Parts<Result> = Generator<undefined, Result, undefined>

export function runAtOnce<Result> (parts: Parts<Result>): Result {
  for (;;) {
    const { done, value } = parts.next()
    if (done === true) return value
  }
}

/** Runs the parts in slices of 10 ms; requests that arrive meanwhile are answered between them. */
export async function runInSlices<Result> (parts: Parts<Result>): Promise<Result> {
  const resource = new AsyncResource('DataApiDocument')
  for (;;) {
    const { done, value } = await batching.step(() => nextSlice(parts), resource)
    if (done === true) return value
  }
}

function nextSlice<Result> (parts: Parts<Result>): IteratorResult<undefined, Result> {
  const end = performance.now() + slice
  for (;;) {
    const next = parts.next()
    if (next.done === true || performance.now() >= end) return next
  }
}

// In milliseconds.
const slice = 10

/** Writes the object that the parts make as JSON: each path and each component is a part. */
export function * jsonParts (parts: Parts<object>): Parts<string> {
  return yield * write(yield * parts, 3)
}

/** `depth`: that of the members that are written as a whole. */
function * write (value: unknown, depth: number): Parts<string> {
  if (depth === 0 || !isObject(value)) return JSON.stringify(value)
  const members: string[] = []
  for (const [name, one] of Object.entries(value)) {
    if (one === undefined) continue
    members.push(`${JSON.stringify(name)}:${yield * write(one, depth - 1)}`)
    yield
  }
  return `{${members.join(',')}}`
}
