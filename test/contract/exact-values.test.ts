import { Type } from '@sinclair/typebox'
import { collection } from '../../lib/index.ts'
import { everySource, type World } from '../helpers/every-source.ts'
import { visitsOnce } from '../helpers/walk-pages.ts'
import { created } from '../helpers/answers.ts'

// docs/http.md: What an item shows. Values that JSON cannot carry exactly, the same on every source.

const R = { readable: true }
const RW = { readable: true, writable: true }
const Account = Type.Object({
  id: Type.Integer({ identifier: true, readable: true }),
  count: Type.Optional(Type.String({ format: 'int64', ...RW })),
  price: Type.Optional(Type.String({ format: 'decimal', ...RW })),
  until: Type.Optional(Type.String({ format: 'date', ...RW })),
  mixed: Type.Optional(Type.Union([Type.Integer(), Type.String(), Type.Boolean()], RW)),
  cents: Type.Optional(Type.Number({ ...RW, multipleOf: 0.01 })),
  note: Type.Unsafe<string | null>({ type: ['string', 'null'], ...R })
})

const cycle = <T>(values: readonly T[], n: number) => values[n % values.length]
const rows = Array.from({ length: 24 }, (_, n) => ({
  id: n + 1,
  count: cycle(['9007199254740993', '9007199254740992', '-9223372036854775808', '9', '10', null], n),
  price: cycle(['1.50', '1.5', '10', '9', '-1.55', '-1.5', '123456789012345678901234567890.123', '0', null], n),
  until: cycle(['infinity', '-infinity', '2026-01-02', null], n),
  mixed: cycle([5, 'abc', 10, 'x "y"', null], n),
  cents: null,
  note: cycle(['a', null], n)
}))
const world: World = {
  collections: source => ({ accounts: collection(Account, { source: source('accounts') }) }),
  tables: { accounts: rows },
  ddl: 'create table accounts (id key, count integer, price decimal, until text, mixed text, cents real, note text)'
}

everySource('int64, decimals, endless days and mixed scalars are shown exactly, each row on one page', async ({
  t, app, get, same
}) => {
  same(await get('/accounts?limit=9'), 200, rows.slice(0, 9))
  await visitsOnce(t, app, 'accounts', ['count', 'price', 'until', 'mixed', 'note'])
}, {}, world)

everySource('int64 and decimals sort and compare as numbers, mixed scalars as texts', async ({ t, get }) => {
  const ids = async (query: string) =>
    (await get(`/accounts?${query}&fields=id&limit=9`)).json<Array<{ id: number }>>().map(({ id }) => id)
  t.strictSame(await ids('where=(id<=6)&sort=count'), [3, 4, 5, 2, 1, 6])
  t.strictSame(await ids('where=(id<=9)&sort=price+desc,id'), [9, 7, 3, 4, 1, 2, 8, 6, 5])
  t.strictSame(await ids('where=(id<=9)&price=1.500'), [1, 2])
  t.strictSame(await ids('where=(id<=9)&price>1.5'), [3, 4, 7])
  t.strictSame(await ids('where=(id<=6)&count>9007199254740992'), [1])
  t.strictSame(await ids('where=(id<=5)&sort=mixed'), [3, 1, 2, 4, 5])
  t.strictSame(await ids('where=(id<=5)&mixed=10'), [3])
  // One number is one group, whatever zeros it ends with.
  const groups = (await get('/accounts/by_price?where=(id<=9)&fields=id')).json<Record<string, unknown>>()
  t.strictSame([groups['1.5'], Object.keys(groups).length], [[{ id: 1 }, { id: 2 }], 7])
  t.same((await get('/accounts?count=01')).statusCode, 400)
  t.same((await get('/accounts?price=1e3')).statusCode, 400)
}, {}, world)

everySource('exact values are written as text, as they are sent', async ({ t, get, send, same }) => {
  const sent = { count: '-9007199254740993', price: '0.10', until: 'infinity', mixed: 7 }
  same(await send('POST', '/accounts', sent), 201, created(25))
  same(await get('/accounts/25?fields=count,price,until,mixed'), 200, sent)
  for (const body of [{ count: 5 }, { count: '1.5' }, { price: 0.1 }, { price: 'NaN' }, { until: '0044-03-15 BC' }]) {
    t.equal((await send('PATCH', '/accounts/25', body)).statusCode, 400, JSON.stringify(body))
  }
}, {}, world)

everySource('a multiple of a decimal is one, whatever doubles make of it', async ({ t, send }) => {
  for (const cents of [19.99, 0.29, 4.35, 0.07, 123456789.13, -0.01, 0]) {
    t.equal((await send('PUT', '/accounts/1/cents', cents)).statusCode, 200, String(cents))
  }
  for (const cents of [0.001, 19.999]) {
    t.match((await send('PUT', '/accounts/1/cents', cents)).json(),
      { details: [{ message: 'must be a multiple of 0.01' }] }, String(cents))
  }
}, {}, world)
