import { forbidden } from '../errors/errors.ts'
import type { KeyValues } from '../model/identifiers.ts'
import type { Collection } from '../model/model.ts'
import { both, equalsKey } from '../plan/predicates.ts'
import type { Change, Changed, Session } from '../sources/source.ts'
import type { Caller } from './caller.ts'
import { isScoped } from './references.ts'
import { keyOfSteps, keysAfter } from './touched.ts'

type ChangingOperation = 'update' | 'delete'

/**
 * The items that a transaction may change, by the scopes `update` and `delete` (docs/http.md: Rules). An item is judged
 * as it is before its first change; one that the transaction creates may be changed by it.
 */
export interface Permitted {
  /** Throws forbidden for an item that exists for the caller, and is outside the scope of the operation. */
  check (operation: ChangingOperation, collection: Collection, key: KeyValues): Promise<void>
  /** Throws forbidden as `check` does. A link in a join table is a change of both items. */
  checkChange (change: Change): Promise<void>
  /** Notes the items that a change has created, or whose key it has replaced. */
  add (change: Change, changed: Extract<Changed, { kind: 'changed' }>): void
}

export function makePermitted (session: Session, caller: Caller): Permitted {
  const permitted = new Set<string>()
  const check: Permitted['check'] = async (operation, collection, key) => {
    if (!isScoped(collection, caller, operation)) return
    const name = nameOf(operation, collection, key)
    if (permitted.has(name)) return
    const where = both(equalsKey(collection.key, key), caller.scope(collection, operation))
    const found = await session.read({ kind: 'item', steps: [{ collection, via: undefined, where }], select: [] })
    if (found.kind === 'missing') throw forbidden()
    permitted.add(name)
  }
  return {
    check,
    async checkChange (change) {
      switch (change.kind) {
        case 'insert': return
        case 'link':
        case 'unlink':
          await check('update', change.field.holder, change.own)
          return check('update', change.field.target, change.other)
        case 'update':
        case 'delete': {
          const key = keyOfSteps(change.steps)
          if (key === undefined) throw new TypeError('a change in a transaction names the key of its item')
          const isDeletion = change.kind === 'delete' || change.deletes === true
          return check(isDeletion ? 'delete' : 'update', change.collection, key)
        }
      }
    },
    add (change, changed) {
      if (change.kind !== 'insert' && change.kind !== 'update') return
      const { collection } = change
      if (!isScoped(collection, caller, 'update')) return
      for (const key of keysAfter(change, changed)) permitted.add(nameOf('update', collection, key))
    }
  }
}

const nameOf = (operation: ChangingOperation, { property }: Collection, key: KeyValues) =>
  `${operation} ${property} ${JSON.stringify(key)}`
