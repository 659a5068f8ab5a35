import fc, { runsOf } from '../helpers/fast-check.ts'
import { deepStrictEqual } from 'node:assert'
import { test } from 'tap'
import { createClient } from '../../lib/clients/client/index.ts'
import { listMembers, operatorWords, parsedQuery } from '../../lib/doors/own-code/parsed.ts'
import { type Operator, operatorNames, traitsOf } from '../../lib/core/model/operators.ts'
import { parseQuery } from '../../lib/core/request/query.ts'
import type { Filter, Query, ValueText } from '../../lib/core/request/request.ts'
import { compileSyntax } from '../../lib/core/request/syntax.ts'

// docs/clients.md: Filters

const numRuns = runsOf(250)
const limits = { depth: 50, terms: 10_000, fields: 10_000 }
const syntax = compileSyntax({ limits })

/** Returns what the server's parser makes of the query of a list. */
async function parsed (query: object) {
  let text = ''
  const fetch = async (url: string) => {
    text = new URL(url).search.slice(1)
    return new Response('[]')
  }
  await createClient('http://host/api/', { fetch, maxQuery: Infinity }).resource('people').list(query as never)
  return parseQuery(text, syntax)
}

const bare = (value: unknown): unknown => JSON.parse(
  JSON.stringify(value, (key, member) => key === 'at' ? undefined : member)
)

// Generators: an object, and the filter that it means. A member of undefined is the filter that every item matches.

interface Meant { readonly where: object, readonly filters: readonly unknown[] }

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 8 }).filter(text => !text.includes('\0')),
  fc.string({ unit: fc.constantFrom(...'aé😀0 "\\,;|()!=*<>~^$&+%#.\'/?[]`\n\u0085'), maxLength: 8 }),
  fc.constantFrom('null', 'true', '', '*', '"')
)
const number = fc.oneof(fc.integer(), fc.double({ noNaN: true }))
const value: fc.Arbitrary<readonly [unknown, ValueText]> = fc.oneof(
  text.map(text => [text, text, true] as const),
  fc.date({ noInvalidDate: true }).map(date => [date, date.toISOString(), true] as const),
  fc.oneof(number, fc.boolean(), fc.constant(null), fc.bigInt()).map(plain => [plain, String(plain), false] as const)
).map(([given, text, quoted]) => [given, { text, quoted, at: undefined as never }] as const)

// Each word of one value, with its operator.
const comparing: Readonly<Record<string, Operator>> = Object.fromEntries(
  operatorNames.filter(name => !traitsOf(name).list).map(name => [operatorWords[name], name])
)
const name = fc.oneof(
  fc.constantFrom('constructor', 'toString', 'by_name', '0', 'title', 'null', 'a-b'),
  fc.string({ unit: fc.constantFrom(...'xyz_-09é😀'), minLength: 1, maxLength: 4 })
)

interface Compared {
  readonly word: string
  readonly given: unknown
  readonly operator: Operator
  readonly values: readonly unknown[]
}

const one: fc.Arbitrary<Compared> = fc.record({ word: fc.constantFrom(...Object.keys(comparing)), value })
  .map(({ word, value: [given, read] }) => ({ word, given, operator: comparing[word] as Operator, values: [read] }))
const some: fc.Arbitrary<Compared> = fc.record({
  word: fc.constantFrom('in', 'notIn'), values: fc.array(value, { maxLength: 3 })
}).map(({ word, values }) => ({
  word,
  given: values.map(([given]) => given),
  operator: word === 'in' ? 'in' : 'not_in',
  values: values.map(([, read]) => read)
}))
const compare = (name: string, { operator, values }: Omit<Compared, 'word' | 'given'>) =>
  ({ kind: 'compare', path: [name], operator, values })

/** Comparisons of a field: several words, a value, or a list. */
const comparison: fc.Arbitrary<(name: string) => Meant> = fc.oneof(
  fc.uniqueArray(fc.oneof(one, some), { selector: ({ word }) => word, minLength: 1, maxLength: 3 })
    .map(members => (name: string) => ({
      where: { [name]: Object.fromEntries(members.map(({ word, given }) => [word, given])) },
      filters: members.map(member => compare(name, member))
    })),
  value.map(([given, read]) => (name: string) =>
    ({ where: { [name]: given }, filters: [compare(name, { operator: 'equals', values: [read] })] })),
  fc.array(value, { maxLength: 3 }).map(values => (name: string) => ({
    where: { [name]: values.map(([given]) => given) },
    filters: [compare(name, { operator: 'in', values: values.map(([, read]) => read) })]
  }))
)

/** The filter in the parentheses of `not` and of relations: a group as it is, other filters in one of `and`. */
function grouped (filters: readonly unknown[]): unknown {
  const [only, ...others] = filters as readonly Filter[]
  const isGroup = others.length === 0 && (only?.kind === 'any' || only?.kind === 'all')
  return isGroup ? only : { kind: 'all', of: filters }
}

const never = { kind: 'not', of: { kind: 'all', of: [] } }

/** One member of a group of `or`: a group of one is read as one of `and`. */
function either (members: readonly Meant[]): readonly unknown[] {
  if (members.length === 0) return [never]
  if (members.some(({ filters }) => filters.length === 0)) return []
  const of = members.map(({ filters }) => filters.length > 1 ? { kind: 'all', of: filters } : filters[0])
  return [{ kind: of.length === 1 ? 'all' : 'any', of }]
}

