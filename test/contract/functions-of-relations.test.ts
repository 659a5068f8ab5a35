import { everySource } from '../helpers/every-source.ts'
import { refusals } from '../helpers/refusals.ts'

// docs/http.md: Query strings. The functions of groups take the items of a relation to many, too.

const ids = (...list: readonly number[]) => list.map(id => ({ id }))

everySource('a selection shows functions of the items of relations, at any depth', async ({ get, same, t }) => {
  same(await get('/artists?id<5&fields=id,albums.year.max(),albums.count(),albums.year.min(),fans.age.avg()'), 200, [
    { id: 1, albums: { year: { max: 2016, min: 2010 }, count: 2 }, fans: { age: { avg: 58 } } },
    { id: 2, albums: { year: { max: 1972, min: 1971 }, count: 2 }, fans: { age: { avg: 23 } } },
    { id: 3, albums: { year: { max: 1971, min: 1971 }, count: 1 }, fans: { age: { avg: null } } },
    { id: 4, albums: { year: { max: null, min: null }, count: 0 }, fans: { age: { avg: null } } }
  ])
  same(await get('/artists/2?fields=albums.genre.count_distinct(),albums.genre.count(),albums.year.sum()'), 200,
    { albums: { genre: { count_distinct: 1, count: 2 }, year: { sum: 3943 } } })
  same(await get('/artists/1?fields=albums(id,tracks.seconds.sum();sort=-tracks.seconds.sum())'), 200,
    { albums: [{ id: 2, tracks: { seconds: { sum: null } } }, { id: 1, tracks: { seconds: { sum: 340 } } }] })
  same(await get('/artists/1?fields=label(owner(albums.year.max()))'), 200,
    { label: { owner: { albums: { year: { max: 2016 } } } } })
  same(await get('/tracks/1?fields=albums.artist.age.max(),albums.artist.name.count_distinct()'), 200,
    { albums: { artist: { age: { max: 58 }, name: { count_distinct: 2 } } } })
  same(await get('/artists/by_name?name=Can&fields=albums.year.max()'), 200,
    { Can: { albums: { year: { max: 1972 } } } })
  same(await get('/albums/by_year?year=2016&fields=id,tracks.title.min()'), 200,
    { 2016: [{ id: 1, tracks: { title: { min: 'Anomaly' } } }] })
  t.equal((await get('/artists?id=1&fields=name,albums.year.max()', { accept: 'application/x-ndjson' })).body,
    '{"name":"Noisia","albums":{"year":{"max":2016}}}\n')
  t.equal((await get('/artists?id=*1,5&fields=albums.title.max(),name,albums.count()', { accept: 'text/csv' })).body,
    'albums.title.max,albums.count,name\r\nSplit the Atom,2,Noisia\r\n,0,me\r\n')
})

everySource('a function of a sub-item has no place at an item', async ({ get, t }) => {
  t.match((await get('/artists/1?fields=label.name.max()')).json(), { message: /^'label\.name\.max\(\)' makes groups/ })
})

everySource('sorts and filters take them', async ({ get, same }) => {
  same(await get('/artists?sort=-albums.year.sum(),id&fields=id&albums.count()>0'), 200, ids(1, 2, 3))
  same(await get('/artists?sort=albums.year.avg(),id&fields=id&id<5'), 200, ids(3, 2, 1, 4))
  same(await get('/artists?sort=-albums.genre.count_distinct(),-id&fields=id&id<5'), 200, ids(2, 1, 4, 3))
  same(await get('/tracks?sort=-albums.artist.age.max(),id&fields=id&albums.count()>0'), 200, ids(1, 2, 3))
  for (const [filter, found] of Object.entries({
    'albums.year.sum()=3943': [2],
    'albums.year.avg()>=1971.5': [1, 2],
    'albums.year.avg()=1971.50': [2],
    'albums.genre.count_distinct()=0': [3, 4, 5, 6, 7, 8, 9, 10],
    'albums.genre.count()=*1,2': [1, 2],
    'albums.title.max()^=Split': [1],
    'albums.title.min()~=UNTITLED': [3],
    'albums.artist.age.max()=58': [2, 3],
    'albums.year.sum()=null&id<6': [4, 5],
    'label.owner.albums.year.sum()>4000': [1]
  })) same(await get(`/artists?fields=id&${filter}`), 200, ids(...found))
  same(await get('/artists?fields=age.count(),count()&albums.year.sum()>1971'), 200, [{ age: { count: 2 }, count: 2 }])
})

refusals('what is no function of a relation is 400', '/artists', [
  ['fields=albums.year.sun()', 'invalid_fields', "There is no function 'sun()'."],
  ['fields=albums.title.sum()', 'invalid_fields', "'sum()' cannot be used with the field 'title', which takes a"],
  ['fields=albums.sum()', 'invalid_fields', "'sum()' follows the name of a field."],
  ['fields=albums.yeer.sum()', 'invalid_fields', "There is no field 'yeer' for a function. Did you mean 'year'?"],
  ['fields=albums.artist_id.sum()', 'invalid_fields', "There is no field 'artist_id' for a function."],
  ['fields=fans.pin.max()', 'invalid_fields', "There is no field 'pin' for a function."],
  ['fields=fans.stature.max()', 'invalid_fields', "'max()' is not told of the field 'stature'."],
  ['fields=fans.years_active.max()', 'invalid_fields', "The field 'years_active' is computed,"],
  ['fields=albums.tracks.seconds.sum()', 'invalid_fields', "'albums.tracks.seconds.sum()' is not the name of a"],
  ['fields=albums.year.year()', 'invalid_fields', "'year()' groups items;"],
  ['fields=albums(id),albums.year.sum()', 'invalid_fields', "The field 'albums' is selected twice,"],
  ['sort=albums.title.avg()', 'invalid_sort', "'avg()' cannot be used with the field 'title'"],
  ['albums.title.avg()>5', 'invalid_filter', "'avg()' cannot be used with the field 'title'"],
  ['albums.year.avg()>x', 'invalid_filter', "The field 'year.avg()' takes a number, not 'x'."]
])

everySource('where groups are switched off, relations are counted only', async ({ get, t }) => {
  const message = "The items of 'albums' have no functions but 'count()'."
  for (const [query, error] of [
    ['fields=albums.year.max()', 'invalid_fields'], ['sort=albums.year.max()', 'invalid_sort'],
    ['albums.year.max()>5', 'invalid_filter']
  ] as const) t.match((await get(`/artists?${query}`)).json(), { error, message }, query)
  t.equal((await get('/artists?fields=albums.count()')).statusCode, 200)
}, { requestStrategies: { aggregates: false } })
