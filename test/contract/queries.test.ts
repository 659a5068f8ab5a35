import Fastify from '../helpers/fastify.ts'
import { test } from 'tap'
import dataApi, { type DataApiOptions, DeclarationError } from '../../lib/index.ts'
import { collections, tables } from '../fixtures/music.ts'
import { everySource, type Tools } from '../helpers/every-source.ts'
import { openers } from '../helpers/sources.ts'

// docs/http.md: Query strings

const ids = async ({ get }: Tools, query: string) => {
  const response = await get(`/artists?${query}&fields=id&size=100`)
  return response.statusCode === 200 ? response.json().map(({ id }: { id: number }) => id) : response.json()
}

everySource('each operator compares as it says', async tools => {
  const table: Record<string, number[]> = {
    'age=58': [2, 3],
    'age==58': [2, 3],
    'age!=58': [1, 4, 5, 6, 7, 8, 9, 10],
    'age!==58': [1, 4, 5, 6, 7, 8, 9, 10],
    'age<>58': [1, 4, 5, 6, 7, 8, 9, 10],
    'age>53': [2, 3],
    'age<53': [1, 8],
    'age>=53': [2, 3, 4],
    'age<=23': [1, 8],
    'name^=A': [4],
    'name$=_': [7],
    'name*=o': [1, 7, 8],
    'id=*1,2;3': [1, 2, 3],
    'id!=*1,2,3,4': [5, 6, 7, 8, 9, 10],
    'name~=NOISIA': [1],
    'name^~=ac/': [4],
    'name$~=éMILE': [6],
    'name*~=OIS': [1]
  }
  for (const [query, found] of Object.entries(table)) tools.t.strictSame(await ids(tools, query), found, query)
})

everySource('a filter is a parameter named where or filter, or one of its own', async tools => {
  for (const query of ['where=age>53', 'filter=age>53', 'age>53', 'where=age%3E53', 'age%3E53', 'age%3e%35%33']) {
    tools.t.strictSame(await ids(tools, query), [2, 3], query)
  }
})

everySource('several filters are ANDed', async tools => {
  tools.t.strictSame(await ids(tools, 'age>1&age<58&where=id>1'), [4])
  tools.t.strictSame(await ids(tools, 'age=58&age=23'), [])
})

everySource('a where that begins with a parenthesis is a group: | or, comma and, !( ) not', async tools => {
  tools.t.strictSame(await ids(tools, 'where=(age<5|age>57)'), [2, 3, 8])
  tools.t.strictSame(await ids(tools, 'where=(age>5,age<58)'), [1, 4])
  tools.t.strictSame(await ids(tools, 'where=!(age>5,id>1)'), [1, 5, 6, 7, 8, 9, 10])
  tools.t.strictSame(await ids(tools, 'where=((age=58,id=2)|!(id>1)|id=*(7,8))'), [1, 2, 7, 8])
  tools.t.strictSame(await ids(tools, 'where=(name="AC/DC 100%25?%23;"|name=Can)'), [2, 4])
  tools.t.match(await ids(tools, 'where=(age=1|age=2,id=3)'),
    { error: 'invalid_filter', parameter: 'where', position: 13 })
})

