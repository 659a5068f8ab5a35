import { Type } from '@sinclair/typebox'
import fc from 'fast-check'
import { test } from 'tap'
import { collection } from '../../lib/collection.ts'
import { SubCollection } from '../../lib/declare/relations.ts'
import { DeclarationError } from '../../lib/errors.ts'
import { compileModel } from '../../lib/model/compile.ts'
import type { DataField, RelationField, ScalarField, SubCollectionField } from '../../lib/model/model.ts'
import { type Operator, operatorNames } from '../../lib/model/values.ts'
import type { Listing, Order, Predicate, ReadPlan, Selection, Shown, Step, Row } from '../../lib/plan/plan.ts'
import { all, any, equals, always, never } from '../../lib/plan/predicates.ts'
import { memory } from '../../lib/sources/memory/memory.ts'
import type { Rows } from '../../lib/sources/memory/table.ts'
import {
  type Person, active, age, collectionOf, compare, database, down, embed, expressionOf, find, flags, id,
  idsOf, itemAt, listOf, listingOf, makeWorld, markId, name, nick, not, read, rowsOf, show, showing, some, stored,
  up, word
} from '../helpers/memory-world.ts'

test('every operator is true or false, also of null (docs/http.md: Query strings)', async t => {
  const { people } = makeWorld([
    { id: 1, name: 'ab', age: 1, active: false }, { id: 2, name: 'Ab%', age: 2, active: true },
    { id: 3, name: 'ÄB', age: null, active: null }, { id: 4 }, { id: 5, name: '', age: 0 }
  ])
  const cases: ReadonlyArray<readonly [DataField, Operator, Parameters<typeof compare>[2], readonly number[]]> = [
    [age, 'equals', 1, [1]], [age, 'equals', null, [3, 4]], [age, 'not_equals', 1, [2, 3, 4, 5]],
    [age, 'not_equals', null, [1, 2, 5]],
    [age, 'greater', 0, [1, 2]], [age, 'less', 2, [1, 5]], [age, 'at_least', 1, [1, 2]], [age, 'at_most', 1, [1, 5]],
    [age, 'greater', null, []], [age, 'less', null, []], [age, 'at_least', null, []], [age, 'at_most', null, []],
    [age, 'in', [0, 2], [2, 5]], [age, 'in', [1, null], [1, 3, 4]], [age, 'in', [], []],
    [age, 'not_in', [0, 2], [1, 3, 4]], [age, 'not_in', [1, null], [2, 5]], [age, 'not_in', [], [1, 2, 3, 4, 5]],
    [active, 'equals', false, [1]], [active, 'not_equals', true, [1, 3, 4, 5]],
    [name, 'less', 'ab', [2, 5]], [name, 'greater', 'ab', [3]],
    [name, 'starts_with', 'a', [1]], [name, 'ends_with', '%', [2]], [name, 'contains', 'b', [1, 2]],
    [name, 'contains', '', [1, 2, 3, 5]],
    [name, 'equals_ignoring_case', 'AB', [1]], [name, 'starts_with_ignoring_case', 'aB', [1, 2]], [
      name, 'ends_with_ignoring_case', 'B', [1, 3]
    ], [name, 'ends_with_ignoring_case', 'äb', [3]], [name, 'contains_ignoring_case', 'B', [1, 2, 3]]
  ]
  for (const [field, operator, value, expected] of cases) {
    const where = compare(field, operator, value)
    t.strictSame(find(people, where), expected, `${field.name} ${operator} ${JSON.stringify(value)}`)
    t.strictSame(find(people, not(where)), [1, 2, 3, 4, 5].filter(one => !expected.includes(one)),
      `not: ${field.name} ${operator} ${JSON.stringify(value)}`)
  }
  t.strictSame(operatorNames.filter(operator => !cases.some(([, one]) => one === operator)), [])
})

