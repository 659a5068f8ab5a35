import { Type } from '@sinclair/typebox'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { test } from 'tap'
import dataApi, { collection, memory, type StatementEvent, SubCollection } from '../../lib/index.ts'
import { everySource, type Tools, type World } from '../helpers/every-source.ts'
import fc, { runsOf } from '../helpers/fast-check.ts'
import Fastify from '../helpers/fastify.ts'
import { duplicate, missing, validation } from '../helpers/answers.ts'

// docs/http.md: Imports

const flags = { readable: true, writable: true }
const orNull = <T extends ReturnType<typeof Type.Unknown>>(type: T) => Type.Union([type, Type.Null()], flags)
const Thing = Type.Object({
  id: Type.Integer({ identifier: true, ...flags }),
  text: orNull(Type.String() as never),
  size: orNull(Type.Number() as never),
  good: orNull(Type.Boolean() as never),
  data: Type.Unknown({ ...flags }),
  marks: SubCollection('marks', { foreignKey: 'thing', readable: true })
})
const Mark = Type.Object({
  id: Type.Integer({ identifier: true, readable: true }),
  thing: Type.Integer({ readable: true }),
  name: Type.String({ identifier: true, ...flags })
})
const told: number[] = []
const world: World = {
  ddl: `create table things (id integer primary key, text text, size real, good boolean, data json);
    create table marks (id key, thing integer not null references things, name text not null unique)`,
  tables: { things: [{ id: 1, text: 'first', size: null, good: null, data: '{}' }], marks: [] },
  collections: source => ({
    things: collection(Thing, { source: source('things'), hooks: { imported: count => { told.push(count) } } }),
    marks: collection(Mark, { source: source('marks') })
  })
}
const options = { imports: { slice: 3, bytes: 2000, rows: 12 } }

const lines = (...values: readonly unknown[]) => values.map(value => `${JSON.stringify(value)}\n`).join('')
const thing = (id: number, more: object = {}) => ({ id, text: `t${id}`, size: null, good: null, data: {}, ...more })
const things = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, n) => thing(from + n))

const post = (
  { request }: Tools, url: string, payload: string, type = 'application/x-ndjson', headers: Record<string, string> = {}
) => request({ method: 'POST', url, payload, headers: { 'content-type': type, ...headers } })

/** The error of a body with these mistakes in a line. */
const mistakes = (line: number, ...all: ReadonlyArray<readonly [pointer: string, message: string]>) => {
  const { details, ...error } = validation(...all)
  return { ...error, details: details.map(one => ({ ...one, line })), line }
}

const count = async ({ get }: Tools, url = '/things') =>
  (await get(`${url}?fields=count()`)).json<[{ count: number }]>()[0].count

everySource('POST of a stream creates the item of each line', async tools => {
  const { same, t } = tools
  const from = told.length
  for (const [type, id] of [['application/x-ndjson', 2], ['application/jsonl; charset=utf-8', 9]] as const) {
    const body = `\n${lines(...things(id, id + 6))}\r\n`
    same(await post(tools, '/things', body, type), 201, { status: 'created', count: 7 })
  }
  t.equal(await count(tools), 15)
  t.strictSame(told.slice(from), [7, 7])
  const marks = `${lines({ name: 'a' })}{"name":"b"}`
  same(await post(tools, '/things/1/marks', marks), 201, { status: 'created', count: 2 })
  t.equal(await count(tools, '/things/1/marks'), 2)
  same(await post(tools, '/things', ''), 201, { status: 'created', count: 0 })
}, options, world)

const Part = Type.Object({
  id: Type.Integer({ identifier: true, ...flags }),
  name: Type.String({ minLength: 1, ...flags }),
  size: Type.Optional(Type.Number(flags)),
  good: Type.Optional(orNull(Type.Boolean() as never))
})
const parts: World = {
  ddl: 'create table parts (id integer primary key, name text not null, size real, good boolean)',
  tables: { parts: [{ id: 1, name: 'first', size: null, good: null }] },
  collections: source => ({ parts: collection(Part, { source: source('parts') }) })
}

