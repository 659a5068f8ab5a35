import { everySource } from '../helpers/every-source.ts'
import { boss, rule } from '../fixtures/company.ts'
import { refusals } from '../helpers/refusals.ts'
import { counted } from '../helpers/walk-pages.ts'

// docs/http.md: Query strings. `count()` is the number of items of a relation to many.

const ids = (...list: readonly number[]) => list.map(id => ({ id }))
const counts = (member: string, ...list: readonly number[]) => list.map(count => ({ [member]: { count } }))

everySource('a selection counts the items of relations, at any depth', async ({ get, same, t }) => {
  same(await get('/artists?fields=albums.count()&id<5'), 200, counts('albums', 2, 2, 1, 0))
  same(await get('/artists/1?fields=name,albums.count(),fans(id)'), 200,
    { name: 'Noisia', albums: { count: 2 }, fans: ids(2, 5) })
  same(await get('/artists/1?fields=label(name,owner(albums.count()))'), 200,
    { label: { name: 'Vision', owner: { albums: { count: 2 } } } })
  same(await get('/artists/1?fields=albums(tracks.count(),id)', counted), 200,
    { albums: [{ tracks: { count: 2 }, id: 1 }, { tracks: { count: 0 }, id: 2 }] })
  same(await get('/artists?id=2&fields=albums.count(),years_active', counted), 200,
    [{ albums: { count: 2 }, years_active: 58 }])
  t.equal((await get('/artists?id=1&fields=name,albums.count(),fans.count()', { accept: 'text/csv' })).body,
    'name,albums.count,fans.count\r\nNoisia,2,2\r\n')
})

const finds = (sentence: string, table: Readonly<Record<string, readonly number[]>>) => {
  everySource(sentence, async ({ get, same }) => {
    for (const [query, found] of Object.entries(table)) same(await get(`${query}&fields=id`), 200, ids(...found))
  })
}

finds('a sort goes by counts, also of a sub-item, which may be missing', {
  '/artists?sort=-albums.count(),id&size=4': [1, 2, 3, 4],
  '/artists?sort=fans.count()+desc&id<4': [1, 2, 3],
  '/albums?sort=artist.albums.count(),-id': [5, 4, 3, 2, 1],
  '/artists?sort=label.owner.fans.count()&id<5': [2, 1, 3, 4],
  '/artists?sort=-label.owner.fans.count()&id<5': [3, 4, 1, 2]
})

everySource('so does a sort in a selection, and one in a dictionary', async ({ get, same }) => {
  same(await get('/artists/1?fields=albums(id;sort=tracks.count())'), 200, { albums: ids(2, 1) })
  same(await get('/albums/by_genre?genre=bass&sort=tracks.count()&fields=id'), 200, { bass: ids(2, 1) })
})

everySource('a filter compares counts, of those too that are zero', async ({ get, same }) => {
  for (const [filter, found] of Object.entries({
    'albums.count()>=2': [1, 2],
    'albums.count()>0': [1, 2, 3],
    'albums.count()!=0': [1, 2, 3],
    'albums.count()=0': [4, 5, 6, 7, 8, 9, 10],
    'albums.count()==1': [3],
    'albums.count()=*1,2': [1, 2, 3],
    'albums.count()!=*1,0': [1, 2],
    'albums.count()=*': [],
    'albums.count()<2&albums.count()>0': [3],
    'albums.count()>9007199254740993': [],
    'albums.count()>-1&fans.count()=2': [1],
    'where=(albums.count()=1|name=Can)': [2, 3],
    'where=(albums.count()=*(1,2),!(fans.count()>0))': [3],
    'albums(tracks.count()>1)': [1, 2],
    'albums.tracks.count()=0': [1, 2, 3],
    'label.owner.fans.count()=1': [2],
    'albums.count%28%29=1': [3]
  })) same(await get(`/artists?fields=id&${filter}`), 200, ids(...found))
  same(await get('/artists?id=1&fields=albums(id;tracks.count()>0)'), 200, [{ albums: ids(1) }])
  same(await get('/artists?id=1&fields=albums(id;where=(tracks.count()=0|id=9))'), 200, [{ albums: ids(2) }])
})

