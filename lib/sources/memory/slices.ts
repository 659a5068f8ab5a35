import { AsyncResource } from 'node:async_hooks'
import { batching } from '../../batching.ts'
import { unavailable } from '../../errors.ts'
import type { IsAbandoned } from '../source.ts'
import { Unfinished } from '../write-lock.ts'
import { type ReadLimits, runSlice } from './clock.ts'
import { Suspension } from './suspension.ts'

/**
 * Runs a read in slices of 10 ms, the first at once. The others are steps of the scheduler, so that requests which
 * arrive meanwhile are answered between them. Rejects once the client has left.
 */
export function readInSlices<Result> (
  limits: ReadLimits, read: () => Result, isAbandoned: IsAbandoned = () => false
): Result | Unfinished<Result> {
  const first = runSlice(limits, read)
  if (!(first instanceof Suspension)) return first
  const next = (suspension: Suspension) => {
    if (isAbandoned()) throw unavailable(new Error('the client of a read of memory() has left'))
    return runSlice(limits, read, suspension)
  }
  return new Unfinished(() => finish(first, next))
}

async function finish<Result> (
  first: Suspension, next: (suspension: Suspension) => Result | Suspension
): Promise<Result> {
  const resource = new AsyncResource('DataApiRead')
  let suspension = first
  for (;;) {
    const result = await batching.step(() => next(suspension), resource)
    if (!(result instanceof Suspension)) return result
    suspension = result
  }
}
