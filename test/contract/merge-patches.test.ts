import { Type } from '@sinclair/typebox'
import type { FastifyInstance } from 'fastify'
import pg from 'pg'
import { type Test, test } from 'tap'
import { createClient } from '../../lib/clients/client/index.ts'
import dataApi, { ArgumentError, collection, sqlite, SubCollection } from '../../lib/index.ts'
import { keysDdl } from '../fixtures/keyed-notes.ts'
import { everySource, type Tools, type World } from '../helpers/every-source.ts'
import { validation } from '../helpers/answers.ts'
import fc, { runsOf } from '../helpers/fast-check.ts'
import Fastify from '../helpers/fastify.ts'
import { onDatabase } from '../helpers/on-database.ts'
import { test as onPostgres } from '../helpers/on-postgres.ts'

// docs/http.md: Merging

const flags = { readable: true, writable: true }

const Meta = Type.Object({
  one: Type.Optional(Type.Integer()), two: Type.Optional(Type.Integer()), deep: Type.Optional(Type.Unknown())
}, flags)

const Thing = Type.Object({
  id: Type.Integer({ identifier: true, readable: true, writable: true }),
  name: Type.String({ identifier: true, ...flags }),
  meta: Type.Optional(Meta),
  notes: Type.Unknown(flags),
  tags: Type.Array(Type.String(), flags),
  secret: Type.Optional(Type.Unknown({ writable: true })),
  checked: Type.Unknown(flags),
  parts: SubCollection('parts', { foreignKey: 'thingId', hidden: true, ...flags }),
  version: Type.Integer({ readable: true, version: true, hidden: true })
})

const Part = Type.Object({
  id: Type.Integer({ identifier: true, ...flags }), thingId: Type.Integer(), note: Type.Unknown(flags)
})

const thing = {
  id: 1,
  name: 'a',
  meta: { one: 1, two: 2 },
  notes: { a: { b: 1, c: 2 }, d: [1, { e: 2 }] },
  tags: ['x', 'y'],
  secret: { s: 1 },
  checked: {},
  version: 1
}

const world: World = {
  ddl: `create table things (
  id integer primary key, name text not null unique, meta json, notes json not null, tags json not null,
  secret json, checked json not null, version integer not null);
  create table parts (id integer primary key, "thingId" integer not null, note json not null);`,
  tables: { things: [thing, { ...thing, id: 2, name: 'b', meta: null, notes: 5 }], parts: [] },
  collections: source => ({
    things: collection(Thing, {
      source: source('things'),
      setters: {
        checked (item, value) {
          if (JSON.stringify(value).includes('bad')) throw new ArgumentError('bad')
          item.checked = value
          item.name = `checked ${JSON.stringify(value)}`
        }
      },
      rules: {
        fields: { meta: { read: ({ request }) => request.headers['x-blind'] !== 'meta' } }
      }
    }),
    parts: collection(Part, { source: source('parts') })
  })
}

const type = { 'content-type': 'application/merge-patch+json' }
const types = 'application/json, application/merge-patch+json'
const ok = { status: 'ok' }

const every = (name: string, run: (tools: Tools) => Promise<void>) => {
  const requestStrategies = { batch: true, upsert: true, bulk: ['PATCH' as const] }
  everySource(name, run, { requestStrategies, bodies: { depth: 6 } }, world)
}

/** Asserts what a merge patch of the first thing is answered, and what a field is then. */
const merging = (
  sentence: string, ...all: ReadonlyArray<readonly [path: string, patch: unknown, field: string, value: unknown]>
) => {
  every(sentence, async ({ get, send, same }) => {
    for (const [path, patch, field, value] of all) {
      same(await send('PATCH', path, patch, type), 200, ok)
      same(await get(`/things/${field}`), 200, value)
    }
  })
}

merging('PATCH merges values of JSON, at any depth',
  ['/things/1', { meta: { two: 3 }, name: 'z' }, '1/meta', { one: 1, two: 3 }],
  ['/things/1', { notes: { a: { b: 5, x: { y: 1 } } } }, '1/notes',
    { a: { b: 5, c: 2, x: { y: 1 } }, d: [1, { e: 2 }] }],
  ['/things/z', { meta: {} }, '1/meta', { one: 1, two: 3 }])

