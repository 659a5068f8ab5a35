import { Type } from '@sinclair/typebox'
import fc, { runsOf } from '../helpers/fast-check.ts'
import Fastify from '../helpers/fastify.ts'
import { test } from 'tap'
import dataApi, { collection, SubCollection, SubItem } from '../../lib/index.ts'
import { type Collections, openers } from '../helpers/sources.ts'

// docs/http.md: Query strings. Generated queries, each evaluated a second time here, as plainly as can be, over the
// same rows.

const nullable = <T extends ReturnType<typeof Type.Number | typeof Type.Integer | typeof Type.String>>(type: T) =>
  Type.Union([type, Type.Null()], { readable: true })

const Person = Type.Object({
  id: Type.Integer({ identifier: true, readable: true }),
  name: Type.String({ readable: true }),
  nick: nullable(Type.String()),
  age: nullable(Type.Integer()),
  score: nullable(Type.Number()),
  live: Type.Boolean({ readable: true }),
  born: nullable(Type.String({ format: 'date' })),
  bossId: nullable(Type.Integer()),
  boss: SubItem('people', { foreignKey: 'bossId', readable: true }),
  pets: SubCollection('pets', { foreignKey: 'ownerId', readable: true })
})
const Pet = Type.Object({
  id: Type.Integer({ identifier: true, readable: true }),
  name: Type.String({ readable: true }),
  ownerId: Type.Integer()
})

// Words that differ in what sources are known to differ in: case, wildcards, quotes, delimiters, code points beyond
// U+FFFF, the empty string.
const words = [
  '', 'a', 'A', 'ab', 'Ab', 'a%b', 'a_b', '*', 'null', '"q"', 'a,b', 'a|b', '(x)', 'x\\y', 'é', 'É', 'ß', 'İ', '\uE000',
  '\u{1F600}', '\uFFFD', 'z z', 'a&b=c', '+', '%41', "it's"
]

interface PersonRow {
  id: number,
  name: string,
  nick: string | null,
  age: number | null,
  score: number | null,
  live: boolean,
  born: string | null,
  bossId: number | null
}
interface PetRow { id: number, name: string, ownerId: number }

const dates = ['0001-01-01', '1969-12-31', '1970-01-01', '2024-02-29', '9999-12-31']
const numbers = [0, 1, -1, 0.1, 0.30000000000000004, 1e21, -5e-324, 1.7976931348623157e308]
const pick = <T>(list: readonly T[], index: number): T => list[index % list.length] as T
const orNull = <T>(list: readonly T[], index: number): T | null => index % 4 === 0 ? null : pick(list, index)

const people: readonly PersonRow[] = Array.from({ length: 60 }, (_, n) => ({
  id: n + 1,
  name: pick(words, n * 7),
  nick: orNull(words, n * 5),
  age: orNull([0, 1, -7, 42, Number.MAX_SAFE_INTEGER], n + 1),
  score: orNull(numbers, n * 3),
  live: n % 3 === 0,
  born: orNull(dates, n + 2),
  bossId: n % 5 === 0 ? null : (n * 11) % 60 + 1
}))
const pets: readonly PetRow[] = Array.from({ length: 50 },
  (_, n) => ({ id: n + 1, name: pick(words, n * 3), ownerId: (n * 17) % 40 + 1 }))

const collections: Collections = source => ({
  people: collection(Person, { source: source('people'), pages: { defaultSize: 1000 } }),
  pets: collection(Pet, { source: source('pets') })
})

type Value = string | number | boolean | null
type Condition =
  | {
    readonly kind: 'compare',
    readonly path: readonly string[],
    readonly operator: string,
    readonly value: Value | readonly Value[]
  }
  | { readonly kind: 'all' | 'any', readonly of: readonly Condition[] }
  | { readonly kind: 'not', readonly of: Condition }
  | { readonly kind: 'some', readonly relation: 'boss' | 'pets', readonly of: Condition }

const byCodePoint = (one: string, other: string) => Buffer.compare(Buffer.from(one), Buffer.from(other))
const compareValues = (one: Value, other: Value) => typeof one === 'string' && typeof other === 'string'
  ? byCodePoint(one, other)
  : Number(one) - Number(other) || (one === other ? 0 : Number(one) < Number(other) ? -1 : 1)
const fold = (text: string) => Array.from(text,
  character => character.toLowerCase().length === character.length ? character.toLowerCase() : character).join('')
const both = (test: (one: string, other: string) => boolean) =>
  (one: Value, other: Value) => typeof one === 'string' && typeof other === 'string' && test(one, other)

