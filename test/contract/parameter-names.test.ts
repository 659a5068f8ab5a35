import { Type } from '@sinclair/typebox'
import type { FastifyInstance } from 'fastify'
import { test } from 'tap'
import { createClient } from '../../lib/clients/client/index.ts'
import dataApi, { collection, type DataApiOptions, memory, SubCollection, SubItem } from '../../lib/index.ts'
import fc, { runsOf } from '../helpers/fast-check.ts'
import { formType } from '../../lib/core/request/parse.ts'
import Fastify from '../helpers/fastify.ts'
import { walkPages } from '../helpers/walk-pages.ts'

// docs/http.md: Query strings. Each test compares an API whose files have a field with the name of a parameter
// with one whose field has a name that nothing else has: their answers differ in that name alone.

const spellings = {
  where: ['where', 'filter'],
  sort: ['sort', 'order', 'orderby'],
  fields: ['fields', 'select'],
  page: ['page'],
  size: ['size', 'limit', 'take'],
  offset: ['offset', 'skip'],
  after: ['after'],
  before: ['before'],
  format: ['format']
} as const
type Kind = keyof typeof spellings

const plain = 'weight'
const flags = { readable: true }
const files = [5, 2, 2, 20, 1, 3].map((weight, index) => ({ id: index + 1, weight, ownerId: 1 + index % 2 }))

async function serve (name: string, options: Partial<DataApiOptions> = {}): Promise<FastifyInstance> {
  const app = Fastify({ forceCloseConnections: true })
  const Id = Type.Integer({ identifier: true, ...flags })
  const File = Type.Object({
    id: Id,
    [name]: Type.Integer({ ...flags, listed: true }),
    ownerId: Type.Integer(),
    owner: SubItem('owners', { foreignKey: 'ownerId', ...flags })
  })
  const Owner = Type.Object({ id: Id, files: SubCollection('files', { foreignKey: 'ownerId', ...flags }) })
  const rows = files.map(({ weight, ...row }) => ({ ...row, [name]: weight }))
  await app.register(dataApi, {
    collections: {
      files: collection(File, { source: memory(rows) }),
      owners: collection(Owner, { source: memory([{ id: 1 }, { id: 2 }, { id: 3 }]) })
    },
    ...options
  })
  return app
}

/** Returns how a parameter is written in the collection whose field has the name: each of its spellings but that. */
const spelt = (kind: Kind, name: string) => [...spellings[kind].filter(one => one !== name), `.${kind}`]

/** A request: the parts of its query for a field and for the names of the parameters. */
interface Drawn { readonly path: string, readonly write: (field: string, nameOf: (kind: Kind) => string) => string }

const filters = fc.constantFrom('=2', '>=2', '!=2', '=*1,2,20', '<5')
const orders = fc.constantFrom('-id', 'id', 'FIELD', '-FIELD')
const requests: fc.Arbitrary<Drawn> = fc.record({
  path: fc.constantFrom('/files', '/owners/1/files', '/files/by_id', '/owners/by_id', '/owners'),
  filter: fc.option(filters),
  where: fc.option(filters),
  sort: fc.option(orders),
  size: fc.option(fc.integer({ min: 1, max: 4 })),
  page: fc.option(fc.constantFrom(['page', 1], ['page', 2], ['offset', 1]) as fc.Arbitrary<[Kind, number]>),
  fields: fc.boolean(),
  nested: filters,
  format: fc.option(fc.constantFrom('json', 'csv', 'ndjson'))
}).map(({ path, filter, where, sort, size, page, fields, nested, format }) => {
  const isOwners = path.startsWith('/owners') && !path.endsWith('/files')
  return {
    path,
    write: (field, nameOf) => {
      const at = isOwners ? plainName : nameOf
      const inside = `files(id,${field};${field}${nested};${nameOf('size')}=2;${nameOf('sort')}=-id)`
      const order = (text: string) => text.replace('FIELD', isOwners ? 'id' : field)
      return [
        ...filter === null ? [] : [isOwners ? `files.${field}${filter}` : `${field}${filter}`],
        ...where === null ? [] : [`${at('where')}=${isOwners ? 'files.' : ''}${field}${where}`],
        ...sort === null ? [] : [`${at('sort')}=${order(sort)}`],
        ...size === null ? [] : [`${at('size')}=${size}`],
        ...page === null ? [] : [`${at(page[0])}=${page[1]}`],
        ...fields ? [`${at('fields')}=${isOwners ? `id,${inside}` : `id,${field},owner(id,${inside})`}`] : [],
        ...format === null || path.includes('by_') ? [] : [`${at('format')}=${format}`]
      ].join('&')
    }
  }
})
const plainName = (kind: Kind): string => spellings[kind][0]

