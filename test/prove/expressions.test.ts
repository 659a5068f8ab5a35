import { Type } from '@sinclair/typebox'
import { test } from 'tap'
import dataApi, { collection, expression, sqlite } from '../../lib/index.ts'
import { proveRules } from '../../lib/tools/testing/prove/index.ts'
import Fastify from '../helpers/fastify.ts'

// docs/testing.md: Options of a proof

test('an expression that only SQL computes is null in some items, unless it says that it never is', async t => {
  const Flag = Type.Boolean({ readable: true })
  const id = Type.Integer({ identifier: true, readable: true })
  const Ticket = Type.Object({ id, title: Type.String({ readable: true }) })
  const bodies: string[] = []
  const app = async () => {
    const db = sqlite(':memory:')
    const built = Fastify()
    built.addHook('onClose', () => { db.close() })
    built.addHook('onSend', async (_request, _reply, body) => { bodies.push(String(body)) })
    await built.register(dataApi, {
      collections: {
        tickets: collection(Ticket, {
          source: db.table('tickets'),
          computed: {
            isLate: expression({ type: Flag, sql: eb => eb('title', '>', 'a') }),
            isOpen: expression({ type: Flag, nullable: false, sql: eb => eb('title', 'is', null) })
          }
        })
      }
    })
    return built
  }
  const { report } = await proveRules({ app, requests: 300, seed: 1 })
  t.match(report, 'Made up, since only SQL computes them\n\n- tickets.isLate\n- tickets.isOpen')
  const shows = (member: string) => bodies.some(body => body.includes(member))
  t.ok(shows('"is_late":null'))
  t.ok(shows('"is_late":true'))
  t.ok(shows('"is_open":true'))
  t.notOk(shows('"is_open":null'))
})
