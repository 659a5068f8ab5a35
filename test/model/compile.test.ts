import { type TObject, Type } from '@sinclair/typebox'
import Fastify from '../helpers/fastify.ts'
import { test } from 'tap'
import dataApi, {
  type Behaviour, collection, computed, type DataApiOptions, type Declared, DeclarationError, exactly, expression,
  lookup, memory, sqlite, SubCollection, SubItem
} from '../../lib/index.ts'

// A mistake in a declaration is an error at registration that names the collection and the field.

async function mistake (collections: Record<string, Declared>, options: Partial<DataApiOptions> = {}): Promise<string> {
  const app = Fastify()
  try {
    await app.register(dataApi, { collections, ...options })
  } catch (error) {
    if (error instanceof DeclarationError) return error.message
    throw error
  }
  return 'no mistake'
}

const id = Type.Integer({ identifier: true, readable: true })
const source = memory([])
const things = <S extends TObject>(schema: S, behaviour: Partial<Behaviour<S>> = {}) =>
  ({ things: collection(schema, { source, ...behaviour }) })

const readable = { readable: true } as const

test('what a declaration needs is there, and what contradicts itself is not', async t => {
  const integer = Type.Integer()
  const table: ReadonlyArray<[collections: Record<string, Declared>, message: string]> = [
    [
      things(Type.Object({ name: Type.String() })),
      "collection 'things': no field is flagged 'identifier', and 'key' names none; a collection needs one or the other"
    ],
    [things(
      Type.Object({ id: Type.Optional(id) })
    ), "collection 'things', field 'id': is the collection's key (its first identifier), so it must be neither " +
      'optional nor nullable'],
    [things(Type.Object({
      id, tags: Type.Array(Type.String(), { identifier: true })
    })), "collection 'things', field 'tags': is flagged 'identifier', but values of its type cannot be used in a URL"],
    [things(
      Type.Object({ id, at: Type.Date() })
    ), "collection 'things', field 'at': JSON cannot represent the type 'Date'; use another type, such as " +
      "Type.String({ format: 'date-time' }) for a date and time"],
    [things(
      Type.Object({ id, x: Type.String({ hidden: true }) })
    ), "collection 'things', field 'x': is flagged 'hidden' but not 'readable'; without 'readable' it is never shown"],
    [things(Type.Object({
      id, x: Type.String({ listed: true })
    })), "collection 'things', field 'x': is flagged 'listed' but not 'readable'"],
    [things(Type.Object({
      id, x: Type.String({ ...readable, listed: true, hidden: true })
    })), "collection 'things', field 'x': is flagged both 'listed' and 'hidden'"],
    [things(Type.Object({
      id, startDate: integer, start_date: integer
    })), "collection 'things': fields 'startDate' and 'start_date' have the same name 'start_date' on the wire"],
    [things(Type.Object({ id, 'a b': Type.Integer(readable) }), {}), 'no mistake'],
    [things(Type.Object({
      id, 'a(b': Type.Integer(readable)
    })), "collection 'things', field 'a(b': its name on the wire would be 'a(b', which is not valid in a query " +
      "string; use letters, digits, '_' and '-'"],
    [things(Type.Object({
      id, other: SubItem('others', { foreignKey: 'id', ...readable })
    })), "collection 'things', field 'other': its target 'others' is not a registered collection"],
    [things(Type.Object({
      id, other: SubItem('thing', { foreignKey: 'id', ...readable })
    })), "collection 'things', field 'other': its target 'thing' is not a registered collection" +
      "; did you mean 'things'?"],
    [things(Type.Object({
      id, other: SubItem('things', { foreignKey: 'ids', ...readable })
    })), "collection 'things', field 'other': its foreign key 'ids' is not a stored field of 'things'" +
      "; did you mean 'id'?"],
    [things(Type.Object({
      id, other: SubItem('things', { foreignKey: 'otherId', ...readable })
    })), "collection 'things', field 'other': its foreign key 'otherId' is not a stored field of 'things'"],
    [things(Type.Object({
      id, others: SubCollection('things', { foreignKey: 'parentId', ...readable })
    })), "collection 'things', field 'others': its foreign key 'parentId' is not a stored field of 'things'"],
    [things(Type.Object({
      id, others: SubCollection('things', { through: 'pairs', foreignKey: 'a', otherKey: 'b', ...readable })
    })), "collection 'things', field 'others': its join table 'pairs' is not among the joins given to its source" +
      '; write memory(rows, { joins: { pairs: [] } })'],
    [things(Type.Object({
      id, up: integer, other: SubItem('things', { foreignKey: 'up', ...readable, listed: true })
    })), "collection 'things': the relations flagged 'listed' (things.other) form a cycle"],
    [things(Type.Object({ id }), {
      computed: { id: computed({ type: integer, from: [], get: () => 1 }) }
    }), "collection 'things', field 'id': is declared both in the schema and under 'computed'"],
    [things(Type.Object({ id }), {
      computed: { x: computed({ type: Type.Integer(readable), from: ['nothing' as 'id'], get: () => 1 }) }
    }), "collection 'things', field 'x': 'from' names 'nothing', which is not a stored field"],
    [things(Type.Object({ id }), {
      computed: { x: computed({ type: Type.Unknown(readable), from: [], get: async () => 1 }) }
    }), "collection 'things', field 'x': 'get' is asynchronous, and its promise is no value; compute it from the " +
      "fields in 'from', or let the database compute it: expression()"],
    [things(Type.Object({
      id, x: Type.Integer({ default: 'none' })
    })), "collection 'things', field 'x': its default must be an integer between -9007199254740991 and " +
      "9007199254740991; found the string 'none'"],
    [things(Type.Object({
      id, at: Type.Optional(Type.String({ format: 'date-time', default: '2026' }))
    })), "collection 'things', field 'at': its default must be a date and time with a time zone and at most " +
      "milliseconds, such as 2001-12-31T23:59:59.999Z; found the string '2026'"],
    [things(Type.Object({ id }), {
      computed: { x: expression({ type: Type.Integer(readable) }) }
    }), "collection 'things', field 'x': the expression has no 'memory' part, which its source requires" +
      '; add it to expression()'],
    [things(Type.Object({ id, slug: Type.String(readable) }), {
      identifiers: { slug: lookup({ type: Type.String(), find: () => undefined }) }
    }), "collection 'things', field 'slug': a lookup and a field have the same name 'slug' in URLs; rename one"],
    [things(Type.Object({ id }), {
      identifiers: { tags: lookup({ type: Type.Array(Type.String()), find: () => undefined }) }
    }), "collection 'things', identifier 'tags': values of its type cannot be used in a URL"],
    [things(Type.Object({ id }), {
      identifiers: { me: exactly('me', () => undefined), i: exactly('me', () => undefined) }
    }), "collection 'things', identifier 'i': another identifier already matches 'me'"],
    [things(Type.Object({ id }), {
      identifiers: { me: exactly('', () => undefined) }
    }), "collection 'things', identifier 'me': its segment must not be empty"],
    [things(
      Type.Object({ id }), { pages: { defaultSize: 0 } }
    ), "collection 'things': pages.defaultSize must be an integer of at least 1, or Infinity; found the number 0"],
    [things(Type.Object({ id }), {
      pages: { defaultSize: 10, maxSize: 5 }
    }), "collection 'things': pages.defaultSize must not be greater than pages.maxSize"],
    [{
      aB: collection(Type.Object({ id }), { source }),
      a_b: collection(Type.Object({ id }),
        { source })
    }, "collections 'aB' and 'a_b' have the same name 'a_b' in URLs"],
    [{
      '..': collection(Type.Object({ id }),
        { source })
    }, "collection '..': its name in a URL would be '..', which cannot be used in a URL"],
    [{
      '': collection(Type.Object({ id }),
        { source })
    }, "collection '': its name in a URL would be '', which cannot be used in a URL"]
  ]
  for (const [collections, message] of table) t.equal(await mistake(collections), message)
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
  const collections = things(Type.Object({ id }))
  const table: ReadonlyArray<[options: object, message: string]> = [
    [{ colections: {}, collections: undefined },
      "option 'colections': there is no such option; did you mean 'collections'?"],
    [{ prefixes: '/a' }, "option 'prefixes': there is no such option; did you mean 'prefix'?"],
    [{ prefix: 1 }, "option 'prefix': must be a string; found the number 1"],
    [{
      naming: 'snake'
    }, "option 'naming': expected snake_case, camelCase, kebab-case, PascalCase, none or a function"],
    [{
      responseContent: {
        pageLinks: 'body'
      }
    }, 'option \'responseContent.pageLinks\': must be one of "header", "wrapped", "both", "none"' +
      "; found the string 'body'"],
    [{ openapi: { inf: {} } }, "option 'openapi.inf': there is no such option; did you mean 'info'?"],
    [{ openapi: 3 }, "option 'openapi': must be false or an object; found the number 3"],
    [{ explorer: 'on' }, "option 'explorer': must be true or false or an object; found the string 'on'"],
    [{ explorer: { titel: 'x' } }, "option 'explorer.titel': there is no such option; did you mean 'title'?"],
    [{ openapi: { info: { title: 1 } } }, "option 'openapi.info.title': must be a string; found the number 1"],
    [
      { openapi: { servers: [{ 'x-region': 'eu' }] } },
      "option 'openapi.servers.0': must have the member 'url'; found an object"
    ],
    [{ responseContent: { links: true } }, "option 'responseContent.links': there is no such option"],
    [{ queryString: { limits: { depth: 0 } } }, "option 'queryString.limits.depth': must be at least 1" +
      '; found the number 0'],
    [{ pages: { maxSize: 'all' } }, "option 'pages.maxSize': must be a number; found the string 'all'"],
    [{ baseUrl: 'example.org' }, 'option \'baseUrl\': must match the pattern ^https?://' +
      "; found the string 'example.org'"],
    ...['https://[', 'https://example.org/?key=1'].map((baseUrl): [object, string] => [{ baseUrl },
      `option 'baseUrl': expected the URL of the API's root without a query; found '${baseUrl}'`]),
    [{ collections: undefined }, "option 'collections': expected an object of collections by name; found undefined"],
    [{ collections: [] }, "option 'collections': expected an object of collections by name; found an array"]
  ]
  for (const [options, message] of table) t.equal(await mistake(collections, options), message)
})

