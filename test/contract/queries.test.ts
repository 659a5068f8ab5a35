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

/** Tests that queries find the artists with the ids before them. */
const finds = (sentence: string, ...table: ReadonlyArray<readonly [found: number[], ...queries: string[]]>) => {
  everySource(sentence, async tools => {
    for (const [found, ...queries] of table) {
      for (const query of queries) tools.t.strictSame(await ids(tools, query), found, query)
    }
  })
}

const refuses = (sentence: string, message: RegExp, ...queries: readonly string[]) => {
  everySource(sentence, async tools => {
    for (const query of queries) {
      tools.t.match(await ids(tools, query), { error: 'invalid_filter', message }, query)
    }
  })
}

finds('each operator compares as it says',
  [[2, 3], 'age=58', 'age==58', 'age>53'],
  [[1, 4, 5, 6, 7, 8, 9, 10], 'age!=58', 'age!==58', 'age<>58'],
  [[1, 8], 'age<53', 'age<=23'],
  [[2, 3, 4], 'age>=53'],
  [[4], 'name^=A', 'name^~=ac/'],
  [[7], 'name$=_'],
  [[1, 7, 8], 'name*=o'],
  [[1, 2, 3], 'id=*1,2;3'],
  [[5, 6, 7, 8, 9, 10], 'id!=*1,2,3,4'],
  [[1], 'name~=NOISIA', 'name*~=OIS'],
  [[6], 'name$~=éMILE'])

finds('a filter is a parameter named where or filter, or one of its own',
  [[2, 3], 'where=age>53', 'filter=age>53', 'age>53', 'where=age%3E53', 'age%3E53', 'age%3e%35%33'])

finds('several filters are ANDed', [[4], 'age>1&age<58&where=id>1'], [[], 'age=58&age=23'])

finds('a where that begins with a parenthesis is a group: | or, comma and, !( ) not',
  [[2, 3, 8], 'where=(age<5|age>57)'],
  [[1, 4], 'where=(age>5,age<58)'],
  [[1, 5, 6, 7, 8, 9, 10], 'where=!(age>5,id>1)'],
  [[1, 2, 7, 8], 'where=((age=58,id=2)|!(id>1)|id=*(7,8))'],
  [[2, 4], 'where=(name="AC/DC 100%25?%23;"|name=Can)'])

everySource('a comma and a | in one pair of parentheses are 400', async tools => {
  tools.t.match(await ids(tools, 'where=(age=1|age=2,id=3)'),
    { error: 'invalid_filter', parameter: 'where', position: 13 })
})

finds('a value is converted by its field\'s schema',
  [[1, 2], 'start_date>=1968-06-01'], [[2], 'score=1e21'], [[1], 'score=0.30000000000000004', 'http_listener=true'])

refuses('a value that the schema does not take as it is written is 400', /takes .*, not '/,
  'age=1x', 'age=1.5', 'age=01', 'age=', 'age=9223372036854775808', 'score=1e400', 'score=x', 'http_listener=yes',
  'http_listener=1', 'start_date=2024-02-30', 'start_date=soon', 'id=null', 'id=*1,x', 'where=(id=1|id=x)')

everySource('a literal is one of those that are declared', async ({ get, t }) => {
  t.match((await get('/albums?genre=pop')).json(),
    { message: "The field 'genre' takes one of rock, jazz, bass, not 'pop'." })
})

refuses('operators that a field\'s type does not take are 400', /./,
  'age^=1', 'age*=1', 'age~=1', 'http_listener>true', 'start_date^=2003', 'score$=1', 'albums=1', 'label>1', 'label=1',
  'age>null')

finds('a bare null on a nullable field means null, and elsewhere is text',
  [[5, 6, 7, 9, 10], 'age=null'],
  [[1, 2, 3, 4, 8], 'age!=null'],
  [[5, 6, 7, 8, 9, 10], 'age=*null,1'],
  [[1, 4, 8], 'age!=*null,58'],
  [[], 'name=null'],
  [[3, 4, 5, 6, 7, 8, 9, 10], 'label=null'],
  [[1, 2], 'label!=null'])

