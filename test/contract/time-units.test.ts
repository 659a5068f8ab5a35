import { Type } from '@sinclair/typebox'
import { collection } from '../../lib/index.ts'
import { everySource, type World } from '../helpers/every-source.ts'
import fc, { runsOf } from '../helpers/fast-check.ts'
import { refusals } from '../helpers/refusals.ts'

// docs/http.md: Groups. Units of time.

const R = { readable: true }
const Event = Type.Object({
  id: Type.Integer({ identifier: true, ...R }),
  held: Type.Optional(Type.String({ format: 'date', ...R })),
  at: Type.Optional(Type.String({ format: 'date-time', ...R })),
  name: Type.Optional(Type.String(R))
})

const days = [
  '2024-02-29', '2024-12-30', '2024-12-31', '2025-01-01', '2025-01-05', '2025-01-06', '2021-01-03', '2021-01-04',
  '2020-12-31', '1969-12-31', '1970-01-01', '0001-01-01', '0001-01-07', '9999-12-31', '2100-02-28', '2100-03-01', null
]
const times = ['T00:00:00.000Z', 'T23:59:59.999Z', 'T13:30:00.500Z']
const rows = days.map((held, index) =>
  ({ id: index + 1, held, at: held === null ? null : held + (times[index % 3] ?? ''), name: null }))

const world: World = {
  collections: source => ({ events: collection(Event, { source: source('events') }) }),
  tables: { events: rows },
  ddl: 'create table events (id key, held date, at timestamptz, name text)'
}

const monday = (day: string): string => {
  const date = new Date(`${day}T00:00:00Z`)
  date.setUTCDate(date.getUTCDate() - (date.getUTCDay() + 6) % 7)
  return date.toISOString().slice(0, 10)
}

/** The beginnings of units, as plainly as can be. */
const plainly: Readonly<Record<string, (text: string) => string>> = {
  year: text => `${text.slice(0, 4)}-01-01`,
  quarter: text => `${text.slice(0, 5)}${{ 0: '01', 1: '04', 2: '07', 3: '10' }[Math.floor(
    (Number(text.slice(5, 7)) - 1) / 3)]}-01`,
  month: text => `${text.slice(0, 7)}-01`,
  week: text => monday(text.slice(0, 10)),
  day: text => text.slice(0, 10),
  hour: text => `${text.slice(0, 13)}:00:00.000Z`
}

const units: ReadonlyArray<readonly [field: 'held' | 'at', unit: string]> = [
  ['held', 'year'], ['held', 'quarter'], ['held', 'month'], ['held', 'week'], ['at', 'year'], ['at', 'quarter'],
  ['at', 'month'], ['at', 'week'], ['at', 'day'], ['at', 'hour']
]

everySource('items are grouped by units of time, in UTC', async ({ get, t }) => {
  for (const [field, unit] of units) {
    const starts = rows.flatMap(row => row[field] === null ? [] : [plainly[unit]?.(row[field]) ?? ''])
    const expected = [...new Set(starts)].sort()
      .map(start => ({ [field]: { [unit]: start }, count: starts.filter(one => one === start).length }))
    t.strictSame((await get(`/events?fields=${field}.${unit}(),count()`)).json(),
      [...expected, { [field]: { [unit]: null }, count: 1 }], `${field}.${unit}()`)
  }
}, {}, world)

const operators = {
  '=': (one: string, other: string) => one === other,
  '>': (one: string, other: string) => one > other,
  '<': (one: string, other: string) => one < other,
  '>=': (one: string, other: string) => one >= other,
  '<=': (one: string, other: string) => one <= other
}

const asked = fc.record({
  unit: fc.nat(units.length - 1).map(index => units[index] ?? ['held', 'year'] as const),
  operator: fc.constantFrom(...Object.keys(operators) as Array<keyof typeof operators>),
  row: fc.constantFrom(...rows.slice(0, -1)),
  isStart: fc.boolean()
})

everySource('a filter of units holds for the items whose unit it matches', async ({ get, t }) => {
  await fc.assert(fc.asyncProperty(asked, async ({ unit: [field, unit], operator, row, isStart }) => {
    const text = row[field] ?? ''
    const value = isStart ? plainly[unit]?.(text) ?? '' : unit === 'hour' ? text : text.slice(0, 10)
    const expected = rows.filter(one => {
      const own = one[field]
      return own !== null && operators[operator](plainly[unit]?.(own) ?? '', value)
    })
    const found = (await get(`/events?fields=id&limit=100&${field}.${unit}()${operator}${value}`)).json<object[]>()
    t.strictSame(found, expected.map(({ id }) => ({ id })), `${field}.${unit}()${operator}${value}`)
    return t.passing()
  }), { numRuns: runsOf(100) })
}, {}, world)

everySource('units of time have names, orders and conditions as fields do', async ({ get, same, t }) => {
  const ids = async (query: string, ...found: readonly number[]) => {
    same(await get(`/events?fields=id&${query}`), 200, found.map(id => ({ id })))
  }
  await ids('held.year()=null', 17)
  await ids('held.year()=*2024-01-01,1970-01-01', 1, 2, 3, 11)
  await ids('where=(held.week()=2024-12-30,at.day()!=2025-01-01)', 2, 3, 5)
  await ids('held.year()>9998-01-01', 14)
  await ids('held.year()<=9999-01-01&held.year()>=2100-01-01', 14, 15, 16)
  t.equal((await get('/events?fields=held.year(),count()&sort=-count(),-held.year()&limit=2')).body,
    '[{"held":{"year":"2025-01-01"},"count":3},{"held":{"year":"2024-01-01"},"count":3}]')
  t.match((await get('/events?fields=at.hour(),count()&format=csv&limit=1')).body, 'at.hour,count\r\n')
}, {}, world)

refusals('units of time are of days and timestamps, and need another function', '/events', [
  ['fields=held.day(),count()', 'invalid_fields', "'day()' cannot be used with the field 'held', which takes a"],
  ['fields=name.year(),count()', 'invalid_fields', "'year()' cannot be used with the field 'name', which takes"],
  ['fields=held.year()', 'invalid_fields', "'year()' groups items; select a function of them"],
  ['fields=count()&sort=held.year()', 'invalid_sort', "Groups cannot be sorted by 'held.year()'. They have"],
  ['held.day()=2024-01-01', 'invalid_filter', "'day()' cannot be used with the field 'held'"],
  ['held.year()=2024', 'invalid_filter', "The field 'held.year()' takes a date such as"],
  ['held.year()^=2024', 'invalid_filter', "The operator 'starts with' cannot be used"],
  ['sort=held.year()', 'invalid_sort', "'year()' follows a relation to many items"]
], world)
