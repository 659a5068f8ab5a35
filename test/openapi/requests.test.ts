import { Type } from '@sinclair/typebox'
import fc, { runsOf } from '../helpers/fast-check.ts'
import Fastify from '../helpers/fastify.ts'
import { test } from 'tap'
import dataApi, { collection, memory, type OpenApiDocument, SubCollection, SubItem } from '../../lib/index.ts'
import { library } from '../fixtures/library.ts'
import { readDocument, resolved } from '../helpers/openapi.ts'

// docs/clients.md: OpenAPI

interface Schema { readonly [keyword: string]: unknown }
interface Operation {
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> }
}

const numRuns = runsOf(100)

async function serve () {
  const app = Fastify()
  await app.register(dataApi, { collections: library() })
  return app
}

const texts: Readonly<Record<string, fc.Arbitrary<string>>> = {
  date: fc.date({ min: new Date('0002-01-01'), max: new Date('9998-01-01'), noInvalidDate: true }).map(date =>
    date.toISOString().slice(0, 10)),
  'date-time': fc.date({
    min: new Date('0002-01-01'), max: new Date('9998-01-01'), noInvalidDate: true
  }).chain(date => fc.constantFrom(
    ...['Z', 'z', '+00:00', '-00', '000Z', '000000+0000'].map(end => date.toISOString().replace('Z', end)),
    date.toISOString().replace('T', 't'), date.toISOString().replace('T', ' ')
  )),
  uuid: fc.uuid()
}

/** Items that are there. Whether an element names one is for the data to say, not for a schema. */
const existing = [
  { id: 1 }, { id: 2 }, { name: 'Ada' }, { name: 'Bo' }, { id: '00000000-0000-4000-8000-000000000001' }
]

/** Returns those of the existing items that the schema of a link describes. */
function linksOf ({ properties }: Schema) {
  const [[name, { type }] = ['', {} as Schema]] = Object.entries(properties as Record<string, Schema>)
  return existing.filter(one => Object.entries(one).every(([key, value]) =>
    key === name && (typeof value === 'number') === (type === 'integer')))
}

const isLink = ({ properties = {}, required = [], allOf }: Schema) =>
  allOf === undefined && Object.keys(properties as object).length === 1 && (required as unknown[]).length === 1

/** Generates values of a schema. */
function valuesOf (schema: Schema, document: OpenApiDocument, depth = 0): fc.Arbitrary<unknown> {
  const { $ref, anyOf, enum: choices, type, format, properties, required = [], items } = schema
  if (typeof $ref === 'string') {
    return valuesOf(document.components.schemas[$ref.split('/').at(-1) ?? ''] ?? {}, document, depth)
  }
  if (depth > 0 && isLink(schema)) {
    return fc.constantFrom(...linksOf(schema))
  }
  if (Array.isArray(choices)) return fc.constantFrom(...choices as unknown[])
  // Elements of relations end where they would nest too deep.
  if (Array.isArray(anyOf)) {
    return fc.oneof(
      ...(anyOf as Schema[]).slice(0, depth > 2 ? 1 : undefined).map(one => valuesOf(one, document, depth + 1))
    )
  }
  if (Array.isArray(type)) {
    return fc.oneof(...type.map(one => valuesOf({ ...schema, type: one as unknown }, document, depth)))
  }
  switch (type) {
    case 'null': return fc.constant(null)
    case 'boolean': return fc.boolean()
    case 'integer': return integersOf(schema)
    case 'number': return fc.double({
      min: Number(schema['minimum'] ?? -1e9), max: Number(schema['maximum'] ?? 1e9), noNaN: true
    })
    case 'string': return textsOf(schema, String(format))
    case 'array': return fc.array(valuesOf((items ?? {}) as Schema, document, depth + 1), { maxLength: 2 })
    case 'object': {
      const members = Object.entries((properties ?? {}) as Record<string, Schema>).map(([name, one]) =>
        [name, valuesOf(one, document, depth)])
      const needed = [
        required,
        ...(schema['allOf'] as Schema[] | undefined ?? []).map(one => (one['anyOf'] as Schema[])[0]?.['required'] ?? [])
      ].flat() as string[]
      return fc.record(Object.fromEntries(members) as Record<string, fc.Arbitrary<unknown>>, { requiredKeys: needed })
    }
    default: return fc.jsonValue()
  }
}

