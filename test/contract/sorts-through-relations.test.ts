import { Type } from '@sinclair/typebox'
import { collection, SubCollection, SubItem } from '../../lib/index.ts'
import { boss, rule } from '../fixtures/company.ts'
import { everySource, type World } from '../helpers/every-source.ts'
import { counted, followLinks, idsOf, linkOf, walkPages } from '../helpers/walk-pages.ts'

// docs/http.md: Query strings. A sort leads through sub-items.

const Thing = Type.Object({
  id: Type.Integer({ identifier: true, readable: true }),
  rank: Type.Union([Type.Integer(), Type.Null()], { readable: true }),
  word: Type.String({ readable: true }),
  twinId: Type.Union([Type.Integer(), Type.Null()]),
  twin: SubItem('things', { foreignKey: 'twinId', readable: true }),
  twins: SubCollection('things', { foreignKey: 'twinId', readable: true })
})

function twins (count: number, { sortable = true } = {}): World {
  const schema = Type.Object({
    ...Thing.properties, closed: SubItem('things', { foreignKey: 'twinId', readable: true, sortable })
  })
  const thing = (id: number) => ({
    id,
    rank: id % 3 === 0 ? null : id % 4,
    word: ['b', 'a', '\u{1F600}', '\uE000'][id % 4] ?? '',
    twinId: id % 5 === 0 ? null : 1 + id * 7 % count
  })
  return {
    tables: { things: Array.from({ length: count }, (_, index) => thing(index + 1)) },
    collections: source => ({ things: collection(schema, { source: source('things') }) })
  }
}

const ids = (...list: readonly number[]) => list.map(id => ({ id }))

const sorted = (sentence: string, table: ReadonlyArray<readonly [url: string, ...found: number[]]>) => {
  everySource(sentence, async ({ get, same }) => {
    for (const [url, ...found] of table) same(await get(`${url}&fields=id`), 200, ids(...found))
  })
}

sorted('a sort leads through sub-items, and null stands for one that is not there', [
  ['/albums?sort=artist.name,id', 5, 3, 4, 1, 2],
  ['/albums?sort=-artist.name,year', 2, 1, 3, 4, 5],
  ['/albums?sort=artist.album_count,-artist.age,id', 5, 3, 4, 1, 2],
  ['/artists?sort=label.name', 2, 1, 3, 4, 5, 6, 7, 8, 9, 10],
  ['/artists?sort=label.owner.name+desc,id+desc', 10, 9, 8, 7, 6, 5, 4, 3, 1, 2],
  ['/albums?sort=artist.label.owner.label.name:desc;id', 5, 1, 2, 3, 4]
])

everySource('so do the sorts of selections, sub-collections, dictionaries and groups', async ({ get, same, t }) => {
  same(await get('/tracks/1?fields=albums(id;sort=artist.age+desc)'), 200, { albums: ids(3, 1) })
  same(await get('/tracks/1?fields=albums(id;sort=artist.age)'), 200, { albums: ids(1, 3) })
  t.equal((await get('/tracks?fields=albums(id;sort=-artist.age)&id=1', { accept: 'application/x-ndjson' })).body,
    '{"albums":[{"id":3},{"id":1}]}\n')
  same(await get('/artists/1/fans?sort=label.name&fields=id'), 200, ids(2, 5))
  same(await get('/artists/1/fans?sort=-label.name&fields=id', { prefer: 'count=exact' }), 200, ids(5, 2))
  t.equal((await get('/artists/by_name?name=*Can,Noisia&sort=label.name&fields=id')).body,
    '{"Can":{"id":2},"Noisia":{"id":1}}')
  t.equal((await get('/artists/by_name?name=*Can,Noisia&sort=-label.name&fields=id')).body,
    '{"Noisia":{"id":1},"Can":{"id":2}}')
  same(await get('/tracks?fields=albums(id;sort=-tracks.seconds.min(),-id)&id=1'), 200, [{ albums: ids(3, 1) }])
  same(await get('/albums/by_year?sort=artist.name&year<1973&fields=id'), 200, { 1971: ids(5, 3), 1972: ids(4) })
})