everySource('a filter compares the least and the greatest value of items of a relation', async ({ get, same }) => {
  for (const [filter, found] of Object.entries({
    'albums.year.max()>2010': [1],
    'albums.year.max()>=2016': [1],
    'albums.year.max()<2016': [2, 3],
    'albums.year.min()<=1971': [2, 3],
    'albums.year.max()=1972': [2],
    'albums.year.min()=*1971,2010': [1, 2, 3],
    'albums.year.min()=*': [],
    'albums.year.max()=null': [4, 5, 6, 7, 8, 9, 10],
    'albums.year.max()!=1971&id<5': [1, 2, 4],
    'albums.year.max()!=*1971,null': [1, 2],
    'label.owner.albums.year.max()=1972': [2],
    'where=(albums.year.max()=1971|albums.year.min()>2000)': [1, 3]
  })) same(await get(`/artists?fields=id&${filter}`), 200, ids(...found))
  same(await get('/artists?id=1&fields=albums(id;tracks.seconds.max()>0)'), 200, [{ albums: ids(1) }])
})

const noFunction = "There is no function 'size()'. Functions: count(), count_distinct(), sum(), avg(), min(), max()."
const follows = "'count()' follows a relation to many items, or a field of them;"

refusals('what cannot be counted or compared is 400', '/artists', [
  ['fields=albums.size()', 'invalid_fields', noFunction],
  ['sort=albums.size()', 'invalid_sort', noFunction],
  ['albums.size()>1', 'invalid_filter', noFunction],
  ['sort=label.count()', 'invalid_sort', `${follows} 'label' is none.`],
  ['sort=count()', 'invalid_sort', `${follows} there is none before it.`],
  ['count()>5', 'invalid_filter', `${follows} there is none before it.`],
  ['albums.max()>5', 'invalid_filter', "'max()' follows the name of a field."],
  ['label.name.max()=x', 'invalid_filter', "'max()' follows a relation to many items, or a field of them;"],
  ['albums.id.max()^=1', 'invalid_filter', "The operator 'starts with' cannot be used with the field 'id.max()'"],
  ['albums.year.max()>x', 'invalid_filter', "The field 'year.max()' takes"],
  ['albums.yeer.max()>5', 'invalid_filter', "There is no field 'yeer' for a function. Did you mean 'year'?"],
  ['fields=albums(year.min())', 'invalid_fields', "'year.min()' makes groups, as a collection"],
  ['fields=size()', 'invalid_fields', 'The parentheses are empty.'],
  ['fields=album.count()', 'invalid_fields', "There is no field 'album' to select. Did you mean 'albums'?"],
  ['sort=old_name.count()', 'invalid_sort', "There is no field 'old_name' to sort by."],
  ['fields=albums,albums.count()', 'invalid_fields', "The field 'albums' is selected twice,"],
  ['fields=albums.count(),albums(id)', 'invalid_fields', "The field 'albums' is selected twice,"],
  ['fields=label.owner.albums.count()', 'invalid_fields', "'label.owner.albums.count()' is not the name of a " +
    "field; the fields of a relation are written 'label(owner(albums.count()))'."],
  ['albums.count()^=1', 'invalid_filter', "The operator 'starts with' cannot be used with the field 'count()'"],
  ['albums.count()=x', 'invalid_filter', "The field 'count()' takes an integer"],
  ['albums.count()=01', 'invalid_filter', "The field 'count()' takes an integer"],
  ['albums.count()=null', 'invalid_filter', "The field 'count()' takes an integer"]
])

everySource('counts cost as filters of relations to many do', async ({ get, t }) => {
  t.match((await get('/artists?albums.count()>1&fans.count()>1')).json(), { error: 'invalid_filter' })
  t.equal((await get('/artists?albums.count()>1')).statusCode, 200)
  for (const functions of ['albums.count(),fans.count()', 'albums.year.max(),albums.year.min()']) {
    t.match((await get(`/artists?fields=${functions}`)).json(), { error: 'invalid_filter' }, functions)
  }
}, { queryString: { limits: { cost: 15 } } })

rule('only what exists for the caller is counted', async ({ get, same }) => {
  const caller = { ...boss, 'x-team': '1' }
  same(await get('/projects?fields=labels.count(),labels.word.max()&sort=id', caller), 200,
    [[1, 'fruit'], [1, 'fruit'], [0, null], [0, null]].map(([count, max]) => ({ labels: { count, word: { max } } })))
  same(await get('/projects?labels.count()=2&fields=id', caller), 200, [])
  same(await get('/projects?labels.owner.sum()>2&fields=id', caller), 200, [])
  same(await get('/projects?labels.word.max()=fruit&fields=id', caller), 200, ids(10, 11))
  same(await get('/projects?sort=-labels.word.count(),-id&fields=id', caller), 200, ids(11, 10, 13, 12))
  same(await get('/labels?fields=word,projects.team.name.count_distinct()', { 'x-team': '1' }), 200,
    [{ word: 'fruit', projects: { team: { name: { count_distinct: 1 } } } }])
})