everySource('the lines of a slice may have different members, in any order', async tools => {
  const { same, get, t } = tools
  const some = [
    { id: 2, name: 'a' }, { name: 'b', id: 3 }, { id: 4, name: 'c', size: 1.5 }, { id: 5, name: 'd', size: -1 },
    { good: true, id: 6, name: 'e' }, { id: 7, name: 'f', good: null }
  ]
  same(await post(tools, '/parts', lines(...some)), 201, { status: 'created', count: 6 })
  same(await get('/parts?id>1'), 200, some.map(one => ({ size: null, good: null, ...one })))
  for (const [at, one] of some.entries()) {
    const others = some.map((other, index) => ({ ...other, id: 10 + index }))
    const line = at + 1
    const told = async (changed: object) =>
      (await post(tools, '/parts', lines(...others.with(at, changed as never)))).json()
    t.match(await told({ ...one, id: 1 }), { error: 'duplicate', line })
    // Its key is not taken, so that nothing but its own fault refuses it.
    const fresh = { ...one, id: 99 }
    t.match(await told({ ...fresh, name: '' }), { details: [{ pointer: '/name', line }] })
    const required = { pointer: '/name', message: 'is required', line }
    t.match(await told({ ...fresh, name: undefined }), { details: [required] })
    t.match(await told({ ...fresh, name: null }), { details: [{ pointer: '/name', line }] })
  }
  t.equal(await count(tools, '/parts'), 7)
  const emptied = lines({ id: 8, name: 'g', size: 2 }, { id: 9, name: 'h', size: null })
  same(await post(tools, '/parts', emptied), 201, { status: 'created', count: 2 })
  t.match((await get('/parts/9')).json(), { name: 'h', size: null })
}, { imports: true }, parts)

everySource('a mistake in any line is told with the line, and nothing is written', async tools => {
  const { same, t } = tools
  for (const at of [0, 4, 8]) {
    const all = (one: unknown) => lines(...things(2, 10).with(at, one as never))
    const line = at + 1
    same(await post(tools, '/things', all({ ...thing(50), size: 'x', odd: 1 })), 400, mistakes(line,
      ['/size', "must be a number or null; found the string 'x'"], ['/odd', 'there is no such field']))
    same(await post(tools, '/things', all(thing(1))), 409, { ...duplicate('id'), line })
    const broken = await post(tools, '/things', all('?').replace('"?"', '{"id":'))
    t.match(broken.json(), { error: 'malformed_body', line })
    t.equal(await count(tools), 1)
  }
  same(await post(tools, '/things/7/marks', lines({ name: 'a' })), 404, missing('7'))
}, options, world)

everySource('an import can be tried', async tools => {
  const { same, t } = tools
  const dry = { prefer: 'dry-run' }
  const from = told.length
  same(await post(tools, '/things', lines(...things(2, 9)), undefined, dry), 200, { status: 'ok', count: 8 },
    { 'preference-applied': 'dry-run' })
  t.match((await post(tools, '/things', lines(...things(2, 5), thing(1)), undefined, dry)).json(), { line: 5 })
  t.equal(await count(tools), 1)
  t.strictSame(told.slice(from), [])
}, options, world)

everySource('a stream has limits', async tools => {
  const { same, t } = tools
  const refusal = (message: string) => ({ error: 'content_too_large', message })
  same(await post(tools, '/things', lines(...things(2, 14))), 413, refusal('The body has more than 12 items.'))
  same(await post(tools, '/things', ' '.repeat(2001)), 413, refusal('The body has more than 2000 bytes.'))
  same(await post(tools, '/things', '\xff', 'text/csv; charset=latin1'), 415, {
    error: 'unsupported_media_type',
    message: "The 'Content-Type' of the body must be application/json."
  })
  const payload = Buffer.from([0x7b, 0xff, 0x7d])
  const headers = { 'content-type': 'text/csv' }
  const odd = await tools.request({ method: 'POST', url: '/things', payload, headers })
  same(odd, 400, { error: 'malformed_body', message: 'The body is not UTF-8.' })
  const key = await post(tools, '/things', '', undefined, { 'idempotency-key': 'k' })
  t.equal(key.json().error, 'invalid_idempotency_key')
  t.equal((await post(tools, '/things?text=x', '')).json().error, 'invalid_filter')
  t.equal((await tools.request({ method: 'PUT', url: '/things/1', payload, headers })).statusCode, 415)
}, options, world)

