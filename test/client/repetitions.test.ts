import { test } from 'tap'
import { type ClientOptions, createClient } from '../../lib/clients/client/index.ts'
import { failed, serve } from '../helpers/clients.ts'

// docs/clients.md: Repetitions

/** Returns a fetch that loses the first answers: one that never came, one that broke off, and one of a proxy. */
function losing (keys: unknown[], losses: ReadonlyArray<'lost' | 'broken' | 502 | 503>) {
  const rest = [...losses]
  return async (url: string, init: RequestInit): Promise<Response> => {
    keys.push((init.headers as Record<string, string>)['idempotency-key'])
    const response = await fetch(url, init)
    const loss = rest.shift()
    if (loss === 'lost') throw new TypeError('fetch failed')
    if (loss === 'broken') {
      return new Response(new ReadableStream({ start (controller) { controller.error(new Error('broken off')) } }))
    }
    if (loss === undefined) return response
    const body = loss === 503 ? '{"error":"outcome_unknown","message":"x"}' : '<html>'
    return new Response(body, { status: loss, headers: { 'retry-after': '0.01' } })
  }
}

const options = { idempotency: {}, requestStrategies: { upsert: true, delete: true, batch: true } } as const

test('writes with keys are repeated until they are answered, and done once', async t => {
  const { url, app } = await serve(t, options)
  const count = async () => (await app.inject('/api/authors')).json<unknown[]>().length
  const keys: unknown[] = []
  const client = (losses: Parameters<typeof losing>[1], more: ClientOptions = { idempotent: true }) =>
    createClient(`${url}/api`, { ...more, fetch: losing(keys, losses) })
  const losses = ['lost', 'broken', 502, 503] as const
  for (const [index, first] of losses.entries()) {
    keys.length = 0
    const authors = client([first, losses[(index + 1) % 4] ?? 502]).resource('authors')
    t.strictSame(await authors.create({ name: `A${index}`, rating: 1 }), { status: 'created', id: 3 + index })
    t.equal(await count(), 3 + index)
    t.strictSame([keys.length, new Set(keys).size], [3, 1])
  }
  const authors = client(['lost', 'lost']).resource('authors')
  await authors.delete(3)
  t.equal(await count(), 5)
  const made = await client(['lost']).batch(batch => [batch.resource('authors').create({ name: 'B', rating: 2 })])
  t.match(made, [{ status: 'created' }])
  t.equal(await count(), 6)
  keys.length = 0
  const own = client(['lost'], {}).resource('authors')
  await own.update(4, { rating: 3 }, { key: 'mine' })
  t.strictSame(keys, ['mine', 'mine'])
})

test('the result of a repetition is whole, however long: one item, and those of a batch', async t => {
  const { url, app } = await serve(t, options)
  const notes = ['x'.repeat(70_000)]
  const returning = ['id', 'notes']
  const client = () => createClient(`${url}/api`, { idempotent: true, fetch: losing([], ['lost']) })
  const one = await client().resource('authors').create({ name: 'A', rating: 1, notes }, { returning })
  t.strictSame(one, { id: 3, notes })
  t.strictSame(await client().batch(batch => {
    batch.resource('authors').create({ name: 'B', rating: 1, notes }, { returning })
    batch.resource('authors').update(1, { rating: 3 })
  }), [{ id: 4, notes }, { status: 'ok' }])
  const create = async () =>
    client().resource('authors').create({ name: 'C', rating: 1 }, { returning: ['name'], key: 'k' })
  t.strictSame(await create(), { name: 'C' })
  await app.inject({ method: 'DELETE', url: '/api/authors/5' })
  t.strictSame(await create(), { status: 'created', id: 5 }, 'the item is gone, and its creation is acknowledged')
})

test('other writes are not repeated, and reads have no key', async t => {
  const { url, app } = await serve(t, options)
  const keys: unknown[] = []
  const client = (more: ClientOptions) => createClient(`${url}/api`, { ...more, fetch: losing(keys, ['lost']) })
  const lost = await failed(client({}).resource('authors').create({ name: 'A', rating: 1 }))
  t.match(lost, { code: 'network', outcome: 'unknown' })
  const creating = client({ idempotent: 'POST' })
  t.match(await failed(creating.resource('authors').update(1, { rating: 1 })), { code: 'network' })
  await client({ idempotent: 'POST' }).resource('authors').create({ name: 'B', rating: 1 })
  await client({ idempotent: true }).resource('authors').list()
  await failed(client({ idempotent: true }).resource('authors').allowed(1))
  const [first, second, third, fourth, ...others] = keys
  t.strictSame([first, second, third === fourth, typeof third, ...others],
    [undefined, undefined, true, 'string', undefined, undefined, undefined])
  t.equal((await app.inject('/api/authors')).json<unknown[]>().length, 4)
})

test('an error of the API is not repeated, and its key is free', async t => {
  const { url } = await serve(t, options)
  const keys: unknown[] = []
  const authors = createClient(`${url}/api`, { idempotent: true, fetch: losing(keys, []) }).resource('authors')
  t.match(await failed(authors.create({ name: 7 }, { key: 'k' })), { code: 'validation', outcome: 'failed' })
  t.match(await authors.create({ name: 'A', rating: 1 }, { key: 'k' }), { status: 'created' })
  t.match(await failed(authors.create({ name: 'B', rating: 1 }, { key: 'k' })), { code: 'idempotency_mismatch' })
  t.equal(keys.length, 3)
})
