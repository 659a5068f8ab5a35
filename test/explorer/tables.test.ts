import { test } from 'tap'
import { serve } from '../helpers/explorer-pages.ts'

// docs/explorer.md: Listings. Columns of related items.

test('a column of sub-items sorts by their names', async t => {
  const { get } = await serve()
  const { body } = await get('/api/albums?fields=title,artist')
  t.ok(body.includes('href="/api/albums?fields=title,artist&amp;sort=artist.name"'))
  const sorted = await get('/api/albums?fields=title,artist&sort=artist.name')
  t.match(sorted.body, 'aria-sort="ascending"')
  t.ok(sorted.body.includes('href="/api/albums?fields=title,artist&amp;sort=artist.name+desc"'))
  t.notMatch((await get('/api/artists?fields=name,albums')).body, 'sort=albums')
})

test('a table has the numbers of related items as columns, which sort', async t => {
  const { get } = await serve()
  const { text, body } = await get('/api/artists?fields=name,albums.count()')
  t.match(text, 'albums.count()')
  t.ok(body.includes('href="/api/artists?fields=name,albums.count()&amp;sort=albums.count()"'))
  t.match(body, /<input type="checkbox" name="_column" value="albums.count\(\)"\s+checked>/)
  t.match(body, /<a class="ref" href="[^"]*\/albums">\d+<\/a>/)
  const { headers } = await get('/api/artists?_query=fields%3Dname,albums(title)&_column=name&_column=albums.count()')
  t.equal(headers.location, '/api/artists?fields=name,albums.count()')
  t.match((await get('/api/artists/2?fields=name,albums.count()')).body,
    '<dt><bdi>albums.count()</bdi></dt><dd><a class="ref" href="/api/artists/2/albums">1</a>')
})

test('other functions of related items are columns too', async t => {
  const { get } = await serve()
  const url = '/api/artists?fields=name,albums.count(),albums.title.max()'
  const { text, body } = await get(`${url}&sort=albums.title.max()`)
  t.match(text, 'albums.title.max()')
  t.ok(body.includes(`href="${url}&amp;sort=albums.title.max()+desc"`))
  for (const name of ['albums.count()', 'albums.title.max()']) {
    t.ok(new RegExp(`value="${name.replaceAll(/[()]/g, '\\$&')}"\\s+checked>`).test(body), name)
  }
  t.match((await get('/api/artists/2?fields=albums.title.max(),albums.count()')).body,
    /<dt><bdi>albums\.title\.max\(\)<\/bdi><\/dt><dd>(?:<[^>]+>)?\w+/)
})

test('a dictionary of groups shows their numbers', async t => {
  const { get } = await serve()
  const { status, text } = await get('/api/artists/by_active?fields=count()')
  t.equal(status, 200)
  t.match(text, /false\s*2\s*true\s*1/)
})
