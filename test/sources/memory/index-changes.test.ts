import fc from '../../helpers/fast-check.ts'
import { test } from 'tap'
import { type Rows, type Table, tableOf, type Undo } from '../../../lib/sources/memory/table.ts'

// The indexes of memory(), while writes, their undos and the application change the rows.

interface Row { id: number | null, group: string | null }

/** Rows as an application holds them, and how it changes them. */
interface Store {
  readonly rows: Rows
  list (): Row[]
  append (row: Row): void
  removeAt (position: number): void
  replaceAt (position: number, row: Row): void
}

function openArray (): Store {
  const rows: Row[] = []
  return {
    rows,
    list: () => [...rows],
    append (row) { rows.push(row) },
    removeAt (position) { rows.splice(position, 1) },
    replaceAt (position, row) { rows[position] = row }
  }
}

function openMap (): Store {
  const rows = new Map<unknown, Row>()
  const keys: unknown[] = [NaN]
  const keyAt = (position: number) => [...rows.keys()][position]
  return {
    rows,
    list: () => [...rows.values()],
    append (row) { rows.set(keys.pop() ?? {}, row) },
    removeAt (position) { rows.delete(keyAt(position)) },
    replaceAt (position, row) { rows.set(keyAt(position), row) }
  }
}

const stores = { array: openArray, Map: openMap }

/** One store with the writes that may still be undone. `committed` is how the rows are to be when all of them are. */
interface Stage {
  readonly store: Store
  readonly table: Table
  readonly undos: Undo[]
  committed: Array<{ readonly row: Row, readonly values: Row }>
  /** Whether the application has replaced or moved rows since the first of those writes. */
  isOrderOpen: boolean
  writes: number
}

const openStage = (store: Store): Stage =>
  ({ store, table: tableOf(store.rows), undos: [], committed: [], isOrderOpen: false, writes: 0 })

const valuesOf = ({ id, group }: Row): Row => ({ id, group })

function commit (stage: Stage): void {
  stage.undos.length = 0
  stage.isOrderOpen = false
  stage.committed = stage.store.list().map(row => ({ row, values: valuesOf(row) }))
}