merging('null of a member removes it, and null of a field is null',
  ['/things/1', { notes: { a: { b: null }, none: null, new: { x: null, y: [null] } } }, '1/notes',
    { a: { c: 2 }, d: [1, { e: 2 }], new: { y: [null] } }],
  ['/things/1', { meta: { one: null } }, '1/meta', { two: 2 }],
  ['/things/1', { meta: null }, '1/meta', null])

merging('a stored value that is no object counts as an empty one',
  ['/things/2', { meta: { one: 1, two: null } }, '2/meta', { one: 1 }],
  ['/things/2', { notes: { x: { y: 1 } } }, '2/notes', { x: { y: 1 } }],
  ['/things/2', { notes: { x: [{ y: 1 }] } }, '2/notes', { x: [{ y: 1 }] }],
  ['/things/2', { notes: { x: { y: null, z: 1 } } }, '2/notes', { x: { z: 1 } }])

merging('arrays and scalars in the patch replace what is there',
  ['/things/1', { notes: { d: [{ e: null }] }, tags: ['z'] }, '1', {
    id: 1, name: 'a', meta: { one: 1, two: 2 }, notes: { a: { b: 1, c: 2 }, d: [{ e: null }] }, tags: ['z'], checked: {}
  }],
  ['/things/1', { notes: 'text' }, '1/notes', 'text'])

merging('the URL of a field of JSON takes a merge patch',
  ['/things/1/meta', { two: 3 }, '1/meta', { one: 1, two: 3 }],
  ['/things/1/notes', { a: null }, '1/notes', { d: [1, { e: 2 }] }],
  ['/things/1/notes', [1], '1/notes', [1]],
  ['/things/1/meta', null, '1/meta', null])

every('elements of an array, and all items that a filter finds, are merged', async ({ get, send, same }) => {
  same(await send('PATCH', '/things', [{ id: 1, meta: { two: 3 } }, { id: 2, meta: { two: 4, one: null } }], type), 200,
    [ok, ok])
  same(await get('/things?fields=meta'), 200, [{ meta: { one: 1, two: 3 } }, { meta: { two: 4 } }])
  same(await send('PATCH', '/things?id>0', { meta: { one: 7 } }, type), 200, { status: 'ok', affected: 2 })
  same(await get('/things?fields=meta'), 200, [{ meta: { one: 7, two: 3 } }, { meta: { two: 4, one: 7 } }])
})

every('an upsert merges into nothing', async ({ get, send, same }) => {
  const body = { name: 'c', meta: { one: 1, two: null }, notes: { a: { b: null } }, tags: [], checked: 2 }
  same(await send('PATCH', '/things/3', body, type), 201, { status: 'created' })
  same(await get('/things/3'), 200, { id: 3, ...body, name: 'checked 2', meta: { one: 1 }, notes: { a: {} } })
  same(await send('PATCH', '/things/4', { ...body, meta: { one: '1' } }, type), 400,
    validation(['/meta/one', 'must be an integer']))
})

every('relations in the body mean what they mean without it', async ({ get, send, same }) => {
  const parts = [{ id: 1, note: { x: null } }]
  same(await send('PATCH', '/things/1', { parts, meta: { one: null } }, type), 200, ok)
  same(await get('/things/1/parts?fields=note'), 200, [{ note: { x: null } }])
  same(await get('/things/1/meta'), 200, { two: 2 })
})

