import { idempotencyMismatch } from '../errors/idempotency.ts'
import type { Collection, StoredField } from '../model/model.ts'
import type { Scalar } from '../model/values.ts'
import type { Selection } from '../plan/plan.ts'
import { always } from '../plan/predicates.ts'
import { showPlainly } from '../plan/read/select.ts'
import { databaseOf, type KeySession, type Session } from '../sources/source.ts'
import { byKey } from './locate.ts'
import type { WriteResult } from './write.ts'

/** The table of the keys of one database (docs/http.md: Idempotency keys). */
export interface KeyTable {
  readonly collection: Collection
  /** How long a key is kept, in milliseconds. */
  readonly expires: number
}

/** The key of one write. `fingerprint`: of all that makes another request. */
export interface WriteKey {
  readonly table: KeyTable
  readonly caller: string
  readonly key: string
  readonly fingerprint: string
}

/**
 * Takes the key within the transaction of its write, so that the key is there if and only if the write is. Waits for a
 * transaction that has taken it. Returns the results of its writes, without rows, if the same request has run, and
 * undefined if it is to run. Throws idempotency_mismatch for another request.
 */
export async function takeKey (key: WriteKey, session: Session): Promise<readonly WriteResult[] | undefined> {
  const { table: { collection, expires }, caller, key: name, fingerprint } = key
  const keys = keysOf(session)
  const now = Date.now()
  const taken = valuesOf(collection, { caller, key: name, fingerprint, at: new Date(now).toISOString() })
  const own = { fields: [...taken.keys()], rows: [[...taken.values()]] }
  for (;;) {
    const inserted = await keys.change({ kind: 'insert', collection, ...own, orNothing: true, keyed: false })
    if (inserted.kind === 'changed') return undefined
    if (inserted.kind === 'refused') throw new Error('the database refused a key', { cause: inserted.cause })
    const steps = byKey(collection, [caller, name])
    const found = await keys.lock({ kind: 'item', steps, select: selectionOf(collection) })
    const [row] = found.kind === 'rows' ? found.rows : []
    // It has expired, and was deleted since.
    if (row === undefined) continue
    if (Date.parse(String(row['at'])) > now - expires) {
      if (row['fingerprint'] !== fingerprint) throw idempotencyMismatch()
      return JSON.parse(String(row['results'])) as WriteResult[]
    }
    await keys.change({ kind: 'update', collection, steps, values: taken })
    return undefined
  }
}

/**
 * Keeps the results of writes, which the transaction is to commit: of their items the keys alone. A value would outlive
 * the rule that shows it to the caller.
 */
export async function keepResults (
  { table: { collection }, caller, key }: WriteKey, results: readonly WriteResult[], session: Session
): Promise<void> {
  const kept = JSON.stringify(results, (name, value: unknown) => name === 'row' ? undefined : value)
  const values = valuesOf(collection, { results: kept })
  await keysOf(session).change({ kind: 'update', collection, steps: byKey(collection, [caller, key]), values })
}

/**
 * Deletes the oldest of the keys that have expired, by one statement: a slice of them. Returns true if it was a whole
 * slice, so that more may have expired.
 */
export async function deleteExpired ({ collection, expires }: KeyTable): Promise<boolean> {
  const at = fieldOf(collection, 'at')
  const database = databaseOf(collection)
  const until = (time: number) =>
    ({ kind: 'compare', field: at, operator: 'at_most', value: new Date(time).toISOString() } as const)
  const end = Date.now() - expires
  const found = await database.read({
    kind: 'list',
    steps: [],
    from: { collection, via: undefined },
    listing: {
      where: until(end),
      order: [{ field: at, descending: false }],
      range: { offset: slice - 1, limit: 1 },
      select: [showPlainly(at)]
    },
    cursorBound: always,
    extra: [],
    count: false
  }, true)
  const [last] = found.kind === 'rows' ? found.rows : []
  // A column may have parts of a millisecond, which are not shown.
  const where = until(last === undefined ? end : Math.min(end, Date.parse(String(last['at'])) + 1))
  const steps = [{ collection, via: undefined, where }]
  const deleted = await database.change({ kind: 'delete', collection, steps, every: true })
  if (deleted.kind === 'refused') throw new Error('the database refused to delete keys', { cause: deleted.cause })
  return last !== undefined && deleted.kind === 'changed'
}

// A statement holds up the other requests on SQLite while it runs: some milliseconds.
const slice = 1000

const keysOf = (session: Session): KeySession => session.keys ?? session

function fieldOf (collection: Collection, property: string): StoredField {
  const field = collection.stored.find(one => one.property === property)
  if (field === undefined) throw new TypeError(`keys have no field '${property}'`)
  return field
}

const valuesOf = (collection: Collection, values: Readonly<Record<string, Scalar>>) =>
  new Map(Object.entries(values).map(([property, value]) => [fieldOf(collection, property), value]))

const selectionOf = ({ stored }: Collection): Selection => stored.map(showPlainly)
