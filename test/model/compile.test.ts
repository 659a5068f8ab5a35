import { Type } from '@sinclair/typebox'
import { test } from 'tap'
import dataApi, {
  collection, computed, type DataApiOptions, type Declared, DeclarationError, exactly, expression, lookup, memory,
  sqlite, SubCollection, SubItem
} from '../../lib/index.ts'
import { declare } from '../helpers/declare-wrongly.ts'
import Fastify from '../helpers/fastify.ts'

// docs/declaring.md: Declaring. A mistake in a declaration is an error at registration that names the collection and
// the field. More of them are in test/fixtures/wrong-declarations.ts.

async function mistake (collections: Record<string, unknown>, options: Partial<DataApiOptions> = {}): Promise<string> {
  const app = Fastify()
  try {
    await app.register(dataApi, { collections: collections as Record<string, Declared>, ...options })
  } catch (error) {
    if (error instanceof DeclarationError) return error.message
    throw error
  }
  return 'no mistake'
}

const id = Type.Integer({ identifier: true, readable: true })
const source = memory([])
const readable = { readable: true } as const
const integer = Type.Integer()
const shown = Type.Integer(readable)

/** Declares things with these fields and members of a behaviour. */
const things = (fields: object, behaviour: object = {}) =>
  ({ things: declare(Type.Object({ id, ...fields }), { source, ...behaviour }) })

test('what a declaration needs is there, and what contradicts itself is not', async t => {
  const date = Type.String({ format: 'date-time', default: '2026' })
  const find = () => undefined
  const get = () => 1
  const through = { through: 'pairs', foreignKey: 'a', otherKey: 'b' }
  const table: ReadonlyArray<[message: string, fields: object, behaviour?: object]> = [
    [", field 'id': is the collection's key (its first identifier), so it must be neither optional nor nullable",
      { id: Type.Optional(id) }],
    [", field 'tags': is flagged 'identifier', but values of its type cannot be used in a URL",
      { tags: Type.Array(Type.String(), { identifier: true }) }],
    [", field 'at': JSON cannot represent the type 'Date'; use another type, such as Type.String({ format: " +
      "'date-time' }) for a date and time", { at: Type.Date() }],
    [", field 'x': is flagged 'listed' but not 'readable'", { x: Type.String({ listed: true }) }],
    [": fields 'startDate' and 'start_date' have the same name 'start_date' on the wire",
      { startDate: integer, start_date: integer }],
    [", field 'a(b': its name on the wire would be 'a(b', which is not valid in a query string; use letters, digits, " +
      "'_' and '-'", { 'a(b': shown }],
    [", field 'other': its target 'others' is not a registered collection",
      { other: SubItem('others', { foreignKey: 'id' }) }],
    [", field 'other': its target 'thing' is not a registered collection; did you mean 'things'?",
      { other: SubItem('thing', { foreignKey: 'id' }) }],
    [", field 'other': its foreign key 'ids' is not a stored field of 'things'; did you mean 'id'?",
      { other: SubItem('things', { foreignKey: 'ids' }) }],
    [", field 'other': its foreign key 'otherId' is not a stored field of 'things'",
      { other: SubItem('things', { foreignKey: 'otherId' }) }],
    [", field 'others': its foreign key 'parentId' is not a stored field of 'things'",
      { others: SubCollection('things', { foreignKey: 'parentId' }) }],
    [", field 'others': its join table 'pairs' is not among the joins given to its source; write memory(rows, { " +
      'joins: { pairs: [] } })', { others: SubCollection('things', through) }],
    [": the relations flagged 'listed' (things.other) form a cycle",
      { up: integer, other: SubItem('things', { foreignKey: 'up', ...readable, listed: true }) }],
    [", field 'id': is declared both in the schema and under 'computed'", {},
      { computed: { id: computed({ type: integer, from: [], get }) } }],
    [", field 'x': 'from' names 'nothing', which is not a stored field", {},
      { computed: { x: computed({ type: shown, from: ['nothing' as never], get }) } }],
    [", field 'x': 'get' is asynchronous, and its promise is no value; compute it from the fields in 'from', or let " +
      'the database compute it: expression()', {},
    { computed: { x: computed({ type: Type.Unknown(readable), from: [], get: async () => 1 }) } }],
    [", field 'x': its default must be an integer between -9007199254740991 and 9007199254740991; found the string " +
      "'none'", { x: Type.Integer({ default: 'none' }) }],
    [", field 'at': its default must be a date and time with a time zone and at most milliseconds, such as " +
      "2001-12-31T23:59:59.999Z; found the string '2026'", { at: Type.Optional(date) }],
    [", field 'x': the expression has no 'memory' part, which its source requires; add it to expression()", {},
      { computed: { x: expression({ type: shown }) } }],
    [", field 'slug': a lookup and a field have the same name 'slug' in URLs; rename one",
      { slug: Type.String(readable) }, { identifiers: { slug: lookup({ type: Type.String(), find }) } }],
    [", identifier 'tags': values of its type cannot be used in a URL", {},
      { identifiers: { tags: lookup({ type: Type.Array(Type.String()), find }) } }],
    [", identifier 'i': another identifier already matches 'me'", {},
      { identifiers: { me: exactly('me', find), i: exactly('me', find) } }],
    [", identifier 'me': its segment must not be empty", {}, { identifiers: { me: exactly('', find) } }],
    [': pages.defaultSize must be an integer of at least 1, or Infinity; found the number 0', {},
      { pages: { defaultSize: 0 } }],
    [': pages.defaultSize must not be greater than pages.maxSize', {}, { pages: { defaultSize: 10, maxSize: 5 } }]
  ]
  for (const [message, fields, behaviour] of table) {
    t.equal(await mistake(things(fields, behaviour)), `collection 'things'${message}`)
  }
  t.equal(await mistake(things({ 'a b': shown })), 'no mistake')
  t.equal(await mistake({ things: declare(Type.Object({ name: Type.String() }), { source }) }),
    "collection 'things': no field is flagged 'identifier', and 'key' names none; a collection needs one or the other")
  const thing = declare(Type.Object({ id }), { source })
  t.equal(await mistake({ aB: thing, a_b: thing }), "collections 'aB' and 'a_b' have the same name 'a_b' in URLs")
  for (const name of ['..', '']) {
    t.equal(await mistake({ [name]: thing }),
      `collection '${name}': its name in a URL would be '${name}', which cannot be used in a URL`)
  }
})