every('the merged value is validated whole', async ({ get, send, same }) => {
  const message = 'must be an integer'
  same(await send('PATCH', '/things/1', { meta: { two: 'x', deep: 1 }, name: 5 }, type), 400,
    validation(['/name', 'must be a string of valid Unicode without NUL characters; found the number 5'],
      ['/meta/two', message]))
  same(await send('PATCH', '/things/1', { meta: { two: 'x', deep: 1 } }, type), 400, validation(['/meta/two', message]))
  same(await send('PATCH', '/things/1/meta', { two: 'x' }, type), 400, validation(['/two', message]))
  same(await send('PATCH', '/things', [{ id: 2, meta: {} }, { id: 1, meta: { one: 0.5 } }], type), 400,
    validation(['/1/meta/one', message]))
  same(await send('PATCH', '/things/1', { tags: { a: 1 } }, type), 400, validation(['/tags', 'must be an array']))
  same(await send('PATCH', '/things/1', { notes: { a: '\0' } }, type), 400,
    validation(['/notes/a', 'must not contain a NUL character']))
  same(await get('/things/2/meta'), 200, null)
})

every('setters and hooks get the merged value', async ({ get, send, same }) => {
  same(await send('PATCH', '/things/1', { checked: { a: { b: 1 } } }, type), 200, ok)
  same(await send('PATCH', '/things/1', { checked: { a: { c: 2 } } }, type), 200, ok)
  same(await get('/things/1?fields=name,checked'), 200,
    { name: 'checked {"a":{"b":1,"c":2}}', checked: { a: { b: 1, c: 2 } } })
  same(await send('PATCH', '/things/1/checked', { a: 'bad' }, type), 400, { error: 'argument', message: 'bad' })
})

every('a patch that changes nothing writes nothing', async ({ get, send, same }) => {
  same(await send('PATCH', '/things/1', { meta: { one: 1, three: null }, checked: {} }, type), 200, ok)
  same(await get('/things/1?fields=name,version'), 200, { name: 'a', version: 1 })
})

every('a field that cannot be read is not merged', async ({ send, same }) => {
  const refused = validation(['/secret', 'cannot be merged, as it cannot be read'])
  for (const secret of [{ s: null }, null, [1]]) same(await send('PATCH', '/things/1', { secret }, type), 400, refused)
  same(await send('PATCH', '/things/1', { meta: {} }, { ...type, 'x-blind': 'meta' }), 400,
    validation(['/meta', 'cannot be merged, as it cannot be read']))
  same(await send('PATCH', '/things/1/secret', {}, type), 404,
    { status: 'not_found', error: 'field_not_found', message: "There is no field 'secret'." })
  same(await send('PATCH', '/things/1', { secret: { s: null } }), 200, ok)
})

every('preconditions and preferences are those of other updates', async ({ t, get, send, same }) => {
  const tagged = { ...type, 'if-match': String((await get('/things/1')).headers['etag']) }
  same(await send('PATCH', '/things/1', { meta: { two: 3 } }, tagged), 200, ok)
  t.equal((await send('PATCH', '/things/1', { meta: { two: 4 } }, tagged)).statusCode, 412)
  same(await send('PATCH', '/things/1/meta', { two: 4 }, { ...type, prefer: 'dry-run' }), 200, ok)
  same(await send('PATCH', '/things/1/meta', { two: 4 }, { ...type, prefer: 'return=representation' }), 200,
    { one: 1, two: 4 })
})

every('an operation of a batch merges with its member', async ({ get, send, same }) => {
  const patch = { method: 'PATCH', path: '/things/1', body: { meta: { two: 3 } }, merge: true }
  same(await send('POST', '/', [patch, { ...patch, path: '/things/1/meta', body: { one: null } }]), 200,
    [{ status: 200, body: ok }, { status: 200, body: ok }])
  same(await get('/things/1/meta'), 200, { two: 3 })
  same(await send('POST', '/', [{ ...patch, merge: undefined }]), 200, [{ status: 200, body: ok }])
  same(await get('/things/1/meta'), 200, { two: 3 })
  const message = "must be true, of an operation with the method 'PATCH'; found "
  same(await send('POST', '/', [{ ...patch, method: 'PUT' }, { ...patch, merge: 1 }]), 400,
    validation(['/0/merge', `${message}true`], ['/1/merge', `${message}the number 1`]))
})

