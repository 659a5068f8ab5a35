import fc, { runsOf } from '../helpers/fast-check.ts'
import { deepStrictEqual } from 'node:assert'
import { test } from 'tap'
import { DataApiError } from '../../lib/core/errors/errors.ts'
import type { Operator } from '../../lib/core/model/values.ts'
import { parsePath } from '../../lib/core/request/path.ts'
import { parsePrefer } from '../../lib/core/request/parse.ts'
import { keptParameters, parseQuery } from '../../lib/core/request/query.ts'
import type { FieldAsked, Filter, TextPlace, Query, SortAsked, ValueText } from '../../lib/core/request/request.ts'
import { compileSyntax, operatorAt, operatorDefaults, type Syntax, yieldTo } from '../../lib/core/request/syntax.ts'
import { print, printParts, spellingOf } from '../../lib/core/request/print.ts'

const syntax = compileSyntax({})
const numRuns = runsOf(300)

// A query without its places and without what was not given. Quotes tell the text `null` from null, and no more.
const bare = (value: unknown): unknown => JSON.parse(JSON.stringify(value, (key, member) =>
  key === 'at' ? undefined : isValue(member) && member.text !== 'null' ? member.text : member))
const isValue = (value: unknown): value is ValueText =>
  typeof value === 'object' && value !== null && 'quoted' in value

// Generators

