import { Type } from '@sinclair/typebox'
import type { FastifyInstance } from 'fastify'
import { type Test, test } from 'tap'
import dataApi, { collection, SubCollection } from '../../lib/index.ts'
import { everySource, type World } from '../helpers/every-source.ts'
import fc, { runsOf } from '../helpers/fast-check.ts'
import Fastify from '../helpers/fastify.ts'
import { nearestDouble } from '../helpers/nearest-double.ts'
import { openers } from '../helpers/sources.ts'
import { walkPages } from '../helpers/walk-pages.ts'

// docs/http.md: Groups. Sums are those of plain arithmetic without rounding, on every source.

const R = { readable: true }
const Row = Type.Object({
  id: Type.Integer({ identifier: true, ...R }),
  kind: Type.Integer(R),
  whole: Type.Optional(Type.Integer(R)),
  long: Type.Optional(Type.String({ format: 'int64', ...R })),
  price: Type.Optional(Type.String({ format: 'decimal', ...R })),
  size: Type.Optional(Type.Number(R))
})

const Kind = Type.Object({
  kind: Type.Integer({ identifier: true, ...R }),
  things: SubCollection('things', { foreignKey: 'kind', ...R })
})

type Value = string | number | null
interface Values { readonly id: number, readonly kind: number, readonly [name: string]: Value }

const row = (id: number, kind: number, [whole, long, price, size]: readonly Value[]): Values =>
  ({ id, kind, whole: whole ?? null, long: long ?? null, price: price ?? null, size: size ?? null })

const edges: readonly Values[] = [
  row(1, 1, [Number.MAX_SAFE_INTEGER, '9223372036854775807', '0.1', 0.1]),
  row(2, 1, [Number.MAX_SAFE_INTEGER, '1', '0.20', 0.2]),
  row(3, 1, [-5, '5', '0.3', 0.3]),
  row(4, 2, [-1, '-9223372036854775808', '123456789012345678901234567890.1', 1e308]),
  row(5, 2, [-4294967296, '-9223372036854775808', '-0.1', 1e308]),
  row(6, 3, [0, '0', '0', -0]),
  row(7, 3, [0, '-0', '-0.00', 0]),
  row(8, 4, [null, null, null, null]),
  row(9, 5, [1, '1', '1', 1e16]),
  row(10, 5, [2, '2', '2', 1]),
  row(11, 5, [4, '4', '4', -1e16]),
  row(12, 6, [1, '1', '1', 1e-13]),
  row(13, 6, [2, '2', '2', 1e300]),
  row(14, 6, [null, null, null, -1e300])
]

const world = (rows: readonly Values[]): World => ({
  collections: source => ({
    things: collection(Row, { source: source('things') }),
    kinds: collection(Kind, { key: ['kind'], source: source('kinds') })
  }),
  tables: {
    things: rows.map(one => ({ ...one })),
    kinds: [...new Set(rows.map(({ kind }) => kind))].map(kind => ({ kind }))
  },
  ddl: 'create table things (id key, kind integer, whole integer, long integer, price decimal, size real); ' +
    'create table kinds (kind integer primary key)'
})

everySource('sums and means at the edges of each type', async ({ get, t }) => {
  const fields = 'kind,whole.sum(),long.sum(),price.sum(),size.sum(),whole.avg(),price.avg()'
  const found = (await get(`/things?fields=${fields}`)).json<Array<Record<string, Record<string, unknown>>>>()
  t.strictSame(found.map(({ kind: _kind, ...sums }) => Object.values(sums).map(one => Object.values(one))), [
    [['18014398509481977', 18014398509481976 / 3], ['9223372036854775813'], ['0.6', 0.2], [0.6]],
    [[-4294967297, -4294967297 / 2], ['-18446744073709551616'], ['123456789012345678901234567890',
      1.2345678901234568e29 / 2], ['Infinity']],
    [[0, 0], ['0'], ['0', 0], [0]],
    [[null, null], [null], [null, null], [null]],
    [[7, 7 / 3], ['7'], ['7', 7 / 3], [1]],
    [[3, 1.5], ['3'], ['3', 1.5], [1e-13]]
  ])
  const kinds = async (query: string, ...expected: readonly number[]) => {
    const groups = (await get(`/things?fields=kind,count()&${query}`)).json<Array<{ kind: number }>>()
    t.strictSame(groups.map(({ kind }) => kind), expected, query)
  }
  await kinds('long.sum()>=9223372036854775813', 1)
  await kinds('price.sum()=0.60', 1)
  await kinds('size.sum()=0.6', 1)
  await kinds('size.sum()<1e-12', 3, 6)
  await kinds('whole.avg()=*1.5,0', 3, 6)
  await kinds('sort=-long.sum()', 4, 1, 5, 6, 3, 2)
  await kinds('sort=size.sum()&whole.sum()!=null', 3, 6, 1, 5, 2)
}, {}, world(edges))

