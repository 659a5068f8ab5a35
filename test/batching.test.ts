import { Type } from '@sinclair/typebox'
import Fastify from './helpers/fastify.ts'
import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks'
import { nextTick } from 'node:process'
import { setImmediate, setTimeout } from 'node:timers/promises'
import { test } from 'tap'
import { makeBatching, type Work } from '../lib/core/scheduling/batching.ts'
import dataApi, { collection, memory } from '../lib/index.ts'
import { everybody } from './helpers/everybody.ts'

/** Work that writes down what is done. */
const noted = (log: unknown[], name: string, make: Work<string>['make'] = () => name): Work<string> => ({
  make () {
    log.push(`make ${name}`)
    return make()
  },
  send (made) { log.push(`send ${made}`) },
  fail (error) { log.push(`fail ${name}: ${error instanceof Error ? error.message : String(error)}`) }
})

// The clock moves only while something is busy, so that no machine is too slow for these tests.
let clock = 0
performance.now = () => clock
const busy = (milliseconds: number) => { clock += milliseconds }

test('what comes in one turn of the event loop is made together, then sent together', async t => {
  const log: unknown[] = []
  const batching = makeBatching()
  for (const name of ['a', 'b', 'c']) batching.answer(noted(log, name))
  t.strictSame(log, [])
  await setImmediate()
  t.strictSame(log, ['make a', 'make b', 'make c', 'send a', 'send b', 'send c'])
  batching.answer(noted(log, 'd'))
  await setImmediate()
  t.strictSame(log.slice(6), ['make d', 'send d'])
})

test('what comes alone turn after turn is answered at once, until others come with it', async t => {
  const log: unknown[] = []
  const batching = makeBatching()
  for (let turn = 0; turn < 16; turn++) {
    batching.answer(noted([], 'before'))
    await setImmediate()
  }
  batching.answer(noted(log, 'a'))
  batching.answer(noted(log, 'ill', () => { throw new Error('made ill') }))
  batching.answer({ ...noted(log, 'b'), send () { throw new Error('sent ill') } })
  batching.answer({ ...noted(log, 'left'), make: () => undefined })
  t.strictSame(log.splice(0),
    ['make a', 'send a', 'make ill', 'fail ill: made ill', 'make b', 'fail b: sent ill'])
  batching.answer(noted(log, 'late', async () => setTimeout(1, 'late')))
  batching.answer(noted(log, 'refused', async () => { throw new Error('no') }))
  while (log.length < 4) await setTimeout(1)
  t.strictSame(log.splice(0), ['make late', 'make refused', 'fail refused: no', 'send late'])
  batching.answer(noted(log, 'long', () => {
    busy(2)
    return 'long'
  }))
  batching.answer(noted(log, 'next'))
  batching.answer(noted(log, 'other'))
  t.strictSame(log.splice(0), ['make long', 'send long'])
  await setImmediate()
  t.strictSame(log.splice(0), ['make next', 'make other', 'send next', 'send other'])
  batching.answer(noted(log, 'c'))
  t.strictSame(log, [])
  await setImmediate()
  t.strictSame(log, ['make c', 'send c'])
})

test('what takes long is sent before the rest is made, and leaves the event loop its turn', async t => {
  const log: unknown[] = []
  const batching = makeBatching()
  for (const name of ['a', 'b', 'c']) {
    batching.answer(noted(log, name, () => {
      busy(2)
      return name
    }))
  }
  await setImmediate()
  log.push('turn')
  while (log.length < 7) await setTimeout(1)
  t.strictSame(log, ['make a', 'send a', 'turn', 'make b', 'send b', 'make c', 'send c'])
})

test('what one throws is its own, what is late holds nothing up, what nobody waits for is not sent', async t => {
  const log: unknown[] = []
  const batching = makeBatching()
  batching.answer(noted(log, 'late', async () => setTimeout(5, 'late')))
  batching.answer(noted(log, 'refused', async () => { throw new Error('no') }))
  batching.answer(noted(log, 'a', () => { throw new Error('made ill') }))
  batching.answer({ ...noted(log, 'b'), send () { throw new Error('sent ill') } })
  batching.answer({ ...noted(log, 'left'), make: () => undefined })
  batching.answer(noted(log, 'now'))
  while (log.length < 10) await setTimeout(1)
  t.strictSame(log, ['make late', 'make refused', 'make a', 'make b', 'make now', 'fail a: made ill',
    'fail b: sent ill', 'send now', 'fail refused: no', 'send late'])
})

test('whose failure cannot even be told keeps no other from being answered', async t => {
  const log: unknown[] = []
  const batching = makeBatching()
  const others = process.listeners('uncaughtException')
  process.removeAllListeners('uncaughtException')
  t.teardown(() => { for (const other of others) process.on('uncaughtException', other) })
  const uncaught = new Promise<unknown>(resolve => process.once('uncaughtException', resolve))
  const fail = () => { throw new Error('gone') }
  batching.answer({ make: fail, send () {}, fail })
  batching.answer(noted(log, 'b'))
  t.match(await uncaught, { message: 'gone' })
  while (log.length < 2) await setTimeout(1)
  t.strictSame(log, ['make b', 'send b'])
})

