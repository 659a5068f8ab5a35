import { type TProperties, Type } from '@sinclair/typebox'
import Fastify from '../helpers/fastify.ts'
import { test } from 'tap'
import dataApi, { collection, memory } from '../../lib/index.ts'
import { orderLines } from '../fixtures/order-lines.ts'
import { declare, mistakes } from '../fixtures/wrong-keys.ts'
import { everyWrite } from '../helpers/batch-of-one.ts'
import { walkPages } from '../helpers/walk-pages.ts'
import { ambiguous, created, dangling, duplicate, missing, referred, validation } from '../helpers/answers.ts'

// docs/http.md: Identifiers. A key of several fields is one segment of a path, its values between commas.

type Run = Parameters<typeof everyWrite>[1]
const every = (name: string, run: Run, of = orderLines()) => { everyWrite(name, run, {}, of) }

every('a key of several fields is one segment, its values between commas', async ({ get, same }) => {
  same(await get('/lines/1,7?fields=quantity'), 200, { quantity: 5 })
  same(await get('/lines/1,7/quantity'), 200, 5)
  same(await get('/lines/1,7/product/name'), 200, 'tea')
  same(await get('/orders/1/lines/1,8/quantity'), 200, 2)
  same(await get('/lines/by_order_id,product_id/1,7/quantity'), 200, 5)
  for (const other of ['7,1', '2,8']) same(await get(`/lines/${other}`), 404, missing(other))
  same(await get('/orders/2/lines/1,7/quantity'), 404, missing('1,7'))
})

const advised = (identifier: string, advice: string) => {
  const told = missing(identifier)
  return { ...told, message: `${told.message} ${advice}` }
}

every('a segment that cannot be a key of several fields is told why', async ({ get, send, same }) => {
  const two = "A key of 'lines' has 2 values with commas between them: 'order_id,product_id'."
  for (const other of ['1', '1,7,', '1,7,8', '1%2C7%2C8']) {
    const told = advised(decodeURIComponent(other), two)
    same(await get(`/lines/${other}`), 404, told)
    same(await get(`/lines/by_order_id,product_id/${other}`), 404, told)
    same(await get(`/lines/${other}/quantity`), 404, told)
    same(await send('PATCH', `/lines/${other}`, { quantity: 1 }), 404, told)
  }
  const integer = 'takes an integer between -9007199254740991 and 9007199254740991, not'
  same(await get('/lines/,7'), 404, advised(',7', `'order_id' ${integer} ''.`))
  same(await get('/lines/01,7'), 404, advised('01,7', `'order_id' ${integer} '01'.`))
  same(await get('/lines/1%2Cx'), 404, advised('1,x', `'product_id' ${integer} 'x'.`))
  same(await get('/lines/1%2C7,8'), 404, advised('1,7,8', `'order_id' ${integer} '1,7'.`))
  same(await get('/orders/9/lines/1'), 404, missing('9'))
})

every('a key whose commas are all encoded is split, unless it is another identifier', async ({ get, send, same }) => {
  same(await get('/lines/1%2C7/quantity'), 200, 5)
  same(await get('/lines/by_order_id,product_id/1%2C7/quantity'), 200, 5)
  same(await get('/regions/a%2Cb?fields=country'), 200, { country: 'é /' })
  same(await send('PATCH', '/lines/1%2C7', { quantity: 6 }), 200, { status: 'ok' })
  same(await get('/lines/1,7/quantity'), 200, 6)
})

every('a comma in a value of a key is percent-encoded', async ({ get, same }) => {
  same(await get('/regions/a%2Cb,c/name'), 200, 'One')
  same(await get('/regions/a,b%2Cc/name'), 200, 'Two')
  same(await get('/regions/%C3%A9%20%2F,/name'), 200, 'a,b')
  same(await get('/regions/a%2Cb%2Cc'), 404, missing('a,b,c'))
})

every('a key of several fields and another identifier can be ambiguous', async ({ get, same }) => {
  same(await get('/regions/a,b'), 409, ambiguous('a,b', '/regions/by_country,code/a,b', '/regions/by_name/a,b'))
  same(await get('/regions/by_country,code/a,b/name'), 200, 'a/b')
  same(await get('/regions/by_name/a,b?fields=country'), 200, { country: 'é /' })
})

