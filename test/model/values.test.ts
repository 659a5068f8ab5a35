import { type TSchema, Type } from '@sinclair/typebox'
import { readdir, readFile } from 'node:fs/promises'
import { test } from 'tap'
import { describeValues, isExact, type Operator, operatorNames, operators } from '../../lib/core/model/values.ts'
import { operatorDefaults } from '../../lib/core/request/syntax.ts'

const parse = (schema: TSchema, text: string) => describeValues(schema, false)?.type.parse(text)

const Size = { small: 'S', large: 'L' } as const

type Case = [name: string, schema: TSchema, taken: Record<string, unknown>, refused: readonly string[]]
const table: readonly Case[] = [
  ['an integer', Type.Integer(), {
    0: 0, 7: 7, '-12': -12, 9007199254740991: 9007199254740991, 9007199254740992: '9007199254740992'
  }, ['', '01', '1.0', '1e3', ' 1', '+1', '-0', '9223372036854775808', '0x1', '１', 'null']],
  ['a number', Type.Number(), {
    0.5: 0.5,
    '-1e3': -1000,
    '1E-2': 0.01,
    '-0': 0,
    NaN: 'NaN',
    '-Infinity': '-Infinity',
    10000000000000000: 1e16,
    '-9007199254740993': '-9007199254740993',
    9223372036854775808: 2 ** 63,
    9223372036854775000: 2 ** 63 - 1024,
    '100000000000000000000000': 1e23
  }, ['100000000000000000001', '', '.5', '1.', '1e400', 'nan', '+Infinity', ' 1', '1,5']],
  ['a boolean', Type.Boolean(), { true: true, false: false }, ['', '1', 'yes', 'TRUE']],
  ['a string', Type.String({ minLength: 3 }), { '': '', a: 'a', null: 'null' }, ['a\0b']],
  ['a date', Type.String({ format: 'date' }), { '2024-02-29': '2024-02-29' }, [
    '2023-02-29', '2024-2-9', '2024-02-29T00:00:00Z', 'today'
  ]],
  [
    'a date-time', Type.String({ format: 'date-time' }),
    {
      '2024-01-01T00:00:00+02:00': '2023-12-31T22:00:00.000Z',
      '2024-01-01T00:00:00.5Z': '2024-01-01T00:00:00.500Z',
      '2024-01-01T00:00:00.999000+00:00': '2024-01-01T00:00:00.999Z',
      '2024-01-01t00:00:00z': '2024-01-01T00:00:00.000Z',
      '2024-01-01 00:00:00-08': '2024-01-01T08:00:00.000Z'
    },
    [
      '2024-01-01', '2024-01-01T00:00:00', '2024-01-01T25:00:00Z', '2024-01-01T00:00:00.0001Z', '2016-12-31T23:59:60Z',
      '2024-01-01T00:00:00+1', '2024-01-01T00:00-08'
    ]
  ],
  ['a time', Type.String({ format: 'time' }), {
    '23:59:59': '23:59:59', '00:00:00.5': '00:00:00.5', '24:00:00': '24:00:00', '12:00:00+00:01:15': '12:00:00+00:01:15'
  }, ['24:00:01', '25:00:00', '24:00:00+16', '1:2:3', 'noon']],
  ['a uuid', Type.String({ format: 'uuid' }), {
    '0E37DF36-F698-11E6-8DD4-CB9CED3DF976': '0e37df36-f698-11e6-8dd4-cb9ced3df976'
  }, ['0e37df36', 'urn:uuid:0e37df36-f698-11e6-8dd4-cb9ced3df976', 'URN:UUID:0e37df36-f698-11e6-8dd4-cb9ced3df976']],
  ['an int64', Type.String({ format: 'int64' }), { '-9223372036854775808': '-9223372036854775808', 0: '0' }, [
    '', '01', '-0', '1.0', '+1', '9223372036854775808'
  ]],
  ['a decimal', Type.String({ format: 'decimal' }), {
    '19.90': '19.90',
    '-0.00': '0.00',
    '123456789012345678901234567890.5': '123456789012345678901234567890.5',
    NaN: 'NaN'
  }, ['', '1.', '.5', '01', '1e3', '1,5']],
  ['bytes', Type.String({ format: 'byte' }), { 'AP8=': 'AP8=', '_-8': '/+8=', '': '' }, ['A', 'AB==', 'A P8=', '*']],
  ['a day that is none of the years 1 to 9999', Type.String({ format: 'date' }), {
    infinity: 'infinity', '0044-03-15 BC': '0044-03-15 BC', '12024-01-01': '12024-01-01'
  }, ['-infinity BC', 'Infinity']],
  ['an enum', Type.Enum(Size), { S: 'S', L: 'L' }, ['small', 's', '']],
  ['a union of literals', Type.Union([Type.Literal(1), Type.Literal(2)]), { 1: 1, 2: 2 }, ['3', '01', 'null']],
  ['a literal', Type.Literal('x'), { x: 'x' }, ['y']],
  ['a union with null', Type.Union([Type.Integer(), Type.Null()]), { 1: 1 }, ['null', '']]
]

for (const [name, schema, taken, refused] of table) {
  test(`the text of ${name} is converted strictly`, async t => {
    for (const [text, value] of Object.entries(taken)) t.same(parse(schema, text), value, text)
    for (const text of refused) t.same(parse(schema, text), undefined, JSON.stringify(text))
  })
}