test('a relation cannot cross databases', async t => {
  const db = sqlite(':memory:')
  const a = collection(Type.Object({ id, b: SubItem('b', { foreignKey: 'id', ...readable }) }), { source })
  const b = collection(Type.Object({ id }), { source: db.table('b') })
  t.equal(await mistake({ a, b }),
    "collection 'a', field 'b': its target 'b' is in another database; a relation cannot cross databases")
  db.close()
})

test('a wrong option is an error that names it', async t => {
  const expected = "option 'collections': expected an object of collections by name; found"
  const table: ReadonlyArray<[options: object, message: string]> = [
    [{ colections: {}, collections: undefined },
      "option 'colections': there is no such option; did you mean 'collections'?"],
    [{ prefixes: '/a' }, "option 'prefixes': there is no such option; did you mean 'prefix'?"],
    [{ prefix: 1 }, "option 'prefix': must be a string; found the number 1"],
    [{ naming: 'snake' },
      "option 'naming': expected snake_case, camelCase, kebab-case, PascalCase, none or a function"],
    [{ responseContent: { pageLinks: 'body' } }, 'option \'responseContent.pageLinks\': must be one of "header", ' +
      '"wrapped", "both", "none"; found the string \'body\''],
    [{ openapi: 3 }, "option 'openapi': must be false or an object; found the number 3"],
    [{ openapi: { inf: {} } }, "option 'openapi.inf': there is no such option; did you mean 'info'?"],
    [{ openapi: { info: { title: 1 } } }, "option 'openapi.info.title': must be a string; found the number 1"],
    [{ openapi: { servers: [{ 'x-region': 'eu' }] } },
      "option 'openapi.servers.0': must have the member 'url'; found an object"],
    [{ explorer: 'on' }, "option 'explorer': must be true or false or an object; found the string 'on'"],
    [{ responseContent: { links: true } }, "option 'responseContent.links': there is no such option"],
    [{ queryString: { limits: { depth: 0 } } },
      "option 'queryString.limits.depth': must be at least 1; found the number 0"],
    [{ pages: { maxSize: 'all' } }, "option 'pages.maxSize': must be a number; found the string 'all'"],
    [{ baseUrl: 'example.org' },
      "option 'baseUrl': must match the pattern ^https?://; found the string 'example.org'"],
    ...['https://[', 'https://example.org/?key=1'].map((baseUrl): [object, string] => [{ baseUrl },
      `option 'baseUrl': expected the URL of the API's root without a query; found '${baseUrl}'`]),
    [{ collections: undefined }, `${expected} undefined`], [{ collections: [] }, `${expected} an array`]
  ]
  for (const [options, message] of table) t.equal(await mistake(things({}), options), message)
})

