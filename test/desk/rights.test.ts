import { expectRights } from 'fastify-data-api/prove'
import { test } from 'tap'
import { openDesk } from '../helpers/desk.ts'

// docs/testing.md: Rights. What the file says is what a reviewer of the desk looks at.

test('nobody may do more at the desk than examples/desk/rights.json says', async t => {
  const desks = new Map<unknown, Awaited<ReturnType<typeof openDesk>>>()
  await expectRights(async () => {
    const desk = await openDesk(t, 'sqlite')
    desks.set(desk.app, desk)
    return desk.app
  }, async app => {
    const [bob, ada] = await Promise.all((['bob', 'ada'] as const).map(async name =>
      ({ headers: { authorization: `Bearer ${await desks.get(app)?.login(name)}` } })))
    return { ...bob && { agent: bob }, ...ada && { lead: ada } }
  }, new URL('../../examples/desk/rights.json', import.meta.url))
  t.pass('as the file says')
})
