import Fastify from '../helpers/fastify.ts'
import dataApi from '../../lib/index.ts'
import { everybody } from '../helpers/everybody.ts'
import { test } from '../helpers/on-postgres.ts'
import { tradeDatabases } from '../helpers/trade.ts'

// docs/databases.md: Types of columns. A database of the shape and size of Northwind, which the plugin did not make:
// 14 tables with keys of letters and of two columns, and two views.

const collections = [
  'categories', 'suppliers', 'products', 'customers', 'customer_demographics', 'customer_customer_demo', 'employees',
  'regions', 'territories', 'employee_territories', 'shippers', 'orders', 'order_details', 'us_states',
  'order_subtotals', 'current_products'
]
const relations = [
  '/order_details?fields=order(id,customer(id)),product(id),order_id,product_id&size=5000',
  ...['orders', 'products'].map(name => `/${name}?fields=id,details(product_id;size=200)&size=5000`),
  '/employees?fields=id,manager(id),reports(id),territories(id;size=200)', '/territories?fields=id,employees(id)'
]

test('the databases show the same company, whose relations lead forth and back', async t => {
  const shown: string[] = []
  for (const onTrade of Object.values(tradeDatabases)) {
    await onTrade(async declared => {
      const app = Fastify()
      await app.register(dataApi, { rules: everybody, collections: declared, pages: { maxSize: Infinity } })
      const urls = [...collections.map(name => `/${name}?size=10000`), ...relations]
      const bodies = await Promise.all(urls.map(async url => {
        const { statusCode, body } = await app.inject(url)
        t.equal(statusCode, 200, url)
        return body
      }))
      const pairs = (body = '', many = '') => (JSON.parse(body) as ReadonlyArray<Record<string, unknown>>)
        .flatMap(item => (item[many] as Array<{ id: unknown }>).map(({ id }) => [item['id'], id].map(String)))
      const [forth, back] = [pairs(bodies.at(-2), 'territories'), pairs(bodies.at(-1), 'employees')]
      t.equal(forth.length, 49)
      t.strictSame(forth.map(pair => pair.join()).toSorted(), back.map(pair => pair.toReversed().join()).toSorted())
      // SQLite has no single precision, and does not keep the zeros of decimals and the spaces of `char(n)`.
      const text = bodies.join('\n').replaceAll(/"(line_total|subtotal|credit_limit)":[^,}]*/g, '')
      shown.push(text.replaceAll(/ +"/g, '"'))
      await app.close()
    })
  }
  t.equal(shown[0], shown[1])
})
