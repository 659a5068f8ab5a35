import { Type } from '@sinclair/typebox'
import type { LightMyRequestResponse } from 'fastify'
import Fastify from '../helpers/fastify.ts'
import { test } from 'tap'
import dataApi, { collection, SubCollection } from '../../lib/index.ts'
import { everySource, type Tools, type World } from '../helpers/every-source.ts'
import { openers } from '../helpers/sources.ts'
import { walkPages } from '../helpers/walk-pages.ts'

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
const idsOf = (response: LightMyRequestResponse): number[] => response.json().map(({ id }: { id: number }) => id)
const count = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, n) => from + n)

everySource('a listing is one page, of the default size where none is asked for, of the largest at most', async ({
  t, get
}) => {
  t.strictSame(idsOf(await get('/things')), count(1, 10))
  t.strictSame(idsOf(await get('/things?size=1000')), count(1, 20))
  t.strictSame(idsOf(await get('/things?size=0')), [])
}, {}, things(25))

everySource('a page has a number and a size, or an offset and a limit, or skip and take', async ({ t, get }) => {
  for (const query of ['page=2&size=5', 'page=2&limit=5', 'offset=5&limit=5', 'skip=5&take=5', 'offset=5&size=5']) {
    t.strictSame(idsOf(await get(`/things?${query}`)), count(6, 10), query)
  }
  t.strictSame(idsOf(await get('/things?page=9')), [])
  t.strictSame(idsOf(await get('/things?offset=99')), [])
}, {}, things(25))

const borders = ['},{', '"},{"id":', '},{"', '},{"word', '\\"},{\\"', '\n', '],[', ',', '[{"id":1},{"id":2}]']
const Bordering = Type.Object({
  word: Type.String({ identifier: true, readable: true }),
  id: Type.Integer({ readable: true }),
  last: Type.String({ readable: true })
})

everySource('a text that looks like the border between two items parts none', async ({ t, get }) => {
  for (let size = 1; size <= borders.length; size++) {
    const words: string[] = []
    for (let url: string | undefined = `/bordering?sort=id+desc&size=${size}`; url !== undefined;) {
      const page = await get(url)
      for (const { word, last } of page.json<ReadonlyArray<{ word: string, last: string }>>()) {
        words.push(`${word} ${last}`)
      }
      const { next, prev } = linksOf(page)
      if (prev !== undefined) t.equal(idsOf(await get(prev)).length, size)
      url = next
    }
    t.strictSame(words, borders.map(border => `${border} ${border}`).toReversed(), String(size))
  }
}, {}, {
  tables: { bordering: borders.map((border, id) => ({ word: border, id, last: border })) },
  collections: source => ({ bordering: collection(Bordering, { source: source('bordering') }) })
})

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

everySource('a configured style is the style of links', async ({ t, get }) => {
  t.strictSame(linksOf(await get('/things')), { next: 'http://localhost/things?page=2' })
}, { responseContent: { linkStyle: 'page' } }, things(25))

everySource('wrapped pages hold their items and relative links', async ({ same, get }) => {
  same(await get('/things?page=2&size=2&fields=id'), 200, {
    items: [{ id: 3 }, { id: 4 }],
    page: {
      first: '/things?size=2&fields=id&page=1',
      prev: '/things?size=2&fields=id&page=1',
      next: '/things?size=2&fields=id&page=3'
    }
  }, { link: undefined })
  same(await get('/things?page=3&size=12&fields=id'), 200, {
    items: [{ id: 25 }], page: { first: '/things?size=12&fields=id&page=1', prev: '/things?size=12&fields=id&page=2' }
  })
}, { responseContent: { pageLinks: 'wrapped' } }, things(25))

everySource('both, or neither, or none that lead back', async ({ same, get }) => {
  same(await get('/things?size=1&fields=id&page=1'), 200, {
    items: [{ id: 1 }], page: { next: '/things?size=1&fields=id&page=2' }
  }, { link: '<http://localhost/things?size=1&fields=id&page=2>; rel="next"' })
}, { responseContent: { pageLinks: 'both' } }, things(3))

everySource('without links there are none', async ({ same, get }) => {
  same(await get('/things?size=1&fields=id'), 200, [{ id: 1 }], { link: undefined })
}, { responseContent: { pageLinks: 'none' } }, things(3))

everySource('previous links can be switched off', async ({ t, get }) => {
  t.strictSame(Object.keys(linksOf(await get('/things?page=2&size=1'))), ['first', 'next'])
}, { responseContent: { previousLink: false } }, things(3))