const calls = ['count', 'count_distinct', 'sum', 'avg', 'min', 'max']

everySource('the functions of a relation give what those of groups give', async ({ get, t }) => {
  const ofThings = ['whole', 'long', 'price', 'size'].flatMap(field => calls.map(call => `${field}.${call}()`))
  for (const call of ['count()', ...ofThings]) {
    const of = `things.${call}`
    const groups = (await get(`/things?fields=kind,${call}&sort=-${call},kind`)).json<Array<Record<string, unknown>>>()
    const shown = (await get(`/kinds?fields=kind,${of}&sort=-${of},kind`)).json<Array<Record<string, unknown>>>()
    t.strictSame(shown.map(({ kind, things }) => ({ kind, ...things as object })), groups, of)
    for (const compared of ['>2', '<=0.6', '!=3', '=null', '=*1,3,-1']) {
      const having = await get(`/things?fields=kind,count()&${call}${compared}`)
      const filtered = await get(`/kinds?fields=kind&${of}${compared}`)
      t.equal(filtered.statusCode, having.statusCode, `${of}${compared}`)
      const kindsOf = (body: unknown) => Array.isArray(body) ? body.map(({ kind }: { kind: number }) => kind) : []
      t.strictSame(kindsOf(filtered.json()), kindsOf(having.json()), `${of}${compared}`)
    }
  }
}, {}, world(edges))

// Shown as 1000000000000000.2, which is not the exact sum of 1e15, 0.1 and 0.2.
const large = 1e15 + 0.2

const rounded: readonly Values[] = [
  row(1, 1, [Number.MAX_SAFE_INTEGER, '9007199254741005', '10.10', 1e15]),
  row(2, 1, [Number.MAX_SAFE_INTEGER, '0', '20.20', 0.1]),
  row(3, 1, [Number.MAX_SAFE_INTEGER, '0', '30.00', 0.2]),
  row(4, 2, [1, '1', '1000000000000000.21', 1.7e308]),
  row(5, 2, [2, '1', null, 1.7e308]),
  row(6, 3, [1, '1', '1000000000000000.2', large]),
  // PostgreSQL writes other digits of this mean than JavaScript.
  row(7, 4, [null, '-403715607158548069', null, null]),
  ...Array.from({ length: 6 }, (_, index) => row(8 + index, 4, [null, '0', null, null]))
]

everySource('a mean is rounded once', async ({ get, same }) => {
  same(await get('/things?fields=kind,whole.avg(),long.avg(),price.avg(),size.avg()'), 200, [
    {
      kind: 1,
      whole: { avg: Number.MAX_SAFE_INTEGER },
      long: { avg: 3002399751580335 },
      price: { avg: 20.1 },
      size: { avg: large / 3 }
    },
    { kind: 2, whole: { avg: 1.5 }, long: { avg: 1 }, price: { avg: large }, size: { avg: 1.7e308 } },
    {
      kind: 3,
      whole: { avg: 1 },
      long: { avg: 1 },
      price: { avg: large },
      size: { avg: large }
    },
    {
      kind: 4,
      whole: { avg: null },
      long: { avg: Number('-57673658165506860') },
      price: { avg: null },
      size: { avg: null }
    }
  ])
}, {}, world(rounded))

