import { Type } from '@sinclair/typebox'
import { test } from 'tap'
import dataApi, { collection, memory, SubItem } from '../../lib/index.ts'
import { browser } from '../helpers/explorer-pages.ts'
import { fastify } from '../helpers/fastify.ts'
import { everybody } from '../helpers/everybody.ts'

// docs/declaring.md: Words for people.

const open = { readable: true, writable: true } as const
const Product = Type.Object({
  id: Type.Integer({ identifier: true, readable: true }),
  code: Type.String({ identifier: true, ...open }),
  label: Type.String({ ...open, naming: true, listed: true }),
  mass: Type.Number({ ...open, title: 'Mass', unit: 'kg', group: 'Measures', description: 'With its box.' }),
  photo: Type.Union([Type.String({ format: 'uri', contentMediaType: 'image/*' }), Type.Null()], open),
  config: Type.String({ ...open, contentMediaType: 'application/yaml' }),
  cost: Type.Number({ readable: true, listed: true, unit: 'EUR', default: 0 }),
  makerId: Type.Integer({ default: 1 }),
  maker: SubItem('makers', { foreignKey: 'makerId', readable: true, title: 'Made by', group: 'Measures' })
}, {
  title: 'Products',
  description: 'What is sold.',
  group: 'Sales',
  views: { All: 'fields=label,mass,photo', Heavy: 'mass>10&sort=-mass', Costs: 'fields=label,cost' }
})
const Maker = Type.Object({ id: Type.Integer({ identifier: true, readable: true }) })
const Shelf = Type.Object({ id: Type.Integer({ identifier: true, readable: true }) }, {
  title: 'Shelves', description: 'Where it is.', group: 'Store', views: { First: 'size=1' }
})

async function serve (explorer: object = { images: ['files.example.com'] }) {
  const app = fastify()
  const row = { id: 1, code: 'a', label: 'Jar', mass: 12.5, config: 'a: 1', cost: 3, makerId: 1 }
  const products = collection(Product, {
    source: memory([
      { ...row, photo: 'https://files.example.com/1.png' },
      { ...row, id: 2, code: 'b', label: 'Tin', photo: 'https://evil.example/1.png' },
      { ...row, id: 3, code: 'c', label: 'Box', photo: 'javascript:alert(1)' }
    ]),
    rules: { fields: { cost: { read: ({ request }) => request?.headers['x-boss'] !== undefined } } }
  })
  const makers = collection(Maker, { source: memory([{ id: 1 }]) })
  const shelves = collection(Shelf, { source: memory([]) })
  await app.register(dataApi, { rules: everybody, collections: { products, makers, shelves }, explorer, openapi: {} })
  const get = async (url: string, headers: object = {}) =>
    (await app.inject({ url, headers: { ...browser, ...headers } }))
  return { app, get }
}

test('fields have titles, units, groups and descriptions on every page', async t => {
  const { app, get } = await serve()
  const listing = (await get('/products?fields=label,mass&mass>1')).body
  t.match(listing, '<h1><bdi>Products</bdi>')
  t.match(listing, /<th [^>]*aria-label="Mass, kg"[^>]*><span><a[^>]*title="Mass: sorts ascending"><bdi>Mass</)
  t.match(listing, '<p class="hint">With its box. <code>mass</code></p>')
  t.match(listing, '<bdi>Mass</bdi> <i>is greater than</i> <b dir="auto">1</b>')
  const item = (await get('/products/1')).body
  t.match(item, /<h2>Measures<\/h2><dl class="facts pair"><div><dt><bdi>Mass<\/bdi><\/dt><dd>12.5 <small>kg<\/small>/)
  t.match(item, /<dt><a href="\/products\/1\/maker"><bdi>Made by<\/bdi><\/a><\/dt>/)
  const form = (await get('/products/1?_edit')).body
  t.match(form, /<fieldset class="part"><legend>Measures<\/legend><div class="field f4"><label for="field-mass">/)
  t.match(form, /value="12.5" autocomplete="off"><span>kg<\/span>/)
  t.match(form, /<textarea id="field-config"[^>]* class="mono"/)
  t.match((await get('/')).body,
    /<bdi>products<\/bdi>[^]*<h2>Store<\/h2>[^]*?<a href="\/shelves\?size=1"><bdi>Shelves<\/bdi><\/a><p>Where it is\./)
  await app.close()
})