/** Integers within the bounds of the schema, the bounds often among them; without bounds, also one beyond all types. */
function integersOf ({ minimum = -1e21, maximum = 1e21 }: Schema): fc.Arbitrary<number> {
  const [least, most] = [Number(minimum), Number(maximum)]
  const min = Math.max(least, Number.MIN_SAFE_INTEGER)
  const max = Math.min(most, Number.MAX_SAFE_INTEGER)
  return fc.oneof(fc.integer({ min, max }), fc.constantFrom(least, most))
}

function textsOf ({ minLength = 0, maxLength = 20, pattern = '' }: Schema, format: string): fc.Arbitrary<string> {
  const texts20 = fc.string({ minLength: Number(minLength), maxLength: Number(maxLength) })
  // Those of bodies hold no NUL (docs/clients.md: OpenAPI).
  const withNul = pattern !== '' ? fc.oneof(texts20, fc.constant('a\0')) : texts20
  return (texts[format] ?? withNul).filter(text => new RegExp(String(pattern)).test(text))
}

test('each documented parameter is taken with every value of its schema', async t => {
  const app = await serve()
  const document = app.dataApi.openapi()
  const parameters = Object.entries(document.paths).filter(([path]) => !path.includes('{')).flatMap(([path, { get }]) =>
    resolved(get?.parameters, document).filter(one => one.in === 'query').map(one => ({ path, ...one })))
  t.ok(parameters.length > 50)
  const taken: Readonly<Record<string, fc.Arbitrary<string>>> = {
    where: fc.constantFrom('name=a', '(rating>5|name^=A)', 'books.title=One'),
    sort: fc.constantFrom('name', 'rating desc,id'),
    fields: fc.constantFrom('id', 'id,name'),
    after: fc.constant(undefined as never),
    before: fc.constant(undefined as never)
  }
  await fc.assert(fc.asyncProperty(fc.constantFrom(...parameters).chain(one =>
    (taken[one.name] ??
      valuesOf(one.schema, document)).map(value => ({ ...one, value }))), async ({ path, name, value }) => {
    if (value === undefined || (path === '/books' && name in taken)) return
    const url = `${path}?${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`
    const response = await app.inject(url)
    if (response.statusCode !== 200) throw new Error(`${url}: ${response.body}`)
  }), { numRuns })
})

const bodies = [[
  'POST', '/authors'
], ['POST', '/books'], ['PATCH', '/authors/1'], ['PATCH', '/books/00000000-0000-4000-8000-000000000001']] as const

test('a body that its schema allows is valid for the API, and one that it forbids is not', async t => {
  const described = await serve()
  const document = described.dataApi.openapi()
  const reader = readDocument(document)
  let forbidden = 0
  await fc.assert(fc.asyncProperty(fc.constantFrom(...bodies).chain(([method, url]) => {
    const found = reader.find(method, url)
    const schema = (found?.operation as Operation | undefined)?.requestBody?.content['application/json']?.schema ?? {}
    const place = [
      'paths', found?.path ?? '', method.toLowerCase(), 'requestBody', 'content', 'application/json', 'schema'
    ]
    return fc.record({
      method: fc.constant(method),
      url: fc.constant(url),
      place: fc.constant(place),
      body: valuesOf(schema, document),
      spoiled: fc.option(
        fc.tuple(fc.constantFrom('name', 'title', 'rating', 'pages', 'born', 'unknown', 'books'), fc.jsonValue())
      )
    })
  }), async ({ method, url, place, body, spoiled }) => {
    const app = await serve()
    const sent = spoiled === null || Array.isArray(body) ? body : { ...body as object, [spoiled[0]]: spoiled[1] }
    const response = await app.inject({
      method, url, payload: JSON.stringify(sent), headers: { 'content-type': 'application/json' }
    })
    const allowed = reader.validatorAt(...place)(JSON.parse(JSON.stringify(sent)))
    const refused = response.statusCode === 400 && response.json<{ error: string }>().error === 'validation'
    if (!allowed) forbidden++
    if (allowed === refused) {
      throw new Error(`${allowed ? 'allowed' : 'forbidden'}: ${JSON.stringify(sent)}\n${response.body}`)
    }
  }), { numRuns })
  t.ok(forbidden > numRuns / 20, `${forbidden} forbidden bodies`)
})