every('a special identifier precedes the key, which its dictionary still finds', async ({ get, same }) => {
  same(await get('/regions/x,y?fields=name'), 200, { name: 'a/b' },
    { 'content-location': '/regions/by_country,code/a,b' })
  same(await get('/regions/by_country,code/x,y?fields=name'), 200, { name: null })
})

every('a part of a key alone makes a dictionary of arrays, the whole key one of items', async ({ get, same, t }) => {
  same(await get('/lines/by_order_id?fields=product_id'), 200, {
    1: [{ product_id: 7 }, { product_id: 8 }], 2: [{ product_id: 7 }]
  })
  same(await get('/lines/by_order_id/1?fields=product_id'), 200, [{ product_id: 7 }, { product_id: 8 }])
  same(await get('/lines/by_order_id/1/1,8/quantity'), 200, 2)
  same(await get('/lines/by_order_id,product_id?fields=quantity'), 200, {
    '1,7': { quantity: 5 }, '1,8': { quantity: 2 }, '2,7': { quantity: 5 }
  })
  const { body } = await get('/regions/by_country,code?fields=name&limit=2')
  t.equal(body, '{"a,b":{"name":"a/b"},"a,b%2Cc":{"name":"Two"}}')
})

every('every field of the key is a tie-breaker, and each page follows the one before', async ({ get, same, t }) => {
  same(await get('/lines?fields=order_id,product_id'), 200, [
    { order_id: 1, product_id: 7 }, { order_id: 1, product_id: 8 }, { order_id: 2, product_id: 7 }
  ])
  for (const sort of ['quantity', '-quantity', 'product_id', '-product_id,-order_id', 'order_id']) {
    const all = (await get(`/lines?sort=${sort}`)).json<unknown[]>()
    t.strictSame(await walkPages(get, `/lines?sort=${sort}&size=1`), all, sort)
    t.equal(all.length, 3)
  }
  const { body } = await get('/lines?sort=quantity', { accept: 'application/x-ndjson' })
  t.equal(body.trim().split('\n').length, 3)
})

every('links keep the key in their path as it was sent', async ({ get, same, t }) => {
  same(await get('/lines/1,7/parcels?size=0'), 200, [])
  const { headers } = await get('/lines/1,7/labels?size=1&page=2')
  t.match(headers['link'], '/lines/1,7/labels?size=1&page=1>; rel="prev"')
})

every('an item that is created is found at its location', async ({ send, get, same }) => {
  same(await send('POST', '/lines', { order_id: 2, product_id: 9, quantity: 3 }), 201, created('2,9'),
    { location: '/lines/2,9' })
  same(await get('/lines/2,9/quantity'), 200, 3)
  same(await send('POST', '/orders/2/lines', { product_id: 8 }), 201, created('2,8'),
    { location: '/orders/2/lines/2,8' })
  same(await send('POST', '/regions', { country: 'a,b', code: '/é' }), 201, created('a%2Cb,%2F%C3%A9'),
    { location: '/regions/by_country,code/a%2Cb,%2F%C3%A9' })
  same(await get('/regions/a%2Cb,%2F%C3%A9?fields=country,code'), 200, { country: 'a,b', code: '/é' })
})

every('a part of a key that is missing, and a key that exists, are refused', async ({ send, same }) => {
  same(await send('POST', '/lines', { order_id: 2 }), 400, validation(['/product_id', 'is required']))
  same(await send('POST', '/lines', { order_id: 1, product_id: 7 }), 409, duplicate(['order_id', 'product_id']))
})

every('an upsert creates the item with the key of the URL', async ({ send, get, same }) => {
  same(await send('PUT', '/lines/2,9', { quantity: 4 }), 201, { status: 'created' })
  same(await send('PUT', '/lines/2,9', { quantity: 6 }), 200, { status: 'ok' })
  same(await get('/lines/2,9/quantity'), 200, 6)
  same(await send('PUT', '/orders/2/lines/2,8', { quantity: 1, product_id: 8 }), 201, { status: 'created' })
  same(await send('PUT', '/orders/2/lines/1,9', { quantity: 1 }), 404, missing('1,9'))
  same(await send('PUT', '/lines/2,9', { product_id: 8 }), 400, validation(['/product_id', 'contradicts the URL']))
})