const meaning: Record<string, (one: Value, other: Value) => boolean> = {
  '=': (one, other) => one === other,
  '!=': (one, other) => one !== other,
  '>': (one, other) => one !== null && compareValues(one, other) > 0,
  '<': (one, other) => one !== null && compareValues(one, other) < 0,
  '>=': (one, other) => one !== null && compareValues(one, other) >= 0,
  '<=': (one, other) => one !== null && compareValues(one, other) <= 0,
  '^=': both((one, other) => one.startsWith(other)),
  '$=': both((one, other) => one.endsWith(other)),
  '*=': both((one, other) => one.includes(other)),
  '~=': both((one, other) => fold(one) === fold(other)),
  '^~=': both((one, other) => fold(one).startsWith(fold(other))),
  '$~=': both((one, other) => fold(one).endsWith(fold(other))),
  '*~=': both((one, other) => fold(one).includes(fold(other)))
}

const petsOf = (person: PersonRow) => pets.filter(pet => pet.ownerId === person.id)
const bossOf = (person: PersonRow) => people.filter(one => one.id === person.bossId)

/** `row` is a person or, inside of a relation to pets, a pet. */
function holds (condition: Condition, row: PersonRow | PetRow): boolean {
  switch (condition.kind) {
    case 'all': return condition.of.every(one => holds(one, row))
    case 'any': return condition.of.some(one => holds(one, row))
    case 'not': return !holds(condition.of, row)
    case 'some': return (condition.relation === 'boss'
      ? bossOf(row as PersonRow)
      : petsOf(row as PersonRow)).some(one => holds(condition.of, one))
    case 'compare': return holdsOf(condition.path, row as PersonRow, value => compared(condition, value))
  }
}

function holdsOf (
  [name = '', ...path]: readonly string[], person: PersonRow, test: (value: Value) => boolean
): boolean {
  if (name === 'boss') return bossOf(person).some(boss => holdsOf(path, boss, test))
  if (name === 'pets') return petsOf(person).some(pet => test(pet[path[0] as 'id' | 'name']))
  return test(person[name as keyof PersonRow])
}

function compared ({ operator, value }: Extract<Condition, { kind: 'compare' }>, one: Value): boolean {
  if (operator === '=*') return (value as readonly Value[]).includes(one)
  if (operator === '!=*') return !(value as readonly Value[]).includes(one)
  return meaning[operator]?.(one, value as Value) ?? false
}

// Generators

const equality = ['=', '!=', '=*', '!=*']
const ordering = ['>', '<', '>=', '<=']
const textual = ['^=', '$=', '*=', '~=', '^~=', '$~=', '*~=']

const fields: ReadonlyArray<{
  path: readonly string[]
  operators: readonly string[]
  values: readonly Value[]
  nullable: boolean
}> = [
  { path: ['id'], operators: [...equality, ...ordering], values: [0, 1, 30, 60], nullable: false },
  { path: ['name'], operators: [...equality, ...ordering, ...textual], values: words, nullable: false },
  { path: ['nick'], operators: [...equality, ...ordering, ...textual], values: words, nullable: true },
  {
    path: [
      'age'
    ],
    operators: [...equality, ...ordering],
    values: [0, 1, -7, 42, Number.MAX_SAFE_INTEGER],
    nullable: true
  },
  { path: ['score'], operators: [...equality, ...ordering], values: numbers, nullable: true },
  { path: ['live'], operators: equality, values: [true, false], nullable: false },
  { path: ['born'], operators: [...equality, ...ordering], values: dates, nullable: true },
  { path: ['pets', 'name'], operators: [...equality, ...ordering, ...textual], values: words, nullable: false },
  { path: ['boss', 'nick'], operators: [...equality, ...textual], values: words, nullable: true },
  { path: ['boss', 'boss', 'age'], operators: [...equality, ...ordering], values: [0, 1, 42], nullable: true },
  { path: ['boss', 'id'], operators: equality, values: [1, 2, 3, 30], nullable: false },
  { path: ['pets', 'id'], operators: equality, values: [1, 2, 25, 50], nullable: false },
  { path: ['boss', 'pets', 'id'], operators: [...equality, ...ordering], values: [1, 25, 50], nullable: false }
]

const compare: fc.Arbitrary<Condition> = fc.constantFrom(...fields)
  .chain(field => fc.constantFrom(...field.operators).chain(operator => {
    const mayBeNull = field.nullable && equality.includes(operator)
    const value = fc.constantFrom(...(mayBeNull ? [...field.values, null] : field.values))
    const operand = operator.endsWith('=*') ? fc.array(value, { minLength: 1, maxLength: 4 }) : value
    return operand.map((value): Condition => ({ kind: 'compare', path: field.path, operator, value }))
  }))

