import { Type } from '@sinclair/typebox'
import { collection } from '../../lib/index.ts'
import { everySource, type World } from '../helpers/every-source.ts'

// docs/http.md: Pages and links

const Cell = Type.Object({
  id: Type.Integer({ identifier: true, readable: true }),
  text: Type.Union([Type.String(), Type.Null()], { readable: true }),
  flag: Type.Boolean({ readable: true })
})

const texts = [
  'plain', 'a "quote"', 'comma, here', 'two\nlines', '=1+1', '+1', '-1', '@x', '\tx', '', null, ' space ', '\u{1F600}'
]
const sheet: World = {
  tables: { cells: texts.map((text, n) => ({ id: n + 1, text, flag: n % 2 === 0 })) },
  collections: source =>
    ({ cells: collection(Cell, { source: source('cells'), pages: { defaultSize: 2, maxSize: 3 } }) })
}

everySource('text/csv is a header row and a record an item, quoted by RFC 4180, no text a formula', async ({
  get, same
}) => {
  const csv = [
    'id,text,flag', '1,plain,true', '2,"a ""quote""",false', '3,"comma, here",true', '4,"two\nlines",false',
    "5,'=1+1,true", '6,+1,false', '7,-1,true', "8,'@x,false", "9,\"'\tx\",true", '10,"",false', '11,,true',
    '12," space ",false', '13,\u{1F600},true', ''
  ]
  same(await get('/cells', { accept: 'text/csv' }), 200, csv.join('\r\n'),
    { 'content-type': 'text/csv; charset=utf-8', link: undefined })
}, {}, sheet)

everySource('application/x-ndjson is an item a line', async ({ get, same }) => {
  same(await get('/cells?id<4&fields=text', { accept: 'application/x-ndjson' }), 200,
    '{"text":"plain"}\n{"text":"a \\"quote\\""}\n{"text":"comma, here"}\n', {
      'content-type': 'application/x-ndjson; charset=utf-8'
    })
}, {}, sheet)

everySource('a stream holds every matching item, or the page that is asked for, in order', async ({ get, t }) => {
  const lines = async (query: string) => (await get(`/cells?fields=id&${query}`,
    { accept: 'application/x-ndjson' })).body.split('\n').filter(Boolean).map(line => JSON.parse(line).id)
  t.strictSame(await lines('flag=true&sort=id+desc'), [13, 11, 9, 7, 5, 3, 1])
  t.strictSame(await lines('page=2&size=5'), [6, 7, 8, 9, 10])
  t.strictSame(await lines('offset=11'), [12, 13])
  t.strictSame(await lines('sort=text&size=1'), [10])
}, {}, sheet)

everySource('a stream counts when asked, and HEAD has its headers', async ({ get, request, same }) => {
  const headers = {
    'content-type': 'text/csv; charset=utf-8', 'x-total-count': '13', 'preference-applied': 'count=exact'
  }
  same(await request({ method: 'HEAD', url: '/cells', headers: { accept: 'text/csv', prefer: 'count=exact' } }), 200,
    '', headers)
  same(await get('/cells?id=1', { accept: 'text/csv', prefer: 'count=exact' }), 200, 'id,text,flag\r\n1,plain,true\r\n',
    { ...headers, 'x-total-count': '1' })
}, {}, sheet)

everySource('what an item or a missing parent is not a stream of is an error as ever', async ({ get, t }) => {
  t.equal((await get('/cells/1', { accept: 'text/csv' })).statusCode, 406)
  t.equal((await get('/cells?nope=1', { accept: 'text/csv' })).json().error, 'invalid_filter')
}, {}, sheet)

everySource('a stream crosses batches without losing or repeating an item', async ({ get, t }) => {
  const { body } = await get('/cells?sort=flag+desc,text', { accept: 'application/x-ndjson' })
  const ids = body.split('\n').filter(Boolean).map(line => JSON.parse(line).id)
  t.strictSame([ids.length, new Set(ids).size], [1700, 1700])
}, {}, {
  ...sheet,
  tables: {
    cells: Array.from({ length: 1700 }, (_, n) => ({ id: n + 1, text: texts[n % 13] ?? null, flag: n % 3 === 0 }))
  }
})