function undoAll (stage: Stage): void {
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

const ids = [0, 1, 2, 3, 4, 5]
const groups = ['a', 'b']

/** Compares what the indexes say with a look at each row. */
const looks = {
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

const names = <K extends string>(of: Readonly<Record<K, unknown>>) => fc.constantFrom(...Object.keys(of) as K[])

interface Step {
  readonly change: keyof typeof changes | null
  readonly write: keyof typeof writes | null
  readonly position: number
  readonly values: Row
  readonly look: keyof typeof looks
}

const steps: fc.Arbitrary<Step[]> = fc.array(fc.record({
  change: fc.option(names(changes), { freq: 2 }),
  write: fc.option(names(writes), { freq: 4 }),
  position: fc.nat(20),
  values: fc.record({ id: fc.option(fc.constantFrom(...ids)), group: fc.option(fc.constantFrom(...groups)) }),
  look: names(looks)
}), { minLength: 1, maxLength: 30 })

function take (stage: Stage, { change, write, position, values, look }: Step): void {
  // A change by the application is seen by the write or read that follows it.
  if (change !== null) changes[change]?.(stage, position, valuesOf(values))
  if (write !== null) writes[write]?.(stage, position, valuesOf(values))
  looks[look](stage)
  if (change !== null) looks.id(stage)
}

for (const [kind, open] of Object.entries(stores)) {
  test(`rows are found in their order, and undone exactly, whatever the application does (${kind})`, async t => {
    fc.assert(fc.property(steps, steps => {
      const stage = openStage(open())
      for (const step of steps) take(stage, step)
      undoAll(stage)
      for (const look of Object.values(looks)) look(stage)
    }), { numRuns: Number(process.env['RUNS'] ?? 1000) })
    t.pass()
  })
}

// Counts in place of times: how many values are read of the rows, whatever their number.

class Counted {
  static reads = 0
  readonly #id: number
  constructor (id: number) { this.#id = id }

  get id () {
    Counted.reads++
    return this.#id
  }

  get group () {
    Counted.reads++
    return this.#id % 2 === 0 ? 'even' : `odd ${this.#id}`
  }
}

const counted = (count: number) => Array.from({ length: count }, (_, index) => new Counted(index + 1))

/** What a write or a change costs, with the reads that follow it, of so many rows. */
function readsOf (store: Store, count: number, act: (table: Table) => void): number {
  for (const row of counted(count)) store.append(row)
  const table = tableOf(store.rows)
  const ask = () => {
    table.find('id', 3, 'integer')
    table.find('group', 'odd 5')
    table.highest('id', 'integer')
  }
  ask()
  Counted.reads = 0
  act(table)
  ask()
  return Counted.reads
}

const acts: Record<string, (store: Store, count: number) => (table: Table) => void> = {
  'a refused array of items': (_, count) => table => {
    const undos = [1, 2, 3].map(more => table.insert(new Counted(count + more), `key ${more}`))
    for (const undo of undos.toReversed()) undo()
  },
  'a removal': store => table => { table.remove(store.list()[7] ?? {}) },
  'a removal that is undone': store => table => { table.remove(store.list()[7] ?? {})() },
  'a change that is undone': store => table => { table.update(store.list()[7] ?? {}, { name: 'new' })() },
  'an item that the application adds': (store, count) => () => { store.append(new Counted(count + 1)) },
  'an item that the application removes': store => () => { store.removeAt(7) },
  'an item that the application replaces': store => table => {
    store.replaceAt(7, new Counted(8))
    table.find('id', 8, 'integer')
  },
  'an added item that the application removes before the undo': (store, count) => table => {
    const undo = table.insert(new Counted(count + 1), 'key')
    store.removeAt(count)
    undo()
  }
}

for (const [kind, open] of Object.entries(stores)) {
  test(`the number of rows does not tell in what a change costs (${kind})`, async t => {
    for (const [what, act] of Object.entries(acts)) {
      const [few, many] = [50, 5000].map(count => {
        const store = open()
        return readsOf(store, count, act(store, count))
      })
      t.equal(many, few, what)
      t.ok(many !== undefined && many < 40, `${what}: ${many} values read`)
    }
  })
}

test('the highest is right while thousands of numbers come and go', async t => {
  const rows: Row[] = []
  const table = tableOf(rows)
  const highest = () => table.highest('id', 'integer')
  t.equal(highest(), 0)
  for (let count = 1; count <= 5000; count++) table.insert({ id: count * 7919 % 5003, group: null }, count)
  for (let count = 1; count <= 5000; count++) {
    const last = Math.max(...rows.map(row => row.id ?? 0))
    if (highest() !== last) t.equal(highest(), last)
    for (const row of table.find('id', last, 'integer')) table.remove(row)
  }
  t.equal(rows.length, 0)
  t.equal(highest(), 0)
})

test('an object that stands in an array twice is found twice, and changed as one', async t => {
  const row = { id: 1, group: 'a' }
  const table = tableOf([row, { id: 2, group: 'a' }, row])
  t.equal(table.find('id', 1, 'integer').length, 2)
  const undo = table.update(row, { id: 3 })
  t.equal(table.find('id', 1, 'integer').length, 0)
  t.equal(table.find('id', 3, 'integer').length, 2)
  undo()
  t.equal(table.find('id', 1, 'integer').length, 2)
  const putBack = table.remove(row)
  t.equal(table.find('id', 1, 'integer').length, 1)
  putBack()
  t.strictSame(table.find('group', 'a').map(one => one === row), [true, false, true])
})

test('a row that no index has is removed where it is', async t => {
  const rows = [{ id: 1, group: null }, { id: 2, group: null }, { id: 3, group: null }]
  const table = tableOf(rows)
  const added = { id: 4, group: null }
  table.find('group', 'a')
  rows[1] = added
  const undo = table.remove(added)
  t.strictSame(rows.map(row => row.id), [1, 3])
  undo()
  t.strictSame(rows.map(row => row.id), [1, 4, 3])
})

test('a row that changed in place, went and came again is removed once', async t => {
  const row = { id: 1, group: null }
  const rows = [row, { id: 2, group: null }, { id: 3, group: null }]
  const table = tableOf(rows)
  table.find('id', 1, 'integer')
  row.id = 5
  rows.shift()
  t.equal(table.find('id', 2, 'integer').length, 1)
  row.id = 1
  rows.push(row, { id: 4, group: null })
  table.remove(row)
  t.strictSame(rows.map(one => one.id), [2, 3, 4])
  t.strictSame([1, 2, 4, 5].map(id => table.find('id', id, 'integer').length), [0, 1, 1, 0])
})

test('a row of a Map that an insert replaces is put back by its undo', async t => {
  const rows = new Map([['x', { id: 1, group: 'a' }]])
  const table = tableOf(rows)
  const undo = table.insert({ id: 2, group: 'a' }, 'x')
  t.strictSame([table.find('id', 1, 'integer').length, table.find('id', 2, 'integer').length], [0, 1])
  undo()
  t.strictSame([...rows], [['x', { id: 1, group: 'a' }]])
  t.strictSame([table.find('id', 1, 'integer').length, table.find('id', 2, 'integer').length], [1, 0])
})

test('what the application sets under the key of a removed row stays when the removal is undone', async t => {
  const row = { id: 1, group: 'a' }
  const rows = new Map([['x', row]])
  const table = tableOf(rows)
  const undo = table.remove(row)
  rows.set('x', { id: 2, group: 'b' })
  undo()
  t.strictSame([...rows], [['x', { id: 2, group: 'b' }]])
  t.strictSame([table.find('id', 1, 'integer').length, table.find('id', 2, 'integer').length], [0, 1])
})
