import { isDeepStrictEqual } from 'node:util'
import { OptionalKind } from '@sinclair/typebox'
import type { FastifyInstance, LightMyRequestResponse } from 'fastify'
import type { RandomTable } from './random-tables.ts'
import { counted, walkPages } from './walk-pages.ts'

type Item = Readonly<Record<string, unknown>>

/** A table that is served as the collection `things`, and the facts about its rows. */
export interface Judged extends Pick<RandomTable, 'columns' | 'key'> {
  readonly app: FastifyInstance
  /** The number of its rows. */
  readonly count: number
  /** The columns that hold values which their fields show as text, because no value of the field's type is so. */
  readonly withMistyped: ReadonlySet<string>
}

/**
 * Returns the faults of a table as it is served: rows lost or repeated, values that do not find their rows. Returns
 * undefined for keys that no URL names, or that clients see twice: no check reads the rows.
 */
export async function faultsOf (judged: Judged): Promise<readonly string[] | undefined> {
  const { app, columns } = judged
  const listing = `/things?fields=${columns.map(({ name }) => name).join()}`
  const { body } = await app.inject(`${listing}&size=1000`)
  const items = JSON.parse(body) as readonly Item[]
  if (!haveSoundKeys(items, judged)) return undefined
  return [
    ...wholeness(judged, items),
    // Numbers are written as JavaScript writes them.
    ...differ('the listing', body, JSON.stringify(items)),
    ...await pages(judged, listing, items),
    ...await forgeries(judged, listing),
    ...await filters(judged, listing, items),
    ...await addresses(judged, items),
    ...await groups(judged, items),
    ...await streams(judged, listing, items)
  ]
}

const differ = (about: string, actual: unknown, expected: unknown): readonly string[] =>
  isDeepStrictEqual(actual, expected)
    ? []
    : [`${about}: ${JSON.stringify(actual)} instead of ${JSON.stringify(expected)}`]

function haveSoundKeys (items: readonly Item[], { columns, key, withMistyped }: Judged): boolean {
  const parts = columns.filter(({ name }) => key.includes(name))
  const seen = new Set(items.map(item => JSON.stringify(parts.map(({ name, kind }) => {
    return kind === 'decimal' ? plain(String(item[name])) : kind === 'mixed' ? String(item[name]) : item[name]
  }))))
  return seen.size === items.length && parts.every(({ name, kind }) => !withMistyped.has(name) &&
    items.every(item => item[name] !== null && isOfFormat(String(item[name]), kind)))
}

const keyOf = (item: Item, key: readonly string[]) => JSON.stringify(key.map(name => item[name]))

function wholeness ({ key, count }: Judged, items: readonly Item[]) {
  return [
    ...differ('rows', items.length, count),
    ...differ('keys', new Set(items.map(item => keyOf(item, key))).size, count)
  ]
}

/** Each listing, sorted by each field in both directions, visits each row once in pages of 1 and of 3. */
async function pages ({ app, columns, key }: Judged, listing: string, items: readonly Item[]) {
  const faults: string[] = []
  const all = items.map(item => keyOf(item, key)).toSorted()
  for (const { name } of columns) {
    for (const direction of ['asc', 'desc']) {
      const url = `${listing}&sort=${name}+${direction}`
      const whole = (await app.inject(`${url}&size=1000`)).json<readonly Item[]>()
      faults.push(...differ(url, whole.map(item => keyOf(item, key)).toSorted(), all))
      for (const size of [1, 3]) {
        faults.push(...differ(`${url}&size=${size}`, await walkPages(app, `${url}&size=${size}`), whole))
      }
      const few = `/things?fields=${[...new Set([...key, name])].join()}&sort=${name}+${direction}&size=3`
      const seen = (await walkPages(app, few, counted)).map(item => keyOf(item, key))
      faults.push(...differ(`${few}, counted`, seen, whole.map(item => keyOf(item, key))))
    }
  }
  return faults
}