test('all of none is true and any of none false', async t => {
  const { people } = makeWorld([{ id: 1 }, { id: 2 }])
  t.strictSame(find(people, always), [1, 2])
  t.strictSame(find(people, never), [])
  t.strictSame(find(people, not(never)), [1, 2])
  t.strictSame(find(people, { kind: 'all', of: [equals(id, 2), not(always)] }), [])
  t.strictSame(find(people, { kind: 'any', of: [equals(id, 2), never] }), [2])
})

test('case is ignored code point by code point, whatever stands beside it', async t => {
  const { people } = makeWorld(
    [{ id: 1, name: 'ΟΔΟΣ' }, { id: 2, name: 'İ' }, { id: 3, name: 'Straße' }, { id: 4, name: '\u{10400}' }]
  )
  t.strictSame(find(people, compare(name, 'equals_ignoring_case', 'οδοσ')), [1])
  t.strictSame(find(people, compare(name, 'equals_ignoring_case', 'οδος')), [])
  t.strictSame(find(people, compare(name, 'starts_with_ignoring_case', 'i')), [])
  t.strictSame(find(people, compare(name, 'equals_ignoring_case', 'STRASSE')), [])
  t.strictSame(find(people, compare(name, 'equals_ignoring_case', '\u{10428}')), [4])
})

test('text is ordered by code point, beyond U+FFFF too', async t => {
  const points = fc.oneof(fc.constantFrom(0x20, 0x61, 0xd7ff, 0xe000, 0xfffd, 0xffff, 0x10000, 0x103ff,
    0x10400, 0x1f600, 0x10ffff), fc.integer({ min: 0, max: 0xd7ff }), fc.integer({ min: 0xe000, max: 0x10ffff }))
  const texts = fc.array(points, { maxLength: 4 }).map(some => String.fromCodePoint(...some))
  fc.assert(fc.property(fc.array(texts, { maxLength: 8 }), texts, (names, bound) => {
    const { people } = makeWorld(names.map((one, index) => ({ id: index, name: one })))
    const bytewise = (one: string, other: string) => Buffer.compare(Buffer.from(one), Buffer.from(other))
    const namesOf = (listing: Partial<Listing>) =>
      JSON.stringify(rowsOf(read(listOf(people, { select: show(name), ...listing }))).map(row => row['name']))
    const ascending = names.toSorted(bytewise)
    const wrong = namesOf({ order: up(name, id) }) !== JSON.stringify(ascending) ||
      namesOf({ order: down(name, id) }) !== JSON.stringify(ascending.toReversed()) ||
      namesOf({
        order: up(name, id), where: compare(name, 'greater', bound)
      }) !== JSON.stringify(ascending.filter(one => bytewise(one, bound) > 0)) ||
      namesOf({
        order: up(name, id), where: compare(name, 'at_most', bound)
      }) !== JSON.stringify(ascending.filter(one => bytewise(one, bound) <= 0))
    if (wrong) throw new Error(JSON.stringify({ names, bound }))
  }))
  t.pass()
})

test('nulls sort last ascending and first descending, and ties fall to the terms that follow', async t => {
  const { people } = makeWorld([{ id: 1, age: 3, active: true }, {
    id: 2, age: null, active: false
  }, { id: 3, age: 1, active: false }, { id: 4, age: -10 }, { id: 5, age: 3, active: false }, { id: 6, active: true }])
  const sorted = (order: Order) => idsOf(read(listOf(people, { order })))
  t.strictSame(sorted(up(age, id)), [4, 3, 1, 5, 2, 6])
  t.strictSame(sorted(down(age, id)), [6, 2, 5, 1, 3, 4])
  t.strictSame(sorted([...down(age), ...up(id)]), [2, 6, 1, 5, 3, 4])
  t.strictSame(sorted(up(active, age, id)), [3, 5, 2, 1, 6, 4])
  t.strictSame(sorted([...down(active), ...up(age, id)]), [4, 1, 6, 3, 5, 2])
})