test('memory takes an array or a Map, and nothing else', async t => {
  for (const rows of [{}, 'rows', undefined, new Set()]) t.throws(() => memory(rows as []), DeclarationError)
  t.throws(() => memory([], { joins: { pairs: {} as [] } }),
    { message: 'memory(rows, { joins: { pairs } }): expected an array or a Map of objects' })
})

test('what is compiled cannot be changed', async t => {
  const app = Fastify()
  await app.register(dataApi, { collections: things(Type.Object({ id })) })
  t.strictSame(app.dataApi.collections, ['things'])
  t.equal(app.dataApi.prefix, '')
  await app.close()
})

test('what is declared of writes is checked as well', async t => {
  const name = Type.String({ ...readable, writable: true })
  const schema = Type.Object({ id, name, at: Type.Integer(readable) })
  const loose = (behaviour: object) => things(schema, behaviour as Partial<Behaviour<typeof schema>>)
  const table: ReadonlyArray<[collections: Record<string, Declared>, message: string]> = [
    [loose({ setters: { nam () {} } }), "collection 'things', field 'nam': has a setter, but is not a stored field" +
      "; did you mean 'name'?"],
    [loose({ setters: { at () {} } }), "collection 'things', field 'at': has a setter, but is not flagged 'writable'" +
      '; flag it, or remove the setter'],
    [loose({
      requestStrategies: { upsrt: true }
    }), "collection 'things', requestStrategies.upsrt: there is no such option; did you mean 'upsert'?"],
    [loose({
      requestStrategies: { update: ['POST'] }
    }), "collection 'things', requestStrategies.update.0: must be one of \"PUT\", \"PATCH\"" +
      "; found the string 'POST'"],
    [loose({
      requestStrategies: { delete: 1 }
    }), "collection 'things', requestStrategies.delete: must be true or false; found the number 1"],
    [things(Type.Object({
      id, name: Type.String({ writable: true, format: 'colour' })
    })), "collection 'things', field 'name': the schema cannot be compiled: unknown format \"colour\" ignored in " +
      'schema at path "#"'],
    [things(Type.Object({
      id, name: Type.String({ writable: true, pattern: '(' })
    })), "collection 'things', field 'name': the schema cannot be compiled: Invalid regular expression: /(/u: " +
      'Unterminated group'],
    [things(Type.Object({ id }), {
      computed: { now: computed({ type: Type.Integer({ writable: true }), from: [], get: () => 1 }) }
    }), "collection 'things', field 'now': is flagged 'writable', but a computed field cannot be written"],
    [things(Type.Object({
      id, v: Type.Integer({ readable: true, version: true }), w: Type.Integer({ readable: true, version: true })
    })), "collection 'things', field 'v': is flagged 'version', and so is 'w'"],
    [loose({
      setters: { name () {} }, requestStrategies: { upsert: true, update: ['PUT'], delete: undefined }
    }), 'no mistake']
  ]
  for (const [collections, message] of table) t.equal(await mistake(collections), message)
})

