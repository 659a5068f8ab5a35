import { test } from 'tap'
import { serve } from '../helpers/explorer-forms.ts'

// docs/explorer.md: Forms. The lines of a CSV are checked, then imported.

const csv = 'name,founded\r\nNeu!,1971\r\nFaust,\r\n'
const rules = { setters: {}, requestStrategies: { dryRun: true } }

/** The text of a form's CSV, as a browser sends it back. */
const textIn = (page: string) =>
  (/<textarea id="csv"[^>]*>\n([^]*?)<\/textarea>/.exec(page)?.[1] ?? '').replaceAll(/\r?\n/g, '\r\n')

test('a CSV is checked, which writes nothing, and imported', async t => {
  const { get, post, json } = await serve({ imports: {} }, rules)
  t.match((await get('/api/artists')).body, 'href="/api/artists?_import">Import</a>')
  const { status, body } = await get('/api/artists?_import')
  t.match([status, body], [200, /name="_check">Check</])
  t.notMatch(body, '>Import</button>')
  const checked = await post('/api/artists', { _csv: csv, _check: '' })
  t.match([checked.status, checked.body], [200, /2 items can be imported[^]*>Import<\/button>/])
  t.equal(textIn(checked.body), csv)
  t.equal((await json('/api/artists')).length, 2)
  const imported = await post('/api/artists', { _csv: textIn(checked.body) })
  t.strictSame([imported.status, imported.location], [303, '/api/artists?_done=2+created'])
  t.match((await get('/api/artists?_done=2+created')).body, '2 items were created.')
  t.match(await json('/api/artists?id>2'), [{ name: 'Neu!', founded: 1971 }, { name: 'Faust', founded: null }])
})

test('faults stand with their lines, and nothing is written', async t => {
  const { post, json } = await serve({ imports: {} }, rules)
  for (const [_csv, status, row] of [
    ['name,founded\r\nNeu!,soon\r\n"a\r\nb",1\r\n,1\r\n', 400, /<td class="num">2<[^]*Neu!,soon[^]*founded[^]*integer/],
    ['name,founded\r\nAda,1\r\n', 409, /<td class="num">2<[^]*Ada,1[^]*name/],
    ['nam\r\nx\r\n', 400, /Nothing was imported[^]*nam/],
    ['name\r\n<b>,"', 400, /Nothing was imported/]
  ] as const) {
    for (const more of [{}, { _check: '' }]) {
      const refused = await post('/api/artists', { _csv, ...more })
      t.match([refused.status, refused.body], [status, row], _csv)
      t.notMatch(refused.body, '<b>')
    }
  }
  t.equal((await json('/api/artists')).length, 2)
})

test('only who may import is offered it', async t => {
  for (const [options, more] of [
    [{}, {}], [{ imports: {} }, { rules: { create: () => false } }],
    [{ imports: {} }, { requestStrategies: { import: false } }],
    [{ imports: {}, idempotency: {} }, { requestStrategies: { requireIdempotencyKey: ['POST'] } }]
  ] as const) {
    const { get, post, json } = await serve(options, more)
    t.notMatch((await get('/api/artists')).body, '_import')
    t.not((await post('/api/artists', { _csv: csv })).status, 303)
    t.equal((await json('/api/artists')).length, 2)
  }
})
