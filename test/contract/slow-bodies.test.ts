import type { FastifyInstance } from 'fastify'
import { setTimeout } from 'node:timers/promises'
import { test } from 'tap'
import dataApi, { collection, type DataApiOptions, memory } from '../../lib/index.ts'
import Fastify from '../helpers/fastify.ts'
import { type SlowRequest, startRequest, until } from '../helpers/slow-bodies.ts'
import { everybody } from '../helpers/everybody.ts'
import { Note } from '../fixtures/things.ts'

// docs/http.md: Rules; docs/running.md: Shutdown. Bodies that take their time.

/** The doors of bodies: the type, a body in two parts, and the status of the answer. */
const doors: Readonly<Record<string, readonly [string, string, string, number]>> = {
  JSON: ['application/json', '{"text":', '"late"}', 201],
  'a batch': ['application/json', '[{"method":"POST","path":"/notes",', '"body":{"text":"late"}}]', 200],
  NDJSON: ['application/x-ndjson', '{"text":"begun"}\n', '{"text":"late"}\n', 201],
  CSV: ['text/csv', 'text\nbegun\n', 'late\n', 201],
  'the form of imports': ['application/x-www-form-urlencoded', '_csv=text%0D%0A', 'late', 303],
  'a form': ['application/x-www-form-urlencoded', 'text=', 'late', 303]
}

const begin = (app: FastifyInstance, door: string): SlowRequest => {
  const [type, first] = doors[door] ?? ['', '']
  const isForm = type.includes('form')
  const path = door === 'a batch' ? '/' : '/notes'
  const slow = startRequest(app, `POST ${path}`, type,
    ['connection: close', ...isForm ? ['accept: text/html', 'sec-fetch-site: same-origin'] : []])
  slow.write(first)
  return slow
}

async function serve (t: { teardown (end: () => unknown): void }, more: object, options: Partial<DataApiOptions> = {}) {
  const app = Fastify()
  const rows: object[] = []
  let begun = 0
  app.addHook('onRequest', async request => {
    if (request.method !== 'POST') return
    begun++
    // Own code has asked the rules by then, as they were.
    await app.dataApi.as(request).collection('notes').list({}).catch(() => {})
  })
  await app.register(dataApi, {
    rules: everybody,
    imports: true,
    explorer: true,
    requestStrategies: { batch: true },
    collections: { notes: collection(Note, { source: memory(rows), ...more }) },
    ...options
  })
  await app.listen({ port: 0 })
  t.teardown(() => app.close())
  const isBegun = async (number: number) => {
    await until(() => begun >= number)
    await setTimeout(50)
  }
  return { app, rows, isBegun }
}

for (const [door, [, , last, status]] of Object.entries(doors)) {
  test(`rules and the caller's facts are those of when the body of ${door} has come`, async t => {
    const state = { may: true, user: 'ada' as string | undefined }
    const rule = ({ caller }: { readonly caller: unknown }) => {
      if (caller === undefined) throw Object.assign(new Error('Who are you?'), { statusCode: 401 })
      return state.may
    }
    const { app, rows, isBegun } = await serve(t, { rules: { create: rule, read: () => true, update: rule } }, {
      caller: () => state.user === undefined ? undefined : { name: state.user } as never
    })
    const send = async (number: number, change: () => void) => {
      Object.assign(state, { may: true, user: 'ada' })
      const slow = begin(app, door)
      await isBegun(number)
      change()
      slow.write(last)
      slow.end()
      return (await slow.answer).statusCode
    }
    t.equal(await send(1, () => { state.may = false }), 403)
    t.equal(await send(2, () => { state.user = undefined }), 401)
    t.strictSame(rows, [])
    t.equal(await send(3, () => {}), status)
  })
}

test('a body that still arrives after closeGrace is 503, and its connection is closed', async t => {
  for (const door of ['JSON', 'a batch', 'NDJSON', 'CSV', 'a form']) {
    const { app, rows, isBegun } = await serve(t, {}, { closeGrace: 50 })
    const hanging = startRequest(app, `POST ${door === 'a batch' ? '/' : '/notes'}`, doors[door]?.[0] ?? '', [])
    hanging.write(doors[door]?.[1] ?? '')
    await isBegun(1)
    const closed = app.close()
    t.match(await hanging.answer, { statusCode: 503, error: 'unavailable', message: /^The server closes\. / }, door)
    await Promise.all([closed, hanging.closed])
    t.strictSame(rows, [])
  }
})

test('a body that was refused before it has come does not keep the server', async t => {
  const { app, isBegun } = await serve(t, {}, { closeGrace: 50, imports: { bytes: 10 } })
  const refused = startRequest(app, 'POST /notes', 'application/x-ndjson', [])
  refused.write('{"text":"more than ten bytes"}')
  const denied = startRequest(app, 'POST /none', 'application/x-ndjson', [])
  denied.write('{')
  await isBegun(2)
  t.match([await refused.answer, await denied.answer], [{ statusCode: 413 }, { statusCode: 404 }])
  await Promise.all([app.close(), refused.closed, denied.closed])
})

test('an import whose body has come is finished and answered, however long that takes', async t => {
  let go = () => {}
  const gone = new Promise<void>(resolve => { go = resolve })
  const { app, rows, isBegun } = await serve(t, { hooks: { creating: () => gone } }, { closeGrace: 10 })
  const slow = begin(app, 'NDJSON')
  slow.end()
  await isBegun(1)
  const closed = app.close()
  await setTimeout(100)
  go()
  t.match(await slow.answer, { statusCode: 201, count: 1 })
  await closed
  t.equal(rows.length, 1)
})
