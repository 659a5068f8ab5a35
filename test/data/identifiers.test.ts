import { Type } from '@sinclair/typebox'
import type { FastifyRequest } from 'fastify'
import { deepStrictEqual } from 'node:assert'
import { test } from 'tap'
import dataApi, { collection, type DataApiError, memory } from '../../lib/index.ts'
import fc from '../helpers/fast-check.ts'
import Fastify from '../helpers/fastify.ts'
import { everybody } from '../helpers/everybody.ts'

// docs/own-code.md: Queries

test('own code names items as URLs do, whatever identifiers rules hide from the caller', async () => {
  const schema = Type.Object({
    id: Type.Integer({ identifier: true, readable: true }),
    email: Type.String({ identifier: true, readable: true, writable: true }),
    handle: Type.String({ identifier: true, readable: true, writable: true }),
    note: Type.Optional(Type.String({ readable: true, writable: true }))
  })
  const names = ['id', 'email', 'handle'] as const
  const read = (name: string) => ({ request }: { readonly request: FastifyRequest }) =>
    request.headers[`x-hide-${name}`] === undefined
  const users = collection(schema, {
    source: memory([{ id: 1, email: 'ann@x', handle: 'ann', note: null }]),
    rules: { fields: { email: { read: read('email') }, handle: { read: read('handle') } } }
  })
  const app = Fastify()
  await app.register(dataApi, { rules: everybody, collections: { users } })
  const call = async (run: () => Promise<unknown>) =>
    run().then(() => 200, (error: unknown) => (error as DataApiError).statusCode)
  app.get('/own/:name/:value', async request => {
    const { name, value } = request.params as { name: typeof names[number], value: string }
    const items = app.dataApi.as(request).collection(users)
    const id = { [name]: name === 'id' ? Number(value) : value } as { id: number }
    return {
      get: await call(() => items.get(id)),
      find: (await items.find(id)) !== undefined,
      update: await call(() => items.update(id, { note: 'x' }))
    }
  })
  const drawn = fc.record({
    name: fc.constantFrom(...names),
    value: fc.constantFrom('1', 'ann', 'ann@x', '2'),
    // Own code may always name an item by its key.
    hidden: fc.subarray(['email', 'handle'] as const)
  })
  await fc.assert(fc.asyncProperty(drawn, async ({ name, value, hidden }) => {
    const headers = Object.fromEntries(hidden.map(one => [`x-hide-${one}`, '1']))
    const url = `/users/by_${name}/${encodeURIComponent(value)}`
    const payload = { note: 'x' }
    const { statusCode: get } = await app.inject({ url, headers })
    const { statusCode: update } = await app.inject({ method: 'PATCH', url, headers, payload })
    const own = await app.inject({ url: `/own/${name}/${encodeURIComponent(value)}`, headers })
    deepStrictEqual(own.json(), { get, find: get === 200, update })
  }))
  await app.close()
})
