import fc, { runsOf } from '../helpers/fast-check.ts'
import { Type } from '@sinclair/typebox'
import { test } from 'tap'
import { collection, memory } from '../../lib/index.ts'
import { operatorNames } from '../../lib/core/model/values.ts'
import { explore, plain, serve as serveArtists } from '../helpers/explorer-pages.ts'

// docs/explorer.md: Listings.

const shown = { readable: true } as const
const nullable = <T extends ReturnType<typeof Type.String>>(type: T) => Type.Union([type, Type.Null()], shown)
const Order = Type.Object({
  id: Type.Integer({ identifier: true, ...shown }),
  status: Type.Union([Type.Literal('open'), Type.Literal('packed')], shown),
  total: Type.Number(shown),
  mass: Type.Number(shown),
  exact: Type.String({ format: 'decimal', ...shown }),
  placedAt: Type.String({ format: 'date-time', ...shown }),
  dueOn: nullable(Type.String({ format: 'date' })),
  paid: Type.Boolean(shown),
  notes: nullable(Type.String()),
  tags: Type.Array(Type.String(), shown)
}, { description: 'What was ordered' })

const order = {
  id: 21077,
  status: 'open' as const,
  total: 20492.01,
  mass: 1.8981e27,
  exact: '0.30',
  placedAt: '2026-11-24T09:41:12.345Z',
  dueOn: '2026-12-01',
  paid: true,
  notes: 'Leave with the porter.',
  tags: ['cold']
}

async function serve () {
  const orders = collection(Order, {
    source: memory([
      order,
      {
        ...order, id: 21078, total: -1500.5, mass: 3, exact: '12345678901234567890.5', dueOn: null, notes: '', tags: []
      },
      { ...order, id: 21079, total: 7, mass: 0.5, notes: null, paid: false, status: 'packed' as const, tags: [''] }
    ])
  })
  const { get, page } = await explore({ collections: { orders } })
  return { get, page: async (url: string) => (await page(url)).replaceAll('\n', '') }
}

/** The cells of a column, as they stand in the page. */
const cells = (page: string, column: number) => [...page.matchAll(/<tr>(<th scope="row".*?)<\/tr>/g)]
  .map(([, row = '']) => row.match(/<t[hd].*?<\/t[hd]>/g)?.[column])

test('a listing begins with its name and description, and its table with what names its items', async t => {
  const { page } = await serve()
  const body = await page('/orders?fields=status,id')
  t.match(body, '<h1><bdi>orders</bdi></h1><p class="about">What was ordered</p>')
  const key = /<th scope="row" class="key num" aria-label="21077">.*<a href="\/orders\/21077"><bdi>21077</
  t.match(cells(body, 0)[0], key)
  t.equal(cells(body, 1)[0], '<td class="s"><span class="enum e1">open</span></td>')
})

test('numbers are grouped and aligned by style alone, so that what is copied is the value', async t => {
  const { page } = await serve()
  const body = await page('/orders?fields=id,total,mass,exact')
  t.strictSame(cells(body, 1), [
    '<td class="num"><span class="g">20</span>492.01</td>',
    '<td class="num" data-pad="0">-<span class="g">1</span>500.5</td>',
    '<td class="num" data-pad=".00">7</td>'
  ])
  t.equal(cells(body, 2)[0],
    '<td class="num"><span title="1.8981e+27">1.8981<i class="e">e+</i><sup>27</sup></span></td>')
  t.equal(cells(body, 3)[1]?.replaceAll(/<[^>]*>/g, ''), '12345678901234567890.5')
})

test('days and moments show the minute, and have all of their text to copy and in the title', async t => {
  const { page } = await serve()
  const body = await page('/orders?fields=id,placed_at,due_on')
  const { placedAt } = order
  t.equal(cells(body, 1)[0], `<td class=""><time datetime="${placedAt}" title="${placedAt}">2026-11-24` +
    '<i class="u">T</i><i>09:41</i><i class="u">:12.345Z</i></time></td>')
  t.strictSame(cells(body, 2).slice(0, 2), [
    '<td class=""><time datetime="2026-12-01">2026-12-01</time></td>',
    '<td class=""><span class="null">null</span></td>'
  ])
  t.match(body, 'aria-label="placed_at, UTC"')
})

test('null, an empty text and an empty list are seen, and differ', async t => {
  const { page } = await serve()
  const body = await page('/orders?fields=id,notes,tags,paid')
  const bare = (column: number) => cells(body, column).map(cell => cell?.replace(/^<td[^>]*>/, ''))
  t.strictSame(bare(1), [
    'Leave with the porter.</td>', '<span class="null">""</span></td>', '<span class="null">null</span></td>'
  ])
  t.strictSame(bare(2), [
    '<span class="tag">cold</span></td>', '<span class="null">[]</span></td>', '[&quot;&quot;]</td>'
  ])
  t.match(cells(body, 3)[2], '<span class="no">false</span>')
})