finds('three-valued logic never shows',
  [[1, 2, 3, 4, 5, 6, 7, 8, 9, 10], 'age!=5'],
  [[1, 4, 5, 6, 7, 8, 9, 10], 'where=!(age=58)'],
  [[5, 6, 7, 8, 9, 10], 'where=!(age>5)'],
  [[1, 2, 3, 4], 'where=!(!(age>5))'])

finds('a value in double quotes is literal',
  [[5], 'name="me"'], [[3], 'name="10"'], [[2, 5], 'name=*"me",Can'], [[10], 'name=""'], [[], 'name="\\"\\\\"'])

everySource('a quote that is not closed, or that more follows, is 400', async tools => {
  tools.t.match(await ids(tools, 'name="me'),
    { error: 'invalid_filter', message: 'The quote is not closed.', position: 6 })
  tools.t.match(await ids(tools, 'name="me"x'), { error: 'invalid_filter', position: 10 })
})

finds('an empty list matches nothing',
  [[], 'id=*'], [[1, 2, 3, 4, 5, 6, 7, 8, 9, 10], 'id!=*'], [[1], 'where=(id=*()|id=1)'])

finds('text compares by code point, and wildcards of other languages are data',
  [[4], 'name*=%25', 'name*=100%25?', 'name*=?'],
  [[7], 'name*=_p'],
  [[], 'name^=a', 'name=noisia', 'name*=[', 'name*=\\', 'name$=*'])

finds('filters reach through relations',
  [[2], 'label.name=Spoon'],
  [[1], 'albums.title^=Out', 'fans.label.owner.name=Can'],
  [[1, 2], 'albums.tracks.title=Intro'],
  [[1, 4, 5, 6, 7, 8, 9, 10], 'where=!(albums.year<2000)'],
  [[3], 'albums.genre=null'])

finds('nulls sort last ascending and first descending; the identifier is the last tie-breaker',
  [[8, 1, 4, 2, 3, 5, 6, 7, 9, 10], 'sort=age'],
  [[5, 6, 7, 9, 10, 2, 3, 4, 1, 8], 'sort=age+desc'],
  [[2, 3, 4, 5, 6, 7, 8, 9, 10, 1], 'sort=http_listener'],
  [[10, 9, 8, 7, 6, 5, 4, 3, 2, 1], 'sort=http_listener,id+desc'])

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
  for (const [query, error, verb, wrong, suggestion, parameter, position] of [
    ['where=(id=1|(agee>5,id=2))', 'invalid_filter', 'filter', 'agee', 'age', 'where', 8],
    ['sort=id,nmae+desc', 'invalid_sort', 'sort', 'nmae', 'name', 'sort', 4],
    ['albums.tracks.titel=x', 'invalid_filter', 'filter', 'titel', 'title', 'albums.tracks.titel', 1],
    ['fields=albums(id;where=yaer=1)', 'invalid_filter', 'filter', 'yaer', 'year', 'fields', 17]
  ] as const) {
    const message = `There is no field '${wrong}' to ${verb} by. Did you mean '${suggestion}'?`
    same(await get(`/artists?${query}`), 400, { error, message, parameter, position, suggestion })
  }
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
})

test('without field parameters a filter is a where, and other parameters are 400', async t => {
  const { app } = withOptions({ fieldParameters: false })
  t.strictSame((await app.inject('/albums?where=year=2010&fields=id')).json(), [{ id: 2 }])
  t.match((await app.inject('/albums?year=2010')).json(), { error: 'invalid_parameter', parameter: 'year' })
})

test('what could not be told apart is an error at registration', async t => {
  await t.rejects(async () => { await withOptions({ where: ['q'], sort: ['q'] }).ready }, DeclarationError)
})