test('a union with null, like an optional field, is nullable', async t => {
  t.same(describeValues(Type.Union([Type.Integer(), Type.Null()]), false)?.nullable, true)
  t.same(describeValues(Type.Integer(), true)?.nullable, true)
  t.same(describeValues(Type.Integer(), false)?.nullable, false)
})

test('what is neither scalar nor choice is JSON, which takes no operator', async t => {
  for (const schema of [
    Type.Array(Type.String()), Type.Object({}), Type.Unknown(), Type.Union([Type.String(), Type.Object({})])
  ]) {
    t.same(describeValues(schema, false)?.type.kind, 'json')
    t.same(describeValues(schema, false)?.type.operators.size, 0)
  }
})

test('a union of scalars, and an enum of scalars of several types, is a scalar', async t => {
  const kindOf = (...members: TSchema[]) => describeValues(Type.Union(members), false)?.type.kind
  t.same(kindOf(Type.String(), Type.Integer()), 'mixed')
  t.same(kindOf(Type.Literal('a'), Type.Literal(1)), 'mixed')
  t.same(kindOf(Type.Boolean(), Type.Number(), Type.Null()), 'mixed')
  t.same(kindOf(Type.Literal(1.5), Type.Integer()), 'number')
  t.same(kindOf(Type.Literal('a'), Type.String({ format: 'date' })), 'string')
  t.same(parse(Type.Union([Type.String(), Type.Integer()]), '5'), 5)
  t.same(parse(Type.Union([Type.String(), Type.Integer()]), 'x'), 'x')
})

test('a list of types and nullable mean what they mean in JSON Schema', async t => {
  const described = describeValues(Type.Unsafe({ type: ['string', 'null'] }), false)
  t.match(described, { type: { kind: 'string' }, nullable: true, optional: false })
  t.match(describeValues(Type.Unsafe({ type: 'integer', nullable: true }), false),
    { type: { kind: 'integer' }, nullable: true })
  t.match(describeValues(Type.Unsafe({ type: ['string', 'integer'] }), false),
    { type: { kind: 'mixed' }, nullable: false })
})

test('what JSON has no form for is no type of a value', async t => {
  for (const schema of [Type.Date(), Type.BigInt(), Type.Uint8Array(), Type.Undefined(), Type.Symbol()]) {
    t.same(describeValues(schema, false), undefined)
  }
})

test('the table of operators is complete', async t => {
  const taking = (trait: 'list' | 'negated' | 'takesNull' | 'ignoresCase') =>
    operatorNames.filter(operator => operators[operator][trait])
  t.strictSame(operatorNames.toSorted(), Object.keys(operatorDefaults).sort(), 'each has a spelling')
  t.strictSame(taking('list'), ['in', 'not_in'])
  t.strictSame(taking('negated'), ['not_equals', 'not_in'])
  t.strictSame(taking('takesNull'), ['equals', 'not_equals', 'in', 'not_in'])
  t.strictSame(taking('ignoresCase'), operatorNames.filter(operator => operator.endsWith('_ignoring_case')))
  t.strictSame(operatorNames.filter(isExact), ['equals', 'in'])
  const parts = operatorNames.map((operator): [Operator, string] => [operator, operators[operator].part])
  t.strictSame(parts.filter(([, part]) => part !== 'whole').map(([operator, part]) => `${operator}: ${part}`), [
    'starts_with: start', 'ends_with: end', 'contains: anywhere',
    'starts_with_ignoring_case: start', 'ends_with_ignoring_case: end', 'contains_ignoring_case: anywhere'
  ])
})

test('a type of values takes a family of operators as a whole', async t => {
  const families = (schema: TSchema) => {
    const taken = describeValues(schema, false)?.type.operators ?? new Set<Operator>()
    const found = new Set([...taken].map(operator => operators[operator].family))
    t.equal(taken.size, operatorNames.filter(operator => found.has(operators[operator].family)).length)
    return [...found]
  }
  t.strictSame(families(Type.Boolean()), ['equality'])
  t.strictSame(families(Type.String({ format: 'uuid' })), ['equality'])
  t.strictSame(families(Type.Integer()), ['equality', 'ordering'])
  t.strictSame(families(Type.Literal('a')), ['equality', 'ordering'])
  t.strictSame(families(Type.String()), ['equality', 'ordering', 'text'])
})

test('no file of lib but the table compares an operator by its name', async t => {
  const lib = new URL('../../lib/', import.meta.url)
  const files = (await readdir(lib, { recursive: true })).filter(file =>
    // The operators of TanStack DB are others.
    file.endsWith('.ts') && file !== 'core/model/operators.ts' && !file.startsWith('clients/tanstack-db/'))
  t.ok(files.includes('core/request/filter.ts'))
  const names = operatorNames.join('|')
  const comparison = new RegExp(
    `(?:[=!]==? |case )'(?:${names})'|'(?:${names})' [=!]==? |\\[(?:'(?:${names})'(?:, )?)+\\]|` +
      '\\boperator\\.\\w+With\\('
  )
  for (const file of files) t.notMatch(await readFile(new URL(file, lib), 'utf8'), comparison, file)
})