test('an alias of a query parameter yields to a field of its name', async t => {
  const app = Fastify()
  const Line = Type.Object({
    id, order: Type.Integer(readable), limit: Type.Integer(readable), select: Type.String(readable)
  })
  const rows = memory([{ id: 1, order: 7, limit: 1, select: 'b' }, { id: 2, order: 3, limit: 2, select: 'a' }])
  await app.register(dataApi, { collections: { lines: collection(Line, { source: rows }) } })
  const ids = async (query: string) => (await app.inject(`/lines?fields=id&${query}`)).json<unknown>()
  t.strictSame(await ids('order=7'), [{ id: 1 }])
  t.strictSame(await ids('limit=2&sort=order'), [{ id: 2 }])
  t.strictSame(await ids('orderby=order&take=1'), [{ id: 2 }])
  t.strictSame((await app.inject('/lines?order=7&select=b&fields=id')).json(), [{ id: 1 }])
  await app.close()
})

test('a foreign key has the type of the key that it refers to', async t => {
  const child = Type.Object({ id, parentId: Type.String(), parent: SubItem('parents', { foreignKey: 'parentId' }) })
  const parent = Type.Object({ id, children: SubCollection('children', { foreignKey: 'parentId' }) })
  const expected = /its foreign key 'parentId' is a string.*, but the key 'id', to which it refers, is an integer/
  t.match(await mistake({
    children: collection(child, { source }), parents: collection(Type.Object({ id }), { source })
  }), expected)
  const bare = Type.Object({ id, parentId: Type.String() })
  t.match(await mistake({ children: collection(bare, { source }), parents: collection(parent, { source }) }), expected)
})