test('items are known by the field that names them', async t => {
  const { app, get } = await serve()
  t.match((await get('/products/1')).body, '<h1><bdi>Jar</bdi>')
  t.match((await get('/products')).body, /<th scope="row" class="key"[^>]*>[^]*?<a href="\/products\/1"><bdi>Jar</)
  await app.close()
})

test('an image is shown if the application names its host, and is a link or a text else', async t => {
  const { app, get } = await serve()
  const { body, headers } = await get('/products?fields=id,photo')
  t.match(headers['content-security-policy'], "img-src 'self' data: files.example.com;")
  t.match(body, /<img class="thumb" src="https:\/\/files\.example\.com\/1\.png" alt="[^"]*"\s+loading="lazy"/)
  t.match(body, '<a href="https://evil.example/1.png" rel="noreferrer nofollow external">')
  t.match(body, '<td class="m" dir="auto">javascript:alert(1)</td>')
  t.match((await get('/products/1')).body, '<img class="picture" src="https://files.example.com/1.png"')
  await app.close()
  const plain = await serve({})
  t.notMatch((await plain.get('/products/1')).body, '<img')
  t.match((await plain.get('/products/1')).headers['content-security-policy'], "img-src 'self' data:;")
  await plain.app.close()
  const hostile = { images: ["x; script-src 'unsafe-inline'"] }
  await t.rejects(serve(hostile), { message: /explorer.*images.0/ })
})

test('views are tabs; one that names what the caller may not read is absent', async t => {
  const { app, get } = await serve()
  const { body } = await get('/products?fields=label,mass,photo')
  t.match(body, '<a href="/products?fields=label,mass,photo" aria-current="page">All</a>')
  t.match(body, '<a href="/products?mass%3E10&amp;sort=-mass">Heavy</a>')
  t.notMatch(body, 'Costs')
  t.match((await get('/products', { 'x-boss': '1' })).body, '<a href="/products?fields=label,cost">Costs</a>')
  t.equal((await app.inject('/products?mass%3E10&sort=-mass')).statusCode, 200)
  await app.close()
})

test('a view that no request could ask for, and a word that is no text, is an error of registration', async t => {
  const register = (options: object, field: object = {}) => {
    const Thing = Type.Object({ id: Type.Integer({ identifier: true, readable: true, ...field }) }, options)
    const things = collection(Thing, { source: memory([]) })
    return Promise.resolve(fastify().register(dataApi, { rules: everybody, collections: { things }, explorer: true }))
  }
  await t.rejects(register({ views: { All: 'sort=nam' } }), { message: /collection 'things': views.All: .*'nam'/ })
  await t.rejects(register({ views: { All: 1 } }), { message: /views\.All: must be a string; found the number 1/ })
  await t.rejects(register({}, { unit: 1 }), { message: /field 'id', unit: must be a string; found the number 1/ })
})

test('the OpenAPI document carries the words', async t => {
  const { app } = await serve()
  const { components } = (await app.inject('/openapi.json')).json<{ components: { schemas: Record<string, object> } }>()
  t.match(components.schemas['Products'], {
    title: 'Products',
    properties: {
      mass: { type: 'number', title: 'Mass', description: 'With its box.', 'x-unit': 'kg', 'x-group': 'Measures' },
      photo: { type: ['string', 'null'], format: 'uri', contentMediaType: 'image/*' },
      maker: { title: 'Made by', 'x-group': 'Measures' }
    }
  })
  t.notMatch(JSON.stringify(components), 'naming')
  await app.close()
})