everySource('what is shown of sums and means is what filters take', async ({ get, same, t }) => {
  const kinds = async (filter: string, ...expected: readonly number[]) => {
    const groups = (await get(`/things?fields=kind,count()&${filter}`)).json<Array<{ kind: number }>>()
    t.strictSame(groups.map(({ kind }) => kind), expected, filter)
    const related = (await get(`/kinds?fields=kind&things.${filter}`)).json<Array<{ kind: number }>>()
    t.strictSame(related.map(({ kind }) => kind), expected, `things.${filter}`)
  }
  await kinds('size.sum()=1000000000000000.2', 1, 3)
  await kinds('size.sum()=1000000000000000.3', 1, 3)
  await kinds('size.sum()!=1000000000000000.2', 2, 4)
  await kinds('long.avg()=-57673658165506860', 4)
  await kinds('size.sum()>1000000000000000.2', 2)
  await kinds('size.sum()=*Infinity,5', 2)
  await kinds('size.avg()=1.7e308', 2)
  await kinds('price.avg()=20.1', 1)
  await kinds('price.avg()>=1000000000000000.2', 2, 3)
  await kinds('price.sum()=1000000000000000.2', 3)
  await kinds('whole.sum()=27021597764222973', 1)
  await kinds('long.sum()>9007199254741004', 1)
  await kinds('long.sum()=9007199254741004')
  // Sums that are shown alike are ties.
  same(await get('/things?fields=kind,size.sum()&sort=size.sum(),-kind'), 200, [
    { kind: 3, size: { sum: large } },
    { kind: 1, size: { sum: large } },
    { kind: 2, size: { sum: 'Infinity' } },
    { kind: 4, size: { sum: null } }
  ])
  const sorted = (await get('/kinds?fields=kind&sort=things.size.sum(),-kind')).json<Array<{ kind: number }>>()
  t.strictSame(sorted.map(({ kind }) => kind), [3, 1, 2, 4])
}, {}, world(rounded))

everySource('pages follow sums that are shown alike', async ({ app, t }) => {
  for (const order of ['things.size.sum()', '-things.size.sum()', 'things.price.avg()', '-things.long.avg(),-kind']) {
    const whole = (await app.inject(`/kinds?fields=kind&sort=${order}`)).json<unknown[]>()
    const paged = await walkPages(app, `/kinds?fields=kind&sort=${order}&limit=1`)
    t.strictSame(paged, whole, order)
    t.equal(whole.length, 4)
  }
}, {}, world(rounded))

everySource('a sum can hold many others', async ({ get, same }) => {
  same(await get('/things?fields=size.sum()&also.size.sum()>0.1'), 200, [{ size: { sum: 120.12 } }])
}, {}, {
  ...world(Array.from({ length: 1201 }, (_, id) => row(id, id, [1, '1', '0.1', id === 0 ? 0.1 : 0.1001]))),
  collections: source => ({
    things: collection(Type.Object({
      ...Row.properties, also: SubCollection('things', { foreignKey: 'kind', ...R })
    }), { source: source('things') })
  })
})

/** An exact sum as a fraction of integers with 400 places, apart from the sums of lib. */
function exactly (values: readonly Value[]): string | null {
  const numbers = values.filter(value => value !== null)
  if (numbers.length === 0) return null
  return numbers.map(String).map(scaled).reduce((sum, one) => sum + one, 0n).toString()
}

const places = 400
function scaled (text: string): bigint {
  const [digits = '', power = '0'] = text.toLowerCase().split('e')
  const [whole = '', fraction = ''] = digits.split('.')
  return BigInt(whole + fraction) * 10n ** BigInt(places - fraction.length + Number(power))
}

const asNumber = (sum: string): number => nearestDouble(BigInt(sum), 10n ** BigInt(places)) + 0

const meanOf = (sum: string, count: number): number =>
  nearestDouble(BigInt(sum), BigInt(count) * 10n ** BigInt(places)) + 0

const doubles = { noNaN: true, noDefaultInfinity: true } as const
const numbers = fc.oneof(
  fc.double({ ...doubles, min: -1e250, max: 1e250 }),
  fc.double({ ...doubles, min: 1.6e308 }),
  fc.double({ ...doubles, min: -1e-307, max: 1e-307 }),
  fc.integer({ min: -100_000, max: 100_000 }).map(cents => cents / 100),
  fc.constantFrom(0, -0, 1e16, -1e16, 0.1, 1e22, 5e-324, 1e-323)
)
const values = fc.tuple(
  fc.option(fc.maxSafeInteger()),
  fc.option(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String)),
  fc.option(fc.integer({ min: -10_000_000, max: 10_000_000 }).map(cents => (cents / 1000).toFixed(3))),
  fc.option(numbers)
)

const fields = ['whole', 'long', 'price', 'size'] as const
const runs = runsOf(150)