sorted('a sort goes by the least or greatest value of many items, and null stands for none', [
  ['/artists?sort=albums.year.max()&id<5', 3, 2, 1, 4],
  ['/artists?sort=-albums.year.min(),id&id<5', 4, 1, 2, 3],
  ['/artists?sort=albums.title.min():asc&id=*1,2,3', 2, 1, 3],
  ['/artists?sort=fans.age.max(),id&id<5', 2, 1, 3, 4],
  ['/albums?sort=artist.albums.genre.max(),-artist.fans.id.min(),id', 1, 2, 3, 4, 5]
])

everySource('a path that leads nowhere, or to many items, is 400', async ({ get, t }) => {
  for (const [sort, message] of Object.entries({
    'artist.nmae': "There is no field 'nmae' to sort by. Did you mean 'name'?",
    'artst.name': "There is no field 'artst' to sort by. Did you mean 'artist'?",
    'artist.secret_code': "There is no field 'secret_code' to sort by.",
    'artist.pin': "There is no field 'pin' to sort by.",
    'artist.stature': "Items cannot be sorted by the field 'stature'.",
    'artist.years_active': "Items cannot be sorted by the field 'years_active', which is computed.",
    artist: "Items cannot be sorted by the field 'artist', which is not a scalar; sort by one of its fields, as in " +
      "'artist.id'.",
    'artist.label': "Items cannot be sorted by the field 'label', which is not a scalar; sort by one of its fields, " +
      "as in 'artist.label.id'.",
    'artist.albums.title': "Items cannot be sorted through 'albums', of which an item can have many. Sort by their " +
      "number, or by one of them, as in 'albums.count()' and 'albums.id.max()'.",
    'artist.name.min()': "'min()' follows a relation to many items, or a field of them; 'name' is none.",
    'title.min()': "'min()' follows a relation to many items, or a field of them; 'title' is none.",
    'artist.albums.nothing.max()': "There is no field 'nothing' for a function.",
    'artist.fans.pin.max()': "There is no field 'pin' for a function.",
    'artist.fans.stature.max()': "'max()' is not told of the field 'stature'.",
    'artist.fans.http_listener.max()': "'max()' cannot be used with the field 'http_listener'",
    'artist.albums.median()': "There is no function 'median()'",

    'artist.albums': "Items cannot be sorted by the field 'albums', which is not a scalar; sort by the number of its " +
      "items, as in 'artist.albums.count()'.",
    'title.name': "The field 'title' is a scalar and has no fields of its own.",
    'artist..name': "A '.' must be between two names.",
    'artist.': "A '.' must be between two names.",
    'artist.label.owner.label.owner.name': "A path in a sort can have at most 5 names (limit 'depth')."
  })) {
    const answer = await get(`/albums?sort=id,${sort}`)
    t.match(answer.json(), { error: 'invalid_sort', message, parameter: 'sort' }, sort)
    t.ok(answer.json().message.startsWith(message), sort)
  }
})

everySource('a relation can be closed to sorts', async ({ get, t }) => {
  t.match((await get('/things?sort=closed.word')).json(), { error: 'invalid_sort' })
}, {}, twins(3, { sortable: false }))

rule('a sub-item outside the scope has no place in an order', async ({ get, same }) => {
  const caller = { ...boss, 'x-team': '1' }
  same(await get('/projects?sort=team.name&fields=id', caller), 200, ids(10, 12, 11, 13))
  same(await get('/projects?sort=-team.name&fields=id', caller), 200, ids(11, 13, 10, 12))
  same(await get('/projects?sort=-labels.word.max(),-id&fields=id', caller), 200, ids(13, 12, 11, 10))
  same(await get('/projects/by_title?sort=team.name&fields=id', caller), 200,
    { Apple: { id: 10 }, Cherry: { id: 12 }, Berry: { id: 11 }, a: { id: 13 } })
  const next = linkOf(await get('/projects?sort=team.name&fields=id&size=3', caller), 'next') ?? ''
  same(await get(next, caller), 200, ids(13))
})