every('the limits of bodies hold for the merged value', async ({ send, same }) => {
  const nested = (levels: number): unknown => levels === 0 ? 1 : { a: nested(levels - 1) }
  same(await send('PATCH', '/things/1', { notes: { deep: nested(3) } }, type), 200, ok)
  same(await send('PATCH', '/things/1', { notes: { deep: nested(5) } }, type), 400, {
    error: 'malformed_body', message: 'The body nests objects and arrays deeper than 6 levels.'
  })
  same(await send('PUT', '/things/1/notes', nested(6)), 200, ok)
  same(await send('PATCH', '/things/1', { notes: { b: 1 } }, type), 400,
    validation(['/notes', 'the merged value nests objects and arrays deeper than 5 levels']))
  same(await send('PATCH', '/things/1/notes', { b: 1 }, type), 200, ok)
  same(await send('PUT', '/things/1/notes', { long: 'x'.repeat(700_000) }), 200, ok)
  same(await send('PATCH', '/things/1/notes', { other: 'x'.repeat(400_000) }, type), 413, {
    error: 'content_too_large', message: 'The merged value has more than 1048576 bytes, which no body may have.'
  })
})

every('only PATCH merges', async ({ t, request, send, same }) => {
  const message = "The 'Content-Type' of the body must be application/json."
  const unsupported = { error: 'unsupported_media_type', message }
  const accepted = { accept: 'application/json', 'accept-patch': types }
  same(await send('POST', '/things', {}, type), 415, unsupported, accepted)
  same(await send('PUT', '/things/1', { meta: {} }, type), 415, unsupported, accepted)
  same(await send('PUT', '/things/1/name', 'x', type), 415, unsupported, { 'accept-patch': undefined })
  same(await send('POST', '/', [], type), 415, unsupported, { 'accept-patch': undefined })
  const only = "The 'Content-Type' of the body must be application/merge-patch+json."
  for (const method of ['PUT', 'POST'] as const) {
    same(await send(method, '/things/1/tags', [], type), 415, unsupported,
      { accept: 'application/json', 'accept-patch': type['content-type'] })
  }
  same(await send('PATCH', '/things/1/meta', {}), 415, { error: 'unsupported_media_type', message: only },
    { accept: type['content-type'], 'accept-patch': type['content-type'] })
  same(await send('PATCH', '/things/1', '{}', { 'content-type': 'text/plain' }), 415, {
    error: 'unsupported_media_type',
    message: "The 'Content-Type' of the body must be application/json or application/merge-patch+json."
  }, { accept: types, 'accept-patch': types })
  const options = async (url: string) => {
    const { headers } = await request({ method: 'OPTIONS', url })
    return [headers['allow'], headers['accept-patch']]
  }
  t.strictSame(await options('/things/1'), ['GET, HEAD, OPTIONS, PUT, PATCH', types])
  t.strictSame(await options('/things/1/meta'), ['GET, HEAD, OPTIONS, PUT, PATCH', type['content-type']])
  t.strictSame(await options('/things/1/tags'), ['GET, HEAD, OPTIONS, PUT, POST, PATCH', type['content-type']])
  t.strictSame(await options('/things/1/name'), ['GET, HEAD, OPTIONS, PUT', undefined])
})

every('the OpenAPI document describes merge patches', async ({ t, get }) => {
  const { paths, components: { schemas } } = JSON.parse((await get('/openapi.json')).body) as Document
  const typesAt = (path: string) => Object.keys(paths[path]?.patch?.requestBody.content ?? {})
  for (const path of ['/things', '/things/{identifier}', '/parts']) {
    t.strictSame(typesAt(path), ['application/json', type['content-type']], path)
  }
  t.strictSame(typesAt('/things/{identifier}/{field}'), [type['content-type']])
  t.strictSame(Object.keys(schemas['ThingsUpdate_patch']?.properties ?? {}),
    ['id', 'name', 'meta', 'notes', 'tags', 'checked', 'parts'])
  t.strictSame(schemas['ThingsUpdate_patch']?.properties['meta'], {
    type: ['object', 'null'],
    properties: { one: nullable, two: nullable, deep: { anyOf: [{}, { type: 'null' }] } }
  })
})