test('memory takes an array or a Map, and nothing else', async t => {
  for (const rows of [{}, 'rows', undefined, new Set()]) t.throws(() => memory(rows as []), DeclarationError)
  t.throws(() => memory([], { joins: { pairs: {} as [] } }),
    { message: 'memory(rows, { joins: { pairs } }): expected an array or a Map of objects' })
})

test('what is compiled is told', async t => {
  const app = Fastify()
  await app.register(dataApi, { collections: things({}) as Record<string, Declared> })
  t.strictSame(app.dataApi.collections, ['things'])
  t.equal(app.dataApi.prefix, '')
  await app.close()
})

test('what is declared of writes is checked as well', async t => {
  const fields = { name: Type.String({ ...readable, writable: true }), at: shown }
  const version = { readable: true, version: true }
  const now = computed({ type: Type.Integer({ writable: true }), from: [], get: () => 1 })
  const table: ReadonlyArray<[message: string, behaviour: object, fields?: object]> = [
    [", field 'nam': has a setter, but is not a stored field; did you mean 'name'?", { setters: { nam () {} } }],
    [", field 'at': has a setter, but is not flagged 'writable'; flag it, or remove the setter",
      { setters: { at () {} } }],
    [', requestStrategies.update.0: must be one of "PUT", "PATCH"; found the string \'POST\'',
      { requestStrategies: { update: ['POST'] } }],
    [', requestStrategies.delete: must be true or false; found the number 1', { requestStrategies: { delete: 1 } }],
    [', field \'name\': the schema cannot be compiled: unknown format "colour" ignored in schema at path "#"', {},
      { name: Type.String({ writable: true, format: 'colour' }) }],
    [", field 'name': the schema cannot be compiled: Invalid regular expression: /(/u: Unterminated group", {},
      { name: Type.String({ writable: true, pattern: '(' }) }],
    [", field 'now': is flagged 'writable', but a computed field cannot be written", { computed: { now } }],
    [", field 'v': is flagged 'version', and so is 'w'", {}, { v: Type.Integer(version), w: Type.Integer(version) }]
  ]
  for (const [message, behaviour, others = fields] of table) {
    t.equal(await mistake(things(others, behaviour)), `collection 'things'${message}`)
  }
  const right = { setters: { name () {} }, requestStrategies: { upsert: true, update: ['PUT'], delete: undefined } }
  t.equal(await mistake(things(fields, right)), 'no mistake')
})

test('an alias of a query parameter yields to a field of its name', async t => {
  const app = Fastify()
  const Line = Type.Object({ id, order: shown, limit: shown, select: Type.String(readable) })
  const rows = memory([{ id: 1, order: 7, limit: 1, select: 'b' }, { id: 2, order: 3, limit: 2, select: 'a' }])
  await app.register(dataApi, { collections: { lines: collection(Line, { source: rows }) } })
  for (const [query, id] of [
    ['order=7', 1], ['limit=2&sort=order', 2], ['orderby=order&take=1', 2], ['order=7&select=b', 1]
  ] as const) {
    t.strictSame((await app.inject(`/lines?fields=id&${query}`)).json(), [{ id }], query)
  }
  await app.close()
})

test('a foreign key has the type of the key that it refers to', async t => {
  const fields = { id, parentId: Type.String() }
  const expected = /its foreign key 'parentId' is a string.*, but the key 'id', to which it refers, is an integer/
  for (const [child, parent] of [
    [{ ...fields, parent: SubItem('parents', { foreignKey: 'parentId' }) }, { id }],
    [fields, { id, children: SubCollection('children', { foreignKey: 'parentId' }) }]
  ] as const) {
    const [children, parents] = [child, parent].map(fields => declare(Type.Object(fields), { source }))
    t.match(await mistake({ children, parents }), expected)
  }
})
