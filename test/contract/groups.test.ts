import { Type } from '@sinclair/typebox'
import { collection } from '../../lib/index.ts'
import { boss, rule } from '../fixtures/company.ts'
import { everySource } from '../helpers/every-source.ts'
import { refusals } from '../helpers/refusals.ts'
import { counted, linkOf } from '../helpers/walk-pages.ts'

// docs/http.md: Groups

everySource('a function of the items makes groups of the other fields', async ({ get, same, t }) => {
  same(await get('/albums?fields=count()'), 200, [{ count: 5 }])
  same(await get('/albums?fields=count(),year.sum(),year.avg(),title.max(),genre.count()&year>3000'), 200,
    [{ count: 0, year: { sum: null, avg: null }, title: { max: null }, genre: { count: 0 } }])
  same(await get('/albums?fields=genre,count()&year>3000'), 200, [])
  t.equal((await get('/albums?fields=count(),genre,year.min(),year.max()')).body, '[' + [
    '{"count":2,"genre":"bass","year":{"min":2010,"max":2016}}',
    '{"count":2,"genre":"rock","year":{"min":1971,"max":1972}}',
    '{"count":1,"genre":null,"year":{"min":1971,"max":1971}}'
  ].join(',') + ']')
  same(await get('/albums?fields=artist(name,age),count(),year.avg()&sort=-artist.age,artist.name'), 200, [
    { artist: { name: '10', age: 58 }, count: 1, year: { avg: 1971 } },
    { artist: { name: 'Can', age: 58 }, count: 2, year: { avg: 1971.5 } },
    { artist: { name: 'Noisia', age: 23 }, count: 2, year: { avg: 2013 } }
  ])
  same(await get('/artists?fields=label(name,owner(name)),count()'), 200, [
    { label: { name: 'Spoon', owner: { name: 'Can' } }, count: 1 },
    { label: { name: 'Vision', owner: { name: 'Noisia' } }, count: 1 },
    { label: null, count: 8 }
  ])
  same(await get('/artists/1/albums?fields=count(),genre.count_distinct()'), 200,
    [{ count: 2, genre: { count_distinct: 1 } }])
  same(await get('/albums/by_genre/rock?fields=artist.label.name.max()'), 200,
    [{ artist: { label: { name: { max: 'Spoon' } } } }])
  same(await get('/artists?fields=score.sum(),score.min(),album_count.sum(),http_listener.count_distinct()'), 200,
    [{ score: { sum: 1e21, min: -1.5 }, album_count: { sum: 5 }, http_listener: { count_distinct: 2 } }])
})

everySource('filters of functions choose groups, all others items', async ({ get, same }) => {
  const genres = async (query: string, ...found: readonly (string | null)[]) => {
    same(await get(`/albums?fields=genre,count()&${query}`), 200,
      found.map(genre => ({ genre, count: genre === null ? 1 : 2 })))
  }
  await genres('count()>1', 'bass', 'rock')
  await genres('count()=1', null)
  await genres('year.sum()>3942&count()>1', 'bass', 'rock')
  await genres('where=(count()=1|year.max()=2016)', 'bass', null)
  await genres('where=!(count()=1,year.max()=1971)', 'bass', 'rock')
  await genres('where=(year.max()<2000,count()=2,(id<5,artist.name=Can))', 'rock')
  await genres('year.avg()=*1971.5,2013', 'bass', 'rock')
  await genres('year.avg()!=*1971.5,2013', null)
  await genres('title.min()^=Eg', 'rock')
  await genres('year.sum()>4e3', 'bass')
  await genres('genre.max()=null', null)
  await genres('genre.max()!=rock', 'bass', null)
  same(await get('/albums?fields=genre,count()&count()>1&artist.name=Can'), 200, [{ genre: 'rock', count: 2 }])
})

everySource('groups have an order, pages, counts and streams', async ({ get, same, t }) => {
  const years = async (sort: string, ...found: readonly number[]) => {
    same(await get(`/albums?fields=year,count()&sort=${sort}`), 200,
      found.map(year => ({ year, count: year === 1971 ? 2 : 1 })))
  }
  await years('-count()', 1971, 1972, 2010, 2016)
  await years('count(),-year', 2016, 2010, 1972, 1971)
  await years('-genre.max()', 1971, 1972, 2010, 2016)
  await years('genre.max()+desc,title.min()', 1972, 1971, 2016, 2010)
  const page = await get('/albums?fields=year,count()&size=1', counted)
  same(page, 200, [{ year: 1971, count: 2 }], { 'x-total-count': '4' })
  t.equal(page.headers.link, '<http://localhost/albums?fields=year,count()&size=1&offset=1>; rel="next"')
  same(await get('/albums?fields=year,count()&page=2&size=3'), 200, [{ year: 2016, count: 1 }])
  same(await get('/albums?fields=year,count()&count()>5', counted), 200, [], { 'x-total-count': '0' })
  t.ok((await get('/albums?fields=year,count()')).headers.etag)
  t.equal((await get('/albums?fields=genre,year.max(),count()', { accept: 'text/csv' })).body,
    'genre,year.max,count\r\nbass,2016,2\r\nrock,1972,2\r\n,1971,1\r\n')
  t.equal((await get('/albums?fields=artist(label(name)),count()&format=ndjson&limit=1')).body,
    '{"artist":{"label":{"name":"Spoon"}},"count":2}\n')
})