test('many that come in one turn are made and sent in batches, before the event loop goes on', async t => {
  const log: string[] = []
  const batching = makeBatching()
  for (let n = 0; n < 40; n++) batching.answer(noted(log, String(n)))
  t.strictSame(log, [])
  await Promise.resolve()
  await new Promise<void>(resolve => { nextTick(resolve) })
  const made = log.indexOf('send 0')
  t.ok(made > 1 && made < 40, `${made} are made before the first is sent`)
  while (log.length < 80) await setTimeout(1)
  t.strictSame(log.filter(line => line.startsWith('send')), Array.from({ length: 40 }, (_, n) => `send ${n}`))
})

test('answers and streams have turns by turns, however many there are of either', async t => {
  const log: string[] = []
  const batching = makeBatching()
  const resource = new AsyncResource('Test')
  const stream = async (name: string) => {
    for (let n = 0; n < 3; n++) {
      await batching.step(() => {
        log.push(`step ${name}`)
        busy(2)
      }, resource)
    }
  }
  const answered = (name: string) => noted([], name, () => {
    log.push(name)
    busy(2)
    return name
  })
  const streams = ['a', 'b', 'c'].map(stream)
  for (const name of ['1', '2', '3']) batching.answer(answered(name))
  await Promise.all(streams)
  t.strictSame(log,
    ['1', 'step a', '2', 'step b', '3', 'step c', 'step a', 'step b', 'step c', 'step a', 'step b', 'step c'])
})

test('a step fails by itself, and runs in the asynchronous context of its stream', async t => {
  const batching = makeBatching()
  const asker = new AsyncLocalStorage<string>()
  const resources = ['a', 'b'].map(name => asker.run(name, () => new AsyncResource('Test')))
  const seen = await Promise.allSettled(resources.flatMap(resource => [
    batching.step(() => asker.getStore(), resource),
    batching.step(async () => asker.getStore(), resource),
    batching.step(() => { throw new Error(asker.getStore()) }, resource)
  ]))
  t.match(seen, ['a', 'b'].flatMap(value => [{ value }, { value }, { reason: { message: value } }]))
})

test('rules, scopes and hooks find what the application keeps of their own request', async t => {
  const asker = new AsyncLocalStorage<string>()
  const things = Array.from({ length: 20 }, (_, id) => ({ id, owner: String(id) }))
  const app = Fastify()
  app.addHook('onRequest', (request, _reply, done) => { asker.run(String(request.headers['x-asker']), done) })
  app.addHook('onSend', async (_request, reply) => { reply.header('x-asker', asker.getStore()) })
  await app.register(dataApi, {
    rules: everybody,
    collections: {
      things: collection(Type.Object({
        id: Type.Integer({ identifier: true, readable: true }), owner: Type.String({ readable: true })
      }), {
        source: memory(things),
        scope: () => ({ owner: asker.getStore() ?? '' }),
        rules: { read: async () => setTimeout(Number(asker.getStore()) % 2, asker.getStore() !== '7') }
      })
    }
  })
  const answers = await Promise.all(
    things.map(({ owner }) => app.inject({ url: '/things', headers: { 'x-asker': owner } }))
  )
  for (const [id, { statusCode, headers, body }] of answers.entries()) {
    t.equal(headers['x-asker'], String(id))
    t.equal(statusCode, id === 7 ? 403 : 200)
    if (id !== 7) t.equal(body, `[{"id":${id},"owner":"${id}"}]`)
  }
})

test('an application whose tests stop the clock is answered', async t => {
  const app = Fastify()
  await app.register(dataApi, {
    rules: everybody,
    collections: {
      things: collection(Type.Object({ id: Type.Integer({ identifier: true, readable: true }) }), {
        source: memory([{ id: 1 }])
      })
    }
  })
  await app.ready()
  const { setImmediate: real } = globalThis
  t.teardown(() => { globalThis.setImmediate = real })
  globalThis.setImmediate = (() => {}) as never
  t.equal((await app.inject('/things/1')).body, '{"id":1}')
})

test('a hook that throws what is no error is a 500 all the same', async t => {
  const app = Fastify()
  const Thing = Type.Object({ id: Type.Integer({ identifier: true }), name: Type.String({ writable: true }) })
  await app.register(dataApi, {
    rules: everybody,
    collections: {
      things: collection(Thing, {
        source: memory([{ id: 1, name: 'one' }]),
        // eslint-disable-next-line no-throw-literal -- what applications do
        hooks: { creating () { throw 'nothing' } }
      })
    }
  })
  const { statusCode, body } = await app.inject({ method: 'POST', url: '/things', payload: { name: 'two' } })
  t.equal(statusCode, 500)
  t.match(JSON.parse(body), { error: 'internal' })
})