for (const name of Object.values(spellings).flat()) {
  test(`in a collection with the field '${name}' and nowhere else the name is the field's`, async t => {
    const [app, twin] = [await serve(name), await serve(plain)]
    const withPlain = (text: string) => text.replaceAll(new RegExp(`\\b${name}\\b`, 'g'), plain)
    const answerOf = async (to: FastifyInstance, method: string, path: string, query: string) => {
      const { statusCode, body } = await to.inject(method === 'GET'
        ? { url: `${path}?${query}` }
        : { method: 'QUERY', url: path, body: query, headers: { 'content-type': formType } })
      return [statusCode, body] as const
    }
    const methods = fc.constantFrom('GET', 'QUERY')
    await fc.assert(fc.asyncProperty(requests, fc.nat(3), methods, async (drawn, at, method) => {
      const nameOf = (kind: Kind) => spelt(kind, name)[at % spelt(kind, name).length] ?? ''
      const [status, body] = await answerOf(app, method, drawn.path, drawn.write(name, nameOf))
      const [expected, other] = await answerOf(twin, method, drawn.path, drawn.write(plain, plainName))
      const url = `${drawn.path}?${drawn.write(name, nameOf)}`
      t.equal(status, expected, url)
      // An error names the parameters as they are written. A stream has no pages.
      if (expected === 200) t.equal(withPlain(body), other, url)
      else t.match(other, /There is no page|QUERY is not allowed/)
    }), { numRuns: runsOf(30) })
  })

  test(`pages of a collection with the field '${name}' are walked by their links`, async t => {
    const app = await serve(name)
    const expected = files.filter(({ weight }) => weight < 20).map(({ id }) => id)
    const [size = ''] = spelt('size', name)
    const [page = '', offset = ''] = (['page', 'offset'] as const).map(kind => spelt(kind, name)[0])
    for (const begin of ['', `&${page}=1`, `&${offset}=0`]) {
      const seen = await walkPages(app, `/files?${name}!=20&${size}=2${begin}`)
      t.strictSame(seen.map(({ id }) => id), expected, begin)
    }
    t.equal((await walkPages(app, '/owners?size=1')).length, 3)
  })

  test(`the client and the document know of the field '${name}'`, async t => {
    const app = await serve(name)
    t.teardown(() => app.close())
    const client = createClient(await app.listen({ port: 0, host: '127.0.0.1' }))
    const heavy = { where: { [name]: { gte: 2 } }, sort: `-${name}`, size: 2, fields: ['id', name] }
    for (const paging of [{}, { page: 1 }]) {
      const seen = []
      for await (const item of client.resource('files').list({ ...heavy, ...paging })) seen.push(item['id'])
      t.strictSame(seen, [4, 1, 6, 2, 3])
    }
    const { items } = await client.resource('owners').list({ size: 1, fields: [{ files: heavy }] })
    t.strictSame(items, [{ files: [{ id: 1, [name]: 5 }, { id: 3, [name]: 2 }] }])

    for (const profile of ['docs', 'tools']) {
      const document = (await app.inject(`/openapi.json?profile=${profile}`)).json()
      for (const [path, field] of [['/files', name], ['/owners', plain]] as const) {
        const names: string[] = document.paths[path].get.parameters
          .map((one: { $ref?: string }) => document.components.parameters[one.$ref?.split('/')[3] ?? ''] ?? one)
          .filter((one: { in: string }) => one.in === 'query').map((one: { name: string }) => one.name)
        t.strictSame([...new Set(names)], names, 'each name means one thing')
        for (const kind of ['where', 'sort', 'size', 'offset', 'after'] as const) {
          const known = names.filter(one => spelt(kind, field).includes(one))
          t.equal(known.length, 1, `${profile} ${path} ${kind}: ${known.join()}`)
        }
      }
    }
  })

  test(`pages for people agree where a field is called '${name}'`, async t => {
    const app = await serve(name, { explorer: true })
    const page = async (url: string) => (await app.inject({ url, headers: { accept: 'text/html' } })).body
    const rows = (html: string) => [...html.matchAll(/name="_row"/g)].length
    const filtered = await page(`/files?${name}=2`)
    t.equal(rows(filtered), 2)
    t.match(filtered, new RegExp(`aria-label="Remove the filter ${name}=2"`))
    const form = `/files?_field=${name}&_operator=at_least&_value=3&_query=`
    const { headers } = await app.inject({ url: form, headers: { accept: 'text/html' } })
    t.equal(rows(await page(String(headers.location))), 3)
    const links = [...(await page(`/files?${spelt('size', name)[0]}=2`)).matchAll(/href="([^"]*)"/g)]
      .map(([, href = '']) => href.replaceAll('&amp;', '&'))
    for (const href of links.filter(one => one.startsWith('/'))) {
      const { statusCode } = await app.inject({ url: href, headers: { accept: 'text/html' } })
      t.equal(statusCode, 200, href)
    }
  })
}

test('what a field refuses that has the name of a parameter says how the parameter is written', async t => {
  const message = async (name: string, query: string) =>
    (await (await serve(name)).inject(`/files?${query}`)).json().message
  t.match(await message('order', 'order=-id'), /'order' is a field here; the parameter is 'sort'\.$/)
  t.match(await message('page', 'page=x'), /'page' is a field here; the parameter is '\.page'\.$/)
  t.match(await message('take', 'fields=owner(files(id;take=x))'), /'take' is a field here; the parameter is 'size'\.$/)
  t.notMatch(await message(plain, `${plain}=x`), /parameter/)
})

test('a field that no filter may name takes no name of a parameter', async t => {
  const app = Fastify()
  const Thing = Type.Object({
    id: Type.Integer({ identifier: true, ...flags }),
    size: Type.Integer({ ...flags, filterable: false }),
    page: Type.Integer({ writable: true })
  })
  const rows = [{ id: 1, size: 1, page: 1 }, { id: 2, size: 1, page: 1 }]
  const things = collection(Thing, { source: memory(rows), requestStrategies: { create: false } })
  await app.register(dataApi, { collections: { things } })
  t.strictSame((await app.inject('/things?size=1&page=2&fields=id')).json(), [{ id: 2 }])
})
