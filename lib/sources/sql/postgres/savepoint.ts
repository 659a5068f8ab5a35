import type { Change } from '../../source.ts'
import { sourceOf } from '../source.ts'
import { collectionOf } from './faults.ts'
import type { Connection } from './wire/connection.ts'

/** The one savepoint of a transaction. After an error the server refuses every statement but a rollback. */
export interface Savepoint {
  /** True if nothing was changed since the savepoint. */
  isUnchanged: boolean
  /** Notes a change that is about to be made. */
  note (change: Change): void
  /** Returns the last change of each table. A large import must not keep all of its changes. */
  changes (): readonly Change[]
  /** Returns true once the savepoint was set: by an earlier change, or for a statement of a hook. */
  isSet (): boolean
  /** Sets the savepoint, in place of an earlier one. */
  set (connection: Connection): Promise<void>
  /** Rolls back to the savepoint. Without a savepoint, rolls back the whole transaction and begins it again. */
  rollBack (connection: Connection): Promise<void>
}

export function makeSavepoint (): Savepoint {
  let exists = false
  const last = new Map<string, Change>()
  const savepoint: Savepoint = {
    isUnchanged: false,
    note (change) {
      savepoint.isUnchanged = false
      last.delete(tableOf(change))
      last.set(tableOf(change), change)
    },
    changes: () => [...last.values()],
    isSet: () => exists,
    async set (connection) {
      if (exists) await connection.run(`release savepoint ${savepointName}`, `savepoint ${savepointName}`)
      else await connection.run(`savepoint ${savepointName}`)
      exists = true
      savepoint.isUnchanged = true
    },
    async rollBack (connection) {
      savepoint.isUnchanged = exists
      if (exists) return connection.run(`rollback to savepoint ${savepointName}`)
      await connection.run('rollback')
      await connection.begin()
    }
  }
  return savepoint
}

const savepointName = 'data_api'

/** Returns the table of a change. */
export const tableOf = (change: Change): string => sourceOf(collectionOf(change)).table
