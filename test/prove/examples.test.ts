import { test } from 'tap'
import { proveRules } from 'fastify-data-api/prove'
import { examples } from './examples.ts'

// npm run test:prove sends 20,000 requests to each example.

test('the example with teams shows no difference, and all of it is driven', async t => {
  const { callers: { member = {} } = {}, ...options } = await examples.teams()
  const { report } = await proveRules({ ...options, callers: { member }, seed: 1, requests: 300 })
  t.match(report, 'No difference in')
})
