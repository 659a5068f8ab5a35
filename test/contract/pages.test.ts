import { Type } from '@sinclair/typebox'
import type { LightMyRequestResponse } from 'fastify'
import Fastify from '../helpers/fastify.ts'
import { test } from 'tap'
import dataApi, { collection, type DataApiOptions, SubCollection } from '../../lib/index.ts'
import { everySource, type World } from '../helpers/every-source.ts'
import { openers } from '../helpers/sources.ts'
import { followLinks, idsOf, linkOf, walkPages } from '../helpers/walk-pages.ts'

// docs/http.md: Pages and links

const Thing = Type.Object({
  id: Type.Integer({ identifier: true, readable: true }),
  rank: Type.Union([Type.Integer(), Type.Null()], { readable: true }),
  word: Type.String({ readable: true }),
  secret: Type.Integer()
})

const thing = (id: number) =>
  ({ id, rank: id % 3 === 0 ? null : id % 4, word: ['b', 'a', '\u{1F600}', '\uE000'][id % 4] ?? '', secret: 9000 + id })
const things = (count: number): World => ({
  tables: { things: Array.from({ length: count }, (_, n) => thing(n + 1)) },
  collections: source =>
    ({ things: collection(Thing, { source: source('things'), pages: { defaultSize: 10, maxSize: 20 } }) })
})

const linksOf = ({ headers }: LightMyRequestResponse): Record<string, string> => Object.fromEntries(
  [...String(headers.link ?? '').matchAll(/<([^>]*)>; rel="(\w+)"/g)].map(([, target = '', rel = '']) => [rel, target])
)
const count = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, n) => from + n)

everySource('a listing is one page, of the default size where none is asked for, of the largest at most', async ({
  t, get
}) => {
  t.strictSame(idsOf(await get('/things')), count(1, 10))
  for (const size of ['1000', '100000000000000000']) {
    t.strictSame(idsOf(await get(`/things?size=${size}`)), count(1, 20), size)
  }
  t.strictSame(idsOf(await get('/things?size=0')), [])
}, {}, things(25))

everySource('a page has a number and a size, or an offset and a limit, or skip and take', async ({ t, get }) => {
  for (const query of ['page=2&size=5', 'page=2&limit=5', 'offset=5&limit=5', 'skip=5&take=5', 'offset=5&size=5']) {
    t.strictSame(idsOf(await get(`/things?${query}`)), count(6, 10), query)
  }
  t.strictSame(idsOf(await get('/things?page=9')), [])
  t.strictSame(idsOf(await get('/things?offset=99')), [])
}, {}, things(25))

everySource('what names no page is 400', async ({ t, get }) => {
  for (const query of [
    'page=0', 'page=-1', 'page=1.5', 'page=x', 'page=', 'size=-1', 'size=1e2', 'size= 1', 'offset=x', 'page=1&offset=1',
    'page=1&page=1', 'size=1&limit=1', 'offset=1&skip=1', 'page=1&after=x', 'after=x&before=x', 'page=9007199254740991',
    'after=', 'after=x', 'after=WyJpZCJd', `after=${'A'.repeat(5000)}`
  ]) {
    const response = await get(`/things?${query}`)
    t.strictSame([response.statusCode, response.json().error], [400, 'invalid_page'], query)
  }
}, {}, things(25))

everySource('a last page has no next, a first page no prev', async ({ t, get }) => {
  t.strictSame(Object.keys(linksOf(await get('/things'))), ['next'])
  t.strictSame(Object.keys(linksOf(await get('/things?page=1'))), ['next'])
  t.strictSame(Object.keys(linksOf(await get('/things?page=2'))), ['first', 'prev', 'next'])
  t.strictSame(Object.keys(linksOf(await get('/things?page=3'))), ['first', 'prev'])
  t.strictSame(linksOf(await get('/things?rank=1&size=20')), {})
}, {}, things(25))

everySource('a link keeps the client\'s style and every other parameter', async ({ t, get }) => {
  t.strictSame(linksOf(await get('/things?page=2&size=5&rank!=null&sort=word+desc')), {
    first: 'http://localhost/things?size=5&rank!=null&sort=word%20desc&page=1',
    prev: 'http://localhost/things?size=5&rank!=null&sort=word%20desc&page=1',
    next: 'http://localhost/things?size=5&rank!=null&sort=word%20desc&page=3'
  })
  t.strictSame(linksOf(await get('/things?skip=12&take=5')), {
    first: 'http://localhost/things?take=5&offset=0',
    prev: 'http://localhost/things?take=5&offset=7',
    next: 'http://localhost/things?take=5&offset=17'
  })
  t.match(linksOf(await get('/things?where=(word=a|word=b)')),
    { next: /^http:\/\/localhost\/things\?where=\(word=a%7Cword=b\)&after=[\w-]+$/ })
}, {}, things(40))