everySource('a value is converted by its field\'s schema, strictly', async tools => {
  const wrong = [
    'age=1x', 'age=1.5', 'age=01', 'age=', 'age=9223372036854775808', 'score=1e400', 'score=x', 'http_listener=yes',
    'http_listener=1', 'start_date=2024-02-30', 'start_date=soon', 'id=null', 'id=*1,x', 'where=(id=1|id=x)'
  ]
  for (const query of wrong) {
    tools.t.match(await ids(tools, query), { error: 'invalid_filter', message: /takes .*, not '/ }, query)
  }
  tools.t.strictSame(await ids(tools, 'start_date>=1968-06-01'), [1, 2])
  tools.t.strictSame(await ids(tools, 'score=1e21'), [2])
  tools.t.strictSame(await ids(tools, 'score=0.30000000000000004'), [1])
  tools.t.strictSame(await ids(tools, 'http_listener=true'), [1])
  tools.t.match((await tools.get('/albums?genre=pop')).json(),
    { message: "The field 'genre' takes one of rock, jazz, bass, not 'pop'." })
})

everySource('operators that a field\'s type does not take are 400', async tools => {
  for (const query of [
    'age^=1', 'age*=1', 'age~=1', 'http_listener>true', 'start_date^=2003', 'score$=1', 'albums=1', 'label>1', 'label=1'
  ]) {
    tools.t.match(await ids(tools, query), { error: 'invalid_filter' }, query)
  }
})

everySource('a bare null on a nullable field means null, and elsewhere is text', async tools => {
  tools.t.strictSame(await ids(tools, 'age=null'), [5, 6, 7, 9, 10])
  tools.t.strictSame(await ids(tools, 'age!=null'), [1, 2, 3, 4, 8])
  tools.t.strictSame(await ids(tools, 'age=*null,1'), [5, 6, 7, 8, 9, 10])
  tools.t.strictSame(await ids(tools, 'age!=*null,58'), [1, 4, 8])
  tools.t.strictSame(await ids(tools, 'name=null'), [])
  tools.t.strictSame(await ids(tools, 'label=null'), [3, 4, 5, 6, 7, 8, 9, 10])
  tools.t.strictSame(await ids(tools, 'label!=null'), [1, 2])
  tools.t.match(await ids(tools, 'age>null'), { error: 'invalid_filter' })
})

everySource('three-valued logic never shows', async tools => {
  tools.t.strictSame(await ids(tools, 'age!=5'), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
  tools.t.strictSame(await ids(tools, 'where=!(age=58)'), [1, 4, 5, 6, 7, 8, 9, 10])
  tools.t.strictSame(await ids(tools, 'where=!(age>5)'), [5, 6, 7, 8, 9, 10])
  tools.t.strictSame(await ids(tools, 'where=!(!(age>5))'), [1, 2, 3, 4])
})

everySource('a value in double quotes is literal', async tools => {
  tools.t.strictSame(await ids(tools, 'name="me"'), [5])
  tools.t.strictSame(await ids(tools, 'name="10"'), [3])
  tools.t.strictSame(await ids(tools, 'name=*"me",Can'), [2, 5])
  tools.t.strictSame(await ids(tools, 'name=""'), [10])
  tools.t.strictSame(await ids(tools, 'name="\\"\\\\"'), [])
  tools.t.match(await ids(tools, 'name="me'),
    { error: 'invalid_filter', message: 'The quote is not closed.', position: 6 })
  tools.t.match(await ids(tools, 'name="me"x'), { error: 'invalid_filter', position: 10 })
})

everySource('an empty list matches nothing', async tools => {
  tools.t.strictSame(await ids(tools, 'id=*'), [])
  tools.t.strictSame(await ids(tools, 'id!=*'), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
  tools.t.strictSame(await ids(tools, 'where=(id=*()|id=1)'), [1])
})

everySource('text compares by code point, and wildcards of other languages are data', async tools => {
  for (const query of ['name*=%25', 'name*=100%25?', 'name*=?']) tools.t.strictSame(await ids(tools, query), [4], query)
  tools.t.strictSame(await ids(tools, 'name*=_p'), [7])
  for (const query of ['name^=a', 'name=noisia', 'name*=[', 'name*=\\', 'name$=*']) {
    tools.t.strictSame(await ids(tools, query), [], query)
  }
})

everySource('filters reach through relations', async tools => {
  tools.t.strictSame(await ids(tools, 'label.name=Spoon'), [2])
  tools.t.strictSame(await ids(tools, 'albums.title^=Out'), [1])
  tools.t.strictSame(await ids(tools, 'albums.tracks.title=Intro'), [1, 2])
  tools.t.strictSame(await ids(tools, 'fans.label.owner.name=Can'), [1])
  tools.t.strictSame(await ids(tools, 'where=!(albums.year<2000)'), [1, 4, 5, 6, 7, 8, 9, 10])
  tools.t.strictSame(await ids(tools, 'albums.genre=null'), [3])
})

everySource('sort, order and orderby order, chained, each with a direction', async ({ get, t }) => {
  const order = async (query: string) =>
    (await get(`/albums?fields=id&${query}`)).json().map(({ id }: { id: number }) => id)
  for (const query of [
    'sort=year,title', 'order=year;title+asc', 'orderby=year%20ascending,title', 'sort=year%2Basc,title'
  ]) t.strictSame(await order(query), [3, 5, 4, 2, 1], query)
  for (const query of ['sort=year+desc,title+desc', 'sort=year%2Bdescending;title%20DESC']) {
    t.strictSame(await order(query), [1, 2, 4, 5, 3], query)
  }
  t.strictSame(await order('sort=year+desc'), [1, 2, 4, 3, 5])
})

everySource('nulls sort last ascending and first descending', async ({ get, same }) => {
  same(await get('/artists?sort=age&fields=id'), 200, [8, 1, 4, 2, 3, 5, 6, 7, 9, 10].map(id => ({ id })))
  same(await get('/artists?sort=age+desc&fields=id'), 200, [5, 6, 7, 9, 10, 2, 3, 4, 1, 8].map(id => ({ id })))
})

everySource('the identifier is the last tie-breaker', async ({ get, same }) => {
  same(await get('/artists?sort=http_listener&fields=id'), 200, [2, 3, 4, 5, 6, 7, 8, 9, 10, 1].map(id => ({ id })))
  same(await get('/artists?sort=http_listener,id+desc&fields=id'), 200,
    [10, 9, 8, 7, 6, 5, 4, 3, 2, 1].map(id => ({ id })))
})

everySource('what may not be filtered or sorted by is 400', async ({ get, t }) => {
  const wrong = {
    '/artists?stature=tall': 'invalid_filter',
    '/artists?years_active=1': 'invalid_filter',
    '/artists?sort=stature': 'invalid_sort',
    '/artists?sort=years_active': 'invalid_sort',
    '/artists?sort=albums': 'invalid_sort',
    '/artists?sort=name+up': 'invalid_sort',
    '/artists?sort=': 'invalid_sort',
    '/artists?fields=id&select=id': 'invalid_fields',
    '/artists?where=': 'invalid_filter',
    '/artists?name': 'invalid_filter',
    '/artists?=1': 'invalid_filter',
    '/artists?name.x=1': 'invalid_filter',
    '/artists?albums..title=1': 'invalid_filter'
  }
  for (const [url, error] of Object.entries(wrong)) {
    const response = await get(url)
    t.strictSame([response.statusCode, response.json().error], [400, error], url)
  }
})

everySource('an error names the parameter, the position in it, and a near name', async ({ get, same }) => {
  same(await get('/artists?where=(id=1|(agee>5,id=2))'), 400, {
    error: 'invalid_filter',
    message: "There is no field 'agee' to filter by. Did you mean 'age'?",
    parameter: 'where',
    position: 8,
    suggestion: 'age'
  })
  same(await get('/artists?sort=id,nmae+desc'), 400, {
    error: 'invalid_sort',
    message: "There is no field 'nmae' to sort by. Did you mean 'name'?",
    parameter: 'sort',
    position: 4,
    suggestion: 'name'
  })
  same(await get('/artists?albums.tracks.titel=x'), 400, {
    error: 'invalid_filter',
    message: "There is no field 'titel' to filter by. Did you mean 'title'?",
    parameter: 'albums.tracks.titel',
    position: 1,
    suggestion: 'title'
  })
  same(await get('/artists?fields=albums(id;where=yaer=1)'), 400, {
    error: 'invalid_filter',
    message: "There is no field 'yaer' to filter by. Did you mean 'year'?",
    parameter: 'fields',
    position: 17,
    suggestion: 'year'
  })
})

everySource('limits on depth, terms, lists and fields are 400 beyond', async ({ get, t }) => {
  const wrong = [
    `where=${'('.repeat(6)}id=1${')'.repeat(6)}`,
    Array.from({ length: 101 }, () => 'id=1').join('&'),
    `id=*${Array.from({ length: 1001 }, (_, n) => n).join(',')}`,
    `fields=${'albums(artist('.repeat(3)}id${'))'.repeat(3)}`,
    `fields=albums(${Array.from({ length: 201 }, () => 'id').join(',')})`,
    `sort=${Array.from({ length: 11 }, () => 'id').join(',')}`,
    'label.owner.label.owner.label.name=x'
  ]
  for (const query of wrong) t.equal((await get(`/artists?${query}`)).statusCode, 400, query.slice(0, 40))
})

everySource('a selection whose nested listings could multiply beyond the limit is 400', async ({ get, same }) => {
  same(await get('/artists?fields=albums(tracks(albums(tracks(id))))'), 400, {
    error: 'invalid_fields',
    message: "This selection could return 10101010100 items, more than the limit 'items' of 2000000. Use smaller " +
      'limits in the nested collections.',
    parameter: 'fields',
    position: 1
  })
  same(await get('/artists?id=3&fields=albums(tracks(albums(tracks(id;limit=2);limit=2);limit=2);limit=2)'), 200,
    [{ albums: [{ tracks: [] }] }])
})

function withOptions (queryString: NonNullable<DataApiOptions['queryString']>) {
  const app = Fastify()
  const ready = app.register(dataApi, { queryString, collections: collections(openers.memory(tables).source) })
  return { app, ready }
}

test('names, delimiters, operators, directions and the dictionary prefix are configurable', async t => {
  const { app } = withOptions({
    where: ['q'],
    sort: ['s'],
    fields: ['f'],
    size: ['n'],
    operators: { equals: [':'], in: ['::'], greater: ['%'] },
    delimiters: { list: ['~'], sort: ['!'], fields: ['|'], direction: ['/'] },
    directions: { descending: ['down'] },
    dictionaryPrefix: '$'
  })
  t.strictSame((await app.inject('/albums?year:1971&f=id|title&s=title/down')).json(),
    [{ id: 5, title: 'Untitled' }, { id: 3, title: 'Tago Mago' }])
  t.strictSame((await app.inject('/albums?q=id::1~2&f=id')).json(), [{ id: 1 }, { id: 2 }])
  t.strictSame((await app.inject('/albums?year%252010&f=id')).json(), [{ id: 1 }])
  t.strictSame((await app.inject('/tracks/$title?f=id&n=1')).json(), { Anomaly: { id: 3 } })
  t.equal((await app.inject('/albums?where:1')).statusCode, 400)
  await app.close()
})

test('without field parameters a filter is a where, and other parameters are 400', async t => {
  const { app } = withOptions({ fieldParameters: false })
  t.strictSame((await app.inject('/albums?where=year=2010&fields=id')).json(), [{ id: 2 }])
  t.match((await app.inject('/albums?year=2010')).json(), { error: 'invalid_parameter', parameter: 'year' })
  await app.close()
})

test('what could not be told apart is an error at registration', async t => {
  const wrong: ReadonlyArray<NonNullable<DataApiOptions['queryString']>> = [
    { where: ['q'], sort: ['q'] }, { operators: { equals: ['='], greater: ['='] } }, { operators: { equals: ['eq'] } },
    { operators: { equals: ['"'] } },
    { delimiters: { list: ['ab'] } }, { delimiters: { sort: ['a'] } },
    { directions: { ascending: ['up'], descending: ['up'] } }
  ]
  for (const queryString of wrong) {
    const { ready } = withOptions(queryString)
    await t.rejects(async () => { await ready }, DeclarationError, JSON.stringify(queryString))
  }
})
