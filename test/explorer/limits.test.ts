import fc, { runsOf } from '../helpers/fast-check.ts'
import { Type } from '@sinclair/typebox'
import { setImmediate } from 'node:timers/promises'
import { test } from 'tap'
import { each, html, membersOf } from '../../lib/doors/explorer/html.ts'
import { pageOf } from '../../lib/doors/explorer/page.ts'
import { script } from '../../lib/doors/explorer/script.ts'
import { cut } from '../../lib/doors/explorer/value.ts'
import { collection, type DataApiOptions, memory } from '../../lib/index.ts'
import { doAtOnce } from '../../lib/core/response/answer.ts'
import { browser, explore } from '../helpers/explorer-pages.ts'

// docs/limits.md: Length of an answer.

const shown = { readable: true, filterable: true } as const
const Note = Type.Object({
  id: Type.Integer({ identifier: true, ...shown }),
  text: Type.String({ ...shown, listed: true }),
  kind: Type.String(shown),
  data: Type.Any({ readable: true, listed: true })
})
interface Row { readonly id: number, readonly text: string, readonly kind: string, readonly data: unknown }

const serve = (rows: Row[], options: Partial<DataApiOptions> = {}, hooked = false) => explore({
  collections: { notes: collection(Note, { source: memory(rows, { statementTimeout: 10_000 }) }) }, ...options
}, app => { if (hooked) app.addHook('preSerialization', async (_request, _reply, value) => value) })

const rowsOf = (count: number, text: string, data: unknown): Row[] =>
  Array.from({ length: count }, (_, id) => ({ id, text: `${id} ${text}`, kind: String(id % 3), data }))

test('a page of 1,000 long texts is short, and other requests are answered while it is made', async t => {
  const { app } = await serve(rowsOf(1000, '<b> & '.repeat(2250), {}))
  for (const url of [
    '/notes?size=1000', '/notes/by_id?size=1000', '/notes/by_kind?size=1000', '/notes/by_text?size=1000&fields=id'
  ]) {
    const json = await app.inject(url)
    const made = { page: false }
    const page = app.inject({ url, headers: browser }).finally(() => { made.page = true })
    let turns = 0
    for (; !made.page; turns++) await setImmediate()
    const { statusCode, body } = await page
    t.equal(statusCode, 200, url)
    t.ok(body.length < 2_500_000, `${url} has ${body.length} characters`)
    // No turn reads or writes more.
    const least = Math.floor(json.body.length / 2 ** 18)
    t.ok(least > 10 && turns >= least, `${turns} turns of the event loop while ${url} is made, ${least} at least`)
  }
})

