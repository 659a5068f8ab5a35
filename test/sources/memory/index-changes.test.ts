import fc, { runsOf } from '../../helpers/fast-check.ts'
import { test } from 'tap'
import { type Table, tableOf } from '../../../lib/sources/memory/table.ts'
import { looks, openStage, steps, take, undoAll } from '../../helpers/index-steps.ts'
import { openStore, type Row, type Store } from '../../helpers/row-stores.ts'

// The indexes of memory(), while writes, their undos and the application change the rows.

for (const [kind, open] of Object.entries(openStore)) {
  test(`rows are found in their order, and undone exactly, whatever the application does (${kind})`, async t => {
    fc.assert(fc.property(steps, steps => {
      const stage = openStage(open())
      for (const step of steps) take(stage, step)
      undoAll(stage)
      for (const look of Object.values(looks)) look(stage)
    }), { numRuns: runsOf(500) })
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

for (const [kind, open] of Object.entries(openStore)) {
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

test('a row of a Map stays where an insert would take its key', async t => {
  const rows = new Map([['x', { id: 1, group: 'a' }]])
  const table = tableOf(rows)
  const undo = table.insert({ id: 2, group: 'a' }, 'x')
  t.strictSame([table.find('id', 1, 'integer').length, table.find('id', 2, 'integer').length], [1, 1])
  t.strictSame([...rows.values()], [{ id: 1, group: 'a' }, { id: 2, group: 'a' }])
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