const nowhere: TextPlace = { parameter: '', position: 1 }
const text = fc.string({ unit: 'binary', maxLength: 8 }).filter(text => !text.includes('\0'))
const tricky = fc.string({ unit: fc.constantFrom(...'aé😀0 "\\,;|()!=*<>~^$&+%#.\'/?[]`\n\u0085'), maxLength: 8 })
const quoted = fc.oneof(text, tricky).map((text): ValueText => ({ text, quoted: true, at: nowhere }))
// What needs no quotes wherever it stands; an empty value is written in quotes, as no list of one could hold it.
const raw = fc.oneof(text, tricky).filter(text => /^[^"*=~>,;|()][^,;|()]*$/.test(text)).map((text): ValueText =>
  ({ text, quoted: false, at: nowhere }))
// What is all of a parameter's text may hold anything but a quote or `=` to begin with, and what would lengthen its
// operator.
const free = fc.oneof(text, tricky).filter(text => !/^["=]/.test(text)).map((text): ValueText =>
  ({ text, quoted: false, at: nowhere }))

const name = fc.oneof(fc.constantFrom('__proto__', 'constructor', 'by_name', '0', '-', 'null', 'desc'),
  fc.string({ unit: fc.constantFrom(...'abyz_-09é😀\u0080'), minLength: 1, maxLength: 4 }))
const path = fc.array(name, { minLength: 1, maxLength: 3 })
const operators = Object.keys(operatorDefaults) as Operator[]
const isList = (operator: Operator) => operator === 'in' || operator === 'not_in'

const compare = fc.constantFrom(...operators).chain(operator => fc.record({
  kind: fc.constant('compare' as const),
  path,
  operator: fc.constant(operator),
  values: fc.array(fc.oneof(quoted, raw), isList(operator) ? { maxLength: 4 } : { minLength: 1, maxLength: 1 }),
  at: fc.constant(nowhere)
}))
const freely = fc.record({
  kind: fc.constant('compare' as const),
  path,
  operator: fc.constantFrom(...operators.filter(operator => !isList(operator))),
  values: fc.tuple(free),
  at: fc.constant(nowhere)
})
  .filter(({ operator, values: [{ text }] }) => {
    const spelling = spellingOf(operator, syntax)
    return operatorAt(spelling + text, 0, syntax)?.[0] === spelling
  })

const empty: Filter = { kind: 'all', of: [] }
const { filter } = fc.letrec<{ filter: Filter, group: Filter, element: Filter }>(tie => ({
  filter: fc.oneof({ maxDepth: 2 }, compare, tie('group'), tie('group').map((of): Filter => ({ kind: 'not', of })),
    tie('element'), fc.constant<Filter>({ kind: 'not', of: empty })),
  element: fc.record({
    kind: fc.constant('some' as const),
    path: fc.array(name, { minLength: 1, maxLength: 2 }),
    of: fc.oneof(fc.constant(empty), tie('group')),
    at: fc.constant(nowhere)
  }),
  group: fc.record({
    kind: fc.constantFrom('all' as const, 'any' as const), of: fc.array(tie('filter'), { minLength: 1, maxLength: 3 })
  })
    // A group of one is written alike whether it is of `and` or of `or`.
    .map((group): Filter => group.of.length === 1 ? { ...group, kind: 'all' } : group)
}))

// A `-` before a name means descending.
const sortPath = fc.array(name, { minLength: 1, maxLength: 3 }).filter(([first]) => first?.startsWith('-') !== true)
const sort = fc.array(fc.record<SortAsked>({ path: sortPath, descending: fc.boolean(), at: fc.constant(nowhere) }),
  { minLength: 1, maxLength: 4 })
const count = fc.stringMatching(/^[0-9a-z -]{0,3}$/).map((text): ValueText => ({ text, quoted: false, at: nowhere }))
const anything = fc.oneof(text, tricky).map((text): ValueText => ({ text, quoted: false, at: nowhere }))
const sizes = { page: count, size: count, offset: count }

const { nested, fields } = fc.letrec<{ nested: Query, fields: readonly FieldAsked[], field: FieldAsked }>(tie => ({
  nested: fc.record({
    filters: fc.array(filter, { maxLength: 2 }),
    sort: fc.option(sort, { nil: undefined }),
    fields: fc.option(tie('fields'), { nil: undefined }),
    page: fc.record(sizes, { requiredKeys: [] }),
    at: fc.constant({})
  })
    .filter(({ filters, sort, fields, page }) => fields !== undefined || sort !== undefined || filters.length > 0 ||
      Object.keys(page).length > 0),
  field: fc.oneof({ maxDepth: 2, withCrossShrink: true }, fc.record({ name, at: fc.constant(nowhere) }),
    fc.record({ name, at: fc.constant(nowhere), query: tie('nested') })),
  fields: fc.array(tie('field'), { minLength: 1, maxLength: 3 })
}))

const query: fc.Arbitrary<Query> = fc.record({
  filters: fc.array(fc.oneof(filter, freely), { maxLength: 3 }),
  sort: fc.option(sort, { nil: undefined }),
  fields: fc.option(fields, { nil: undefined }),
  page: fc.record({ ...sizes, after: anything, before: anything }, { requiredKeys: [] }),
  at: fc.constant({})
})

// Any text, also of half surrogate pairs, and text that is nearly a query.
const wild = fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map(code => String.fromCharCode(code)) })
const nearly = fc.array(fc.constantFrom('where=', 'sort=', 'fields=', 'limit=', 'after=', 'a', 'b', '.', '=', '=*',
  '!', '(', ')', ',', ';', '|', '"', '\\', '&', '+', '%', '%22', '%28', '%00',
  '%ff', ' desc', '😀'),
{ maxLength: 30 }).map(parts => parts.join(''))

// Properties

// Delimiters that end options of selections, or none; names of fields that are parameters elsewhere; words of its own.
const syntaxes: readonly Syntax[] = [
  syntax,
  yieldTo(new Set(['a', 'sort', 'null']), compileSyntax({ sort: ['a'], where: ['0', 'where'] })),
  compileSyntax({ fieldParameters: false }),
  compileSyntax({ ignore: ['a', 'ab*', '0*'] }),
  compileSyntax({
    where: ['$filter'],
    size: ['top', 'b'],
    operators: { equals: [':', '::'], in: [' in '], contains: ['~'], greater: ['>', '>>'] },
    delimiters: { list: ['|'], sort: [';'], direction: ['/'], fields: [','] },
    directions: { descending: ['DOWN'] }
  })
]

test('a query that is printed is read back, in every syntax', async t => {
  fc.assert(fc.property(query, fc.constantFrom(...syntaxes), (query, syntax) => {
    deepStrictEqual(bare(parseQuery(print(query, syntax), syntax)), bare(query))
  }), { numRuns: numRuns * 2 })
  t.pass()
})