const query = '/things?page=2&size=1&fields=id'
const [first, prev, next] = [1, 1, 3].map(page => `/things?size=1&fields=id&page=${page}`)
const links = (...named: ReadonlyArray<readonly [rel: string, path: string | undefined]>) =>
  named.map(([rel, path]) => `<http://localhost${path}>; rel="${rel}"`).join(', ')
const wrapped = { items: [{ id: 2 }], page: { first, prev, next, total: 3 } }
type ResponseContent = NonNullable<DataApiOptions['responseContent']>
const forms: ReadonlyArray<readonly [ResponseContent, body: unknown, link: string | undefined]> = [
  [{ pageLinks: 'wrapped' }, wrapped, undefined],
  [{ pageLinks: 'both' }, wrapped, links(['first', first], ['prev', prev], ['next', next])],
  [{ pageLinks: 'none' }, [{ id: 2 }], undefined],
  [{ previousLink: false }, [{ id: 2 }], links(['first', first], ['next', next])]
]

for (const [responseContent, body, link] of forms) {
  everySource(`links stand where the application wants them: ${JSON.stringify(responseContent)}`, async tools => {
    tools.same(await tools.get(query, { prefer: 'count=exact' }), 200, body, { link, 'x-total-count': '3' })
  }, { responseContent }, things(3))
}

everySource('a configured style is the style of links', async ({ t, get }) => {
  t.equal(linkOf(await get('/things'), 'next'), '/things?page=2')
}, { responseContent: { linkStyle: 'page' } }, things(25))

const sorts = [
  '', 'sort=rank', 'sort=word+desc&where=(word>=a|!(rank=99,id=*(1,2)))', 'sort=rank+desc', 'sort=word,rank+desc',
  'sort=word+desc,rank,id+desc', 'sort=id+desc'
]

everySource('next visits every item exactly once, in order, and prev leads back over the same pages', async tools => {
  const { get, t } = tools
  for (const sort of sorts) {
    const { pages, last } = await followLinks(get, `/things?${sort}&size=7`, 'next')
    t.strictSame(pages.flat().slice(0, 20), idsOf(await get(`/things?${sort}&offset=0&size=1000`)), sort)
    t.equal(new Set(pages.flat()).size, 40, sort)
    const back = await followLinks(get, linkOf(await get(last), 'prev'), 'prev')
    t.strictSame(back.pages, pages.slice(0, -1).reverse(), sort)
  }
}, {}, things(40))

everySource('while rows come and go, what stays is visited exactly once', async tools => {
  for (const sort of sorts) {
    const gone = new Set<number>()
    let fresh = 1000 + sorts.indexOf(sort) * 100
    const { pages } = await followLinks(tools.get, `/things?${sort}&size=5`, 'next', {}, async page => {
      // The very row that the next page's position was taken from goes as well.
      for (const id of [page * 5, page * 5 + 1]) {
        await tools.opened.remove('things', id)
        gone.add(id)
      }
      if (page < 10) await tools.opened.insert('things', thing(fresh++))
    })
    const visited = pages.flat().filter(id => id <= 40)
    tools.t.equal(new Set(visited).size, visited.length, `${sort}: none twice`)
    for (const id of count(1, 40).filter(id => !gone.has(id))) tools.t.ok(visited.includes(id), `${sort}: ${id}`)
    for (const id of gone) await tools.opened.insert('things', thing(id))
    for (const id of count(1000, fresh)) await tools.opened.remove('things', id)
  }
}, {}, things(40))

everySource('a position that does not fit the request\'s sort is 400', async ({ get, t }) => {
  const next = linkOf(await get('/things?sort=rank'), 'next') ?? ''
  t.match((await get(next.replace('sort=rank', 'sort=word'))).json(), { error: 'invalid_page', parameter: 'after' })
  for (const position of [
    ['id', 'x'], ['id', null], ['id', 1, 2], ['id'], ['rank,id', '1', 1], ['rank,id', {}, 1], ['word,id', 'a\0', 1]
  ]) {
    const sort = String(position[0]).replace(',id', '')
    t.equal((await get(
      `/things?sort=${sort}&after=${Buffer.from(JSON.stringify(position)).toString('base64url')}`
    )).statusCode, 400, JSON.stringify(position))
  }
}, {}, things(25))

