import { test } from 'tap'
import { failed, serve } from '../helpers/clients.ts'

// docs/clients.md: Batches

const requestStrategies = { upsert: true, delete: true, batch: true }

test('the writes of a function are one request, in which later ones name earlier ones', async t => {
  const { client, authors, requests } = await serve(t, { requestStrategies })
  const ada = await authors.get(1)
  requests.length = 0
  const [cy, one, , , updated] = await client.batch(b => {
    const cy = b.resource('authors').create({ name: 'Cy', rating: 1 })
    const one = b.resource('authors').item(cy).resource('books').create({ title: 'By Cy', pages: 1 })
    const two = b.resource('books').create({ title: 'By Cy too', pages: 2, author: cy }, { returning: ['title'] })
    const moved = b.resource('authors').item(1).resource('books').create(one)
    const renamed = b.resource('authors').update(cy, { name: 'Cyd', rating: 2 })
    return [cy, one, two, moved, renamed, b.resource('authors').update(1, { rating: 9 }, { unchanged: ada })]
  })
  t.strictSame(requests, ['POST /api'])
  t.match([cy, one, updated], [{ status: 'created', id: 3 }, { status: 'created' }, { status: 'ok' }])
  t.strictSame(await authors.get(3, { fields: ['name', 'rating', { books: ['title'] }] }), {
    name: 'Cyd', rating: 2, books: [{ title: 'By Cy too' }]
  })
  t.strictSame(await authors.get(1, { fields: ['rating', { books: ['title'] }] }), {
    rating: 9, books: [{ title: 'One' }, { title: 'By Cy' }]
  })
  const stale = await failed(client.batch(b => [b.resource('authors').update(1, { rating: 1 }, { unchanged: ada })]))
  t.match(stale, { status: 412, outcome: 'failed', facts: { operation: 0 } })
})

test('without a list, all writes have a result; an item of one guards a later write', async t => {
  const { client, authors } = await serve(t, { requestStrategies })
  const results = await client.batch(b => {
    b.resource('authors').create({ name: 'Cy', rating: 1 }, { returning: true })
    b.resource('authors').upsert(1, { rating: 2 })
    b.resource('authors').create([{ name: 'Di', rating: 1 }])
    b.resource('authors').delete(2)
  })
  t.match(results, [{ id: 3, name: 'Cy' }, { status: 'ok' }, [{ status: 'created', id: 4 }], { status: 'ok' }])
  t.strictSame(await authors.update(3, { rating: 5 }, { unchanged: results[0] as object }), { status: 'ok' })
  t.match(await failed(authors.update(3, { rating: 6 }, { unchanged: results[0] as object })), { status: 412 })
  t.strictSame(await client.batch(() => {}), [])
})

test('a batch that fails writes nothing, and tells which of its writes failed', async t => {
  const { client, authors } = await serve(t, { requestStrategies })
  const error = await failed(client.batch(b => {
    b.resource('authors').update(1, { rating: 1 })
    b.resource('authors').create({ name: '', rating: 1 })
  }))
  t.match(error, { code: 'validation', facts: { operation: 1 }, details: [{ pointer: '/1/body/name' }] })
  t.strictSame((await authors.get(1, { fields: ['rating'] })), { rating: 7.5 })
  t.match(await failed(client.batch(b => [b.resource('authors').item('..').update({})])), TypeError)
})

test('a batch can be tried, but none of its writes alone', async t => {
  const { client, authors, requests } = await serve(t, { requestStrategies })
  t.strictSame(await client.batch(b => [b.resource('authors').delete(2)], { dryRun: true }), [undefined])
  t.match(await authors.get(2), { id: 2 })
  const wrong = client.batch(b => [b.resource('authors').update(1, { rating: -1 })], { dryRun: true })
  t.match(await failed(wrong), { code: 'validation' })
  requests.length = 0
  const alone = { dryRun: true } as object
  t.match(await failed(client.batch(b => [b.resource('authors').delete(2, alone)])), TypeError)
  t.strictSame(requests, [])
})

test('allowed() of the client tells if the root takes batches', async t => {
  t.ok((await (await serve(t, { requestStrategies })).client.allowed())?.includes('POST'))
  t.notOk((await (await serve(t)).client.allowed())?.includes('POST'))
})
