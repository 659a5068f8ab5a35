import { Type } from '@sinclair/typebox'
import { test } from 'tap'
import { collection, memory } from '../../lib/index.ts'
import { explore, plain } from '../helpers/explorer-pages.ts'

// docs/explorer.md: Listings, What a page has. What stands around a listing: counts, neighbours, and its rows.

const shown = { readable: true, writable: true } as const
const Order = Type.Object({
  id: Type.Integer({ identifier: true, readable: true }),
  status: Type.Union([Type.String(), Type.Null()], shown),
  total: Type.Integer(shown),
  owner: Type.String({ default: 'a' })
})
const statuses = ['open', 'open', 'open', 'a,"b', null, '', 'packed', 'packed']

const rows = Array.from({ length: 12_000 }, (_, index) => ({
  id: index + 1,
  status: index < statuses.length ? statuses[index] ?? null : 'old',
  total: index,
  owner: index === 3 ? 'b' : 'a'
}))
const source = memory(rows, { statementTimeout: 10_000 })
const { app, get, page: htmlOf } = await explore({
  collections: { orders: collection(Order, { source, scope: () => ({ owner: 'a' }) }) }
})
const page = async (url: string) => plain(await htmlOf(url))

/** Returns the values of facets with their numbers, and the links of each. */
const facetsIn = (body: string) =>
  [...body.matchAll(/<li><a href="([^ ]*)"( aria-current="true")?><span><bdi>(.*?)<\/bdi><\/span><span[^>]*>(\d+)/g)]
    .map(([, href, current, value, count]) => ({ href, value, count, isChosen: current !== undefined }))

test('values are counted less the filter of their own field, and each is a link that adds or removes it', async t => {
  const none = facetsIn(await page('/orders?total<8&_facet=status'))
  t.strictSame(none.map(({ value, count }) => [value, count]),
    [['open', '3'], ['packed', '2'], ['""', '1'], ['null', '1']])
  const body = await page('/orders?total<8&status=open&_facet=status')
  t.strictSame(facetsIn(body).map(({ value, count, isChosen }) => [value, count, isChosen]),
    [['open', '3', true], ['packed', '2', false], ['""', '1', false], ['null', '1', false]])
  const [open, packed, empty, nothing] = facetsIn(body).map(({ href = '' }) => href)
  t.equal(open, '/orders?total<8&_facet=status'.replace('<', '%3C'))
  t.equal(packed, '/orders?total%3C8&_facet=status&status=*open,packed')
  for (const [href = '', ids] of [[packed, '1,2,3,7,8'], [empty, '1,2,3,6'], [nothing, '5']]) {
    const { body } = await app.inject(href.replace('&_facet=status', ''))
    const found = JSON.parse(body) as Array<{ id: number }>
    t.equal(found.map(({ id }) => id).join(), ids, href)
  }
  t.match(body, /<a class="x" href="\/orders\?total%3C8&status=open" aria-label="Hide the values of status">/)
  t.match(body, /<rect width="67%"/)
  t.notMatch(await page('/orders?_facet=owner'), 'class="facets"')
  t.notMatch(await page('/orders?_facet=id'), 'class="facets"', 'of too many values nothing is counted')
})

test('links keep what is counted; JSON, CSV and code leave it out', async t => {
  const body = await page('/orders?_facet=status&size=2')
  t.match(body, 'href="/orders?_facet=status&size=2&sort=total"')
  t.match(body, 'href="/orders?size=2&format=json"')
  const { location } = await get('/orders?_query=total<5&_facet=status')
  t.equal(location, '/orders?total%3C5&_facet=status')
})

