import type { Changes } from '../../changes.ts'
import type { Database } from '../../source.ts'

/** The operations of a database in one session. */
export type Operations = Required<Pick<Database, 'read' | 'readJson' | 'change' | 'transaction'>>

/**
 * Tells of the changes of these operations. What a deletion cascades to is not known, nor what the statements of a hook
 * change; a write whose commit was not confirmed may have happened.
 */
export function tellingOf (changes: Changes, operations: Operations): Operations {
  const tellAll = (error: unknown): never => {
    changes.tell(undefined)
    throw error
  }
  return {
    ...operations,
    async change (change) {
      const changed = await Promise.resolve(operations.change(change)).catch(tellAll)
      if (change.kind === 'delete') changes.tell(undefined)
      else changes.tellOf([{ change }])
      return changed
    },
    async transaction (work) {
      const result = await operations.transaction(work).catch(tellAll)
      changes.tell(undefined)
      return result
    }
  }
}