/** Values that a client can write into a cursor by hand. */
const forged: readonly unknown[] = [
  ['x'], 'x', '', '2024-02-30', ['2024-02-30'], '99999999-01-01', ['-infinity'], 'NaN', ['NaN'], 1e300, [1e300], [''],
  '25:00:00', ['9'.repeat(400)], '9'.repeat(400), '2024-01-01T00:00:00.000Z BC', ['\\xzz'], true, null, [], {}
]
let forgery = 0

/** A cursor that is made by hand begins a page or is refused. Each column has the next few of them. */
async function forgeries ({ app, columns, key }: Judged, listing: string) {
  const faults: string[] = []
  for (const { name } of columns) {
    for (let few = 0; few < 5; few++) {
      const value = forged[forgery++ % forged.length]
      const rest = key.filter(part => part !== name)
      const position = [[name, ...rest].join(), value, ...rest.map(() => 1)]
      const after = Buffer.from(JSON.stringify(position)).toString('base64url')
      const { statusCode } = await app.inject(`${listing}&sort=${name}&after=${after}`)
      if (statusCode !== 200 && statusCode !== 400) faults.push(`${listing}: ${statusCode} after ${String(value)}`)
    }
  }
  return faults
}

/** Each value that is shown finds the rows that show it, and no others, by each operator of equality. */
async function filters ({ app, columns, withMistyped }: Judged, listing: string, items: readonly Item[]) {
  const faults: string[] = []
  for (const { name, kind, schema } of columns) {
    for (const [operator, isNull] of [['=', true], ['!=', false]] as const) {
      if (schema[OptionalKind] === undefined) continue
      const url = `${listing}&${name}${operator}null`
      const { body } = await app.inject(url)
      faults.push(...differ(url, JSON.parse(body), items.filter(item => (item[name] === null) === isNull)))
    }
    for (const value of new Set(items.map(item => item[name]))) {
      if (value === null || withMistyped.has(name) || !isOfFormat(String(value), kind)) continue
      const text = encodeURIComponent(`"${String(value).replaceAll(/["\\]/g, '\\$&')}"`)
      const same = items.filter(item => isSame(item[name], value, kind))
      for (const operator of ['=', '=*']) {
        const url = `${listing}&${name}${operator}${text}`
        const { body } = await app.inject(url)
        faults.push(...differ(url, JSON.parse(body), same))
      }
      const url = `${listing}&${name}!=${text}`
      const { body } = await app.inject(url)
      faults.push(...differ(url, JSON.parse(body), items.filter(item => !same.includes(item))))
      for (const [operator, isIn] of [['>=', true], ['<', false]] as const) {
        const url = `${listing}&${name}${operator}${text}`
        const { statusCode, body } = await app.inject(url)
        // Values of some kinds have no order.
        if (statusCode === 400) continue
        const found = JSON.parse(body) as readonly Item[]
        const wrong = same.filter(item => found.some(one => isDeepStrictEqual(one, item)) !== isIn)
        faults.push(...differ(url, wrong, []))
      }
    }
  }
  return faults
}

const isOfFormat = (text: string, kind: string) => (formats[kind]?.test(text) ?? true) && !/-02-30/.test(text) &&
  (!/^int/.test(kind) || BigInt.asIntN(64, BigInt(text)) === BigInt(text))

/** The values of formats. Others are shown as they are, and no filter takes them. */
const formats: Readonly<Record<string, RegExp>> = {
  integer: /^-?\d{1,19}$/,
  int64: /^-?\d{1,19}$/,
  date: /^\d{4,7}-\d\d-\d\d( BC)?$|^-?infinity$/,
  'date-time': /^\d{4,6}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z( BC)?$|^-?infinity$/,
  time: /^(24:00:00|([01]\d|2[0-3]):\d\d:\d\d(\.\d+)?)([-+]\d\d(:\d\d)*)?$/,
  uuid: /^[\da-f]{8}-([\da-f]{4}-){3}[\da-f]{12}$/,
  decimal: /^-?(0|[1-9]\d*)(\.\d+)?$|^NaN$|^-?Infinity$/
}

