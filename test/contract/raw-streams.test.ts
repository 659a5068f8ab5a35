import { Type } from '@sinclair/typebox'
import type { FastifyInstance } from 'fastify'
import { test } from 'tap'
import { formType } from '../../lib/core/request/parse.ts'
import dataApi, { collection, memory } from '../../lib/index.ts'
import { fastify } from '../helpers/fastify.ts'

// docs/own-code.md: Plugin and hooks. A hook that takes something out of answers does not get the items of streams.

const withoutNotes = (payload: unknown): unknown =>
  JSON.parse(JSON.stringify(payload, (key, value: unknown) => key === 'notes' ? undefined : value)) as unknown

const observing: ReadonlyArray<readonly [string, (app: FastifyInstance) => void]> = [
  ['a preSerialization hook', app => {
    app.addHook('preSerialization', async (_request, _reply, value) => withoutNotes(value))
  }],
  ['a reply serializer', app => { app.setReplySerializer(value => JSON.stringify(withoutNotes(value))) }],
  ['a hook of a route', app => {
    app.addHook('onRoute', route => {
      route.preSerialization = async (_request: unknown, _reply: unknown, value: unknown) => withoutNotes(value)
    })
  }]
]

async function serve (prepare: (app: FastifyInstance) => void, rawStreams: boolean) {
  const app = fastify()
  prepare(app)
  const Thing = Type.Object({
    id: Type.Integer({ identifier: true, readable: true }),
    notes: Type.String({ readable: true })
  })
  const things = collection(Thing, {
    source: memory([{ id: 1, notes: 'secret' }]), requestStrategies: { create: false }
  })
  await app.register(dataApi, { collections: { things }, rawStreams, explorer: true })
  return app
}

const ways = [
  { url: '/things', headers: { accept: 'text/csv' } },
  { url: '/things', headers: { accept: 'application/x-ndjson' } },
  { url: '/things?format=csv' },
  { url: '/things?format=ndjson', headers: { accept: 'text/html' } },
  { method: 'QUERY', url: '/things', headers: { accept: 'text/csv', 'content-type': formType } }
] as const

for (const [what, prepare] of observing) {
  test(`no stream passes ${what} by`, async t => {
    const app = await serve(prepare, false)
    t.strictSame((await app.inject('/things')).json(), [{ id: 1 }])
    for (const way of ways) {
      const { statusCode, body } = await app.inject(way)
      t.equal(statusCode, 406, body)
      t.notMatch(body, 'secret')
    }
    const either = { url: '/things', headers: { accept: 'text/csv, application/json;q=0.5' } }
    t.strictSame((await app.inject(either)).json(), [{ id: 1 }], 'another type that the client takes is there')
    t.notMatch((await app.inject('/openapi.json')).body, 'text/csv')
    const { body } = await app.inject({ url: '/things', headers: { accept: 'text/html' } })
    t.notMatch(body, 'CSV')
    // docs/explorer.md: Safety. Pages are no JSON, which a serializer would write.
    if (what !== 'a reply serializer') t.notMatch(body, 'secret')
  })

  test(`rawStreams allows streams that pass ${what} by`, async t => {
    const app = await serve(prepare, true)
    for (const way of ways) t.match(await app.inject(way), { statusCode: 200, body: 'secret' })
    t.match((await app.inject('/openapi.json')).body, 'text/csv')
    const { body } = await app.inject({ url: '/things', headers: { accept: 'text/html' } })
    t.match(body, 'CSV')
  })
}

test('without such hooks there are streams', async t => {
  const app = await serve(() => {}, false)
  for (const way of ways) t.match(await app.inject(way), { statusCode: 200, body: 'secret' })
})
