import { Type } from '@sinclair/typebox'
import { fastify } from '../helpers/fastify.ts'
import { test } from 'tap'
import dataApi, { collection, DeclarationError, memory } from '../../lib/index.ts'
import type { DataApiOptions } from '../../lib/index.ts'
import { everybody } from '../helpers/everybody.ts'

// docs/http.md: Query strings, Pages and links. What clients and builders of query strings send.

const Thing = Type.Object({
  id: Type.Integer({ identifier: true, readable: true }),
  name: Type.String({ readable: true, writable: true }),
  price: Type.Integer({ readable: true, writable: true })
})
const rows = [{ id: 1, name: 'b', price: 5 }, { id: 2, name: 'a', price: 7 }, { id: 3, name: 'Zoë', price: 5 }]

async function serve (options: Partial<DataApiOptions> = {}, schema = Thing) {
  const app = fastify()
  await app.register(dataApi,
    { collections: { things: collection(schema, { source: memory(structuredClone(rows)) }) }, ...options })
  const get = async (url: string, accept?: string) => {
    const { statusCode, payload, headers } = await app.inject({
      url, ...accept !== undefined && { headers: { accept } }
    })
    return {
      status: statusCode,
      body: payload,
      type: headers['content-type'],
      link: headers.link,
      json: () =>
        JSON.parse(payload) as Record<string, unknown>
    }
  }
  const ids = async (query: string) =>
    (JSON.parse((await get(`/things?fields=id&${query}`)).body) as Array<{ id: number }>).map(({ id }) => id)
  return { app, get, ids }
}

const csv = 'id,name,price\r\n1,b,5\r\n2,a,7\r\n3,Zoë,5\r\n'

test('media types are compared without their parameters', async t => {
  const { app, get } = await serve()
  for (const accept of [
    'application/json; charset=utf-8', 'application/json;charset=UTF-8', 'Application/JSON; profile="a, b"',
    'text/html, application/json;v=2;q=0.8', '', ' , ', '*/*;q=0.1', 'application/*;version=3'
  ]) {
    const { status, type } = await get('/things', accept)
    t.strictSame([status, type], [200, 'application/json; charset=utf-8'], accept)
  }
  for (const accept of [
    'text/csv; charset=utf-8', 'text/csv;q=0.9, application/json;q=0.5',
    'application/json;q=0.1, text/csv;charset=utf-16'
  ]) {
    t.strictSame((await get('/things', accept)).type, 'text/csv; charset=utf-8', accept)
  }
  t.equal((await get('/things', 'application/x-ndjson; charset=utf-8')).type, 'application/x-ndjson; charset=utf-8')
  t.equal((await get('/things', 'application/xml; charset=utf-8')).status, 406)
  t.equal((await get('/things', 'application/json;q=0')).status, 406)
  t.equal((await get('/things/1', 'application/json;q=0, */*')).status, 406)
  t.equal((await get('/things', 'application/problem+json, text/csv;q=0.1')).type, 'text/csv; charset=utf-8')
  t.equal((await get('/things/1', 'application/problem+json')).type, 'application/json; charset=utf-8')
  const created = await app.inject({
    method: 'POST',
    url: '/things',
    payload: { name: 'c', price: 1 },
    headers: { accept: 'application/json;charset=UTF-8' }
  })
  t.equal(created.statusCode, 201)
  const problem = await get('/things/9', 'application/problem+json; charset=utf-8')
  t.strictSame([problem.status, problem.type], [404, 'application/problem+json; charset=utf-8'])
})

test('CSV has a header where it is not absent, and a byte order mark on request', async t => {
  const { get } = await serve()
  const records = csv.slice(csv.indexOf('\n') + 1)
  const cases: ReadonlyArray<[string, string, string]> = [
    ['text/csv', csv, ''],
    ['text/csv; header=present', csv, '; header=present'],
    ['text/csv; header="absent"', records, '; header=absent'],
    ['text/csv; header=maybe', csv, ''],
    ['text/csv; bom=present', `\ufeff${csv}`, ''],
    ['text/csv;header=absent;bom=present;q=0.5', `\ufeff${records}`, '; header=absent']
  ]
  for (const [accept, body, parameter] of cases) {
    const answer = await get('/things', accept)
    t.strictSame([answer.body, answer.type], [body, `text/csv; charset=utf-8${parameter}`], accept)
  }
  t.equal((await get('/things?format=csv;header=absent;bom=present')).body, `\ufeff${records}`)
  t.equal((await get('/things?format=csv%3Bheader%3Dabsent')).body, records)
})