const read = { readable: true }
const write = { ...read, writable: true }

async function serveOrders () {
  const app = Fastify()
  const details = SubCollection('details', { foreignKey: 'orderId', ...write })
  const Order = Type.Object({ id: Type.Integer({ identifier: true, ...write }), details })
  const Detail = Type.Object({
    orderId: Type.Integer(write),
    product: Type.Integer(write),
    note: Type.Optional(Type.String(write)),
    secret: Type.Optional(Type.String({ writable: true })),
    total: Type.Optional(Type.Integer(read)),
    order: SubItem('orders', { foreignKey: 'orderId', ...write })
  })
  await app.register(dataApi, {
    naming: name => name,
    collections: {
      orders: collection(Order, { source: memory([{ id: 1 }, { id: 2 }]), requestStrategies: { delete: true } }),
      details: collection(Detail, {
        source: memory([{ orderId: 1, product: 1 }, { orderId: 1, product: 2 }]), key: ['orderId', 'product']
      })
    }
  })
  return app
}

test('an element leaves out what its parent gives, and the answer to its link is as described', async t => {
  const app = await serveOrders()
  const reader = readDocument(app.dataApi.openapi())
  const found = reader.find('POST', '/orders/1/details')
  const allowed = reader.validatorAt(
    'paths', found?.path ?? '', 'post', 'requestBody', 'content', 'application/json', 'schema'
  )
  const element = fc.record({ product: fc.constantFrom(1, 2) })
  await fc.assert(fc.asyncProperty(
    fc.oneof(element, fc.array(element, { minLength: 1, maxLength: 2 })), fc.boolean(), async (body, isShown) => {
      const { statusCode, body: answer } = await app.inject({
        method: 'POST',
        url: '/orders/1/details',
        payload: body,
        headers: isShown ? { prefer: 'return=representation' } : {}
      })
      t.equal(statusCode, 200, answer)
      t.ok(allowed(body), JSON.stringify(body))
      t.strictSame(found && reader.wrong(found, 200, 'application/json', answer), undefined, answer)
    }), { numRuns: 20 })
})

test('the methods and fields of each path below an item are those that the document lists', async t => {
  const app = await serveOrders()
  const document = app.dataApi.openapi()
  const reader = readDocument(document)
  const fields = ['orderId', 'product', 'note', 'secret', 'total']
  for (const url of ['/details/1,1/order', ...fields.map(name => `/details/1,1/${name}`)]) {
    const { headers } = await app.inject({ method: 'OPTIONS', url })
    // Only readers learn what a path takes.
    const allow = headers.allow?.split(', ') ?? ['PUT']
    for (const method of ['PUT', 'PATCH', 'DELETE', 'POST']) {
      t.equal(reader.find(method, url) !== undefined, allow.includes(method), `${method} ${url}`)
    }
    const { statusCode } = await app.inject(url)
    t.equal(reader.find('GET', url) !== undefined, statusCode === 200, `GET ${url}`)
  }
})

test('writes have the header of keys where the application keeps them', async t => {
  const app = Fastify()
  const requestStrategies = { batch: true, delete: true }
  await app.register(dataApi, { collections: library(), idempotency: {}, requestStrategies })
  const keyed = (profile: 'docs' | 'types' | 'tools') => {
    const document = app.dataApi.openapi({ profile })
    return Object.entries(document.paths).flatMap(([path, item]) => Object.entries(item).flatMap(([method, one]) => {
      const { parameters = [] } = one as NonNullable<typeof item.get>
      return resolved(parameters, document).some(({ name }) => name === 'Idempotency-Key') ? [`${method} ${path}`] : []
    }))
  }
  const writes = ['post /', 'post /books', 'put /books/{identifier}', 'delete /books/{identifier}']
  t.strictSame(writes.filter(one => !keyed('docs').includes(one)), [])
  t.strictSame(keyed('docs').filter(one => one.startsWith('get')), [])
  t.ok(keyed('types').includes('post /books'))
  t.strictSame(keyed('tools'), [])
  await app.close()
})