every('an item is updated and deleted at its key, and guarded by its tag', async ({ send, get, same, t }) => {
  const { headers: { etag } } = await get('/lines/1,7')
  same(await send('PATCH', '/lines/1,7', { quantity: 9 }, { 'if-match': String(etag) }), 200, { status: 'ok' })
  t.equal((await send('PATCH', '/lines/1,7', { quantity: 9 }, { 'if-match': String(etag) })).statusCode, 412)
  same(await get('/lines?fields=quantity'), 200, [{ quantity: 9 }, { quantity: 2 }, { quantity: 5 }])
  same(await send('PUT', '/orders/1/lines/1,8/quantity', 4), 200, { status: 'ok' })
  same(await send('DELETE', '/lines/1,8'), 200, { status: 'ok' })
  t.equal((await get('/lines/1,8')).statusCode, 404)
  t.equal((await send('DELETE', '/lines/1,7')).json<{ error: string }>().error, 'reference')
})

every('a part of a key can be changed', async ({ t, send, get, same }) => {
  same(await send('PATCH', '/lines/1,8', { product_id: 9 }), 200, { status: 'ok' })
  same(await get('/lines/1,9/quantity'), 200, 2)
  same(await send('PATCH', '/lines/1,9', { product_id: 7 }), 409, duplicate(['order_id', 'product_id']))
  same(await send('PATCH', '/lines/1,7', { product_id: 8 }), 409, referred)
  // PostgreSQL finds the items that refer to the key before the reference that dangles.
  t.strictSame((await send('PATCH', '/lines/1,7', { order_id: 99 })).json<{ fields: unknown }>().fields, ['order_id'])
}, orderLines({}))

every('relations lead to items with such keys, and back', async ({ get, same }) => {
  same(await get('/parcels?fields=id,line(quantity)'), 200, [
    { id: 1, line: { quantity: 5 } }, { id: 2, line: { quantity: 5 } }, { id: 3, line: null }
  ])
  same(await get('/parcels/2/line/purchase/customer'), 200, 'Bo')
  same(await get('/lines?order_id=1&fields=product_id,parcels(id)'), 200,
    [{ product_id: 7, parcels: [{ id: 1 }] }, { product_id: 8, parcels: [] }])
  same(await get('/lines/2,7/parcels?fields=id'), 200, [{ id: 2 }])
  same(await get('/parcels?line.quantity=5&fields=id'), 200, [{ id: 1 }, { id: 2 }])
  same(await get('/parcels?line=null&fields=id'), 200, [{ id: 3 }])
  same(await get('/lines?parcels.id=2&fields=order_id'), 200, [{ order_id: 2 }])
})

every('a join table of such keys links many to many', async ({ get, send, same }) => {
  same(await get('/labels/gift/lines?fields=order_id,product_id'), 200, [
    { order_id: 1, product_id: 7 }, { order_id: 2, product_id: 7 }
  ])
  same(await get('/lines?labels.code=gift&fields=order_id'), 200, [{ order_id: 1 }, { order_id: 2 }])
  same(await get('/labels?lines.product.id=8'), 200, [])
  same(await send('PATCH', '/lines/1,8', { labels: [{ code: 'late' }, { code: 'new' }] }), 200, { status: 'ok' })
  same(await get('/lines/1,8/labels'), 200, [{ code: 'late' }, { code: 'new' }])
  same(await send('POST', '/lines/2,7/labels', { code: 'last' }), 201, created('last'),
    { location: '/lines/2,7/labels/last' })
  same(await send('PATCH', '/labels/late', { lines: [{ order_id: 2, product_id: 7 }] }), 200, { status: 'ok' })
  same(await get('/lines/2,7/labels'), 200, [{ code: 'gift' }, { code: 'last' }, { code: 'late' }])
})

every('a join table with data of its own is a collection as well', async ({ get, send, same }) => {
  same(await get('/orders/1/products?fields=name'), 200, [{ name: 'tea' }, { name: 'cup' }])
  same(await send('POST', '/lines', { order_id: 1, product_id: 9 }), 201, created('1,9'))
  same(await get('/orders/1/products?fields=name'), 200, [{ name: 'tea' }, { name: 'cup' }, { name: 'pot' }])
})