test('a sort reads the fields of an object once, not once a comparison', async t => {
  const counter = { reads: 0 }
  const { people } = makeWorld(Array.from({ length: 1000 }, (_, n) => counting({ id: n, age: n * 7 % 1000 }, counter)))
  read(listOf(people, { order: up(age, id), range: { offset: 0, limit: 1 } }))
  t.ok(counter.reads <= 2001, `${counter.reads} reads`)
})

/** The same object, which counts what is read of it. */
const counting = (row: object, counter: { reads: number }) => new Proxy(row, {
  get (target, property, receiver) {
    counter.reads++
    return Reflect.get(target, property, receiver)
  }
})

test('absent and null are one, a Date is the text of its format, and what JSON does not have is text', async t => {
  const day = stored('day', Type.String({ format: 'date' }))
  const moment = stored('moment', Type.String({ format: 'date-time' }))
  const size = stored('size', Type.Number())
  const meta = stored('meta', Type.Unknown())
  const at = new Date('2024-02-29T23:59:59.5Z')
  const { people } = makeWorld([
    { id: 1, day: at, moment: at, size: -0, meta: { a: [1, null] } },
    { id: 2, day: undefined, size: NaN },
    { id: 3, day: new Date(NaN), moment: new Date(NaN), size: -Infinity },
    { id: 4, day: new Date(Date.UTC(12024, 0, 1)), moment: '2024-03-01T00:00:00.000Z' }
  ])
  t.strictSame(showing(people, show(day, moment, size, meta)), [
    { day: '2024-02-29', moment: '2024-02-29T23:59:59.500Z', size: 0, meta: { a: [1, null] } },
    { day: null, moment: null, size: 'NaN', meta: null },
    { day: null, moment: null, size: '-Infinity', meta: null },
    { day: '+012024-01-01', moment: '2024-03-01T00:00:00.000Z', size: null, meta: null }
  ])
  t.ok(Object.is(showing(people, show(size))[0]?.['size'], 0), 'minus zero is zero')
  t.strictSame(find(people, equals(day, '2024-02-29')), [1])
  t.strictSame(find(people, compare(moment, 'greater', '2024-02-29T23:59:59.499Z')), [1, 4])
  t.strictSame(find(people, equals(size, null)), [4])
  t.strictSame(find(people, equals(size, 'NaN')), [2])
  t.strictSame(idsOf(read(listOf(people, { order: up(size, id) }))), [3, 1, 2, 4])
  t.strictSame(idsOf(read(listOf(people, { order: up(moment, id) }))), [1, 4, 2, 3])
})

test('an identifier may be a Date', async t => {
  const moment = stored('moment', Type.String({ format: 'date-time' }), true)
  const row = { moment: new Date(0) }
  const days = collectionOf('days', memory([row]), moment)
  const momentsAt = (text: string) =>
    rowsOf(read(listOf(days, { where: equals(moment, text), order: up(moment), select: show(moment) })))
  t.strictSame(momentsAt('1970-01-01T00:00:00.000Z'), [{ moment: '1970-01-01T00:00:00.000Z' }])
  row.moment.setTime(1)
  t.strictSame(momentsAt('1970-01-01T00:00:00.000Z'), [])
  t.strictSame(momentsAt('1970-01-01T00:00:00.001Z'), [{ moment: '1970-01-01T00:00:00.001Z' }])
  const day = stored('day', Type.String({ format: 'date' }), true)
  const where = equals(day, '1970-01-01')
  t.strictSame(rowsOf(read(listOf(collectionOf('days', memory([{ day: new Date(0) }]), day),
    { where, order: up(day), select: show(day) }))), [{ day: '1970-01-01' }])
})

test('a field named like a property that every object has is the object\'s own or null', async t => {
  const odd = ['toString', 'constructor', 'hasOwnProperty', 'valueOf', '__proto__'].map(property =>
    stored(property, Type.String()))
  const { people } = makeWorld([{ id: 1 }, Object.assign(Object.create(null), { id: 2 }), { id: 3, toString: 'own' }])
  for (const field of odd) {
    t.strictSame(find(people, equals(field, null)), field.property === 'toString' ? [1, 2] : [1, 2, 3], field.property)
  }
  t.strictSame(showing(people, show(...odd.slice(0, 2)), equals(id, 3)), [{ toString: 'own', constructor: null }])
})