everySource('without the option, or where a collection refuses, a stream is 415', async tools => {
  for (const url of ['/things', '/things/1/marks']) tools.t.equal((await post(tools, url, '{}')).statusCode, 415)
}, { imports: true, requestStrategies: { import: false } }, world)

everySource('the first record of CSV names the fields, and an empty field is null', async tools => {
  const { same, get } = tools
  const csv = 'id,text,size,good,data\r\n2,"",1.5,true,"{""a"":[1]}"\r\n\r\n3,,,,text\n4,\'=1,-1,FALSE,"""5"""'
  same(await post(tools, '/things', csv, 'text/csv'), 201, { status: 'created', count: 3 })
  same(await get('/things?id>1&fields=id,text,size,good,data'), 200, [
    { id: 2, text: '', size: 1.5, good: true, data: { a: [1] } },
    { id: 3, text: null, size: null, good: null, data: 'text' },
    { id: 4, text: "'=1", size: -1, good: false, data: '5' }
  ])
  same(await post(tools, '/things', 'id,tetx,id\n', 'text/csv'), 400, mistakes(1,
    ['/tetx', "there is no such field; did you mean 'text'?"], ['/id', 'is the name of two columns']))
  const head = 'id,text,size,good,data\n5,"a\nb",1,true,1\n'
  for (const [rest, error, detail] of [
    ['6,x,1,true', 'validation', 'has 4 fields; the first record has 5'],
    ['6,x,one,true,1', 'validation', "must be a number or null; found the string 'one'"],
    ['6,"x"y,1,true,1', 'malformed_body', undefined], ['6,"x', 'malformed_body', undefined]
  ] as const) {
    const body = (await post(tools, '/things', head + rest, 'text/csv')).json()
    tools.t.match(body, { error, line: 4, ...detail && { details: [{ line: 4, message: detail }] } })
  }
  for (const none of ['', '\ufeff', '\r\n\n']) {
    tools.t.match((await post(tools, '/things', none, 'text/csv')).json(), { error: 'malformed_body' })
  }
  same(await post(tools, '/things', '\r\nid,text\r\n', 'text/csv'), 201, { status: 'created', count: 0 })
}, { imports: true }, world)

everySource('items that exist are updated or left, by their key or another identifier', async tools => {
  const { same, get, t } = tools
  const [merge, ignore] = [{ prefer: 'resolution=merge' }, { prefer: 'resolution=ignore' }]
  same(await post(tools, '/things', lines({ id: 1, text: 'new' }, thing(2), { id: 2, size: 5 }), undefined, merge), 200,
    { status: 'ok', created: 1, updated: 2 }, { 'preference-applied': 'resolution=merge' })
  same(await get('/things?fields=id,text,size'), 200,
    [{ id: 1, text: 'new', size: null }, { id: 2, text: 't2', size: 5 }])
  same(await post(tools, '/things', lines(thing(2), thing(3)), undefined, ignore), 200,
    { status: 'ok', created: 1, ignored: 1 })
  same(await get('/things?fields=size&id>1'), 200, [{ size: 5 }, { size: null }])
  same(await post(tools, '/things', lines(thing(4), { text: 'x' }), undefined, merge), 400,
    { ...validation(['/id', 'must name the item, which may exist']), line: 2 })
  same(await post(tools, '/things/1/marks?by=name', lines({ name: 'a' }, { name: 'a' }), undefined, merge), 200,
    { status: 'ok', created: 1, updated: 1 })
  const tried = { prefer: 'dry-run, resolution=merge' }
  same(await post(tools, '/things/2/marks?by=name', lines({ name: 'b' }), undefined, tried), 200,
    { status: 'ok', created: 1, updated: 0 }, { 'preference-applied': 'dry-run, resolution=merge' })
  const refused = async (url: string, prefer: string) =>
    (await post(tools, url, '', undefined, { prefer })).json().error
  t.equal(await refused('/things?by=text', 'resolution=merge'), 'invalid_parameter')
  t.equal(await refused('/things?size=3&by=id', 'resolution=merge'), 'invalid_parameter')
  t.equal(await refused('/things', 'resolution=x'), 'invalid_preference')
  t.equal(await count(tools), 3)
}, { imports: true, requestStrategies: { upsert: true } }, world)