test('a filter that a form changes stays in its place', async t => {
  const body = await page('/orders?total<9&status=open&sort=id')
  t.match(body, /name="_query" value="total%3C9&status=open&sort=id"><input type="hidden" name="_at" value="1">/)
  const asked = '/orders?_query=total<9%26status%3Dopen%26sort%3Did&_at=0&_field=total&_operator=less'
  t.equal((await get(`${asked}&_value=5`)).location, '/orders?total%3C5&status=open&sort=id')
  t.equal((await get(asked)).location, '/orders?status=open&sort=id')
})

test('a new filter can be an alternative to the one before it', async t => {
  const asked = '&_field=total&_operator=less&_value=9&_or='
  for (const [query, changed] of [
    ['status=open', 'where=(status="open"|total<"9")'],
    ['id>7&status=open', 'id>7&where=(status="open"|total<"9")'],
    ['where=(status=open|id<3)', 'where=(status="open"|id<"3"|total<"9")'],
    ['where=(status=open,id<3)', 'where=((status="open",id<"3")|total<"9")'],
    ['where=!(status="a,\\"b|)")', 'where=(!(status="a,\\"b|)")|total<"9")'],
    ['status=null', 'where=(status=null|total<"9")'], ['status="null"', 'where=(status="null"|total<"9")'],
    ['status=*open,a(b', 'where=(status=*("open","a(b")|total<"9")'], ['sort=id', 'sort=id&total<9']
  ] as const) {
    const { location = '' } = await get(`/orders?_query=${encodeURIComponent(query)}${asked}`)
    t.equal(decodeURIComponent(location), `/orders?${changed}`, query)
    t.equal((await get(location)).status, 200, query)
  }
  t.match(await page('/orders?status=open&_filter=total'), '<button name="_or">')
  t.notMatch(await page('/orders?_filter=total'), 'name="_or"')
})

test('a page tells which rows it has, and of how many', async t => {
  for (const [query, range] of [
    ['size=50&_count', '<b>1–50</b> of <b><span class="g">11</span>999</b>'],
    ['size=50&page=3', '<b>101–150</b> on this page'],
    ['size=50&offset=10000', '<b><span class="g">10</span>001–<span class="g">10</span>050</b> on this page'],
    ['total=0', '1 row</span>']
  ] as const) t.match(await page(`/orders?${query}`), `<span>${range}`, query)
  const [, next = ''] = /href="([^"]*)" rel="next"/.exec(await page('/orders?size=50&sort=id')) ?? []
  t.match(await page(next), /<span>(50 rows|<b>51–100<\/b>) on this page/)
})

test('a page without items says how many there are without each of its filters', async t => {
  const body = await page('/orders?status=open&total>5')
  t.match(body, 'No item is all of this.')
  t.match(body, /<a href="\/orders\?total%3E5">Without <bdi>status<\/bdi> <i>is<\/i> .*<\/a>: 11994</)
  t.match(body, /<a href="\/orders\?status=open">Without <bdi>total<\/bdi>.*<\/a>: 3</)
})

test('an item that is not there is 404 with its neighbours, of those that the caller may see', async t => {
  for (const id of [4, 12_001]) {
    const { status, body } = await get(`/orders/${id}`)
    t.equal(status, 404)
    t.match(body, 'is not for you to see')
    t.strictSame([...body.matchAll(/<th scope="row"[^>]*><a href="\/orders\/(\d+)"/g)].map(([, one]) => one),
      id === 4 ? ['3', '5', '6'] : ['12000'])
  }
  for (const path of ['/orders/x', '/orders/by_status/zz', '/orders/4/total', '/orders/1,2']) {
    t.notMatch(await page(path), 'Near it', path)
  }
  t.equal((await app.inject('/orders/4')).statusCode, 404)
})

test('groups have the bars of their numbers', async t => {
  const body = await page('/orders?total<8&fields=status,count()&sort=-count()')
  t.match(body, /<div class="sum"><svg[^>]*><rect width="67%".*?<a class="ref" href="[^"]*=packed">2</)
  t.notMatch(await page('/orders?fields=total,count()&size=50'), '<svg aria-hidden')
})