test('an identifier named like a property that every object has is found by its index', async t => {
  const key = stored('constructor', Type.String(), true)
  const odd = collectionOf('odd', memory([{ constructor: 'a' }, {}]), key)
  t.strictSame(read(listOf(odd, { where: equals(key, 'a'), order: up(key), select: show(key) })),
    { kind: 'rows', rows: [{ constructor: 'a' }], more: false })
})

test('objects of a class give what their getters give', async t => {
  class Named {
    readonly id = 1
    get name () { return 'Ada' }
  }
  t.strictSame(showing(makeWorld([new Named()]).people, show(id, name)), [{ id: 1, name: 'Ada' }])
})

test('an expression is computed for each object, and filters, sorts and groups like a stored value', async t => {
  const { people } = makeWorld([{ id: 1, age: 10 }, { id: 2, age: 7 }, { id: 3 }, { id: 4, age: 5 }])
  const decade = expressionOf('decade', Type.Integer(),
    ({ age }) => typeof age === 'number' ? Math.floor(age / 10) : undefined)
  const born = expressionOf('born', Type.String({ format: 'date' }),
    ({ age }) => new Date(Date.UTC(2000 + Number(age), 0, 1)))
  t.strictSame(showing(people, show(decade, born)), [{
    decade: 1, born: '2010-01-01'
  }, { decade: 0, born: '2007-01-01' }, { decade: null, born: null }, { decade: 0, born: '2005-01-01' }])
  t.strictSame(find(people, equals(decade, 0)), [2, 4])
  t.strictSame(find(people, compare(decade, 'not_equals', 0)), [1, 3])
  t.strictSame(idsOf(read(listOf(people, { order: [...down(decade), ...up(id)] }))), [3, 1, 2, 4])
  t.strictSame(read({
    kind: 'groups',
    steps: [],
    from: { collection: people, via: undefined },
    by: decade,
    cursorBound: always,
    descending: false,
    range: { offset: 0, limit: Infinity },
    members: listingOf({}),
    count: false
  }),
  {
    kind: 'groups',
    groups: [
      { value: 0, rows: [{ id: 2 }, { id: 4 }] }, { value: 1, rows: [{ id: 1 }] }
    ],
    more: false
  })
  t.throws(() => find(people, equals(expressionOf('sqlOnly', Type.Integer()), 1)), { message: /sqlOnly/ })
})

test('rows are fresh objects that hold what is asked for and carried, and what computed fields need', async t => {
  const row = { id: 1, name: 'Ada', age: 36, nick: 'a', secret: 'x' }
  const { people } = makeWorld([row])
  const initial: ScalarField = {
    ...flags('initial'), kind: 'computed', from: [name, age], get: () => t.fail('belongs to the response')
  }
  t.strictSame(read(listOf(people, { select: show(initial) }, { extra: [id, nick] })),
    { kind: 'rows', rows: [{ id: 1, nick: 'a', name: 'Ada', age: 36 }], more: false })
  t.strictSame(showing(people, []), [{}])
  Object.assign(showing(people, show(name))[0] ?? {}, { name: 'changed' })
  t.strictSame(row.name, 'Ada')
})

