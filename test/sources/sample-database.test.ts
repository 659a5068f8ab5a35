import { isDeepStrictEqual } from 'node:util'
import type { FastifyInstance } from 'fastify'
import Fastify from '../helpers/fastify.ts'
import { type Test, test } from 'tap'
import dataApi from '../../lib/index.ts'
import { test as postgresTest } from '../helpers/on-postgres.ts'
import { tradeDatabases } from '../helpers/trade.ts'
import { everybody } from '../helpers/everybody.ts'

// docs/databases.md: Types of columns. A database of the shape and size of Northwind, which the plugin did not make:
// 14 tables with keys of letters and of two columns, and two views. FC_RUNS=1000 walks all pages of all tables.

const thorough = Number(process.env['FC_RUNS'] ?? 0) >= 1000
/** The tables of up to so many rows are walked from end to end in pages of 1 and of 7. */
const small = thorough ? Infinity : 12
/** Elsewhere, a walk in pages of 1 and of 7 begins at some pages of 100, and has so many pages. */
const few = 2
const mostStarts = thorough ? Infinity : 4
/** The values of each field that are looked for. */
const mostValues = thorough ? Infinity : 15

type Item = Readonly<Record<string, unknown>>

interface Company {
  readonly t: Test
  readonly app: FastifyInstance
  get (url: string): Promise<{ readonly items: readonly Item[], readonly next: string | undefined }>
}

/** Runs a test over the company's collections on each kind of database. */
function everyDatabase (name: string, run: (company: Company) => Promise<void>): void {
  for (const [kind, onTrade] of Object.entries(tradeDatabases)) {
    test(`${name} (${kind})`, t => onTrade(async collections => {
      const app = Fastify()
      await app.register(dataApi, { rules: everybody, collections, pages: { maxSize: Infinity } })
      await run({ t, app, get: url => getPage(app, url) })
      await app.close()
    }))
  }
}

async function getPage (app: FastifyInstance, url: string) {
  const response = await app.inject(url)
  if (response.statusCode !== 200) throw new Error(`${url}: ${response.statusCode} ${response.body}`)
  const next = /<https?:\/\/[^/]*([^>]*)>; rel="next"/.exec(String(response.headers.link))?.[1]
  return { items: response.json<readonly Item[]>(), next }
}

// The listings with their keys on the wire.
const listings: Readonly<Record<string, readonly string[]>> = {
  categories: ['id'],
  suppliers: ['id'],
  products: ['id'],
  customers: ['id'],
  customer_demographics: ['customer_type_id'],
  customer_customer_demo: ['customer_id', 'customer_type_id'],
  employees: ['id'],
  regions: ['id'],
  territories: ['id'],
  employee_territories: ['employee_id', 'territory_id'],
  shippers: ['id'],
  orders: ['id'],
  order_details: ['order_id', 'product_id'],
  us_states: ['id'],
  order_subtotals: ['order_id'],
  current_products: ['product_id']
}

const keyIn = (item: Item, key: readonly string[]) => key.map(name => String(item[name])).join('|')

everyDatabase('each listing, sorted by each field in both directions, visits each row once', async company => {
  for (const [collection, key] of Object.entries(listings)) {
    const { items } = await company.get(`/${collection}?size=10000`)
    company.t.ok(items.length > 3, collection)
    const all = items.map(item => keyIn(item, key)).toSorted()
    const wrong: string[] = []
    for (const field of Object.keys(items[0] ?? {})) {
      for (const direction of ['asc', 'desc']) {
        const listing = `/${collection}?sort=${field}+${direction}&fields=${key.join()}`
        wrong.push(...await visitsOtherwise({ listing, key, all }, company))
      }
    }
    company.t.strictSame(wrong, [])
  }
})

interface Listing { readonly listing: string, readonly key: readonly string[], readonly all: readonly string[] }

/** Returns the walks over a listing that do not visit each row once, in the order of the listing. */
async function visitsOtherwise ({ listing, key, all }: Listing, { get }: Company): Promise<readonly string[]> {
  const whole = (await get(`${listing}&size=10000`)).items.map(item => keyIn(item, key))
  const { seen, starts } = await walk(get, `${listing}&size=100`, key)
  const wrong = [
    ...isDeepStrictEqual(whole.toSorted(), all) ? [] : [listing],
    ...isDeepStrictEqual(seen, whole) ? [] : [`${listing}&size=100`]
  ]
  for (const size of [7, 1]) {
    const isWhole = all.length <= small
    const begins = isWhole ? [{ url: `${listing}&size=${size}`, place: 0 }] : spread(starts, mostStarts)
    for (const { url, place } of begins) {
      const part = await walk(get, url.replace('size=100', `size=${size}`), key, isWhole ? Infinity : few)
      const expected = isWhole ? whole : whole.slice(place, place + few * size)
      if (!isDeepStrictEqual(part.seen, expected)) wrong.push(`${url} in pages of ${size}`)
    }
  }
  return wrong
}

