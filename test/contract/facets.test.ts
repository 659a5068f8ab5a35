import { boss, rule } from '../fixtures/company.ts'
import { everySource } from '../helpers/every-source.ts'

// docs/http.md: Groups. A dictionary of groups has an object of values for each.

everySource('a dictionary of groups shows values in place of items', async ({ get, same, t }) => {
  same(await get('/albums/by_year?fields=count()'), 200, {
    1971: { count: 2 }, 1972: { count: 1 }, 2010: { count: 1 }, 2016: { count: 1 }
  })
  t.equal((await get('/albums/by_genre?fields=count()')).body, '{"bass":{"count":2},"rock":{"count":2}}')
  t.equal((await get('/albums/by_genre?fields=count()&sort=-genre')).body, '{"rock":{"count":2},"bass":{"count":2}}')
  t.equal((await get('/albums/by_year?fields=count()&sort=-count(),-year&limit=2')).body,
    '{"1971":{"count":2},"2016":{"count":1}}')
  same(await get('/albums/by_genre?fields=count(),year.max(),artist.age.max()&year<2011'), 200, {
    bass: { count: 1, year: { max: 2010 }, artist: { age: { max: 23 } } },
    rock: { count: 2, year: { max: 1972 }, artist: { age: { max: 58 } } }
  })
  same(await get('/artists/1/albums/by_genre?fields=count()&tracks.count()>1'), 200, { bass: { count: 1 } })
  same(await get('/albums/by_year?fields=year.sum()&count()>1'), 200, { 1971: { year: { sum: 3942 } } })
  same(await get('/albums/by_year?fields=count()&size=1&page=2', { prefer: 'count=exact' }), 200,
    { 1972: { count: 1 } }, { 'x-total-count': '4' })
  same(await get('/albums/by_year?fields=count()&year>3000'), 200, {})
  const first = await get('/albums/by_year?fields=count()&size=2')
  const next = /<[^>]*?(\/albums[^>]*)>; rel="next"/.exec(String(first.headers.link))?.[1] ?? ''
  t.equal(next, '/albums/by_year?fields=count()&size=2&offset=2')
  same(await get(next), 200, { 2010: { count: 1 }, 2016: { count: 1 } })
})

everySource('the numbers are those of the lists', async ({ get, t }) => {
  for (const by of ['artists/by_age', 'artists/by_http_listener', 'artists/by_score', 'tracks/by_seconds']) {
    const lists = (await get(`/${by}?fields=id`)).json<Record<string, readonly unknown[]>>()
    const expected = Object.fromEntries(Object.entries(lists).map(([name, { length }]) => [name, { count: length }]))
    t.strictSame((await get(`/${by}?fields=count()`)).json(), expected, by)
  }
})

everySource('elsewhere count() needs a relation', async ({ get, t }) => {
  const others = ['/albums/1?fields=count()', '/artists/by_name?fields=count()', '/artists/1?fields=albums(count())']
  for (const url of others) {
    t.match((await get(url)).json(), { error: 'invalid_fields', message: /^'count\(\)' makes groups/ }, url)
  }
  for (const url of ['/albums/by_year?fields=count(),id', '/albums/by_year?fields=id,count()']) {
    const message = "'id' cannot be selected here: the groups of this dictionary are those of 'year'."
    t.match((await get(url)).json(), { error: 'invalid_fields', message }, url)
  }
})

rule('a caller counts what it may see', async ({ get, same }) => {
  same(await get('/labels/by_owner?fields=count()', boss), 200, { 1: { count: 1 } })
  same(await get('/projects/by_team_id?fields=count()', { 'x-team': '1' }), 200, { 1: { count: 2 } })
})
