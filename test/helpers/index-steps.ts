import { type Table, tableOf, type Undo } from '../../lib/sources/memory/table.ts'
import fc from './fast-check.ts'
import type { Row, Store } from './row-stores.ts'

/** Returns the stage of a store, before the first step. */
export const openStage = (store: Store): Stage =>
  ({ store, table: tableOf(store.rows), undos: [], committed: [], isOrderOpen: false, writes: 0 })

/** One store with the writes that may still be undone. `committed` is how the rows are to be when all of them are. */
export interface Stage {
  readonly store: Store
  readonly table: Table
  readonly undos: Undo[]
  committed: Array<{ readonly row: Row, readonly values: Row }>
  /** Whether the application has replaced or moved rows since the first of those writes. */
  isOrderOpen: boolean
  writes: number
}

/** Takes a step: a change by the application, a write, and a look at the indexes. Throws if they are wrong. */
export function take (stage: Stage, { change, write, position, values, look }: Step): void {
  // A change by the application is seen by the write or read that follows it.
  if (change !== null) changes[change]?.(stage, position, valuesOf(values))
  if (write !== null) writes[write]?.(stage, position, valuesOf(values))
  looks[look](stage)
  if (change !== null) looks.id(stage)
}

/** A change and a write at a position, each of which may be left out, and the index that is looked at then. */
export interface Step {
  readonly change: keyof typeof changes | null
  readonly write: keyof typeof writes | null
  readonly position: number
  readonly values: Row
  readonly look: keyof typeof looks
}

/** Undoes all writes that may still be undone. Throws if the rows are not as they were before them. */
export function undoAll (stage: Stage): void {
  for (const undo of stage.undos.splice(0).toReversed()) undo()
  const rows = stage.store.list()
  const expected = stage.committed.map(one => one.row)
  const isInOrder = Array.isArray(stage.store.rows) && !stage.isOrderOpen
  // A Map has what is put back at its end.
  assertRows('undone rows', isInOrder ? rows : expected.filter(row => rows.includes(row)), expected)
  assertEqual('undone rows', rows.length, expected.length)
  for (const { row, values } of stage.committed) assertEqual('an undone row', valuesOf(row), values)
  commit(stage)
}

const valuesOf = ({ id, group }: Row): Row => ({ id, group })

function commit (stage: Stage): void {
  stage.undos.length = 0
  stage.isOrderOpen = false
  stage.committed = stage.store.list().map(row => ({ row, values: valuesOf(row) }))
}

/** Compares what the indexes say with a look at each row, for each index. */
export const looks = {
  none () {},
  id ({ table, store }: Stage) {
    for (const id of ids) {
      assertRows(`id ${id}`, table.find('id', id, 'integer'), store.list().filter(row => row.id === id))
    }
  },
  group ({ table, store }: Stage) {
    for (const group of groups) {
      assertRows(`group ${group}`, table.find('group', group), store.list().filter(row => row.group === group))
    }
  },
  highest ({ table, store }: Stage) {
    assertEqual('highest', table.highest('id', 'integer'), Math.max(0, ...store.list().map(row => row.id ?? 0)))
  }
}

const ids = [0, 1, 2, 3, 4, 5]
const groups = ['a', 'b']

function fail (what: string, found: unknown, expected: unknown): never {
  throw new Error(`${what}: ${JSON.stringify(found)}\nexpected ${JSON.stringify(expected)}`)
}

function assertEqual (what: string, found: unknown, expected: unknown): void {
  if (JSON.stringify(found) !== JSON.stringify(expected)) fail(what, found, expected)
}

function assertRows (what: string, found: readonly object[], expected: readonly object[]): void {
  const isSame = found.length === expected.length && found.every((row, at) => row === expected[at])
  if (!isSame) fail(what, found, expected)
}

/** A write or a change by the application, at a position of the rows. */
type Move = (stage: Stage, position: number, values: Row) => void

const chosen = ({ store }: Stage, position: number) => {
  const rows = store.list()
  const at = position % Math.max(rows.length, 1)
  return { at, row: rows[at] }
}

const writes: Record<string, Move> = {
  insert (stage, _, values) {
    stage.undos.push(stage.table.insert(values, `key ${stage.writes++}`))
    if (stage.store.list().at(-1) !== values) fail('the last row', stage.store.list(), values)
  },
  update (stage, position, values) {
    const { row } = chosen(stage, position)
    const { id, group } = values
    if (row !== undefined) stage.undos.push(stage.table.update(row, position % 2 === 0 ? { id, group } : { group }))
  },
  remove (stage, position) {
    const { row } = chosen(stage, position)
    if (row !== undefined) stage.undos.push(stage.table.remove(row))
  },
  commit,
  undoAll
}

function leave (stage: Stage, position: number): void {
  const { row, at } = chosen(stage, position)
  stage.store.removeAt(at)
  stage.committed = stage.committed.filter(one => one.row !== row)
}

function append (stage: Stage, values: Row): void {
  stage.store.append(values)
  stage.committed.push({ row: values, values: valuesOf(values) })
}

const changes: Record<string, Move> = {
  append (stage, _, values) { append(stage, values) },
  'append two' (stage, _, values) {
    append(stage, values)
    append(stage, valuesOf(values))
  },
  remove: leave,
  'remove two' (stage, position) {
    leave(stage, position)
    leave(stage, position)
  },
  'remove the last' (stage) { leave(stage, stage.store.list().length - 1) },
  'remove the last and append two' (stage, _, values) {
    leave(stage, stage.store.list().length - 1)
    append(stage, values)
    append(stage, valuesOf(values))
  },
  'remove all' (stage) { while (stage.store.list().length > 0) leave(stage, 0) },
  replace (stage, position, values) {
    looks.id(stage)
    const { row, at } = chosen(stage, position)
    if (row === undefined) return
    stage.isOrderOpen = true
    stage.store.replaceAt(at, values)
    stage.committed = stage.committed.filter(one => one.row !== row)
    stage.committed.push({ row: values, values: valuesOf(values) })
    see(stage, row.id, position)
  },
  'set in place' (stage, position, values) {
    commit(stage)
    looks.id(stage)
    const { row } = chosen(stage, position)
    if (row === undefined) return
    const before = row.id
    Object.assign(row, values)
    commit(stage)
    see(stage, before === row.id ? null : before, position)
  },
  reverse (stage) {
    if (!Array.isArray(stage.store.rows)) return
    stage.isOrderOpen = true
    stage.store.rows.reverse()
    stage.table.refresh()
  }
}

/** Has the source see a change that leaves the number of rows as it was: by refresh(), or by asking for what was. */
function see ({ table }: Stage, id: number | null, position: number): void {
  if (id === null || position % 2 === 0) table.refresh()
  else table.find('id', id, 'integer')
}

const names = <K extends string>(of: Readonly<Record<K, unknown>>) => fc.constantFrom(...Object.keys(of) as K[])

/** Draws the steps that a store takes. */
export const steps: fc.Arbitrary<Step[]> = fc.array(fc.record({
  change: fc.option(names(changes), { freq: 2 }),
  write: fc.option(names(writes), { freq: 4 }),
  position: fc.nat(20),
  values: fc.record({ id: fc.option(fc.constantFrom(...ids)), group: fc.option(fc.constantFrom(...groups)) }),
  look: names(looks)
}), { minLength: 1, maxLength: 30 })