/** A comparison of a field that pets have too. */
const compareShared = compare.filter(one => one.kind === 'compare' && (one.path[0] === 'id' || one.path[0] === 'name'))
const every = fc.constant<Condition>({ kind: 'all', of: [] })

const condition = fc.letrec<{ tree: Condition, group: Condition, element: Condition }>(tie => ({
  tree: fc.oneof({ maxDepth: 2 }, compare, tie('group'), tie('element')),
  element: fc.oneof(
    fc.record({ kind: fc.constant('some' as const), relation: fc.constant('boss' as const), of: tie('tree') }),
    fc.record({
      kind: fc.constant('some' as const),
      relation: fc.constant('pets' as const),
      of: fc.oneof(every, fc.record({
        kind: fc.constantFrom('all' as const, 'any' as const),
        of: fc.array(compareShared, { minLength: 1, maxLength: 3 })
      }))
    }),
    fc.constant<Condition>({ kind: 'not', of: { kind: 'all', of: [] } })
  ),
  group: fc.oneof(
    fc.record({
      kind: fc.constantFrom('all' as const, 'any' as const), of: fc.array(tie('tree'), { minLength: 1, maxLength: 3 })
    }),
    fc.record({ kind: fc.constant('not' as const), of: tie('tree') })
  )
})).tree

const sortable = ['id', 'name', 'nick', 'age', 'score', 'live', 'born'] as const
const sort = fc.uniqueArray(fc.record({ name: fc.constantFrom(...sortable), descending: fc.boolean() }),
  { selector: term => term.name, maxLength: 3 })
interface Nested {
  readonly names: readonly string[]
  readonly word: string | undefined
  readonly descending: boolean
  readonly limit: number | undefined
}

/** A selection of pets with a query of its own. */
const nested: fc.Arbitrary<Nested | undefined> = fc.option(fc.record({
  names: fc.uniqueArray(fc.constantFrom('id', 'name'), { minLength: 1 }),
  word: fc.option(fc.constantFrom(...words), { nil: undefined }),
  descending: fc.boolean(),
  limit: fc.option(fc.integer({ min: 0, max: 3 }), { nil: undefined })
}), { nil: undefined })
const selection = fc.uniqueArray(fc.constantFrom('id', 'name', 'nick', 'age', 'score', 'live', 'born'),
  { minLength: 1, maxLength: 4 })
const page = fc.oneof(
  fc.record({
    kind: fc.constant('page' as const), page: fc.integer({ min: 1, max: 5 }), size: fc.integer({ min: 1, max: 20 })
  }),
  fc.record({
    kind: fc.constant('offset' as const),
    offset: fc.integer({ min: 0, max: 70 }),
    limit: fc.integer({ min: 0, max: 20 })
  }),
  fc.constant({ kind: 'all' as const })
)

// Printers

const quoted = (text: string) => `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`

function printValue (value: Value, grouped: boolean): string {
  if (typeof value !== 'string') return String(value)
  // A star after `=` would be read as part of the operator.
  return value === 'null' || /^["*=]/.test(value) || (grouped && /[,|();"]/.test(value)) ? quoted(value) : value
}

function printCondition (condition: Condition, grouped: boolean): string {
  if (condition.kind === 'not') {
    return condition.of.kind === 'all' && condition.of.of.length === 0
      ? '!()'
      : `!(${printCondition(condition.of, true)})`
  }
  if (condition.kind === 'some') {
    const inside = printCondition(condition.of, true)
    return `${condition.relation}${condition.of.kind === 'all' || condition.of.kind === 'any' ? inside : `(${inside})`}`
  }
  if (condition.kind !== 'compare') {
    return `(${condition.of.map(one => printCondition(one, true)).join(condition.kind === 'all' ? ',' : '|')})`
  }
  const { path, operator, value } = condition
  if (!Array.isArray(value)) return `${path.join('.')}${operator}${printValue(value as Value, grouped)}`
  const list = value.map(one => one === '' ? '""' : printValue(one as Value, true)).join(',')
  return `${path.join('.')}${operator}${grouped ? `(${list})` : list}`
}

function printNested (nested: Nested | undefined): readonly string[] {
  if (nested === undefined) return []
  const { names, word, descending, limit } = nested
  const options = [
    ...word === undefined ? [] : [`where=name>=${quoted(word)}`], ...descending ? ['sort=name desc'] : [],
    ...limit === undefined ? [] : [`limit=${limit}`]
  ]
  return [`pets(${[names.join(','), ...options].join(';')})`]
}

