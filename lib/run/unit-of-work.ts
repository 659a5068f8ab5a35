import type { Saved, Values, WriteContext } from '../declare/collection.ts'
import type { Collection } from '../model/model.ts'
import type { Caller } from '../rules/caller.ts'
import type { ScopedSession } from '../rules/scoped-database.ts'

/** The transaction of a write. */
export interface UnitOfWork {
  readonly session: ScopedSession
  /** The caller, by whose rules every value and link is authorised. */
  readonly caller: Caller
  readonly context: WriteContext
  /** True if the body is the value of one field, so that no pointer leads to a member of it. */
  readonly scalar: boolean
  /** The saved items, each reported to its collection's hook `saved` after the commit. */
  readonly saved: Array<{ readonly collection: Collection, readonly saved: Saved<Values> }>
}