const Hidden = Type.Object({
  id: Type.Integer({ identifier: true }), name: Type.String({ identifier: true, readable: true })
})

everySource('a position never holds a value that the client may not read', async ({ get, same }) => {
  same(await get('/hidden?size=2&sort=name+desc'), 200, [{ name: 'c' }, { name: 'b' }],
    { link: '<http://localhost/hidden?size=2&sort=name%20desc&offset=2>; rel="next"' })
}, {}, {
  tables: { hidden: [{ id: 7, name: 'a' }, { id: 8, name: 'b' }, { id: 9, name: 'c' }] },
  collections: source => ({ hidden: collection(Hidden, { source: source('hidden') }) })
})

everySource('Prefer: count=exact counts, and without it nothing is counted', async ({ get, request, same, t }) => {
  const counted = { 'x-total-count': '25', 'preference-applied': 'count=exact', vary: 'Accept, Prefer' }
  same(await get('/things?size=1&fields=id', { prefer: 'return=minimal, count="exact"' }), 200, [{ id: 1 }], counted)
  same(await get('/things?size=1&fields=id&page=25', { prefer: 'count=exact' }), 200, [{ id: 25 }], counted)
  same(await request({ method: 'HEAD', url: '/things', headers: { prefer: 'count=exact' } }), 200, '', counted)
  same(await get('/things?rank=1&size=1&fields=id', { prefer: 'count=exact' }), 200, [{ id: 1 }],
    { ...counted, 'x-total-count': '5' })
  same(await get('/things?size=1&fields=id'), 200, [{ id: 1 }],
    { 'x-total-count': undefined, 'preference-applied': undefined })
  const after = linkOf(await get('/things?size=20'), 'next') ?? ''
  for (const [url, total] of [[after, '25'], ['/things/by_word', '4'], ['/things/by_word?size=1', '4']] as const) {
    t.equal((await get(url, { prefer: 'count=exact' })).headers['x-total-count'], total, url)
  }
}, {}, things(25))

test('a collection may have no limit', async t => {
  const opened = openers.memory(things(1500).tables)
  const app = Fastify()
  await app.register(dataApi, {
    pages: { defaultSize: Infinity, maxSize: Infinity },
    collections: { things: collection(Thing, { source: opened.source('things') }) }
  })
  const response = await app.inject('/things')
  t.strictSame([response.json().length, response.headers.link], [1500, undefined])
  t.equal((await app.inject('/things?size=1200')).json().length, 1200)
})

const flags = { readable: true } as const
const Shelf = Type.Object({
  id: Type.Integer({ identifier: true, ...flags }),
  name: Type.String({ identifier: true, ...flags }),
  books: SubCollection('books', { foreignKey: 'shelfId', ...flags })
})
const Book = Type.Object({ id: Type.Integer({ identifier: true, ...flags }), shelfId: Type.Integer(flags) })
const lookalikes = [
  'a","books":[', 'a,"books":[1', 'a\\","books":', 'b,', 'b,\\', '"books":[]}', '\n},{"name":"c', '},{', '"},{"id":',
  '},{"', '},{"word', '\\"},{\\"', '\n', '],[', ',', '[{"id":1},{"id":2}]'
]

everySource('pages and links are right for texts that look like members, or like the border of two items', async ({
  t, get
}) => {
  for (const fields of ['id,name,books', 'name,books(id)', 'books(id),name', 'name', 'books(id)']) {
    for (const size of fields === 'name' ? [1, 2, 5, 20] : [1]) {
      const seen = await walkPages(get, `/shelves?sort=name&limit=${size}&fields=${fields}`)
      t.equal(seen.length, lookalikes.length, fields)
      if (fields === 'books(id)') continue
      t.strictSame(new Set(seen.map(({ name }) => name)), new Set(lookalikes), fields)
    }
  }
}, {}, {
  tables: {
    shelves: lookalikes.map((name, index) => ({ id: index + 1, name })),
    books: lookalikes.map((_, index) => ({ id: index + 1, shelfId: index + 1 }))
  },
  collections: source => ({
    shelves: collection(Shelf, { source: source('shelves') }), books: collection(Book, { source: source('books') })
  })
})
