import fc, { runsOf } from '../helpers/fast-check.ts'
import { mkdirSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { test } from 'tap'
import { decimalKey } from '../../lib/core/model/numbers.ts'
import { type Prepared, runLine, serveTarget, newPath } from './helpers.ts'

/** Serves a file of a folder as the command does. */
async function serveFile (name: string, content: string): Promise<Prepared> {
  const folder = newPath('files')
  mkdirSync(folder)
  writeFileSync(join(folder, name), content)
  return serveTarget(folder)
}

test('whole numbers of files are exact up to 64 bits, and larger ones are text', async t => {
  for (const [name, content, expected] of [
    ['t.csv', 'id,n\n1,9007199254740993\n2,5\n', [{ id: 1, n: '9007199254740993' }, { id: 2, n: '5' }]],
    ['t.ndjson', '{"id":1,"n":9007199254740993}\n\n{"id":2,"n":5}', [
      { id: 1, n: '9007199254740993' }, { id: 2, n: '5' }
    ]],
    ['t.json', '[{"id":1,"n":-9223372036854775808},{"id":2,"n":9223372036854775807}]', [
      { id: 1, n: '-9223372036854775808' }, { id: 2, n: '9223372036854775807' }
    ]],
    ['t.csv', 'id,n\n1,40817810099910004312\n2,40817810099910004313\n', [
      { id: 1, n: '40817810099910004312' }, { id: 2, n: '40817810099910004313' }
    ]],
    ['t.json', '[{"id":1,"n":9223372036854775808},{"id":2,"n":1e400},{"id":3,"n":1.5}]', [
      { id: 1, n: '9223372036854775808' }, { id: 2, n: '1e400' }, { id: 3, n: '1.5' }
    ]],
    ['t.json', '[{"id":1,"of":{"n":9007199254740993,"s":"n1","t":1e2}}]', [
      { id: 1, of: { n: '9007199254740993', s: 'n1', t: 100 } }
    ]],
    ['t.json', '9007199254740993', [{ value: '9007199254740993' }]]
  ] as const) {
    const { app } = await serveFile(name, content)
    t.strictSame((await app.inject('/t')).json(), expected, content)
  }
})

test('whole numbers of 64 bits are keys, compared as numbers', async t => {
  const { app } = await serveFile('t.csv', 'id\n9007199254740993\n9007199254740992\n10\n')
  t.strictSame((await app.inject('/t/9007199254740993')).json(), { id: '9007199254740993' })
  t.strictSame((await app.inject('/t?id>9&id<9007199254740993')).json(), [{ id: '10' }, { id: '9007199254740992' }])
  t.strictSame((await app.inject('/t?fields=id.sum()')).json(), [{ id: { sum: '18014398509481995' } }])
})

test('of CSV, numbers that JavaScript writes in another way are text; of JSON they are numbers', async t => {
  for (const text of ['1.10', '1.0', '1e5', '-0', '1E2', '0.10']) {
    const csv = await serveFile('t.csv', `id,v\n1,2\n2,${text}\n`)
    t.strictSame((await csv.app.inject('/t?fields=v')).json(), [{ v: '2' }, { v: text }], text)
    const json = await serveFile('t.json', `[{"id":1,"v":2},{"id":2,"v":${text}}]`)
    t.strictSame((await json.app.inject('/t?fields=v')).json(), [{ v: 2 }, { v: Number(text) + 0 }], text)
  }
  const { app } = await serveFile('v.csv', 'id,version\n1,1.1\n2,1.10\n3,1.1\n')
  t.strictSame((await app.inject('/v?fields=version,count()')).json(),
    [{ version: '1.1', count: 2 }, { version: '1.10', count: 1 }])
})

test('a text that no request could name is an error that names its row', async t => {
  const advice = 'holds a NUL or half a surrogate pair; remove it, or write it as text'
  for (const [name, content, place] of [
    ['t.csv', 'id,name\n1,a\n2,a\0b\n', 'row 3'],
    ['t.csv', 'id,na\0me\n1,a\n', 'row 1'],
    ['t.ndjson', '{"a":"x"}\n\n{"a":"x\\u0000y"}\n', 'line 3'],
    ['t.json', '[{"a":"\\ud800"}]', 'item 1'],
    ['t.json', '{"x":[{"a":1}],"y":[{"a":1},{"a":"\\u0000"}]}', 'item 2 of y'],
    ['t.json', '[{"a\\u0000":1}]', 'a name'],
    ['t.json', '{"a\\u0000":[{"b":1}]}', 'a name']
  ] as const) {
    const file = newPath(name)
    writeFileSync(file, content)
    t.strictSame(await runLine(file), { code: 1, out: '', error: `${basename(file)}: ${place} ${advice}\n` })
  }
})

const numberText = fc.oneof(
  fc.maxSafeInteger().map(String),
  fc.bigInt({ min: -(2n ** 66n), max: 2n ** 66n }).map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
  fc.tuple(fc.integer({ min: -999, max: 999 }), fc.integer({ min: 0, max: 20 }), fc.integer({ min: -400, max: 400 }))
    .map(([whole, places, power]) => `${whole}.${'0'.repeat(places)}5e${power}`),
  fc.constantFrom('-0', '0', '1.0', '1.10', '1e5', '1E2', '1e400', '1e-400', '0.1000000000000000055', '1e21', '100e19',
    '9007199254740992', '9007199254740993', '9007199254740993.0', '9223372036854775807', '9223372036854775808')
)
const text = fc.oneof(
  numberText,
  fc.constantFrom('007', '+1', '1.', '.5', 'true', 'TRUE', 'false', '2020-01-01', '2020-01-01T00:00:00Z', 'Infinity',
    'NaN', '0000-01-01', '0000-01-01T00:00:00.000Z', ' 1', '1 ', '0x10', '1_000', 'null', '{}', "'", '-'),
  fc.string({ minLength: 1 }).filter(one => !/["\0]/.test(one))
)
const moment = fc.tuple(
  fc.constantFrom('2020-01-01', '0000-01-01', '0001-01-01', '2020-02-30', '9999-12-31'),
  fc.constantFrom('', 'T00:00:00Z', 'T00:00Z', 'T23:59:59.999Z', 'T00:00:00.123456Z', 'T24:00:00Z', 'T23:59:60Z',
    't00:00:00z', 'T00:00:00+01:00', 'T23:00:00-01:00', 'T00:00:00+14:59', 'T00:00:00-23:00', ' 00:00:00')
).map(([day, time]) => day + time)
/** Columns of one kind of texts, and of several. */
const column = fc.oneof(
  ...[numberText, moment, text]
    .map(one => fc.array(one, { minLength: 1, maxLength: 5 }))
)

type Shown = string | number | boolean
interface Item { readonly id: number, readonly v: Shown }

/** What a moment and a flag may be shown as: in their one form. */
const canonical = (given: string, shown: Shown) => typeof shown === 'boolean'
  ? given.toLowerCase() === String(shown)
  : given === String(shown) || new Date(given).toISOString() === shown

async function found ({ app }: Prepared, shown: Shown): Promise<readonly number[]> {
  // A text may look like an operator, or like null.
  const value = typeof shown === 'string' ? `"${shown.replaceAll(/["\\]/g, '\\$&')}"` : String(shown)
  const filtered = await app.inject(`/t?v=${encodeURIComponent(value)}&fields=id`)
  const named = await app.inject(`/t/by_v/${encodeURIComponent(String(shown))}?fields=id`)
  if (filtered.statusCode !== 200 || filtered.body !== named.body) return []
  return filtered.json<readonly Item[]>().map(({ id }) => id)
}

test('each text of a CSV file is shown as it stands there, and by what is shown its row is found', async t => {
  await fc.assert(fc.asyncProperty(column, async texts => {
    const lines = texts.map((one, index) => `${index + 1},"${one}"`)
    const served = await serveFile('t.csv', `id,v\n${lines.join('\n')}\n`)
    for (const { id, v } of (await served.app.inject('/t?size=100')).json<readonly Item[]>()) {
      t.ok(canonical(texts[id - 1] ?? '', v), `${texts[id - 1]} is shown as ${v}`)
      t.ok((await found(served, v)).includes(id), `${v} is found`)
    }
  }), { numRuns: runsOf(60) })
})

test('each number of a JSON file is shown with its digits, and by what is shown its row is found', async t => {
  await fc.assert(fc.asyncProperty(fc.array(numberText, { minLength: 1, maxLength: 5 }), async texts => {
    const items = texts.map((one, index) => `{"id":${index + 1},"v":${one}}`)
    const served = await serveFile('t.json', `[${items.join()}]`)
    for (const { id, v } of (await served.app.inject('/t?size=100')).json<readonly Item[]>()) {
      t.equal(decimalKey(String(v)), decimalKey(texts[id - 1] ?? ''), `${texts[id - 1]} is shown as ${v}`)
      t.ok((await found(served, v)).includes(id), `${v} is found`)
    }
  }), { numRuns: runsOf(60) })
})

test('columns of a CSV file may be called by words of SQL', async t => {
  const { app } = await serveFile('labels.csv', 'id,true,pred\n1,cat,dog\n2,dog,dog\n3,cat,cat\n')
  const get = async (query: string) => (await app.inject(`/labels${query}`)).json<unknown>()
  const [first, second, third] = [
    { id: 1, true: 'cat', pred: 'dog' }, { id: 2, true: 'dog', pred: 'dog' }, { id: 3, true: 'cat', pred: 'cat' }
  ]
  t.strictSame(await get(''), [first, second, third])
  t.strictSame(await get('?sort=true,-id'), [third, first, second])
  t.strictSame(await get('?true=cat'), [first, third])
  t.strictSame(await get('?where=!(true=cat|pred=cat)'), [second])
  t.strictSame(await get('?fields=true,count()'), [{ true: 'cat', count: 2 }, { true: 'dog', count: 1 }])
  t.strictSame(await get('/by_true?fields=id'), { cat: [{ id: 1 }, { id: 3 }], dog: [{ id: 2 }] })
})