interface Document {
  readonly paths: Readonly<Record<string, { readonly patch?: { readonly requestBody: { readonly content: object } } }>>
  readonly components: {
    readonly schemas: Readonly<Record<string, { readonly properties: Readonly<Record<string, unknown>> }>>
  }
}

const { MIN_SAFE_INTEGER: minimum, MAX_SAFE_INTEGER: maximum } = Number
const nullable = { anyOf: [{ minimum, maximum, type: 'integer' }, { type: 'null' }] }

every('the client and own code merge', async ({ t, app, get, same }) => {
  const client = createClient(await app.listen({ port: 0 }))
  await client.resource('things').update(1, { meta: { two: 3 } }, { merge: true })
  await client.resource('things').item(1).update({ notes: { a: { b: null } } }, { merge: true })
  await client.batch(batch => [batch.resource('things').update(2, { meta: { one: 5 } }, { merge: true })])
  same(await get('/things?fields=meta,notes'), 200, [
    { meta: { one: 1, two: 3 }, notes: { a: { c: 2 }, d: [1, { e: 2 }] } }, { meta: { one: 5 }, notes: 5 }
  ])
  const things = app.dataApi.collection('things').asSystem()
  t.match(await things.update(1, { meta: { one: null, deep: { at: new Date(0), no: undefined } } }, { merge: true }),
    { meta: { two: 3, deep: { at: '1970-01-01T00:00:00.000Z' } } })
  t.match(await things.update(1, { meta: { one: 2 } }), { meta: { one: 2 } })
})

everySource('a key of a merge patch is not that of a replacement', async ({ send, same, t }) => {
  const key = { 'idempotency-key': 'k1' }
  same(await send('PATCH', '/things/1', { meta: { two: 3 } }, { ...type, ...key }), 200, ok)
  same(await send('PATCH', '/things/1', { meta: { two: 3 } }, { ...type, ...key }), 200, ok,
    { 'idempotency-replayed': 'true' })
  t.equal((await send('PATCH', '/things/1', { meta: { two: 3 } }, key)).statusCode, 422)
}, {}, {
  ...world,
  ddl: `${world.ddl ?? ''} ${keysDdl}`,
  options: source => ({ idempotency: { table: source('data_api_keys'), caller: () => 'me' } })
})

const names = fc.constantFrom('"a"', '"b"', '"c"', '"\\u0061"', '"__proto__"', '"x\\"{"', '"1"', '""')

// Values whose texts JSON.parse() and JSON.stringify() would not give back.
const texts = fc.letrec<{ value: string }>(tie => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom(
      '12345678901234567890', '-0.10', '1.0', '1e3', '1E+2', '0.30000000000000004441', '"\\u0041\\n\\"}"', '"{"',
      '"\\\\"', '""', 'null', 'true', '[]', '{}', '9007199254740993'
    ),
    fc.array(tie('value'), { maxLength: 3 }).map(values => `[ ${values.join(' ,')}]`),
    fc.uniqueArray(fc.tuple(names, tie('value')), { selector: ([name]) => JSON.parse(name) as string, maxLength: 4 })
      .map(members => `{${members.map(([name, value]) => ` ${name} : ${value}\n`).join(',')}}`)
  )
})).value
const patches = fc.letrec<{ value: unknown }>(tie => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom(null, 1, 'x', true, [], {}, [null, { a: null }]),
    fc.dictionary(fc.constantFrom('a', 'b', 'c', '__proto__', 'x"{', '1', ''), tie('value'), { maxKeys: 4 })
  )
})).value

/** RFC 7396, 2. */
function mergePatch (target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch
  const merged = new Map(isObject(target) ? Object.entries(target) : [])
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) merged.delete(name)
    else merged.set(name, mergePatch(merged.get(name), value))
  }
  return Object.fromEntries(merged)
}

