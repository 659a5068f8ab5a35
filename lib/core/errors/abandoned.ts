import { type DataApiError, unavailable } from './errors.ts'

/** The cause of the error of a read that was given up because its client has left. */
class Abandoned extends Error {
  constructor (cause?: unknown) { super('the client left before its read was done', { cause }) }
}

/** The error of a read that was given up because its client has left. `cause`: the driver's error, if it has begun. */
export const abandoned = (cause?: unknown): DataApiError => unavailable(new Abandoned(cause))

/** Returns true for the error of a read that was given up: nobody waits for it, and nothing is wrong. */
export const isAbandonment = ({ cause }: Error): boolean => cause instanceof Abandoned
