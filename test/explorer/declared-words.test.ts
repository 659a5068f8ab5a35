import { Type } from '@sinclair/typebox'
import { test } from 'tap'
import { collection, memory, SubItem } from '../../lib/index.ts'
import { browser, explore } from '../helpers/explorer-pages.ts'

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
  return explore({ collections: { products, makers, shelves }, explorer, openapi: {} })
}

test('fields have titles, units, groups and descriptions on every page', async t => {
  const { page } = await serve()
  const listing = await page('/products?fields=label,mass&mass>1')
  t.match(listing, '<h1><bdi>Products</bdi>')
  t.match(listing, /<th [^>]*aria-label="Mass, kg"[^>]*><span><a[^>]*title="Mass: sorts ascending"><bdi>Mass</)
  t.match(listing, '<p class="hint">With its box. <code>mass</code></p>')
  t.match(listing, '<bdi>Mass</bdi> <i>is greater than</i> <b dir="auto">1</b>')
  const item = await page('/products/1')
  t.match(item, /<h2>Measures<\/h2><dl class="facts pair"><div><dt><bdi>Mass<\/bdi><\/dt><dd>12.5 <small>kg<\/small>/)
  t.match(item, /<dt><a href="\/products\/1\/maker"><bdi>Made by<\/bdi><\/a><\/dt>/)
  const form = await page('/products/1?_edit')
  t.match(form, /<fieldset class="part"><legend>Measures<\/legend><div class="field f4"><label for="field-mass">/)
  t.match(form, /value="12.5" autocomplete="off"><span>kg<\/span>/)
  t.match(form, /<textarea id="field-config"[^>]* class="mono"/)
  t.match(await page('/'),
    /<bdi>products<\/bdi>[^]*<h2>Store<\/h2>[^]*?<a href="\/shelves\?size=1"><bdi>Shelves<\/bdi><\/a><p>Where it is\./)
})

test('items are known by the field that names them', async t => {
  const { page } = await serve()
  t.match(await page('/products/1'), '<h1><bdi>Jar</bdi>')
  t.match(await page('/products'), /<th scope="row" class="key"[^>]*>[^]*?<a href="\/products\/1"><bdi>Jar</)
})

test('an image is shown if the application names its host, and is a link or a text else', async t => {
  const { get, page } = await serve()
  const { body, headers } = await get('/products?fields=id,photo')
  t.match(headers['content-security-policy'], "img-src 'self' data: files.example.com;")
  t.match(body, /<img class="thumb" src="https:\/\/files\.example\.com\/1\.png" alt="[^"]*"\s+loading="lazy"/)
  t.match(body, '<a href="https://evil.example/1.png" rel="noreferrer nofollow external">')
  t.match(body, '<td class="m" dir="auto">javascript:alert(1)</td>')
  t.match(await page('/products/1'), '<img class="picture" src="https://files.example.com/1.png"')
  const plain = await (await serve({})).get('/products/1')
  t.notMatch(plain.body, '<img')
  t.match(plain.headers['content-security-policy'], "img-src 'self' data:;")
  const hostile = { images: ["x; script-src 'unsafe-inline'"] }
  await t.rejects(serve(hostile), { message: /explorer.*images.0/ })
})

test('views are tabs; one that names what the caller may not read is absent', async t => {
  const { get, page } = await serve()
  const body = await page('/products?fields=label,mass,photo')
  t.match(body, '<a href="/products?fields=label,mass,photo" aria-current="page">All</a>')
  t.match(body, '<a href="/products?mass%3E10&amp;sort=-mass">Heavy</a>')
  t.notMatch(body, 'Costs')
  const boss = await get('/products', { ...browser, 'x-boss': '1' })
  t.match(boss.body, '<a href="/products?fields=label,cost">Costs</a>')
  t.equal((await get('/products?mass%3E10&sort=-mass')).status, 200)
})

test('a view that no request could ask for, and a word that is no text, is an error of registration', async t => {
  const register = (options: object, field: object = {}) => {
    const Thing = Type.Object({ id: Type.Integer({ identifier: true, readable: true, ...field }) }, options)
    return explore({ collections: { things: collection(Thing, { source: memory([]) }) } })
  }
  await t.rejects(register({ views: { All: 'sort=nam' } }), { message: /collection 'things': views.All: .*'nam'/ })
  await t.rejects(register({ views: { All: 1 } }), { message: /views\.All: must be a string; found the number 1/ })
  await t.rejects(register({}, { unit: 1 }), { message: /field 'id', unit: must be a string; found the number 1/ })
})

test('the OpenAPI document carries the words', async t => {
  const { app } = await serve()
  const document = await app.inject('/openapi.json')
  const { components } = document.json<{ components: { schemas: Record<string, object> } }>()
  t.match(components.schemas['Products'], {
    title: 'Products',
    properties: {
      mass: { type: 'number', title: 'Mass', description: 'With its box.', 'x-unit': 'kg', 'x-group': 'Measures' },
      photo: { type: ['string', 'null'], format: 'uri', contentMediaType: 'image/*' },
      maker: { title: 'Made by', 'x-group': 'Measures' }
    }
  })
  t.notMatch(JSON.stringify(components), 'naming')
})