test('items are found by index where the value of an identifier is asked for, else by a scan', async t => {
  const counter = { reads: 0 }
  const { people } = makeWorld(Array.from({ length: 1000 },
    (_, n) => counting({ id: n, name: `name ${n}`, nick: n === 0 ? null : `${n}`, age: n % 2 }, counter)))
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
    (_, n) => counting({ id: n, bossId: n === 0 ? null : Math.floor(n / 2) }, counter))
  const links = Array.from({ length: 1000 }, (_, n) => counting({ personId: n, markId: n }, counter))
  const marks = Array.from({ length: 1000 }, (_, n) => counting({ id: n, word: `w${n}` }, counter))
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

test('a step is resolved to one item: none is a miss, two are ambiguous (docs/http.md: Identifiers)', async t => {
  const { people, boss, staff, marks, words } = makeWorld(
    [{ id: 1, nick: '7' }, {
      id: 2, bossId: 1, nick: 'same'
    }, { id: 3, bossId: 1, nick: 'same' }, { id: 7, bossId: 2 }, { id: 8, nick: '8' }, { id: 9, bossId: 99 }],
    {
      links: [
        { personId: 1, markId: 5 }, { personId: 1, markId: 5 }
      ],
      marks: [{ id: 5, word: 'w' }, { id: 6, word: 'w' }]
    }
  )
  const root = (where: Predicate): Step => ({ collection: people, via: undefined, where })
  const at = (one: number) => root(equals(id, one))
  const search = (one: number) => root(any([equals(id, one), equals(nick, `${one}`)]))
  const along = (via: RelationField, where = always): Step => ({ collection: via.target, via, where })
  const cases: ReadonlyArray<readonly [string, readonly Step[], number | {
    readonly kind: 'missing' | 'ambiguous'
    readonly step: number
  }]> = [
    ['found', [at(2)], 2],
    ['not there', [at(4)], { kind: 'missing', step: 0 }],
    ['fits nothing', [root(never)], { kind: 'missing', step: 0 }],
    ['two items share a value', [root(equals(nick, 'same'))], { kind: 'ambiguous', step: 0 }],
    ['one item by two identifiers', [search(8)], 8],
    ['two items by two identifiers', [search(7)], { kind: 'ambiguous', step: 0 }],
    ['one of the two is not among those to be seen', [
      root(all([any([equals(id, 7), equals(nick, '7')]), compare(id, 'less', 5)]))
    ], 1],
    ['up', [at(7), along(boss), along(boss)], 1],
    ['up from nowhere', [at(1), along(boss)], { kind: 'missing', step: 1 }],
    ['up to what is not there', [at(9), along(boss)], { kind: 'missing', step: 1 }],
    ['up to what is not to be seen', [at(7), along(boss, equals(id, 3))], { kind: 'missing', step: 1 }],
    ['down', [at(1), along(staff, equals(id, 3))], 3],
    ['down to another\'s', [at(1), along(staff, equals(id, 7))], { kind: 'missing', step: 1 }],
    ['down to two', [at(1), along(staff, equals(nick, 'same'))], { kind: 'ambiguous', step: 1 }],
    ['the first step that fails', [at(4), along(staff), along(boss)], { kind: 'missing', step: 0 }],
    ['a link twice is one item', [at(1), along(marks, equals(word, 'w'))], 5],
    ['an item that is not linked', [at(1), along(marks, equals(markId, 6))], { kind: 'missing', step: 1 }]
  ]
  for (const [what, steps, expected] of cases) {
    t.strictSame(itemAt(...steps),
      typeof expected === 'number' ? { kind: 'rows', rows: [{ id: expected }], more: false } : expected, what)
  }
  t.strictSame(read(listOf(people, {}, { steps: [at(4)], from: { collection: people, via: staff } })),
    { kind: 'missing', step: 0 })
  t.strictSame(idsOf(read(listOf(words, {}, { steps: [at(1)], from: { collection: words, via: marks } }))), [5])
})

test('a relation leads to the items that are there, each once, and its conditions bear on them alone', async t => {
  const { people, boss, staff, marks } = makeWorld(
    [{ id: 1, name: 'a', age: 50 }, {
      id: 2, name: 'b', bossId: 1, age: 20
    }, { id: 3, name: 'c', bossId: 1, age: 30 }, { id: 4, name: 'd', bossId: 99 }, { id: 5, name: 'e', bossId: 5 }],
    {
      links: new Map<string, object>([
        ['a', { personId: 2, markId: 10 }],
        ['b', { personId: 2, markId: 11 }],
        ['c', { personId: 2, markId: 10 }],
        ['d', { personId: 3, markId: 99 }],
        ['e', { personId: 3, markId: null }],
        ['f', { personId: null, markId: 11 }],
        ['g', {}]
      ]),
      marks: [{ id: 10, word: 'x' }, { id: 11, word: 'y' }]
    }
  )
  const item = (where: Predicate, select: Selection = show(id)): Shown =>
    ({ kind: 'item', name: 'boss', field: boss, where, select })
  t.strictSame(showing(people, [item(always)]),
    [{ boss: null }, { boss: { id: 1 } }, { boss: { id: 1 } }, { boss: null }, { boss: { id: 5 } }])
  t.strictSame(showing(people, [item(compare(age, 'less', 50))], equals(id, 2)), [{ boss: null }])
  t.strictSame(showing(people, [item(always, [embed(staff)])], equals(id, 3)),
    [{ boss: { staff: [{ id: 2 }, { id: 3 }] } }])
  t.strictSame(showing(people, [embed(staff, { order: down(id), range: { offset: 0, limit: 1 } })]),
    [{ staff: [{ id: 3 }] }, { staff: [] }, { staff: [] }, { staff: [] }, { staff: [{ id: 5 }] }])
  t.strictSame(showing(people, [embed(staff, { where: compare(age, 'greater', 20), range: { offset: 0, limit: 5 } })],
    equals(id, 1)), [{ staff: [{ id: 3 }] }])
  t.strictSame(showing(people, [embed(staff, { range: { offset: 1, limit: 5 } })], equals(id, 1)),
    [{ staff: [{ id: 3 }] }])
  t.strictSame(showing(people, [embed(marks, { order: down(word), select: show(word) })]),
    [{ marks: [] }, { marks: [{ word: 'y' }, { word: 'x' }] }, { marks: [] }, { marks: [] }, { marks: [] }])
  t.strictSame(find(people, some(boss)), [2, 3, 5])
  t.strictSame(find(people, not(some(boss))), [1, 4])
  t.strictSame(find(people, some(boss, compare(name, 'starts_with', 'a'))), [2, 3])
  t.strictSame(find(people, some(staff, compare(age, 'greater', 25))), [1])
  t.strictSame(find(people, some(marks)), [2])
  t.strictSame(find(people, some(staff, some(marks, equals(word, 'y')))), [1])
  t.strictSame(find(people, some(boss, some(staff, equals(id, 3)))), [2, 3])
  t.strictSame(find(people, some(marks, never)), [])
})

test('nothing belongs to an item by a value that neither has', async t => {
  const { people, boss, staff, marks } = makeWorld([{ name: 'no key' }, { id: 1, name: 'no boss' }],
    { links: [{}], marks: [{}] })
  t.strictSame(find(people, any([some(boss), some(staff), some(marks)])), [])
})

test('a join leads from the key of one collection to the key of the other, whatever they are called', async t => {
  const code = stored('code', Type.String(), true)
  const tags = collectionOf('tags', memory([{ code: 'a', id: 2 }, { code: 'b', id: 1 }]), code)
  const people = collectionOf('people',
    memory([{ id: 1, code: 'b' }], { joins: { taggings: [{ who: 1, what: 'a' }, { who: 2, what: 'b' }] } }), id)
  const field: SubCollectionField = {
    ...flags('tags'),
    kind: 'sub-collection',
    holder: people,
    target: tags,
    link: {
      kind: 'join', through: 'taggings', foreignKey: ['who'], otherKey: ['what']
    }
  }
  t.strictSame(showing(people, [embed(field, { order: up(code), select: show(code) })]), [{ tags: [{ code: 'a' }] }])
})

// docs/http.md: Pages and links.
test('more tells whether a row follows, and total counts those before and beyond the page too', async t => {
  const { people } = makeWorld([5, 3, 1, 4, 2].map(one => ({ id: one, age: one })))
  const cases: ReadonlyArray<readonly [offset: number, limit: number, ids: readonly number[], more: boolean]> = [
    [0, Infinity, [1, 2, 3, 4], false], [0, 4, [1, 2, 3, 4], false], [0, 3, [1, 2, 3], true], [1, 3, [2, 3, 4], false],
    [3, 2, [4], false], [4, 1, [], false], [9, Infinity, [], false], [0, 0, [], true], [4, 0, [], false]
  ]
  const where = compare(age, 'less', 5)
  for (const [offset, limit, ids, more] of cases) {
    const rows = ids.map(one => ({ id: one }))
    t.strictSame(read(listOf(people, { where, range: { offset, limit } })),
      { kind: 'rows', rows, more }, `${offset}, ${limit}`)
    t.strictSame(read(listOf(people, { where, range: { offset, limit } }, { count: true })),
      { kind: 'rows', rows, more, total: 4 }, `${offset}, ${limit}, counted`)
  }
  t.strictSame(read(listOf(people, { where, range: { offset: 0, limit: 1 } }, {
    count: true, cursorBound: compare(id, 'greater', 2)
  })), { kind: 'rows', rows: [{ id: 3 }], more: true, total: 4 })
  t.strictSame(read(listOf(people, { where, range: { offset: 0, limit: 1 } }, {
    count: true, cursorBound: compare(id, 'greater', 3)
  })), { kind: 'rows', rows: [{ id: 4 }], more: false, total: 4 })
})

test('groups are the distinct values that are not null, in their order, each with its own page of items', async t => {
  const { people, staff } = makeWorld([{ id: 1, age: 2 }, { id: 2, age: 10 }, {
    id: 3, age: 2
  }, { id: 4 }, { id: 5, age: 1, bossId: 3 }, { id: 6, age: 2, bossId: 3 }, { id: 7, age: undefined, bossId: 3 }])
  const groups = (rest: Partial<Extract<ReadPlan, { kind: 'groups' }>> = {}) => {
    const result = read({
      kind: 'groups',
      steps: [],
      from: { collection: people, via: undefined },
      by: age,
      cursorBound: always,
      descending: false,
      range: { offset: 0, limit: Infinity },
      members: listingOf({}),
      count: false,
      ...rest
    })
    return result.kind === 'groups'
      ? {
          ...result,
          kind: undefined,
          groups: result.groups.map(group => [group.value, ...group.rows.map(row => row['id'])])
        }
      : result
  }
  const same = (got: unknown, groups: readonly unknown[], rest: object = { more: false }) =>
    t.strictSame(got, { kind: undefined, groups, ...rest })
  same(groups(), [[1, 5], [2, 1, 3, 6], [10, 2]])
  same(groups({ descending: true, count: true }), [[10, 2], [2, 1, 3, 6], [1, 5]], { more: false, total: 3 })
  same(groups({ range: { offset: 0, limit: 2 }, count: true }), [[1, 5], [2, 1, 3, 6]], { more: true, total: 3 })
  same(groups({ range: { offset: 2, limit: 2 } }), [[10, 2]])
  same(groups({
    members: listingOf({ where: compare(id, 'greater', 2), order: down(id), range: { offset: 0, limit: 2 } })
  }), [[1, 5], [2, 6, 3]])
  same(groups({ cursorBound: compare(age, 'greater', 1), range: { offset: 0, limit: 1 }, count: true }), [[2, 1, 3, 6]],
    { more: true, total: 3 })
  same(groups({
    steps: [{ collection: people, via: undefined, where: equals(id, 3) }], from: { collection: people, via: staff }
  }), [[1, 5], [2, 6]])
  same(groups({ by: name }), [])
  t.strictSame(groups({ steps: [{ collection: people, via: undefined, where: never }] }), { kind: 'missing', step: 0 })
})

test('groups of text stand in the order of code points', async t => {
  const {
    people
  } = makeWorld(['\u{1F600}', '\uFFFD', 'toString', '', 'B', 'a', 'B'].map((one, index) => ({ id: index, name: one })))
  const result = read({
    kind: 'groups',
    steps: [],
    from: { collection: people, via: undefined },
    by: name,
    cursorBound: always,
    descending: false,
    range: { offset: 0, limit: Infinity },
    members: listingOf({}),
    count: false
  })
  t.strictSame(result.kind === 'groups' && result.groups.map(group => group.value),
    ['', 'B', 'a', 'toString', '\uFFFD', '\u{1F600}'])
})

test('a listing in batches is the listing as it was when it began', async t => {
  const rows = [5, 3, 6, 1, 4, 2].map((one): Person => ({ id: one, name: `n${one}`, age: one }))
  const { people } = makeWorld(rows)
  const plan = listOf(people, { where: compare(age, 'greater', 1), range: { offset: 1, limit: 3 } },
    { extra: [age], count: true, cursorBound: compare(age, 'less', 6) })
  const batches = await database.readBatches?.(plan, 2)
  if (batches === undefined) throw new TypeError('memory reads in batches')
  t.strictSame(batches.first, { kind: 'rows', rows: [{ id: 3, age: 3 }, { id: 4, age: 4 }], more: false, total: 5 })
  rows.length = 0
  const told: (readonly Row[])[] = []
  for await (const batch of batches.rows) told.push(batch)
  t.strictSame(told, [[{ id: 3, age: 3 }, { id: 4, age: 4 }], [{ id: 5, age: 5 }]])
})

test('a listing in batches tells a miss before any of it is read', async t => {
  const { people, staff } = makeWorld([{ id: 1 }])
  const batches = await database.readBatches?.(listOf(people, {}, {
    steps: [{ collection: people, via: undefined, where: equals(id, 2) }], from: { collection: people, via: staff }
  }), 2)
  if (batches === undefined) throw new TypeError('memory reads in batches')
  t.strictSame(batches.first, { kind: 'missing', step: 0 })
  for await (const batch of batches.rows) t.fail('there is nothing to read', { batch })
})

test('all memory sources are of one database, and each knows its joins', async t => {
  const source = memory([], { joins: { a: [], toString: new Map() } })
  t.equal(source.database, memory(new Map()).database)
  t.equal(source.database.kind, 'memory')
  t.strictSame([...source.joinNames ?? []], ['a', 'toString'])
  t.strictSame([...memory([]).joinNames ?? []], [])
})

test('anything but an array or a Map is refused where it is given', async t => {
  for (const rows of [undefined, null, 'rows', 5, {}, new Set(), new WeakMap(), { length: 0 }]) {
    t.throws(() => memory(rows as unknown as Rows),
      new DeclarationError('memory(rows): expected an array or a Map of objects'))
    t.throws(() => memory([], { joins: { links: rows as unknown as Rows } }),
      new DeclarationError('memory(rows, { joins: { links } }): expected an array or a Map of objects'))
  }
})

test('a relation through rows that its source was not given is refused at registration', async t => {
  const Person = Type.Object({
    id: Type.Integer({ identifier: true, readable: true }),
    friends: SubCollection('people', { through: 'friendships', foreignKey: 'a', otherKey: 'b', readable: true })
  })
  const compile = (joins: Record<string, Rows>) => compileModel({
    people: collection(Person, { source: memory([], { joins }) })
  }, { naming: 'none', pages: { defaultSize: 1, maxSize: 1 }, reserved: new Map() })
  t.throws(() => compile({ friendship: [] }),
    { name: 'DeclarationError', message: /'people', field 'friends'.*'friendships'/ })
  t.equal(compile({ friendships: [] }).collections.size, 1)
  const { people, marks } = makeWorld([{ id: 1 }])
  t.throws(() => find(people, some({
    ...marks, link: { kind: 'join', through: 'unknown', foreignKey: ['a'], otherKey: ['b'] }
  })), { message: /unknown/ })
})
