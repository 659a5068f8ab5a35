import { Type } from '@sinclair/typebox'
import { test } from 'tap'
import dataApi, { collection, computed, input, memory } from '../../lib/index.ts'
import { proveRules } from '../../lib/tools/testing/prove/index.ts'
import Fastify from '../helpers/fastify.ts'

// docs/testing.md: Prove. What applications have besides collections with rules.

test('an input, which no row has, is guessed at like any other name', async t => {
  const User = Type.Object({
    id: Type.Integer({ identifier: true, readable: true }),
    name: Type.String({ readable: true, writable: true }),
    hash: Type.String({ default: '' })
  })
  const app = async () => {
    const app = Fastify()
    const users = collection(User, {
      source: memory([]),
      inputs: { password: input({ type: Type.String(), set (user, password) { user.hash = `hash of ${password}` } }) }
    })
    await app.register(dataApi, { collections: { users }, rules: { read: true, create: true, update: true } })
    return app
  }
  const { report } = await proveRules({ app, seed: 1, requests: 1500 })
  t.match(report, 'No difference in')
})

test('facts about a caller may hold functions, which are others at each request', async t => {
  const Note = Type.Object({
    id: Type.Integer({ identifier: true, readable: true }),
    salary: Type.Integer({ readable: true, writable: true })
  })
  const app = async () => {
    const app = Fastify()
    const notes = collection(Note, {
      source: memory([]),
      rules: { fields: { salary: { read: () => false, write: () => false } } },
      computed: {
        isWellPaid: computed({ type: Type.Boolean({ readable: true }), from: ['salary'], get: one => one.salary > 9 })
      }
    })
    const facts = { id: 1, name: 'Ada', tenant: 1, role: 'lead' } as const
    await app.register(dataApi, {
      collections: { notes },
      caller: () => ({ ...facts, isCurrent: () => true }),
      rules: { read: true, create: false, update: false, delete: false }
    })
    return app
  }
  await t.rejects(proveRules({ app, seed: 1, requests: 500 }), { message: / can tell .* in `notes.salary` by / })
})