const isIndex = ({ where }: Meant) => /^(0|[1-9]\d*)$/.test(Object.keys(where)[0] ?? '')

const { where } = fc.letrec<{ where: Meant, member: Meant }>(tie => ({
  member: fc.oneof(
    { maxDepth: 3 },
    fc.tuple(name, comparison).map(([name, make]) => make(name)),
    fc.tuple(name, tie('where')).map(([name, { where, filters }]) =>
      ({ where: { [`${name}r`]: where }, filters: [{ kind: 'some', path: [`${name}r`], of: grouped(filters) }] })),
    tie('where').map(({ where, filters }) =>
      ({ where: { not: where }, filters: [{ kind: 'not', of: grouped(filters) }] })),
    fc.array(tie('where'), { maxLength: 3 })
      .map(members => ({ where: { or: members.map(({ where }) => where) }, filters: either(members) })),
    fc.array(tie('where'), { maxLength: 3 }).map(members =>
      ({ where: { and: members.map(({ where }) => where) }, filters: members.flatMap(({ filters }) => filters) }))
  ),
  // JavaScript moves names in digits to the front, so there is at most one.
  where: fc.uniqueArray(tie('member'), {
    selector: ({ where }) => /^\d/.test(Object.keys(where)[0] ?? '') ? '0' : Object.keys(where)[0], maxLength: 3
  }).map(members => {
    const sorted = members.toSorted((one, other) => Number(isIndex(other)) - Number(isIndex(one)))
    return {
      where: Object.assign({}, ...sorted.map(({ where }) => where)) as object,
      filters: sorted.flatMap(({ filters }) => filters)
    }
  })
}))

test('whatever object `where` takes means the same to the parser of the server', async t => {
  await fc.assert(fc.asyncProperty(where, async ({ where, filters }) => {
    const { filters: read } = await parsed({ where })
    deepStrictEqual(bare(read), bare(filters))
  }), { numRuns })
  t.pass()
})

/** A filter without groups of one and groups in groups, which change nothing. */
function simple (filter: Filter): Filter {
  if (filter.kind === 'not') return { kind: 'not', of: simple(filter.of) }
  if (filter.kind === 'some') return { ...filter, of: simple(filter.of) }
  if (filter.kind === 'compare') return filter
  const of = filter.of.map(simple).flatMap(one => one.kind === filter.kind ? one.of : [one])
  const [only, other] = of
  if (only !== undefined && other === undefined) return only
  const isAlways = (one: Filter) => one.kind === 'all' && one.of.length === 0
  if (filter.kind === 'all') return { kind: 'all', of: of.filter(one => !isAlways(one)) }
  if (only === undefined) return { kind: 'not', of: { kind: 'all', of } }
  return of.some(isAlways) ? { kind: 'all', of: [] } : { kind: 'any', of }
}

/** A query of own code, each value of which is the text that the client prints of it. */
const asText = (query: unknown): unknown => JSON.parse(JSON.stringify(query, (key, member: unknown) => {
  const { given } = Object(member) as Partial<ValueText>
  if (given === undefined) return key === 'at' ? undefined : member
  const { value } = given
  const isText = typeof value === 'string' || value instanceof Date
  return { text: value instanceof Date ? value.toJSON() : String(value), quoted: isText }
}))

test('own code makes of every query what the server parses of its text', async t => {
  const terms = fc.constantFrom('name desc', ['-a', 'b.c', 'd asc'], ['x.count()', '-x.y.max()'])
  const query = fc.record({
    where: where.map(({ where }) => where),
    sort: terms,
    limit: fc.nat(9),
    fields: fc.array(fc.oneof(
      name,
      fc.record({
        moons: fc.record({
          where: where.map(({ where }) => where),
          sort: terms,
          offset: fc.nat(9),
          limit: fc.nat(9),
          fields: fc.tuple(name)
        }, { requiredKeys: ['where'] })
      }),
      fc.record({ moons: fc.uniqueArray(name, { minLength: 1, maxLength: 2 }) }),
      fc.constant({ moons: { count: true, max: ['mass', 'name'] } })
    ), { minLength: 1, maxLength: 3 })
  }, { requiredKeys: [] })
  const comparable = ({ filters, ...rest }: Query) => ({ ...rest, filter: simple({ kind: 'all', of: filters }) })
  const nested = (value: unknown): unknown => JSON.parse(JSON.stringify(value,
    (key, member) => key === 'query' && member !== undefined ? comparable(member as Query) : member))
  const same = (query: Query) => nested(comparable(query))
  await fc.assert(fc.asyncProperty(query, async asked => {
    deepStrictEqual(same(asText(parsedQuery(asked, listMembers)) as Query), same(bare(await parsed(asked)) as Query))
  }), { numRuns, examples: [[{ fields: [{ moons: { where: { mass: [1, 2] } } }] }]] })
  t.pass()
})

test('undefined is refused, as it never means that there is no condition', async t => {
  for (const where of [
    { name: undefined }, { name: { eq: undefined } }, { id: [1, undefined] }, { or: [{ moons: { name: undefined } }] },
    { or: [undefined] }, { and: [{}, 1] }, { not: 'x', moons: { or: [null] } }
  ]) {
    await t.rejects(parsed({ where }), TypeError)
    t.throws(() => parsedQuery({ where }, listMembers), { code: 'invalid_filter' })
  }
})
