import { Type } from '@sinclair/typebox'
import { test } from 'tap'
import type { Predicate } from '../../../lib/core/plan/plan.ts'
import { all, any, equals, always, never } from '../../../lib/core/plan/predicates.ts'
import { memory } from '../../../lib/core/sources/memory/memory.ts'
import {
  type Person, age, collectionOf, compare, embed, find, id, listOf, makeWorld, name, nick, not, read, rowsOf,
  show, some, stored, up
} from '../../helpers/memory-world.ts'
import { countReads } from '../../helpers/count-reads.ts'

// Items of memory() that are found by an index.

test('an identifier named like a property that every object has is found by its index', async t => {
  const key = stored('constructor', Type.String(), true)
  const odd = collectionOf('odd', memory([{ constructor: 'a' }, {}]), key)
  t.strictSame(read(listOf(odd, { where: equals(key, 'a'), order: up(key), select: show(key) })),
    { kind: 'rows', rows: [{ constructor: 'a' }], more: false })
})

test('items are found by index where the value of an identifier is asked for, else by a scan', async t => {
  const counter = { reads: 0 }
  const { people } = makeWorld(Array.from({ length: 1000 },
    (_, n) => countReads({ id: n, name: `name ${n}`, nick: n === 0 ? null : `${n}`, age: n % 2 }, counter)))
  const cases: ReadonlyArray<readonly [string, Predicate, readonly number[], 'index' | 'scan']> = [
    ['equals', equals(id, 7), [7], 'index'],
    ['equals, no such item', equals(id, -7), [], 'index'],
    ['a second identifier', equals(nick, '8'), [8], 'index'],
    ['in', compare(id, 'in', [9, 7, 9, 1234]), [7, 9], 'index'],
    ['in none', compare(id, 'in', []), [], 'index'],
    ['any, the same item twice', any([equals(id, 7), equals(nick, '7')]), [7], 'index'],
    ['any of several', any([equals(id, 7), all([equals(nick, '8'), equals(age, 0)]), compare(id, 'in', [9])]), [
      7, 8, 9
    ], 'index'],
    ['any of none', never, [], 'index'],
    ['all that contains one', all([compare(name, 'contains', '7'), equals(age, 1), equals(id, 7)]), [7], 'index'],
    ['all that contains one, and does not hold', all([equals(id, 7), equals(age, 0)]), [], 'index'],
    ['any with another branch', any([equals(id, 7), equals(name, 'name 8')]), [7, 8], 'scan'],
    ['another field', equals(name, 'name 7'), [7], 'scan'],
    ['another operator', compare(id, 'less', 2), [0, 1], 'scan'],
    ['not', not(compare(id, 'not_equals', 7)), [7], 'scan'],
    ['null', equals(nick, null), [0], 'scan'],
    ['in a list with null', compare(nick, 'in', [null, '3']), [0, 3], 'scan']
  ]
  find(people, any([equals(id, 1), equals(nick, '1')]))
  for (const [what, where, expected, way] of cases) {
    counter.reads = 0
    t.strictSame(find(people, where), expected, what)
    t.equal(counter.reads < 50 ? 'index' : 'scan', way, `${what}: ${counter.reads} values read`)
  }
})

test('relations are followed by index', async t => {
  const counter = { reads: 0 }
  const rows = Array.from({ length: 1000 },
    (_, n) => countReads({ id: n, bossId: n === 0 ? null : Math.floor(n / 2) }, counter))
  const links = Array.from({ length: 1000 }, (_, n) => countReads({ personId: n, markId: n }, counter))
  const marks = Array.from({ length: 1000 }, (_, n) => countReads({ id: n, word: `w${n}` }, counter))
  const { people, boss, staff, marks: through } = makeWorld(rows, { links, marks })
  const look = () => read({
    kind: 'item',
    steps: [
      { collection: people, via: undefined, where: equals(id, 9) }, { collection: people, via: boss, where: always }
    ],
    select: [embed(staff), embed(through)]
  })
  look()
  counter.reads = 0
  t.strictSame(rowsOf(look()), [{ staff: [{ id: 8 }, { id: 9 }], marks: [{ id: 4 }] }])
  t.ok(counter.reads < 50, `${counter.reads} values read`)
})

test('items that the application adds, removes, replaces and moves are seen', async t => {
  const rows: Person[] = []
  const { people, staff } = makeWorld(rows)
  const by = (value: number) => find(people, equals(id, value))
  t.strictSame(by(1), [])
  rows.push({ id: 1, name: 'a' }, { id: 2, name: 'b', bossId: 1 })
  t.strictSame([by(1), by(2)], [[1], [2]])
  t.strictSame(find(people, some(staff)), [1])
  rows.push({ id: 3, name: 'c', bossId: 2 })
  t.strictSame(by(3), [3])
  t.strictSame(find(people, some(staff)), [1, 2])
  rows.reverse()
  t.strictSame([by(1), by(2), by(3)], [[1], [2], [3]])
  rows.shift()
  t.strictSame([by(3), find(people, some(staff))], [[], [1]])
  rows[0] = { id: 4, name: 'd' }
  t.strictSame([by(2), by(4), find(people, some(staff))], [[], [4], []])
  rows.length = 0
  t.strictSame(by(1), [])
})

test('an item whose value changed in place is no longer found by the old one', async t => {
  const row: Person = { id: 1, name: 'a', nick: 'x' }
  const { people } = makeWorld([row, { id: 2, name: 'b', nick: 'y' }])
  t.strictSame(find(people, equals(nick, 'x')), [1])
  row.nick = 'z'
  t.strictSame(find(people, equals(nick, 'x')), [])
  t.strictSame(find(people, equals(nick, 'z')), [1])
})

test('after refresh every change is seen, of join rows too', async t => {
  const rows: Person[] = [{ id: 1, name: 'a', nick: 'x' }, { id: 2, name: 'b', nick: 'y' }]
  const links = [{ personId: 1, markId: 5 }]
  const { people, staff, marks, source } = makeWorld(rows, { links, marks: [{ id: 5, word: 'w' }] })
  const look = () =>
    [find(people, equals(nick, 'z')), find(people, equals(id, 3)), find(people, some(staff)), find(people, some(marks))]
  t.strictSame(look(), [[], [], [], [1]])
  Object.assign(rows[0] ?? {}, { nick: 'z' })
  rows.splice(1, 1, { id: 3, name: 'c', bossId: 1 })
  links.splice(0, 1, { personId: 3, markId: 5 })
  source.refresh()
  t.strictSame(look(), [[1], [3], [1], [3]])
})

test('a Map serves its values, whatever its keys', async t => {
  const rows = new Map<unknown, Person>([['x', { id: 1, name: 'a' }], [NaN, { id: 2, name: 'b', bossId: 1 }]])
  const { people, staff } = makeWorld(rows)
  t.strictSame(find(people, always), [1, 2])
  t.strictSame(find(people, equals(id, 2)), [2])
  t.strictSame(find(people, some(staff)), [1])
  rows.set('y', { id: 3, name: 'c' })
  t.strictSame(find(people, equals(id, 3)), [3])
  rows.set(NaN, { id: 4, name: 'd' })
  t.strictSame([find(people, equals(id, 2)), find(people, equals(id, 4))], [[], [4]])
  rows.clear()
  t.strictSame([find(people, equals(id, 1)), find(people, always)], [[], []])
})
