import { Type } from '@sinclair/typebox'
import type { FastifyInstance } from 'fastify'
import { test } from 'tap'
import dataApi, { collection, type DataApiOptions, memory } from '../../lib/index.ts'
import { proveRules } from '../../lib/tools/testing/prove/index.ts'
import Fastify from '../helpers/fastify.ts'

// docs/testing.md#prove, of rules that are constants, and of callers who may not read a collection.

const R = { readable: true } as const
const Thing = Type.Object({
  id: Type.Integer({ identifier: true, ...R }), text: Type.String({ ...R, writable: true })
})

/** Builds an application with three collections whose rules are constants: of their own, or of the registration. */
const buildSaid = (add?: (app: FastifyInstance) => void) => async () => {
  const app = Fastify()
  add?.(app)
  const requestStrategies: NonNullable<DataApiOptions['requestStrategies']> =
    { delete: true, bulk: ['PATCH', 'DELETE'] }
  const all = { read: true, create: true, update: true, delete: true }
  await app.register(dataApi, {
    rules: { read: true, create: false, update: () => true, delete: false },
    requestStrategies,
    imports: true,
    collections: {
      things: collection(Thing, { source: memory([]) }),
      notes: collection(Thing, { source: memory([]), rules: { update: false, delete: true } }),
      secrets: collection(Thing, { source: memory([]), rules: { ...all, read: false } })
    }
  })
  return app
}

/** Returns how often ways were sent, answered and refused. */
const countsIn = (report: string) => new Map([...report.matchAll(/^\| (.+?) \| (\d+) \| (\d+) \| (\d+) \|$/gm)]
  .map(([, name = '', ...counts]) => [name, counts.map(Number)] as const))

test("'false' is counted as refused, and what may not be read is hidden", async t => {
  const { report } = await proveRules({ app: buildSaid(), requests: 250, seed: 1 })
  const counts = countsIn(report)
  const refusedWays = [
    'things created', 'things deleted', 'things imported', 'notes created', 'notes changed by PATCH',
    'notes changed by an array', 'secrets as JSON'
  ]
  for (const name of refusedWays) {
    const [sent = 0, answered, refused] = counts.get(name) ?? []
    t.ok(sent > 0, name)
    t.strictSame([answered, refused], [0, sent], name)
  }
  for (const name of ['things changed by PATCH', 'notes deleted', 'secrets created']) {
    t.ok((counts.get(name)?.[1] ?? 0) > 0, name)
  }
  t.match(report, 'Hidden, and so different in both worlds: secrets, secrets.text.')
})

test('who may not read a collection is refused at all its URLs, but where it creates', async t => {
  const { report } = await proveRules({ app: buildSaid(), requests: 250, seed: 1 })
  const writes = [...countsIn(report)].filter(([name]) => /^secrets (?:changed|deleted|written)/.test(name))
  t.strictSame(writes.map(([name]) => name), [
    'secrets changed by PUT', 'secrets changed by PATCH', 'secrets deleted', 'secrets changed by an array',
    'secrets written by a filter and PATCH', 'secrets written by a filter and DELETE', 'secrets changed unread'
  ])
  for (const [name, [sent = 0, answered, refused]] of writes) t.strictSame([answered, refused], [0, sent], name)
  const own = (app: FastifyInstance) => {
    app.delete('/secrets/:id', async (_request, reply) => reply.code(204).send())
  }
  await t.rejects(proveRules({ app: buildSaid(own), requests: 250, seed: 1 }), {
    message: new RegExp('^Who may not read a collection may not change it, but visitor may: ' +
      'secrets (?:deleted|changed unread): `DELETE /secrets/\\d+` is 204, not 403')
  })
  const allow = ['secrets deleted', 'secrets changed unread']
  t.match((await proveRules({ app: buildSaid(own), requests: 250, seed: 1, allow })).report, 'No difference in')
})
