import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import Fastify from 'fastify'
import { test } from 'tap'
import { ApiError, createClient } from '../../lib/clients/client/index.ts'
import { answering, drain, failed, serve } from '../helpers/clients.ts'

// docs/clients.md: Errors. What a client does where it gets no answer, or none that it expects.

test('an error has the facts of the API', async t => {
  const { authors } = await serve(t)
  const error = await failed(authors.create({ name: '', born: 'x' }))
  t.ok(error instanceof ApiError && error instanceof Error)
  t.match(error, {
    name: 'ApiError', status: 400, code: 'validation', outcome: 'failed', message: /'details' lists 3 problems/
  })
  t.strictSame(error.details.map(({ pointer }) => pointer), ['/born', '/name', '/rating'])
  const unknown = await failed(authors.list({ where: { nam: 'x' } }))
  t.match(unknown.facts, { parameter: 'where', suggestion: 'name' })
  t.equal(unknown.response?.headers.get('content-type'), 'application/json; charset=utf-8')
  const problem = await serve(t, { responseContent: { errors: 'problem' } })
  t.match(await failed(problem.authors.get(99)),
    { status: 404, code: 'identifier_not_found', message: "An item was not found with the identifier '99'." })
})

test('an answer that is no JSON is an error with its text', async t => {
  const html = (status: number) =>
    new Response('<h1>Sign in</h1>', { status, headers: { 'content-type': 'text/html' } })
  for (const status of [200, 403, 500]) {
    const error = await failed(answering(html(status)).authors.get(1))
    t.match(error, { status, code: 'not_api', message: '<h1>Sign in</h1>' })
  }
  t.equal((await failed(answering(html(200)).authors.update(1, {}))).outcome, 'unknown')
  t.equal((await failed(answering(html(403)).authors.update(1, {}))).outcome, 'failed')
  t.equal((await failed(answering(html(200)).authors.stream().next())).message, 'TypeError: <h1>Sign in</h1>')
})

test('an error of Fastify itself is not the API\'s', async t => {
  const app = Fastify()
  const client = createClient(await app.listen({ host: '127.0.0.1', port: 0 }))
  t.teardown(() => app.close())
  t.match(await failed(client.resource('authors').list()),
    { status: 404, code: 'not_api', message: 'Route GET:/authors not found' })
})

test('a stream that breaks off throws after the last whole item', async t => {
  let breakOff = () => {}
  const server = createServer((_, response) => {
    breakOff = () => { response.destroy() }
    response.writeHead(200, { 'content-type': 'application/x-ndjson' })
    response.write('{"id":1}\n{"id":"é')
    response.write(Buffer.from('"}\n{"i'))
  })
  await new Promise<void>(resolve => { server.listen(0, '127.0.0.1', resolve) })
  t.teardown(() => server.close())
  const stream = createClient(`http://127.0.0.1:${(server.address() as AddressInfo).port}`).resource('authors').stream()
  const items: unknown[] = []
  // fetch() drops what it has received and not yet given when the connection breaks.
  const error = await failed((async () => {
    for await (const item of stream) if (items.push(item) === 2) breakOff()
  })())
  t.strictSame(items, [{ id: 1 }, { id: 'é' }])
  t.match(error, { name: 'ApiError', code: 'network', status: 200 })
  const cut = answering(new Response('{"id":1}\n{"id":2}')).authors.stream()
  t.equal((await failed(drain(cut))).code, 'network', 'a line without an end')
})

test('reads are repeated after Retry-After, writes are not', async t => {
  const busy = (after = '0') =>
    new Response('{"error":"unavailable","message":"busy"}', { status: 503, headers: { 'retry-after': after } })
  const reads = answering(busy(), new TypeError('fetch failed'), new Response('[{"id":1}]'))
  t.strictSame((await reads.authors.list()).items, [{ id: 1 }])
  t.equal(reads.sent.length, 3)
  const often = answering(busy(), busy(new Date(0).toUTCString()), busy(), busy())
  t.match(await failed(often.authors.get(1)), { status: 503, code: 'unavailable', outcome: 'failed' })
  t.equal(often.sent.length, 3)
  const late = answering(busy('3600'))
  await failed(late.authors.get(1))
  t.equal(late.sent.length, 1, 'who should wait for an hour is told so')
  const write = answering(busy())
  t.equal((await failed(write.authors.create({}))).outcome, 'failed')
  t.equal(write.sent.length, 1)
  for (const answer of [
    new TypeError('fetch failed'), new Response('{"error":"outcome_unknown"}', { status: 503 }),
    new Response('Bad gateway', { status: 502 })
  ]) {
    const error = await failed(answering(answer).authors.create({}))
    t.equal(error.outcome, 'unknown')
    if (answer instanceof TypeError) t.match(error, { status: 0, code: 'network' })
  }
})

test('an aborted request rejects with the reason, also while it waits', async t => {
  const { authors, url } = await serve(t)
  await t.rejects(authors.list({}, { signal: AbortSignal.abort(new RangeError('enough')) }), RangeError)
  const controller = new AbortController()
  const fetch = async () => {
    // By then the client has the answer, and waits.
    setImmediate(() => { controller.abort(new RangeError('enough')) })
    return new Response(null, { status: 503, headers: { 'retry-after': '4' } })
  }
  const { list } = createClient('http://host', { retries: 1, fetch }).resource('authors')
  await t.rejects(list({}, { signal: controller.signal }), RangeError)
  const stop = new AbortController()
  const stream = createClient(`${url}/api`).resource('authors').stream({}, { signal: stop.signal })
  await stream.next()
  stop.abort(new RangeError('enough'))
  await t.rejects(drain(stream).then(() => { throw new RangeError('it ended') }), RangeError)
})

test('where a browser hides the links of pages, a list is an error, not an end', async t => {
  const hidden = () => Object.defineProperty(new Response('[{"id":1}]'), 'type', { value: 'cors' })
  t.match(await failed(answering(hidden(), hidden(), hidden()).authors.list()), { message: /CORS hides ETag/ })
})