async function follow (
  { get }: Tools, start: string, rel: string, between: (page: number) => void | Promise<void> = () => {}
): Promise<number[][]> {
  const pages: number[][] = []
  for (let url: string | undefined = start; url !== undefined;) {
    const response: LightMyRequestResponse = await get(asBrowser(url))
    pages.push(idsOf(response))
    await between(pages.length)
    url = linksOf(response)[rel]
  }
  return pages
}

/** A link as a browser sends it when it is pasted there. */
function asBrowser (link: string): string {
  const { pathname, search } = new URL(link, 'http://localhost')
  return pathname + search
}

const sorts = [
  '', 'sort=rank', 'sort=word+desc&where=(word>=a|!(rank=99,id=*(1,2)))', 'sort=rank+desc', 'sort=word,rank+desc',
  'sort=word+desc,rank,id+desc', 'sort=id+desc'
]

everySource('next visits every item exactly once, in order, and prev leads back over the same pages', async tools => {
  for (const sort of sorts) {
    const [whole = []] = await follow({ ...tools, get: url => tools.get(url, { accept: 'application/json' }) },
      `/things?${sort}&offset=0&size=1000`, 'none')
    const pages = await follow(tools, `/things?${sort}&size=7`, 'next')
    tools.t.strictSame(pages.flat().slice(0, 20), whole, sort)
    tools.t.equal(new Set(pages.flat()).size, 40, sort)
    const last = await tools.get((await lastUrl(tools, `/things?${sort}&size=7`)))
    const back = await follow(tools, linksOf(last)['prev'] ?? '', 'prev')
    tools.t.strictSame(back, pages.slice(0, -1).reverse(), sort)
  }
}, {}, things(40))

async function lastUrl ({ get }: Tools, start: string): Promise<string> {
  let url = start
  for (;;) {
    const next = linksOf(await get(url))['next']
    if (next === undefined) return url
    url = asBrowser(next)
  }
}

everySource('while rows come and go, what stays is visited exactly once', async tools => {
  for (const sort of sorts) {
    const gone = new Set<number>()
    let fresh = 1000 + sorts.indexOf(sort) * 100
    const pages = await follow(tools, `/things?${sort}&size=5`, 'next', async page => {
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
  const { next = '' } = linksOf(await get('/things?sort=rank'))
  t.match((await get(next.replace('sort=rank', 'sort=word').replace('http://localhost', ''))).json(),
    { error: 'invalid_page', parameter: 'after' })
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
  const after = linksOf(await get('/things?size=20'))['next']?.replace('http://localhost', '') ?? ''
  t.equal((await get(after, { prefer: 'count=exact' })).headers['x-total-count'], '25')
  t.equal((await get('/things/by_word', { prefer: 'count=exact' })).headers['x-total-count'], '4')
  t.equal((await get('/things/by_word?size=1', { prefer: 'count=exact' })).headers['x-total-count'], '4')
}, {}, things(25))

everySource('a wrapped page holds the count', async ({ get, same }) => {
  same(await get('/things?size=1&fields=id', { prefer: 'count=exact' }), 200,
    { items: [{ id: 1 }], page: { next: '/things?size=1&fields=id&after=WyJpZCIsMV0', total: 3 } })
}, { responseContent: { pageLinks: 'wrapped' } }, things(3))

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
  await app.close()
})

const flags = { readable: true } as const
const Shelf = Type.Object({
  id: Type.Integer({ identifier: true, ...flags }),
  name: Type.String(flags),
  books: SubCollection('books', { foreignKey: 'shelfId', ...flags })
})
const Book = Type.Object({ id: Type.Integer({ identifier: true, ...flags }), shelfId: Type.Integer(flags) })
const lookalikes = ['a","books":[', 'a,"books":[1', 'a\\","books":', 'b,', 'b,\\', '"books":[]}', '\n},{"name":"c']

everySource('the links of items with nested members are right for texts that look like such members', async ({
  t, app
}) => {
  for (const fields of ['name,books(id)', 'books(id),name', 'id,name,books', 'books(id)']) {
    const seen = await walkPages(app, `/shelves?sort=name&limit=1&fields=${fields}`)
    t.equal(seen.length, lookalikes.length, fields)
    if (fields === 'books(id)') continue
    t.strictSame(new Set(seen.map(({ name }) => name)), new Set(lookalikes), fields)
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
