import { Type } from '@sinclair/typebox'
import { test } from 'tap'
import dataApi, { collection, input, memory } from '../../lib/index.ts'
import { proveRules } from '../../lib/tools/testing/prove/index.ts'
import Fastify from '../helpers/fastify.ts'

// docs/testing.md: Prove.

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
