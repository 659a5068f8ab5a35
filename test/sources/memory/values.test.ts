import { Type } from '@sinclair/typebox'
import fc from '../../helpers/fast-check.ts'
import { test } from 'tap'
import type { DataField } from '../../../lib/core/model/model.ts'
import { type Operator, operatorNames } from '../../../lib/core/model/values.ts'
import type { Listing, Order } from '../../../lib/core/plan/plan.ts'
import { equals, always, never } from '../../../lib/core/plan/predicates.ts'
import { compileFilter } from '../../../lib/core/sources/memory/filter.ts'
import { memory } from '../../../lib/core/sources/memory/memory.ts'
import {
  active, age, collectionOf, compare, down, expressionOf, find, id, idsOf, listOf, listingOf, makeWorld, name, not,
  read, rowsOf, show, showing, stored, up
} from '../../helpers/memory-world.ts'
import { countReads } from '../../helpers/count-reads.ts'

// Values of memory(): how they are read, compared and ordered.

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
  const rows = Array.from({ length: 1000 }, (_, n) => countReads({ id: n, age: n * 7 % 1000 }, counter))
  const { people } = makeWorld(rows)
  read(listOf(people, { order: up(age, id), range: { offset: 0, limit: 1 } }))
  t.ok(counter.reads <= 2000 + 5, `${counter.reads} reads`)
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

test('a stored value is compared as an expression that returns it, whatever objects hold', async t => {
  const held = [
    undefined, null, 0, -0, 1, -1, 1.5, NaN, Infinity, -Infinity, 2 ** 53, 1e300, 1n, 2n ** 70n, true, false,
    '', '1', '1.5', 'a', 'ab', 'A', '😀', '\uffff', '2020-01-01', '2020-01-01T00:00:00Z', '2020-01-01T00:00:00.000Z',
    new Date(0), new Date(NaN), new Uint8Array([1]), [1], { a: 1 }
  ]
  const matching = (field: DataField, operator: Operator, value: Parameters<typeof compare>[2]) => {
    const test = compileFilter(compare(field, operator, value))
    return held.flatMap((value, index) => test({ value }) ? [index] : []).join()
  }
  const types = [
    Type.Integer(), Type.Number(), Type.String(), Type.String({ format: 'date' }), Type.String({ format: 'date-time' }),
    Type.String({ format: 'uuid' }), Type.String({ format: 'int64' }), Type.String({ format: 'decimal' }),
    Type.Boolean()
  ]
  const operands = [0, 1, 1.5, -1, 2 ** 53, '', '1', 'a', 'b', '2020-01-01', '2020-01-01T00:00:00.000Z', '😀', true]
  for (const type of types) {
    const field = stored('value', type)
    const same = expressionOf('same', type, row => row['value'])
    const differing = operatorNames.flatMap(operator => operands.filter(operand => {
      const value = operator === 'in' || operator === 'not_in' ? [operand] : operand
      return matching(field, operator, value) !== matching(same, operator, value)
    }).map(operand => `${operator} ${String(operand)}`))
    t.strictSame(differing, [], field.type.kind)
  }
})