test('CSV has apostrophes before formulas, but for numbers, and on request none', async t => {
  const { app, get } = await serve()
  const texts = ['=1+1', '@fastify/cors', '-1', '+4915112345', '-1e5', 'a;=b']
  for (const [index, name] of texts.entries()) {
    await app.inject({ method: 'PATCH', url: '/things/1', payload: { name } })
    const [plain, disarmed] = [name, ["'=1+1", "'@fastify/cors", '-1', '+4915112345', "'-1e5", "a;'=b"][index] ?? '']
    const record = (text: string) => `1,${text.includes(';') ? `"${text}"` : text},5\r\n`
    t.match((await get('/things?id=1', 'text/csv')).body, record(disarmed))
    t.match((await get('/things?id=1', 'text/csv;formulas=plain')).body, record(plain))
    t.match((await get('/things?id=1&format=csv;formulas=plain;header=absent')).body, record(plain))
  }
  t.match((await get('/things?format=csv;formulas=escaped')).json(), { error: 'invalid_parameter' })
})

test('a format in the query wins over Accept', async t => {
  const { app, get } = await serve()
  t.strictSame((await get('/things?format=csv', 'text/html,*/*;q=0.8')).body, csv)
  t.equal((await get('/things?format=ndjson&id=1')).body, '{"id":1,"name":"b","price":5}\n')
  t.equal((await get('/things?format=json', 'text/csv')).type, 'application/json; charset=utf-8')
  t.equal((await get('/things/1?format=json', 'text/csv')).status, 200)
  t.match((await get('/things?format=json&limit=1')).link, /\?format=json&limit=1&after=/)
  t.match((await get('/things/1?format=csv')).json(), { error: 'not_acceptable', message: /'csv'.*json/ })
  t.match((await get('/things?format=xml')).json(), { error: 'invalid_parameter', parameter: 'format', position: 1 })
  t.match((await get('/things/1?format=xml')).json(), { message: "'xml' is not a format. Formats here: json." })
  t.match((await get('/things?format=cvs')).json(), { error: 'invalid_parameter', suggestion: 'csv' })
  for (const wrong of ['csv;head=absent', 'csv;header=no', 'json;header=absent', 'csv;bom', 'csv&format=json']) {
    t.match((await get(`/things?format=${wrong}`)).json(), { error: 'invalid_parameter' }, wrong)
  }
  t.match((await get('/things?fields=id(format=csv)')).json(), { error: 'invalid_fields' })
  t.equal((await app.inject({ method: 'PATCH', url: '/things/1?format=json', payload: { price: 5 } })).statusCode, 200)
  t.equal((await app.inject({ method: 'PATCH', url: '/things/1?format=csv', payload: { price: 6 } })).statusCode, 406)
  t.equal(JSON.parse((await get('/things/1/price')).body), 5)
})

test('the name of the format is an option, and yields to a field', async t => {
  const renamed = await serve({ queryString: { format: ['as'] } })
  t.equal((await renamed.get('/things?as=csv')).body, csv)
  t.match((await renamed.get('/things?format=csv')).json(), { error: 'invalid_filter' })
  const off = await serve({ queryString: { format: [] } })
  t.match((await off.get('/things?format=csv')).json(), { error: 'invalid_filter' })
  const Book = Type.Object({
    id: Type.Integer({ identifier: true, readable: true }), format: Type.String({ readable: true })
  })
  const app = fastify()
  await app.register(dataApi, {
    rules: everybody,
    collections: {
      books: collection(Book,
        { source: memory([{ id: 1, format: 'csv' }, { id: 2, format: 'A4' }]), requestStrategies: { create: false } })
    }
  })
  t.strictSame((await app.inject('/books?format=A4')).json(), [{ id: 2, format: 'A4' }])
  t.strictSame((await app.inject('/books?format=csv')).json(), [{ id: 1, format: 'csv' }])
})

test('a sort may be written with a minus, a colon, and in parts', async t => {
  const { get, ids } = await serve()
  for (const [query, expected] of Object.entries({
    'sort=-id': [3, 2, 1],
    'sort=price:asc,id%3Adescending': [3, 1, 2],
    'sort=price,-id': [3, 1, 2],
    'sort=-price;name': [2, 3, 1],
    'sort=price&order=id+desc': [3, 1, 2],
    'sort=+id': [1, 2, 3]
  })) t.strictSame(await ids(query), expected, query)
  t.strictSame((await get('/things?sort=-id&sort=name&limit=1')).link?.includes('sort=-id&sort=name'), true)
  t.match((await get('/things?sort=-id+desc')).json(), { error: 'invalid_sort', parameter: 'sort', position: 5 })
  t.match((await get('/things?sort=-ib')).json(), { error: 'invalid_sort', suggestion: 'id', position: 2 })
  for (const query of ['sort=--id', 'sort=-', 'sort=id:down', 'sort=id&'.repeat(11)]) {
    t.match((await get(`/things?${query}`)).json(), { error: 'invalid_sort' }, query)
  }
})