test('filters are a sentence, with groups, relations, null and lists', async t => {
  const { page } = await serve()
  const sentence = async (query: string) => {
    const [, text = ''] = /<div class="sentence"[^>]*>(.*?)<button class="quiet" popovertarget="filter"/
      .exec(await page(`/orders?${query}`)) ?? []
    return text.replaceAll(/<div popover.*?<\/form><\/div>|<[^>]*>/g, '').replaceAll(/\s+/g, ' ').trim()
  }
  for (const [query, words] of [
    ['status=open', 'wherestatus is open'],
    ['status=*open,packed&total>=1000', 'wherestatus is one of open or packedandtotal is at least 1000'],
    ['where=(total>1|paid=true)', 'wheretotal is greater than 1 or paid is true'],
    ['where=!(notes^=L,paid=true)', 'wherenot notes starts with L and paid is true'],
    ['notes=null', 'wherenotes is null'],
    ['notes="null"', 'wherenotes is &quot;null&quot;'],
    ['notes=', 'wherenotes is &quot;&quot;'],
    ['placed_at<2027-01-01T00:00:00Z', 'whereplaced_at is before 2027-01-01T00:00:00Z']
  ] as const) t.equal(await sentence(query), words, query)
})

test('the form of a filter leads back to the same filter', async t => {
  const { get } = await serve()
  const texts = fc.constantFrom('open', 'null', 'a,b', '"', 'x y', '(', '', '\\', '2026-11-24T09:41:00Z')
  await fc.assert(fc.asyncProperty(fc.constantFrom(...operatorNames), texts, async (operator, value) => {
    const typed = /^(not_)?in$/.test(operator) ? `"${value.replaceAll(/["\\]/g, '\\$&')}"` : value
    const asked = { _query: '', _field: 'notes', _operator: operator, _value: typed }
    const made = await get(`/orders?${new URLSearchParams(asked)}`)
    const url = String(made.location)
    const { body } = await get(url)
    const [, form = ''] = /<div popover id="f0">.*?<form[^>]*>([^]*?)<\/form>/s.exec(body) ?? []
    const inputs = [...form.matchAll(/name="(\w+)"(?:[^>]*?) value="([^"]*)"/g)].map(([, name = '', text = '']) =>
      [name, plain(text)] as [string, string])
    const [, chosen = ''] = /<option value="(\w+)" selected>/.exec(form) ?? []
    const again = await get(`/orders?${new URLSearchParams([...inputs, ['_operator', chosen]])}`)
    const bare = (text: string) => decodeURIComponent(text).replaceAll(/["\\]/g, '')
    t.equal(bare(String(again.location)), bare(url))
  }), { numRuns: runsOf(60) })
})

test('a column is sorted by, then by another, filtered by and hidden', async t => {
  const { get, page } = await serve()
  const body = await page('/orders?sort=status&_show=compact')
  const [, menu = ''] = /aria-label="More for total"><\/button><\/span><div popover[^>]*>(.*?)<\/div>/.exec(body) ?? []
  const links = [...menu.matchAll(/href="([^"]*)">([^<]*)/g)]
    .map(([, url = '', text]) => [text, url.replaceAll('&amp;', '&')])
  t.strictSame(Object.fromEntries(links), {
    'Sort ascending': '/orders?_show=compact&sort=total',
    'Sort descending': '/orders?_show=compact&sort=total+desc',
    'Then sort by this': '/orders?_show=compact&sort=status,total',
    'Filter…': '/orders?sort=status&_show=compact&_filter=total',
    'Values with counts': '/orders?sort=status&_show=compact&_facet=total',
    'Hide this column':
      '/orders?sort=status&_show=compact&fields=id,status,mass,exact,placed_at,due_on,paid,notes,tags'
  })
  for (const [, url = ''] of links) t.equal((await get(url)).status, 200, url)
  t.match(await page('/orders?sort=status,total'), /▲1<.*▲2</)
})

test('the density of a table is kept by links and forms, and is no part of the request', async t => {
  const { get, page } = await serve()
  const body = await page('/orders?_show=compact&size=1')
  t.match(body, '<table data-rows class="compact">')
  t.match(body, /href="[^"]*_show=compact[^"]*" rel="next"/)
  t.match(body, 'href="/orders?size=1&amp;format=json"')
  t.match(body, /<pre tabindex="0">curl[^<]*\/orders\?size=1&#39;</)
  t.equal((await get('/orders?_query=size%3D2&_show=compact')).location, '/orders?size=2&_show=compact')
  t.match(await page('/orders?_show=x'), '<table data-rows class="">')
})

test('an enum is filtered by boxes, a moment by a date and a time in UTC', async t => {
  const { get, page } = await serve()
  const body = await page('/orders?_filter=status')
  t.match(body, /<form class="asks"[^>]*>.*<input type="checkbox" name="_row" value="packed">/)
  for (const [form, location] of [
    ['_field=status&_operator=not_in&_row=open', '?status!=*open'],
    ['_field=status&_operator=null&_row=open', '?status=null'],
    ['_field=placed_at&_operator=at_least&_value=2026-11-01T00:00', '?placed_at%3E=2026-11-01T00:00:00Z']
  ] as const) {
    t.equal((await get(`/orders?_query=&${form}`)).location, `/orders${location}`, form)
  }
  t.match(await page('/orders?_filter=placed_at'), 'type="datetime-local" step="1"')
})

test('JSON is filtered by whether it has a value, and by nothing else', async t => {
  const Doc = Type.Object({
    id: Type.Integer({ identifier: true, ...shown }), meta: Type.Optional(Type.Unknown({ ...shown, listed: true }))
  })
  const docs = collection(Doc, { source: memory([{ id: 1, meta: { a: 1 } }, { id: 2, meta: null }]) })
  const { get, page } = await explore({ collections: { docs } })
  const [, form = ''] = /<form class="asks"([^]*?)<\/form>/.exec(await page('/docs?_filter=meta')) ?? []
  t.strictSame([...form.matchAll(/<option value="(\w+)">([^<]*)/g)].map(([, value, text]) => [value, text]),
    [['null', 'has no value'], ['not_null', 'has a value']])
  t.notMatch(form, '_value')
  const { location } = await get('/docs?_query=&_field=meta&_operator=not_null')
  t.equal(location, '/docs?meta!=null')
  const body = await page(String(location))
  t.match(body, '<option value="not_null" selected>')
  t.strictSame([body.includes('href="/docs/1"'), body.includes('href="/docs/2"')], [true, false])
  t.match(body, '_filter=meta')
  t.notMatch(body, '_facet=meta')
})

test('the style sheet is kept for ever under its name, and not under another', async t => {
  const { get } = await serveArtists()
  const { body } = await get('/api/artists')
  const [, url = ''] = /<link rel="stylesheet" href="([^"]+)">/.exec(body) ?? []
  t.match(url, /^\/api\/\?_style=[\w-]{16}$/)
  const asked = { accept: 'text/css,*/*;q=0.1' }
  const { status, headers, body: style } = await get(url, asked)
  t.strictSame([status, headers['content-type'], headers['cache-control'], headers['x-content-type-options']],
    [200, 'text/css; charset=utf-8', 'public, max-age=31536000, immutable', 'nosniff'])
  t.ok(Buffer.byteLength(style) < 28_000, `${Buffer.byteLength(style)} bytes`)
  t.notMatch(style, /url\(|@import/)
  const other = await get('/api?_style=x', asked)
  t.strictSame([other.body, other.headers['cache-control']], [style, 'no-store'])
  const { get: getPlain } = await serveArtists({ explorer: false })
  t.equal((await getPlain(url, asked)).status, 400)
})

// Columns of related items.

test('a column of sub-items sorts by their names', async t => {
  const { page } = await serveArtists()
  const url = '/api/albums?fields=title,artist'
  t.match(await page(url), `href="${url}&amp;sort=artist.name"`)
  const sorted = await page(`${url}&sort=artist.name`)
  t.match(sorted, 'aria-sort="ascending"')
  t.match(sorted, `href="${url}&amp;sort=artist.name+desc"`)
  t.notMatch(await page('/api/artists?fields=name,albums'), 'sort=albums')
})

test('numbers and other functions of related items are columns, which sort', async t => {
  const { get, page } = await serveArtists()
  const url = '/api/artists?fields=name,albums.count(),albums.title.max()'
  for (const name of ['albums.count()', 'albums.title.max()']) {
    const { body, text } = await get(url)
    t.ok(text.includes(name))
    t.ok(body.includes(`href="${url}&amp;sort=${name}"`))
    const box = `<input type="checkbox" name="_column" value="${name}" checked>`
    t.ok(body.replaceAll(/\s+/g, ' ').includes(box))
    t.ok((await page(`${url}&sort=${name}`)).includes(`href="${url}&amp;sort=${name}+desc"`))
  }
  t.match(await page(url), /<a class="ref" href="[^"]*\/albums">\d+<\/a>/)
  const { location } = await get('/api/artists?_query=fields%3Dname,albums(title)&_column=name&_column=albums.count()')
  t.equal(location, '/api/artists?fields=name,albums.count()')
  const item = await page('/api/artists/2?fields=albums.title.max(),albums.count()')
  t.match(item, '<dt><bdi>albums.count()</bdi></dt><dd><a class="ref" href="/api/artists/2/albums">1</a>')
  t.match(item, /<dt><bdi>albums\.title\.max\(\)<\/bdi><\/dt><dd>(?:<[^>]+>)?\w+/)
})

test('a dictionary of groups shows their numbers', async t => {
  const { get } = await serveArtists()
  t.match((await get('/api/artists/by_active?fields=count()')).text, /false\s*2\s*true\s*1/)
})