function showPets (person: PersonRow, { names, word, descending, limit }: Nested) {
  const found = petsOf(person).filter(pet => word === undefined || byCodePoint(pet.name, word) >= 0)
  const sorted = found.sort((one, other) => (descending ? byCodePoint(other.name, one.name) : 0) || one.id - other.id)
  return sorted.slice(0, limit).map(pet => Object.fromEntries(names.map(name => [name, pet[name as 'id' | 'name']])))
}

// What clients' libraries make of a parameter.
const encoders: Record<string, (name: string, value: string) => string> = {
  URLSearchParams: (name, value) => new URLSearchParams({ [name]: value }).toString(),
  encodeURIComponent: (name, value) => `${name}=${encodeURIComponent(value)}`,
  'Python urlencode': (name, value) => `${name}=${encodeURIComponent(value).replaceAll('%20', '+').replace(/[!'()*]/g,
    character => `%${character.charCodeAt(0).toString(16)}`)}`,
  'WHATWG URL': (name, value) =>
    new URL(`http://h/?${name}=${value.replace(/[%+&#]/g, encodeURIComponent)}`).search.slice(1)
}

function expected (query: {
  condition: Condition,
  sort: ReadonlyArray<{
    name: typeof sortable[number]
    descending: boolean
  }>,
  selection: readonly string[],
  nested: Nested | undefined,
  page: Page
}): string {
  const rows = people.filter(person => holds(query.condition, person)).sort((one, other) => {
    for (const { name, descending } of [...query.sort, { name: 'id' as const, descending: false }]) {
      const [a, b] = [one[name], other[name]]
      const sign = a === b ? 0 : a === null ? 1 : b === null ? -1 : compareValues(a, b)
      if (sign !== 0) return descending ? -sign : sign
    }
    return 0
  })
  const start = query.page.kind === 'page'
    ? (query.page.page - 1) * query.page.size
    : query.page.kind === 'offset'
      ? query.page.offset
      : 0
  const end = query.page.kind === 'page'
    ? start + query.page.size
    : query.page.kind === 'offset'
      ? start + query.page.limit
      : undefined
  return JSON.stringify(rows.slice(start, end).map(row => ({
    ...Object.fromEntries(query.selection.map(name => [name, row[name as keyof PersonRow]])),
    ...query.nested && { pets: showPets(row, query.nested) }
  })))
}

type Page =
  | { kind: 'page', page: number, size: number }
  | { kind: 'offset', offset: number, limit: number }
  | { kind: 'all' }

const runs = runsOf(400)

test('any filter, sort, selection and page means the same on every source, however it is encoded', async t => {
  const apps = await Promise.all(Object.values(openers).map(async open => {
    const opened = await open({
      people: [...people] as unknown as Array<Record<string, unknown>>,
      pets: [...pets] as unknown as Array<Record<string, unknown>>
    })
    const app = Fastify()
    await app.register(dataApi, { collections: collections(opened.source) })
    return { app, kind: opened.kind, close: () => opened.close() }
  }))
  const query = fc.record({
    condition, sort, selection, nested, page, encoder: fc.constantFrom(...Object.keys(encoders))
  })
  await fc.assert(fc.asyncProperty(query, async ({ condition, sort, selection, nested, page, encoder }) => {
    const encode = encoders[encoder]
    if (encode === undefined) return false
    const parameters = [
      encode('where', printCondition(condition, false)),
      ...sort.length > 0
        ? [encode('sort', sort.map(({ name, descending }) => descending ? `${name} desc` : name).join(','))]
        : [],
      encode('fields', [...selection, ...printNested(nested)].join(',')),
      ...page.kind === 'page'
        ? [`page=${page.page}`, `size=${page.size}`]
        : page.kind === 'offset'
          ? [`offset=${page.offset}`, `limit=${page.limit}`]
          : []
    ]
    const url = `/people?${parameters.join('&')}`
    const body = expected({ condition, sort, selection, nested, page })
    for (const { app, kind } of apps) {
      const response = await app.inject(url)
      if (response.statusCode !== 200 || response.body !== body) {
        throw new Error(
        `${kind}: GET ${decodeURIComponent(url)}\n got ${response.statusCode} ${response.body}\nwant 200 ${body}`
        )
      }
    }
    return true
  }), { numRuns: runs })
  t.pass(`${runs} queries`)
  for (const { app, close } of apps) {
    await app.close()
    await close()
  }
})