test("a value that begins with '=' needs quotes, because builders of query strings add one", async t => {
  const { get, ids } = await serve()
  const built = async (parameters: Record<string, string>) => get(`/things?${new URLSearchParams(parameters)}`)
  for (const parameter of ['price>=', 'price<=', 'name^=', 'name*=', 'id=*', 'name==']) {
    t.match((await built({ [parameter]: '1' })).json(),
      { error: 'invalid_filter', parameter: parameter.slice(0, parameter.search(/\W/)), message: /where=/ }, parameter)
  }
  t.strictSame([(await built({ 'price!=': '5' })).status, (await built({ 'price=': '5' })).status], [200, 200],
    'these spell the same operator')
  // What fetch makes of `?price>=6` is the same text as what a builder makes of { 'price>': 6 }: it is `>=`, as
  // written.
  t.strictSame(await ids('price>=6'), [2])
  t.strictSame(await ids('price%3E=6'), [2])
  t.strictSame(await ids('price%3E%3D6'), [2])
  t.strictSame(await ids(new URL('http://x/?price>=6').search.slice(1)), [2])
  t.strictSame(await ids(String(new URLSearchParams({ where: 'price>6' }))), [2])
  t.strictSame(await ids('name="=b"'), [])
  t.strictSame(await ids('name==b'), [1])
})

test('parameters whose names are ignored mean nothing', async t => {
  const { get, ids } = await serve({ queryString: { ignore: ['_', 'utm_*', 'a[b]'] } })
  t.strictSame(await ids('_=1700000000&utm_source=x&utm_=&utm_medium&a%5Bb%5D=1&price=7'), [2])
  t.match((await get('/things?__=1')).json(), { error: 'invalid_filter' })
  t.match((await get('/things?utn_source=1')).json(), { error: 'invalid_filter' })
  t.equal((await get('/things/1?_=1')).status, 200)
  t.equal((await get('/things/1/name?utm_source=x')).status, 200)
  for (const broken of ['50%off', '%', '%ff', '%00', '%ed%a0%80', '+%']) {
    t.strictSame(await ids(`utm_x=${broken}&a%5Bb%5D=${broken}&price=7`), [2], broken)
    const { status, link } = await get(`/things?utm_x=${broken}&_=1&size=1`)
    t.strictSame([status, String(link).includes('_=1&'), String(link).includes('utm_x')], [200, true, false], broken)
    t.match((await get(`/things?name=${broken}`)).json(), { error: 'malformed_url' }, broken)
  }
  for (const ignore of [['page'], ['w*'], ['name'], ['n*']]) {
    await t.rejects(serve({ queryString: { ignore } }), DeclarationError, ignore.join())
  }
  for (const ignore of [['*'], [''], ['a*b']]) {
    await t.rejects(serve({ queryString: { ignore } }), DeclarationError, ignore.join())
  }
  const none = await serve()
  t.match((await none.get('/things?_=1')).json(), { error: 'invalid_filter' })
})

test('a body of null is no item', async t => {
  const { id, name } = Thing.properties
  const { app } = await serve({}, Type.Object({ id, name: Type.Optional(name) }) as unknown as typeof Thing)
  const headers = { 'content-type': 'application/json' }
  const post = (payload: string) => app.inject({ method: 'POST', url: '/things', payload, headers })
  t.match((await post('null')).json(), { error: 'validation' })
  t.equal((await post('{}')).statusCode, 201)
})

test('Vary has the headers that identify callers, also beside a header whose name contains theirs', async t => {
  const app = fastify()
  app.addHook('onRequest', async (_request, reply) => { reply.header('vary', 'X-Cookie') })
  const things = collection(Thing, { source: memory(structuredClone(rows)), scope: () => true })
  await app.register(dataApi, {
    rules: everybody, collections: { things }, responseContent: { callerHeaders: ['Cookie'] }
  })
  const names = String((await app.inject('/things/1')).headers.vary).split(/, */)
  t.ok(names.includes('X-Cookie') && names.includes('Cookie'), names.join())
})