refusals('what makes no groups is 400', '/artists', [
  ['fields=id,albums.count(),count()', 'invalid_fields', "'albums' has many items for each item"],
  ['fields=albums(id),count()', 'invalid_fields', "'albums' has many items for each item"],
  ['fields=label,count()', 'invalid_fields', "The field 'label' is not a scalar; select its fields, as in"],
  ['fields=years_active,count()', 'invalid_fields', "The field 'years_active' is computed"],
  ['fields=stature,count()', 'invalid_fields', "Items cannot be grouped by the field 'stature'."],
  ['fields=stature.max()', 'invalid_fields', "'max()' is not told of the field 'stature'."],
  ['fields=old_name,count()', 'invalid_fields', "There is no field 'old_name' to group by."],
  ['fields=nam.max()', 'invalid_fields', "There is no field 'nam' to select. Did you mean 'name'?"],
  ['fields=count(),nam.max()', 'invalid_fields', "There is no field 'nam' for a function. Did you mean 'name'?"],
  ['fields=name.sum()', 'invalid_fields', "'sum()' cannot be used with the field 'name', which takes a string"],
  ['fields=http_listener.max()', 'invalid_fields', "'max()' cannot be used with the field 'http_listener'"],
  ['fields=age.sun()', 'invalid_fields', "There is no function 'sun()'. Functions: count(), count_distinct(), sum()"],
  ['fields=age,age.sum()', 'invalid_fields', "'age' and 'age.sum()' cannot be shown together"],
  ['fields=label(name),label.id.max()', 'invalid_fields', "'label.name' and 'label.id.max()' cannot be shown"],
  ['fields=label(name.max()),count()', 'invalid_fields', 'A function does not stand in parentheses here'],
  ['fields=label(name;sort=id),count()', 'invalid_sort', "The parameter 'fields' cannot be used here: 'label', by"],
  ['fields=count()&sort=name', 'invalid_sort', "Groups cannot be sorted by 'name'. They have count()."],
  ['fields=count()&sort=albums.count()', 'invalid_sort', "Groups cannot be sorted by 'albums.count()'."],
  ['fields=id&sort=count()', 'invalid_sort', "'count()' follows a relation to many items, or a field of"],
  ['fields=count()&where=(count()>1|age>3)', 'invalid_filter', 'A filter of items and one of groups cannot share'],
  ['fields=count()&count()^=1', 'invalid_filter', "The operator 'starts with' cannot be used"],
  ['fields=count()&age.sum()=x', 'invalid_filter', "The field 'age.sum()' takes a number"],
  ['fields=count()&after=WyJpZCIsMV0', 'invalid_page', 'Groups have no cursors'],
  ['fields=a.b.c.d.e.f.max()', 'invalid_fields', 'A path in a selection can have at most 5 names']
])

everySource('more groups than the limit are 400, whatever is shown of them', async ({ get, t }) => {
  const message = "There are more groups than the limit 'groups' of 3. Filter the items, or group by less."
  for (const url of ['/albums?fields=year,count()&limit=1', '/albums?fields=year,count()&count()>5']) {
    t.strictSame((await get(url)).json(), { error: 'answer_too_large', message }, url)
  }
  t.equal((await get('/albums?fields=genre,count()')).statusCode, 200)
  t.equal((await get('/albums?fields=year,count()&year<2016')).statusCode, 200)
}, { limits: { groups: 3 } })

rule('a caller groups what it may see', async ({ get, same }) => {
  same(await get('/labels?fields=count()', boss), 200, [{ count: 1 }])
  same(await get('/projects?fields=team_id,count()', { 'x-team': '1' }), 200, [{ team_id: 1, count: 2 }])
  same(await get('/labels/by_owner?fields=count()', boss), 200, { 1: { count: 1 } })
})

everySource('where groups are switched off, they are 400', async ({ get, t }) => {
  for (const url of ['/albums?fields=count()', '/albums/by_year?fields=count()']) {
    const message = "The items of 'albums' cannot be grouped."
    t.match((await get(url)).json(), { error: 'invalid_fields', message }, url)
  }
  t.equal((await get('/albums?fields=tracks.count()')).statusCode, 200)
}, { requestStrategies: { aggregates: false } })

const Wage = Type.Object({
  id: Type.Integer({ identifier: true, readable: true }),
  team: Type.String({ readable: true }),
  amount: Type.Integer({ readable: true, aggregatable: false })
})

everySource('a field can be closed to functions', async ({ get, same, t }) => {
  for (const call of ['sum', 'avg', 'min', 'max']) {
    const message = `'${call}()' is not told of the field 'amount'.`
    t.match((await get(`/wages?fields=team,amount.${call}()`)).json(), { error: 'invalid_fields', message })
    t.equal((await get(`/wages?fields=count()&sort=amount.${call}()`)).statusCode, 400)
    t.equal((await get(`/wages?fields=count()&amount.${call}()>1`)).statusCode, 400)
  }
  same(await get('/wages?fields=team,amount.count()'), 200, [{ team: 'a', amount: { count: 2 } }])
}, {}, {
  collections: source => ({ wages: collection(Wage, { source: source('wages') }) }),
  tables: { wages: [{ id: 1, team: 'a', amount: 3 }, { id: 2, team: 'a', amount: 4 }] }
})

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
  same(await get('/albums/by_year?fields=count()&size=1&page=2', counted), 200,
    { 1972: { count: 1 } }, { 'x-total-count': '4' })
  same(await get('/albums/by_year?fields=count()&year>3000'), 200, {})
  const next = linkOf(await get('/albums/by_year?fields=count()&size=2'), 'next') ?? ''
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