/** Each key that is shown leads to its item, if a URL can hold it. */
async function addresses ({ app, key }: Judged, items: readonly Item[]) {
  const faults: string[] = []
  for (const item of items) {
    const path = key.map(name => encodeURIComponent(String(item[name]))).join()
    for (const url of [`/things/by_${key.join()}/${path}`, `/things/${path}`]) {
      // A path that has another meaning, or that no URL can have.
      if (path === '' || /^(\.\.?$|by_)/.test(path)) continue
      const fields = Object.keys(item).join()
      faults.push(...differ(url, (await app.inject(`${url}?fields=${fields}`)).json(), item))
    }
  }
  return faults
}

/** Each group holds the items that show its value. */
async function groups ({ app, columns, key, withMistyped }: Judged, items: readonly Item[]) {
  const faults: string[] = []
  for (const { name } of columns) {
    if (key.length === 1 && key.includes(name)) continue
    const { statusCode, body } = await app.inject(`/things/by_${name}?size=1000&fields=${key.join()}`)
    if (statusCode !== 200) {
      faults.push(`by_${name}: ${body}`)
      continue
    }
    const whole = JSON.parse(body) as Readonly<Record<string, readonly Item[]>>
    const paged = (await walkGroups(app, name)).toSorted()
    faults.push(...differ(`pages of by_${name}`, paged, Object.keys(whole).toSorted()))
    if (withMistyped.has(name)) continue
    const grouped = Object.values(whole).flat()
    const expected = items.filter(item => item[name] !== null)
    const sorted = (some: readonly Item[]) => some.map(item => keyOf(item, key)).toSorted()
    faults.push(...differ(`by_${name}`, sorted(grouped), sorted(expected)))
  }
  return faults
}

/** Returns the names of the groups of a field, each from a page of its own. */
async function walkGroups (app: FastifyInstance, name: string): Promise<readonly string[]> {
  const names: string[] = []
  for (let url: string | undefined = `/things/by_${name}?limit=1`; url !== undefined && names.length < 20;) {
    const { headers, body }: LightMyRequestResponse = await app.inject(url)
    names.push(...Object.keys(JSON.parse(body) as object))
    url = /<([^>]*)>; rel="?next/.exec(String(headers.link))?.[1]
  }
  return names
}

/** Streams hold the items of the listing. */
async function streams ({ app, columns }: Judged, listing: string, items: readonly Item[]) {
  const faults: string[] = []
  const { body } = await app.inject({ url: listing, headers: { accept: 'application/x-ndjson' } })
  faults.push(...differ('ndjson', body.split('\n').slice(0, -1).map(line => JSON.parse(line) as Item), items))
  const csv = await app.inject({ url: listing, headers: { accept: 'text/csv' } })
  const rows = items.map(item => columns.map(({ name }) => csvField(item[name])).join())
  faults.push(...differ('csv', csv.body, [columns.map(({ name }) => name).join(), ...rows, ''].join('\r\n')))
  return faults
}

/** Returns a value as CSV has it, with an apostrophe before what a spreadsheet would run. */
function csvField (value: unknown): string {
  if (typeof value !== 'string') return value === null ? '' : String(value)
  if (/^[+-]\d+(?:\.\d+)?$/.test(value)) return value
  const text = /^[=+\-@\t\r\n]/.test(value) ? `'${value}` : value
  return text === '' || /[",;\t\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

function isSame (one: unknown, other: unknown, kind: string): boolean {
  if (one === other) return true
  if (one === null) return false
  // A union of scalars is compared by its text.
  if (kind === 'mixed') return String(one) === String(other)
  return kind === 'decimal' && plain(String(one)) === plain(String(other))
}

const plain = (text: string) => /^-?\d/.test(text)
  ? text.replace(/^(-?)0+(?=\d)/, '$1').replace(/(\.\d*?)0+$/, '$1').replace(/\.$/, '').replace(/^-0$/, '0')
  : text