test('generated groups have the values of plain JavaScript', async t => {
  const drawn = fc.sample(fc.tuple(fc.integer({ min: 1, max: 60 }), values), 400)
  const rows = drawn.map(([kind, one], index) => row(index + 1, kind, one))
  const { collections, tables, ddl } = world(rows)
  const apps = await Promise.all(Object.values(openers).map(async open => {
    const opened = await open(tables, ddl)
    const app = Fastify()
    await app.register(dataApi, { collections: collections(opened.source) })
    return { app, close: () => opened.close() }
  }))
  const asked = fc.record({
    from: fc.integer({ min: 0, max: 400 }),
    to: fc.integer({ min: 0, max: 400 }),
    by: fc.boolean(),
    field: fc.constantFrom(...fields),
    least: fc.integer({ min: 0, max: 6 })
  })
  await fc.assert(fc.asyncProperty(asked, async ({ from, to, by, field, least }) => {
    const chosen = rows.filter(({ id }) => id > from && id <= to)
    const kinds = by ? [...new Set(chosen.map(({ kind }) => kind))].sort((one, other) => one - other) : [undefined]
    const expected = kinds.flatMap(kind => {
      const items = chosen.filter(one => kind === undefined || one.kind === kind)
      if (items.length < least) return []
      const all = items.map(one => one[field] ?? null)
      const sum = exactly(all)
      const known = all.filter(one => one !== null).length
      return [{ kind, count: items.length, known, sum, mean: sum === null ? null : meanOf(sum, known) }]
    })
    const url = `/things?fields=${by ? 'kind,' : ''}count(),${field}.count(),${field}.sum(),${field}.avg()` +
      `&id>${from}&id<=${to}&count()>=${least}&limit=1000`
    const bodies: string[] = []
    for (const { app } of apps) {
      const found = (await app.inject(url)).json<ReadonlyArray<Found>>().map(group => {
        const { count, sum, avg } = group[field]
        return { kind: group.kind, count: group.count, known: count, sum, mean: avg }
      })
      const told = expected.map(({ sum, ...one }) => ({ ...one, sum: sum === null ? null : shownSum(sum, field) }))
      t.strictSame(found.map(inOrder), told.map(inOrder), url)
      for (const { app } of apps) await foundByValues(t, app, url, field)
      const kept = `where=things(id>${from},id<=${to})&things.${field}.sum()>0`
      const shown = `fields=kind,things.count(),things.${field}.sum()&sort=-things.${field}.avg(),kind`
      bodies.push((await app.inject(`/kinds?${shown}&${kept}&size=1000`)).body)
      if (!t.passing()) return false
    }
    t.equal(new Set(bodies).size, 1, url)
    return t.passing()
  }), { numRuns: runs })
  for (const { app, close } of apps) {
    await app.close()
    await close()
  }
})

/** Asserts that what is shown of the first group finds it. */
async function foundByValues (t: Test, app: FastifyInstance, url: string, field: Field) {
  const [group] = (await app.inject(url)).json<readonly Found[]>()
  if (group === undefined) return
  for (const call of ['sum', 'avg'] as const) {
    const value = encodeURIComponent(String(group[field][call]))
    const found = (await app.inject(`${url}&${field}.${call}()=${value}`)).json<readonly Found[]>()
    t.strictSame(found[0], group, `${url}&${field}.${call}()=${value}`)
  }
}

type Field = typeof fields[number]
type Found = { readonly kind: number | undefined, readonly count: number } & Readonly<Record<Field, {
  readonly count: number, readonly sum: Value, readonly avg: number | null
}>>

interface Told {
  readonly kind: number | undefined
  readonly count: number
  readonly known: number
  readonly sum: Value
  readonly mean: number | null
}

const inOrder = ({ kind, count, known, sum, mean }: Told) => [kind, count, known, sum, mean]

/** Returns an exact sum as an answer shows it. */
function shownSum (sum: string, field: Field): Value {
  const number = asNumber(sum)
  if (number === Infinity) return 'Infinity'
  if (field === 'size' || (field === 'whole' && Number.isSafeInteger(number))) return number
  const text = `${BigInt(sum) < 0n ? '-' : ''}${BigInt(sum).toString().replace('-', '').padStart(places + 1, '0')}`
  return text.replace(new RegExp(`(\\d{${places}})$`), '.$1').replace(/\.?0+$/, '')
}
