import { test } from 'tap'
import { proveRules } from 'fastify-data-api/prove'
import { examples } from './examples.ts'

// npm run test:prove sends 20,000 requests to each example, and follows documents.

for (const name of ['lead', 'agent']) {
  test(`the desk shows the ${name} no difference, and all of it is driven`, async t => {
    const { callers: { [name]: caller = {} } = {}, ...options } = await examples.desk(false)
    const { report } = await proveRules({ ...options, callers: { [name]: caller }, seed: 1, requests: 300 })
    t.match(report, 'No difference in')
    t.match(report, /so different in both worlds: .*tickets\.cost/)
  })
}