/** Follows `next`. `starts`: the URLs of the pages after the first, with the number of rows before them. */
async function walk (get: Company['get'], from: string, key: readonly string[], most = Infinity) {
  const seen: string[] = []
  const starts: Array<{ readonly url: string, readonly place: number }> = []
  let url: string | undefined = from
  for (let pages = 0; url !== undefined && pages < most; pages++) {
    const page: Awaited<ReturnType<Company['get']>> = await get(url)
    seen.push(...page.items.map(item => keyIn(item, key)))
    url = page.next
    if (url !== undefined) starts.push({ url, place: seen.length })
  }
  return { seen, starts }
}

everyDatabase('each value that is shown finds the rows that show it, and no others', async ({ t, get }) => {
  for (const [collection, key] of Object.entries(listings)) {
    const { items } = await get(`/${collection}?size=10000`)
    for (const field of Object.keys(items[0] ?? {})) {
      const values = spread([...new Set(items.map(item => item[field]))], mostValues)
      const found = await Promise.all(values.map(async value => {
        const url = `/${collection}?${field}=${textOf(value)}&fields=${key.join()}&size=10000`
        const expected = items.filter(item => item[field] === value)
        return { url, keys: (await get(url)).items.map(item => keyIn(item, key)), expected }
      }))
      for (const { url, keys, expected } of found) t.strictSame(keys, expected.map(item => keyIn(item, key)), url)
    }
  }
})

/** Returns a value as a filter asks for it. */
const textOf = (value: unknown) =>
  value === null ? 'null' : encodeURIComponent(typeof value === 'string' ? JSON.stringify(value) : String(value))

/** Returns so many elements of a list at most, from its beginning to its end. */
function spread<T> (list: readonly T[], most: number): readonly T[] {
  const step = Math.max(1, Math.ceil(list.length / most))
  return list.filter((_, index) => index % step === 0)
}

everyDatabase('each item is at its key, and among those of each value of its fields', async ({ t, app, get }) => {
  for (const [collection, key] of Object.entries(listings)) {
    const { items } = await get(`/${collection}?size=10000`)
    for (const item of spread(items, mostValues)) {
      const path = key.map(name => encodeURIComponent(String(item[name]))).join()
      for (const url of [`/${collection}/${path}`, `/${collection}/by_${key.join()}/${path}`]) {
        const fields = Object.keys(item).join()
        t.strictSame((await app.inject(`${url}?fields=${fields}`)).json(), item, url)
      }
      const [field = '', value] = Object.entries(item)[1] ?? []
      if (value === null || value === '' || key.includes(field)) continue
      const url = `/${collection}/by_${field}/${encodeURIComponent(String(value))}`
      t.ok((await get(`${url}?size=10000`)).items.some(one => keyIn(one, key) === keyIn(item, key)), url)
    }
  }
})

everyDatabase('each relation leads from one end to the other and back', async ({ t, get }) => {
  const listing = async (url: string) => (await get(`${url}&size=5000`)).items
  const details = await listing('/order_details?fields=order(id,customer(id)),product(id),order_id,product_id')
  for (const { order, product, ...keys } of details as ReadonlyArray<Record<'order' | 'product', Item>>) {
    t.strictSame({ order_id: order['id'], product_id: product['id'] }, keys)
  }
  for (const collection of ['orders', 'products']) {
    const withDetails = await listing(`/${collection}?fields=details(product_id;size=200)`)
    t.equal(withDetails.flatMap(item => item['details']).length, details.length, collection)
  }
  const subordinates = await listing('/employees?fields=id,manager(id),reports(id)')
  for (const { id, reports } of subordinates) {
    t.strictSame(reports, subordinates.filter(({ manager }) => (manager as Item | null)?.['id'] === id)
      .map(one => ({ id: one['id'] })), `${String(id)}`)
  }
  const pairsOf = async (url: string, many: string) => (await listing(url)).flatMap(item =>
    (item[many] as readonly Item[]).map(other => [item['id'], other['id']].map(String)))
  const forth = await pairsOf('/employees?fields=id,territories(id;size=200)', 'territories')
  const back = await pairsOf('/territories?fields=id,employees(id;size=200)', 'employees')
  t.equal(forth.length, 49)
  t.strictSame(forth.map(pair => pair.join()).toSorted(), back.map(pair => pair.toReversed().join()).toSorted())
})

postgresTest('the databases show the same company', async t => {
  const shown: string[] = []
  for (const onTrade of Object.values(tradeDatabases)) {
    await onTrade(async collections => {
      const app = Fastify()
      await app.register(dataApi, { rules: everybody, collections, pages: { maxSize: Infinity } })
      const urls = Object.keys(listings).map(name => `/${name}?size=10000`)
      const bodies = await Promise.all(urls.map(async url => (await app.inject(url)).body))
      // SQLite has no single precision, and does not keep the zeros of decimals and the spaces of `char(n)`.
      const text = bodies.join('\n').replaceAll(/"(line_total|subtotal|credit_limit)":[^,}]*/g, '')
      shown.push(text.replaceAll(/ +"/g, '"'))
      await app.close()
    })
  }
  t.equal(shown[0], shown[1])
})