const sorts = [
  'twin.rank', '-twin.rank', 'twin.word,twin.twin.rank+desc', '-twin.twin.word,rank,-twin.id', 'word,twin.rank',
  '-twins.count()', 'twin.twins.count(),-rank', 'twins.rank.max()', '-twins.word.min(),word',
  'twin.twins.rank.min()', '-twin.twins.word.max(),-twins.rank.min()', '-twins.rank.sum()', 'twins.rank.avg(),-word',
  'twins.word.count_distinct()'
]

everySource('cursors hold the values of sub-items, forwards and backwards', async ({ t, get }) => {
  for (const sort of sorts) {
    for (const [fields, headers] of [
      ['id', {}], ['id,rank,word', {}], ['id,twin(word)', counted], ['id,twins.count()', {}]
    ] as const) {
      const url = `/things?sort=${sort}&fields=${fields}`
      const { pages, last } = await followLinks(get, `${url}&size=7`, 'next', headers)
      t.strictSame(pages.flat(), idsOf(await get(`${url}&offset=0&size=100`)), url)
      const back = await followLinks(get, linkOf(await get(last), 'prev'), 'prev', headers)
      t.strictSame(back.pages, pages.slice(0, -1).toReversed(), url)
    }
    const lines = (await get(`/things?sort=${sort}`, { accept: 'application/x-ndjson' })).body.trim().split('\n')
    t.strictSame(lines.map(line => (JSON.parse(line) as { id: number }).id), idsOf(await get(`/things?sort=${sort}`)),
      `a stream by ${sort}`)
  }
}, {}, twins(30))

everySource('a cursor belongs to its path', async ({ get, t }) => {
  const next = linkOf(await get('/things?sort=twin.rank&size=7'), 'next') ?? ''
  for (const other of ['rank', '-twin.rank', 'twin.twin.rank', 'twin.word']) {
    t.match((await get(next.replace('sort=twin.rank', `sort=${other}`))).json(), { error: 'invalid_page' }, other)
  }
}, {}, twins(20))

const moments: World = {
  ddl: 'create table moments (id integer primary key, at timestamptz); ' +
    'create table notes (id integer primary key, "momentId" integer)',
  tables: {
    moments: Array.from({ length: 6 }, (_, index) =>
      ({ id: index, at: `2024-01-01T00:00:00.00000${6 - index}Z` })),
    notes: Array.from({ length: 12 }, (_, id) => ({ id, momentId: id % 7 }))
  },
  collections: source => ({
    moments: collection(Type.Object({
      id: Type.Integer({ identifier: true, readable: true }),
      at: Type.String({ format: 'date-time', readable: true })
    }), { source: source('moments') }),
    notes: collection(Type.Object({
      id: Type.Integer({ identifier: true, readable: true }),
      momentId: Type.Integer(),
      moment: SubItem('moments', { foreignKey: 'momentId', readable: true })
    }), { source: source('notes') })
  })
}

everySource('a cursor holds the digits of a sub-item that are not shown', async ({ get, t }) => {
  for (const sort of ['moment.at', '-moment.at']) {
    for (const fields of ['id', 'id,moment(id)']) {
      const seen = await walkPages(get, `/notes?sort=${sort}&size=1&fields=${fields}`)
      t.strictSame(seen.map(({ id }) => id).toSorted((one, other) => Number(one) - Number(other)),
        Array.from({ length: 12 }, (_, id) => id), `${sort} ${fields}`)
    }
  }
}, {}, moments)
