import { Type } from '@sinclair/typebox'
import { createClient } from '../../lib/clients/client/index.ts'
import { collection, type OpenApiDocument, SubCollection, SubItem } from '../../lib/index.ts'
import { over, onPostgres, onSqlite, open, key, shown } from '../helpers/checked-tables.ts'
import { everySource, type World } from '../helpers/every-source.ts'
import { serveMinimally } from '../helpers/serve-minimally.ts'

// docs/http.md: Filters. JSON and arrays are compared with null.

const Item = Type.Object({
  id: Type.Integer(key),
  meta: Type.Optional(Type.Unknown(open)),
  tags: Type.Optional(Type.Array(Type.String(), open)),
  shape: Type.Optional(Type.Object({ a: Type.Optional(Type.Integer()) }, open)),
  boxId: Type.Optional(Type.Integer()),
  box: Type.Optional(SubItem('boxes', { foreignKey: 'boxId', ...shown }))
})

const world: World = {
  collections: source => ({
    boxes: collection(Type.Object({
      id: Type.Integer(key), items: SubCollection('items', { foreignKey: 'boxId', ...shown })
    }), { source: source('boxes') }),
    items: collection(Item, { source: source('items') })
  }),
  tables: {
    boxes: [{ id: 1 }, { id: 2 }],
    items: [
      { id: 1, meta: { a: 1 }, tags: ['x'], shape: null, boxId: 1 },
      { id: 2, meta: null, tags: null, shape: { a: 1 }, boxId: 1 },
      { id: 3, meta: { b: null }, tags: [], shape: {}, boxId: 2 }
    ]
  },
  ddl: `create table boxes (id key);
    create table items (id key, meta json, tags json, shape json, "boxId" integer)`
}

everySource('JSON and arrays are compared with null, and with no other value', async ({ t, get, same }) => {
  const ids = async (query: string, name = 'items') =>
    (await get(`/${name}?fields=id&${query}`)).json<Array<{ readonly id: number }>>().map(({ id }) => id)
  t.strictSame(await ids('meta=null'), [2])
  t.strictSame(await ids('meta!=null'), [1, 3])
  t.strictSame(await ids('tags=null'), [2])
  t.strictSame(await ids('where=(shape=null|tags=null)'), [1, 2])
  t.strictSame(await ids('where=!(shape!=null)'), [1])
  t.strictSame(await ids('items.meta=null', 'boxes'), [1])
  t.strictSame(await ids('items(meta!=null)', 'boxes'), [1, 2])
  for (const filter of ['meta="null"', 'meta=1', 'meta>null', 'meta=*null', 'tags^=x']) {
    const [name = ''] = /^\w+/.exec(filter) ?? []
    const message = `The field '${name}' holds JSON, which is compared with null alone: whether it has a value.`
    same(await get(`/items?${filter}`), 400, { error: 'invalid_filter', message, parameter: name, position: 1 })
  }
}, {}, world)

everySource('the client, own code and the document compare JSON with null', async ({ t, app, get }) => {
  const fetch = async (url: string | URL) => {
    const { pathname, search } = new URL(url)
    const { statusCode: status, body, headers } = await app.inject(pathname + search)
    return new Response(body, { status, headers: { 'content-type': String(headers['content-type']) } })
  }
  const items = createClient('http://host', { fetch: fetch as never }).resource('items')
  const own = app.dataApi.asSystem().collection('items')
  for (const [where, ids] of [
    [{ meta: null }, [2]], [{ meta: { eq: null } }, [2]], [{ tags: { ne: null } }, [1, 3]],
    [{ not: { shape: null } }, [2, 3]]
  ] as const) {
    const found = [await items.list({ where, fields: ['id'] }), await own.list({ where, fields: ['id'] })]
    const expected = ids.map(id => ({ id }))
    t.strictSame(found.map(one => one.items), [expected, expected])
  }
  const { paths } = (await get('/openapi.json')).json<OpenApiDocument>()
  const parameters = paths['/items']?.get?.parameters?.filter(one => 'name' in one && /^(meta|tags)/.test(one.name))
  t.strictSame(parameters?.map(one => 'name' in one && [one.name, one.schema]),
    ['meta', 'meta!', 'tags', 'tags!'].map(name => [name, { type: 'string', enum: ['null'] }]))
}, { openapi: { info: { title: 'Items', version: '1' } } }, world)

everySource('a scope compares JSON with null', async ({ get, same }) => {
  same(await get('/items?fields=id'), 200, [{ id: 1 }, { id: 3 }])
}, {}, {
  ...world,
  collections: source => ({
    ...world.collections(source),
    items: collection(Item, {
      source: source('items'),
      scope: (_context, where) => where.not(where.any(where.equals('meta', null), where.equals('tags', null)))
    })
  })
})

const Doc = Type.Object({ id: Type.Integer(key), meta: Type.Optional(Type.Unknown(open)) })

for (const type of ['json', 'jsonb', 'text']) {
  onPostgres(`the null of JSON is null in a column of ${type}`, `create table t (id integer primary key, meta ${type});
insert into t values (1, null), (2, 'null'), (3, '"null"'), (4, ' null '), (5, '{"a":null}')`, async (t, db) => {
    const { app } = await serveMinimally(over(db, Doc.properties, { requestStrategies: { create: false } }))
    const items = (await app.inject('/things')).json<Array<{ readonly id: number, readonly meta: unknown }>>()
    const idsOf = (some: typeof items) => some.map(({ id }) => ({ id }))
    const missing = items.filter(({ meta }) => meta === null)
    t.strictSame((await app.inject('/things?meta=null&fields=id')).json(), idsOf(missing))
    t.strictSame((await app.inject('/things?meta!=null&fields=id')).json(),
      idsOf(items.filter(one => !missing.includes(one))))
    await app.close()
  })
}

onSqlite('the null of JSON is null in a column of SQLite', `create table t (id integer primary key, meta any);
insert into t values (1, null), (2, 'null'), (3, '"null"'), (4, ' null\n'), (5, '{"a":null}')`,
async (t, db) => {
  const { app } = await serveMinimally(over(db, Doc.properties))
  const items = (await app.inject('/things')).json<Array<{ readonly id: number, readonly meta: unknown }>>()
  t.strictSame(items.filter(({ meta }) => meta === null).map(({ id }) => id), [1, 2, 4])
  t.strictSame((await app.inject('/things?meta=null&fields=id')).json(), [{ id: 1 }, { id: 2 }, { id: 4 }])
  t.strictSame((await app.inject('/things?meta!=null&fields=id')).json(), [{ id: 3 }, { id: 5 }])
  await app.close()
})