test('writes by a filter are operations of lists where they are on', async t => {
  const app = Fastify()
  const requestStrategies = { delete: true, bulk: ['PATCH', 'DELETE'] as Array<'PATCH' | 'DELETE'> }
  await app.register(dataApi, { collections: library(), requestStrategies })
  const { paths, components } = app.dataApi.openapi()
  const { patch, delete: deletion } = paths['/books'] ?? {}
  t.match(patch, { operationId: 'update_many_books', requestBody: { required: true } })
  t.match(deletion, { operationId: 'delete_many_books' })
  t.ok(resolved(deletion?.parameters ?? [], app.dataApi.openapi()).some(({ name }) => name === 'where'))
  t.match(components.schemas['Affected'], { required: ['status'] })
  await app.close()
})

async function serveAll () {
  const app = Fastify()
  const bulk: Array<'PATCH' | 'DELETE'> = ['PATCH', 'DELETE']
  const requestStrategies = { batch: true, upsert: true, delete: true, bulk }
  await app.register(dataApi, { collections: library(), imports: true, requestStrategies })
  return app
}

/** Requests that are taken with any preference, one for each operation. */
const preferring: ReadonlyArray<readonly [method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', string, unknown?]> = [
  ['POST', '/', [{ method: 'PATCH', path: '/authors/1', body: {} }]],
  ['GET', '/authors'],
  ['GET', '/authors/by_name'],
  ['GET', '/authors/1'],
  ['POST', '/authors', { name: 'New', rating: null }],
  ['PATCH', '/authors?id=1', {}],
  ['DELETE', '/authors?id=99'],
  ['PUT', '/authors/1', {}],
  ['PATCH', '/authors/1', {}],
  ['PUT', '/authors/1/name', 'Ada'],
  ['DELETE', '/authors/2']
]

test('each operation lists the preferences that it applies, and no others', async t => {
  const asked = ['count=exact', 'return=representation', 'return=minimal', 'dry-run', 'resolution=merge']
  for (const [method, url, body] of preferring) {
    for (const prefer of asked) {
      const app = await serveAll()
      const document = app.dataApi.openapi()
      const { operation } = readDocument(document).find(method, url) ?? {}
      const told = resolved(operation?.parameters, document).find(({ name }) => name === 'Prefer')?.description ?? ''
      // A resolution is that of an import.
      const isImport = method === 'POST' && url === '/authors' && prefer.startsWith('resolution')
      const headers = { prefer, 'content-type': isImport ? 'application/x-ndjson' : 'application/json' }
      const answer = await app.inject({
        method,
        url: isImport ? `${url}?by=name` : url,
        ...body === undefined ? { headers: { prefer } } : { headers, payload: JSON.stringify(body) }
      })
      const isApplied = String(answer.headers['preference-applied']).includes(prefer)
      t.equal(isApplied, told.includes(prefer), `${method} ${url} ${prefer}: ${answer.body}`)
      await app.close()
    }
  }
})

test('an import takes `by`, and changes of items take `fields`', async t => {
  const app = await serveAll()
  const document = app.dataApi.openapi()
  const named = (method: 'post' | 'patch', path: string, name: string) =>
    resolved(document.paths[path]?.[method]?.parameters, document).find(one => one.name === name)
  t.match(named('post', '/authors', 'by')?.schema, { enum: ['id', 'name'] })
  t.match(named('patch', '/authors', 'fields'), { in: 'query' })
  await app.close()
})

test('an array of changes answers without ids where the API gives none', async t => {
  for (const createdBody of ['status', 'none', 'id'] as const) {
    const app = Fastify()
    await app.register(dataApi, {
      collections: library(), requestStrategies: { upsert: true }, responseContent: { createdBody }
    })
    const reader = readDocument(app.dataApi.openapi())
    const { statusCode, body } = await app.inject({
      method: 'PATCH', url: '/authors', payload: [{ name: 'New', rating: 1 }, { id: 1 }]
    })
    const found = reader.find('PATCH', '/authors')
    t.strictSame(found && reader.wrong(found, statusCode, 'application/json', body), undefined, body)
    const inId = JSON.stringify([{ status: 'created', id: 3 }, { status: 'ok' }])
    const isRight = found && reader.wrong(found, 201, 'application/json', inId) === undefined
    t.equal(isRight, createdBody === 'id', createdBody)
    await app.close()
  }
})