everySource('lines whose items exist are looked up together, and left', async tools => {
  const { same, t, opened } = tools
  const ignore = { prefer: 'resolution=ignore' }
  const names = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => ({ name: `m${from + n}` }))
  same(await post(tools, '/things/1/marks', lines(...names(0, 50))), 201, { status: 'created', count: 50 })
  let reads = 0
  const hear = (event: unknown) => { if ((event as StatementEvent).kind === 'read') reads++ }
  subscribe('fastify-data-api:statement', hear)
  same(await post(tools, '/things/1/marks?by=name', lines(...names(0, 50)), undefined, ignore), 200,
    { status: 'ok', created: 0, ignored: 50 })
  unsubscribe('fastify-data-api:statement', hear)
  t.ok(reads < 10, `${reads} reads on ${opened.kind}`)
  const mixed = [...names(48, 52), ...names(50, 52), { name: 'M1' }]
  same(await post(tools, '/things/1/marks?by=name', lines(...mixed), undefined, ignore), 200,
    { status: 'ok', created: 3, ignored: 4 })
  t.equal(await count(tools, '/things/1/marks'), 53)
}, { imports: true, requestStrategies: { upsert: true } }, world)

const odd = fc.array(fc.constantFrom(
  "'", '"', ',', ';', '=', '+', '-', '@', '\t', '\r', '\n', ' ', '\u{feff}', '1', 'a', '＝', '{', '}', '\u{1f600}',
  'null'
), { maxLength: 6 }).map(parts => parts.join(''))
const rowsOf = fc.array(fc.record({
  text: fc.option(odd),
  size: fc.option(fc.double({ noNaN: true, noDefaultInfinity: true }).map(one => one + 0)),
  good: fc.option(fc.boolean()),
  data: fc.oneof(odd, fc.jsonValue().filter(one => one !== null).map(one => JSON.parse(JSON.stringify(one)) as unknown))
}), { maxLength: 5 })

test('what is exported is imported as it was: the values, and the bytes of the next export', async t => {
  const serve = async (rows: object[]) => {
    const app = Fastify()
    await app.register(dataApi, {
      collections: {
        things: collection(Thing, { source: memory(rows) }), marks: collection(Mark, { source: memory([]) })
      },
      imports: true
    })
    const read = async (accept: string) => (await app.inject({ url: '/things', headers: { accept } })).body
    return { app, read }
  }
  await fc.assert(fc.asyncProperty(rowsOf, async rows => {
    const { app, read } = await serve([])
    const payload = rows.map((row, id) => ({ id, ...row }))
    const made = await app.inject({ method: 'POST', url: '/things', payload })
    if (made.statusCode !== 201) throw new Error(made.body)
    for (const [accept, type] of [
      ['text/csv', 'text/csv; formulas=escaped'], ['application/x-ndjson', 'application/x-ndjson'],
      ['text/csv; bom=present', 'text/csv; formulas=escaped'], ['text/csv; formulas=plain', 'text/csv']
    ] as const) {
      const copy = await serve([])
      const file = await read(accept)
      const headers = { 'content-type': type }
      const sent = await copy.app.inject({ method: 'POST', url: '/things', payload: file, headers })
      if (sent.statusCode !== 201) throw new Error(`${sent.body} ${file}`)
      t.equal(await copy.read(accept), file)
      t.equal(await copy.read('application/json'), await read('application/json'))
    }
  }), { numRuns: runsOf(60) })
})
