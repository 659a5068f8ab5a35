import { AsyncLocalStorage } from 'node:async_hooks'

// One storage for all databases: Node.js copies the values of each storage to every promise that is made, so that one
// for each database slows down all other work as well.
const values = new AsyncLocalStorage<ReadonlyMap<object, unknown>>()

/** A value that holds for the work of a database, and for all that this work calls. */
export class WorkContext<Value> {
  run<Result> (value: Value, work: () => Result): Result {
    return values.run(new Map(values.getStore()).set(this, value), work)
  }

  get (): Value | undefined {
    return values.getStore()?.get(this) as Value | undefined
  }
}
