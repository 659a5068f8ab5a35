import type { Change } from '../../source.ts'
import { sourceOf } from '../source.ts'
import { changedCollection } from './faults.ts'
import type { Connection } from './wire/connection.ts'

/** The one savepoint of a transaction. After an error the server refuses every statement but a rollback. */
export class Savepoint {
  /** True if nothing was changed since the savepoint. */
  isUnchanged = false
  /** True once the savepoint was set: by an earlier change, or for a statement of a hook. */
  isSet = false
  readonly #last = new Map<string, Change>()

  /** Notes a change that is about to be made. */
  note (change: Change): void {
    this.isUnchanged = false
    this.#last.delete(tableOfChange(change))
    const last = change.kind === 'insert' ? { ...change, rows: change.rows.slice(-1) } : change
    this.#last.set(tableOfChange(change), last)
  }

  /** Returns the last change of each table. A large import must not keep all of its changes. */
  changes (): readonly Change[] {
    return [...this.#last.values()]
  }

  /** Sets the savepoint, in place of an earlier one. */
  async set (connection: Connection): Promise<void> {
    await connection.run(...this.isSet ? [`release savepoint ${name}`] : [], `savepoint ${name}`)
    this.isSet = true
    this.isUnchanged = true
  }

  /** Rolls back to the savepoint. Without a savepoint, rolls back the whole transaction and begins it again. */
  async rollBack (connection: Connection): Promise<void> {
    this.isUnchanged = this.isSet
    if (this.isSet) return connection.run(`rollback to savepoint ${name}`)
    await connection.run('rollback')
    await connection.begin()
  }
}

const name = 'data_api'

export const tableOfChange = (change: Change): string => sourceOf(changedCollection(change)).table