/** Returns the texts of the values of a text that a patch does not name, by their paths. */
function unnamed (text: string, patch: unknown, path = ''): readonly string[] {
  if (!isObject(patch) || !text.startsWith('{')) return []
  return membersOf(text).flatMap(({ name, value }) =>
    Object.hasOwn(patch, name) ? unnamed(value, patch[name], `${path}/${name}`) : [`${path}/${name} ${value}`])
}

/** Returns the members of an object, with the texts of their values: cut where both sides are JSON. */
function membersOf (text: string): ReadonlyArray<{ readonly name: string, readonly value: string }> {
  const parts = text.trim().slice(1, -1).split(',')
  const members: Array<{ name: string, value: string }> = []
  for (let start = 0, end = 1; end <= parts.length; end++) {
    const member = parseOrNothing(`{${parts.slice(start, end).join(',')}}`)
    if (member === undefined) continue
    const own = parts.slice(start, end).join(',')
    const [name = ''] = Object.keys(member)
    const colon = [...own.matchAll(/:/g)].map(({ index }) => index)
      .find(at => parseOrNothing(own.slice(0, at)) !== undefined) ?? 0
    if (own.trim() !== '') members.push({ name, value: own.slice(colon + 1).trim() })
    start = end
  }
  return members
}

function parseOrNothing (text: string): object | undefined {
  try {
    return JSON.parse(text) as object
  } catch {
    return undefined
  }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A document in a database, whose text is read and written without the API. */
interface Stored {
  readonly app: FastifyInstance
  set (text: string): void | Promise<void>
  get (): string | Promise<string>
}

/** Tests that what is stored is what the RFC makes of it, and that what a patch does not name keeps its text. */
async function testLaw (t: Test, { app, set, get }: Stored): Promise<void> {
  await fc.assert(fc.asyncProperty(texts, patches, fc.boolean(), async (text, patch, isAlone) => {
    await set(text)
    const before = await get()
    const { statusCode } = await app.inject({
      method: 'PATCH',
      url: isAlone ? '/docs/1/body' : '/docs/1',
      headers: type,
      payload: JSON.stringify(isAlone ? patch : { body: patch })
    })
    const after = await get()
    // The field takes no null, but that which it has.
    t.equal(statusCode, patch === null && JSON.parse(before) !== null ? 400 : 200)
    if (patch === null) return
    t.strictSame(JSON.parse(after), mergePatch(JSON.parse(before), patch), `${before} ${JSON.stringify(patch)}`)
    t.strictSame(unnamed(after, patch), unnamed(before, patch), `${before} ${JSON.stringify(patch)}`)
  }), { numRuns: runsOf(600) })
}

const Doc = Type.Object({ id: Type.Integer({ identifier: true, readable: true }), body: Type.Unknown(flags) })

const serve = async (source: Parameters<typeof collection>[1]['source']) => {
  const app = Fastify()
  const docs = collection(Doc, { source, requestStrategies: { create: false } })
  await app.register(dataApi, { collections: { docs } })
  return app
}

const ddl = (type: string) =>
  `create table docs (id integer primary key, body ${type} not null); insert into docs values (1, '{}')`

test('members that a patch does not name keep their texts (sqlite)', async t => {
  const db = sqlite(':memory:')
  db.exec(ddl('text'))
  const app = await serve(db.table('docs'))
  await testLaw(t, {
    app,
    set: text => { db.driver.prepare('update docs set body = ?').run(text) },
    get: () => String((db.driver.prepare('select body from docs').get() as { body: unknown }).body)
  })
  await app.close()
  db.close()
})

for (const type of ['json', 'jsonb', 'text']) {
  onPostgres(`members that a patch does not name keep their texts (postgres, ${type})`, async t => {
    await onDatabase(ddl(type), async (db, url) => {
      const client = new pg.Client(url)
      await client.connect()
      const app = await serve(db.table('docs'))
      await testLaw(t, {
        app,
        set: async text => { await client.query(`update docs set body = $1::text::${type}`, [text]) },
        get: async () => (await client.query<{ body: string }>('select body::text from docs')).rows[0]?.body ?? ''
      })
      await app.close()
      await client.end()
    })
  })
}