test('a cell shows the beginning of a long value, from which the whole opens', async t => {
  const data = { list: Array.from({ length: 100 }, (_, index) => `${index}`) }
  const { page: get } = await serve(rowsOf(2, 'a'.repeat(300).concat('the end'), data))
  const grid = await get('/notes')
  const opener = /<button class="cut" popovertarget="(\w+)">([^<]*)<\/button><div class="value" id="\1"/g
  const cells = [...grid.matchAll(opener)]
  t.strictSame(cells.map(([, , text = '']) => text.replaceAll('&quot;', '"').length), [93, 93, 93, 93])
  t.equal(new Set(cells.map(([, id]) => id)).size, 4)
  t.match(grid, 'the end')
  t.match(grid, /<pre>\{\n {2}&quot;list&quot;/)
  for (const name of ['text', 'data']) t.match(grid, `<a href="/notes/1/${name}">Open</a>`)
  t.match(await get('/notes/1'), 'the end', 'an item shows more of its texts')
  t.match(await get('/notes/1/text'), 'the end')
  t.match(await get('/notes/1/data'), /<pre>\{\n {2}&quot;list&quot;[^]*&quot;99&quot;\n/)
})

test('what opens is short, and all of it together: beyond that, a cell is a link to the value', async t => {
  const { page } = await serve(rowsOf(200, 'a'.repeat(10_000), 1))
  const body = await page('/notes?size=200')
  const opened = [...body.matchAll(/<p dir="auto">([^<]*)<\/p>/g)]
  t.ok(opened.every(([, text = '']) => text.length <= 4001), '4,000 characters and an ellipsis')
  t.ok(opened.length > 40 && opened.length <= 51, `${opened.length} texts open`)
  t.equal(body.match(/<a class="cut" href="\/notes\/\d+\/text">/g)?.length, 200 - opened.length)
})

test('a value that is too long for a URL is in no link, and its row is led to by another identifier', async t => {
  const Code = Type.Object({
    code: Type.String({ identifier: true, ...shown }), number: Type.Integer({ identifier: true, ...shown })
  })
  const source = memory([{ code: 'a'.repeat(5000), number: 1 }])
  const { page } = await explore({ collections: { codes: collection(Code, { source, key: ['code'] }) } })
  for (const url of ['/codes', '/codes/by_code', '/codes/by_number']) {
    const body = await page(url)
    t.notMatch(body, 'a'.repeat(501))
    t.match(body, /href="\/codes\/(by_number\/)?1"/)
  }
})

test('with hooks that get the data of answers, pages are as long as without', async t => {
  const rows = rowsOf(200, 'b'.repeat(5000), { a: 'c'.repeat(2000) })
  const [plain, hooked] = [await serve(rows), await serve(rows, { rawStreams: true }, true)]
  for (const url of ['/notes?size=200', '/notes/by_kind', '/notes/by_id', '/notes/7', '/notes/7/data', '/', '/x']) {
    const [one, other] = [await plain.get(url), await hooked.get(url)]
    t.strictSame([one.status, one.body], [other.status, other.body], url)
  }
})

test('a page keeps to the limit of JSON', async t => {
  const frame = script.length
  await fc.assert(fc.asyncProperty(
    fc.integer({ min: 0, max: 40 }), fc.integer({ min: 0, max: 600 }), fc.integer({ min: 300, max: 30_000 }),
    fc.constantFrom('', '/by_kind', '/by_id', '/by_text', '/1', '/1/text', '/1/data'), fc.boolean(),
    async (count, long, length, path, hooked) => {
      const rows = rowsOf(count, '"<'.repeat(long), { a: '&'.repeat(long) })
      const { app } = await serve(rows, { limits: { length } }, hooked)
      const url = `/notes${path}${/\/1/.test(path) ? '' : '?size=40'}`
      const ask = async (accept: string) => app.inject({ url, headers: { accept } })
      const [json, page] = [await ask('application/json'), await ask('text/html')]
      for (const [{ statusCode, body }, most] of [[json, length], [page, length + frame]] as const) {
        if (statusCode === 200 && body.length > most) t.fail(`${url}: ${body.length} of ${length} characters`)
        if (statusCode !== 200 && statusCode !== (count < 2 && path.startsWith('/1') ? 404 : 400)) t.fail(body)
      }
      if (json.statusCode === 400 && page.statusCode !== 400) t.fail(`${url} is refused as JSON, not as a page`)
      if (page.statusCode === 400) t.match(page.body, /answer_too_large/)
      await app.close()
    }
  ), { numRuns: runsOf(60) })
})

test('a page is made in parts, each as long as an element at most', async t => {
  const elements = fc.array(fc.oneof(
    fc.string(), fc.integer(), fc.constant(null), fc.jsonValue(), fc.string().map(text => text.repeat(1000)),
    fc.constantFrom('"', '\\', '\\"', '\\\\', '[', '}', ',')
  ))
  fc.assert(fc.property(elements, fc.constantFrom(undefined, ' ', '\n\t'), (list, space) => {
    const json = JSON.stringify(list, null, space)
    const { view } = pageOf({ status: 200, headers: {}, links: [], body: json }, function * () {
      const members = yield * membersOf(json, '[')
      return html`<ul>${each(members, member => html`<li>${cut(member.json, 40)}</li>`)}</ul>`
    })
    const parts = [...view?.(json, Infinity) ?? []]
    const longest = Math.max(0, ...doAtOnce(membersOf(json, '[')).map(member => member.json.length))
    t.ok(Math.max(...parts) <= longest + 300, 'no part is longer than an element')
    t.ok(parts.reduce((sum, part) => sum + part, 0) >= JSON.stringify(list).length, 'all that is read is counted')
  }), { numRuns: runsOf(300) })
})

test('the members of a JSON text are those that JSON.parse() finds, in the order of the text', async t => {
  const parsed = (json: string, opening: '{' | '[') =>
    doAtOnce(membersOf(json, opening)).map(({ name, json }) => [name, JSON.parse(json)])
  fc.assert(fc.property(fc.array(fc.jsonValue()), fc.constantFrom(undefined, ' ', '\n\t'), (list, space) => {
    const expected = JSON.parse(JSON.stringify(list.map(one => ['', one])))
    t.strictSame(parsed(JSON.stringify(list, null, space), '['), expected)
  }), { numRuns: runsOf(300) })
  const objects = fc.dictionary(fc.string(), fc.jsonValue())
  fc.assert(fc.property(objects, fc.constantFrom(undefined, ' '), (object, space) => {
    const expected = JSON.parse(JSON.stringify(Object.entries(object)))
    t.strictSame(parsed(JSON.stringify(object, null, space), '{'), expected)
  }), { numRuns: runsOf(300) })
  t.strictSame(parsed('{"2":[1,"]"],"1":"\\\\\\""}', '{'), [['2', [1, ']']], ['1', '\\"']])
  for (const json of ['null', '1', '"["', '{"a":1}', '']) t.strictSame(parsed(json, '['), [])
})