test('a query that is written out is read back', async t => {
  fc.assert(fc.property(query, query => {
    deepStrictEqual(bare(parseQuery(print(query, syntax), syntax)), bare(query))
  }), { numRuns })
  fc.assert(fc.property(nested, query => {
    const text = print({ fields: [{ name: 'a', query }] }, syntax)
    deepStrictEqual(bare(parseQuery(text, syntax).fields?.[0]?.query), bare(query))
  }), { numRuns })
  t.pass()
})

const plus = (encoded: string) => encoded.replaceAll('%20', '+')
const encoders: Record<string, (text: string) => string> = {
  encodeURIComponent: text => text.split('=').map(encodeURIComponent).join('='),
  'encodeURIComponent of the whole part': encodeURIComponent,
  'form encoding': text =>
    plus(encodeURIComponent(text)).replace(/[!'()~*]/g, character => `%${character.charCodeAt(0).toString(16)}`),
  'every byte encoded': text => Buffer.from(text).toString('hex').replace(/../g, '%$&'),
  'nothing encoded but what must be': text => text.replace(/[%+&]/g, encodeURIComponent),
  URL: text => new URL(`http://host/?${text.replace(/[%+&#\t\r\n]/g, encodeURIComponent)}`).search.slice(1),
  // Splits name from value at the first `=`, wherever that stands; without one it would add one.
  URLSearchParams: text => text.includes('=')
    ? new URLSearchParams([[text.slice(0, text.indexOf('=')), text.slice(text.indexOf('=') + 1)]]).toString()
    : encodeURIComponent(text)
}

for (const [encoder, encode] of Object.entries(encoders)) {
  test(`an encoded query means the same as a bare one: ${encoder}`, async t => {
    fc.assert(fc.property(query, query => {
      const parts = printParts(query, syntax)
      // A URL's last spaces are cut off by WHATWG's parser, as by every browser.
      fc.pre(encoder !== 'URL' || parts.every(part => !/[\p{Cc} ]$/u.test(part)))
      deepStrictEqual(bare(parseQuery(parts.map(encode).join('&'), syntax)), bare(query))
    }), { numRuns: runsOf(60) })
    t.pass()
  })
}

test('what links keep of a query is the query without its page', async t => {
  fc.assert(fc.property(query, query => {
    const { page: { size }, ...rest } = query
    deepStrictEqual(bare(parseQuery(keptParameters(print(query, syntax), syntax), syntax)),
      bare({ ...rest, page: { size } }))
  }), { numRuns })
  t.pass()
})

// What a reader throws, if it throws; only a DataApiError may come of a request.
function refusal (read: () => unknown): DataApiError | undefined {
  try {
    read()
    return undefined
  } catch (error) {
    if (error instanceof DataApiError) return error
    throw error
  }
}

test('no text makes a reader fail otherwise than by refusing it, at a position inside it', async t => {
  fc.assert(fc.property(fc.oneof(wild, nearly), text => {
    const { position = 1 } = refusal(() => parseQuery(text, syntax))?.facts ?? {}
    if (position < 1 || position > text.length + 1) throw new Error(`position ${position}`)
    refusal(() => keptParameters(text, syntax))
    refusal(() => parsePath(text))
    refusal(() => parsePath(`/${text}`))
    parsePrefer(text)
  }), { numRuns: numRuns * 10 })
  t.pass()
})

test('what is read of any text is the same read again from its written form', async t => {
  fc.assert(fc.property(nearly, text => {
    let query: Query | undefined
    refusal(() => { query = parseQuery(text, syntax) })
    fc.pre(query !== undefined)
    const again = requote(query)
    deepStrictEqual(bare(parseQuery(print(again, syntax), syntax)), bare(again))
  }), { numRuns })
  t.pass()
})

// The same with every value quoted.
const requote = (query: Query): Query => ({
  ...query,
  filters: query.filters.map(requoteFilter),
  ...query.fields && {
    fields: query.fields.map(field => field.query === undefined ? field : { ...field, query: requote(field.query) })
  }
})

function requoteFilter (filter: Filter): Filter {
  if (filter.kind === 'not' || filter.kind === 'some') return { ...filter, of: requoteFilter(filter.of) }
  if (filter.kind !== 'compare') return { ...filter, of: filter.of.map(requoteFilter) }
  return { ...filter, values: filter.values.map(value => ({ ...value, quoted: true })) }
}