every('a reference of several fields is written by the item that it leads to', async ({ get, send, same }) => {
  same(await send('PATCH', '/parcels/3', { line: { order_id: 1, product_id: 8 } }), 200, { status: 'ok' })
  same(await get('/parcels/3?fields=order_id,product_id'), 200, { order_id: 1, product_id: 8 })
  same(await send('PATCH', '/parcels/3', { line: null }), 200, { status: 'ok' })
  same(await get('/parcels/3?fields=order_id,product_id'), 200, { order_id: null, product_id: null })
  same(await send('PATCH', '/parcels/1', { order_id: 3 }), 409, dangling('order_id'))
  same(await send('POST', '/lines/1,8/parcels', {}), 201, created(4), { location: '/lines/1,8/parcels/4' })
  same(await get('/parcels/4?fields=order_id,product_id'), 200, { order_id: 1, product_id: 8 })
  same(await send('POST', '/parcels', { line: { order_id: 2, product_id: 9, quantity: 3 } }), 201, created(5))
  same(await get('/lines/2,9/parcels?fields=id'), 200, [{ id: 5 }])
})

every('an element of a sub-collection gets the part of its key that refers to its parent', async ({
  get, send, same
}) => {
  same(await send('PATCH', '/orders/1', {
    lines: [{ product_id: 7, quantity: 5 }, { product_id: 9, quantity: 3 }, { order_id: 1, product_id: 8 }]
  }), 200, { status: 'ok' })
  same(await get('/orders/1/lines?fields=product_id,quantity'), 200, [
    { product_id: 7, quantity: 5 }, { product_id: 8, quantity: 2 }, { product_id: 9, quantity: 3 }
  ])
  same(await send('POST', '/orders', { customer: 'Cy', lines: [{ product_id: 7 }] }), 201, created(3))
  same(await get('/lines/3,7/quantity'), 200, 1)
  const whole = await get('/orders/1?fields=customer,lines(product_id,quantity)')
  same(await send('PUT', '/orders/1', whole.json()), 200, { status: 'ok' })
})

for (const [key, message] of mistakes) {
  test(`a mistake in a key is an error at registration: ${JSON.stringify(key)}`, async t => {
    await t.rejects(declare({ key }), { message })
  })
}

const R = { readable: true }

async function serve (fields: TProperties, rows: object[], key: string[]) {
  const app = Fastify()
  await app.register(dataApi, {
    collections: { things: collection(Type.Object(fields), { source: memory(rows), key: key as never }) }
  })
  return async (url: string) => (await app.inject(`/things${url}`)).json<unknown>()
}

test('a key of one field is an identifier, also where another field is flagged', async t => {
  const get = await serve({ id: Type.Integer({ identifier: true, readable: true }), slug: Type.String(R) },
    [{ id: 1, slug: 'b' }, { id: 2, slug: 'a' }], ['slug'])
  t.strictSame(await get(''), [{ id: 2, slug: 'a' }, { id: 1, slug: 'b' }])
  t.strictSame(await get('/a/id'), 2)
  t.strictSame(await get('/by_slug?fields=id'), { a: { id: 2 }, b: { id: 1 } })
})

test('a part of a key that is a decimal is found by its value, as in SQL', async t => {
  const get = await serve({ shop: Type.Integer(R), amount: Type.String({ format: 'decimal', ...R }) },
    [{ shop: 1, amount: '1' }, { shop: 1, amount: '10.00' }], ['shop', 'amount'])
  for (const amount of ['10', '10.0', '10.00']) t.strictSame(await get(`/1,${amount}`), { shop: 1, amount: '10.00' })
  t.match(await get('/1,100'), { error: 'identifier_not_found' })
})

every('all mistakes of elements whose parent is new come before an error of the data', async ({ send, get, same }) => {
  const lines = [{ product_id: 7, quantity: 'many' }, { product_id: 8, none: 1 }]
  const mistakes = validation(
    ['/lines/0/quantity', "must be an integer between -9007199254740991 and 9007199254740991; found the string 'many'"],
    ['/lines/1/none', 'there is no such field']
  )
  for (const customer of ['Ann', 'Zoe']) same(await send('POST', '/orders', { customer, lines }), 400, mistakes)
  same(await send('PUT', '/orders/3', { customer: 'Zoe', lines }), 400, mistakes)
  same(await get('/orders?fields=id'), 200, [{ id: 1 }, { id: 2 }])
})
