import { test } from 'tap'
import dataApi from '../../lib/index.ts'
import { collections, people, pets } from '../fixtures/people.ts'
import { condition, nested, page, selection, sort } from '../helpers/arbitrary-queries.ts'
import { expected } from '../helpers/expected-people.ts'
import fc, { runsOf } from '../helpers/fast-check.ts'
import Fastify from '../helpers/fastify.ts'
import { encoders, printCondition, printNested } from '../helpers/print-queries.ts'
import { openers } from '../helpers/sources.ts'

// docs/http.md: Query strings. Generated queries, each evaluated a second time as plainly as can be, over the same
// rows.

const runs = runsOf(150)

test('any filter, sort, selection and page means the same on every source, however it is encoded', async t => {
  const apps = await Promise.all(Object.values(openers).map(async open => {
    const opened = await open({
      people: [...people] as unknown as Array<Record<string, unknown>>,
      pets: [...pets] as unknown as Array<Record<string, unknown>>
    })
    const app = Fastify()
    await app.register(dataApi, { collections: collections(opened.source) })
    return { app, kind: opened.kind, close: () => opened.close() }
  }))
  const query = fc.record({
    condition, sort, selection, nested, page, encoder: fc.constantFrom(...Object.keys(encoders))
  })
  await fc.assert(fc.asyncProperty(query, async ({ condition, sort, selection, nested, page, encoder }) => {
    const encode = encoders[encoder]
    if (encode === undefined) return false
    const parameters = [
      encode('where', printCondition(condition)),
      ...sort.length > 0
        ? [encode('sort', sort.map(({ name, descending }) => descending ? `${name} desc` : name).join(','))]
        : [],
      encode('fields', [...selection, ...printNested(nested)].join(',')),
      ...page.kind === 'page'
        ? [`page=${page.page}`, `size=${page.size}`]
        : page.kind === 'offset'
          ? [`offset=${page.offset}`, `limit=${page.limit}`]
          : []
    ]
    const url = `/people?${parameters.join('&')}`
    const body = expected({ condition, sort, selection, nested, page })
    for (const { app, kind } of apps) {
      const response = await app.inject(url)
      if (response.statusCode !== 200 || response.body !== body) {
        throw new Error(
        `${kind}: GET ${decodeURIComponent(url)}\n got ${response.statusCode} ${response.body}\nwant 200 ${body}`
        )
      }
    }
    return true
  }), { numRuns: runs })
  t.pass(`${runs} queries`)
  for (const { app, close } of apps) {
    await app.close()
    await close()
  }
})
