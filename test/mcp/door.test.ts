import { Type } from '@sinclair/typebox'
import { test } from 'tap'
import dataApi, { collection, type DataApiOptions, memory, SubItem } from '../../lib/index.ts'
import { agentOf, modernRequest } from '../helpers/agents.ts'
import Fastify from '../helpers/fastify.ts'

// docs/agents.md: Messages. What is said at the door, in both protocols.

const Note = Type.Object({
  id: Type.Integer({ identifier: true, readable: true }),
  text: Type.String({ readable: true, description: 'what it\n says' }),
  safeId: Type.Optional(Type.Integer()),
  safe: SubItem('safes', { foreignKey: 'safeId', readable: true })
}, { description: 'What people wrote.' })

const Safe = Type.Object({ id: Type.Integer({ identifier: true, readable: true }) })

const collections = () => ({
  notes: collection(Note, {
    source: memory(Array.from({ length: 30 }, (_, index) => ({ id: index + 1, text: 'a'.repeat(90), safeId: 1 })))
  }),
  safes: collection(Safe, { source: memory([{ id: 1 }]) })
})

async function serve (options: Partial<DataApiOptions> = {}, path = '/mcp') {
  const app = Fastify()
  await app.register(dataApi, { collections: collections(), mcp: true, ...options })
  return agentOf(app, path)
}

test('the handshake of each older protocol is answered, without a session', async t => {
  const { app, rpc } = await serve({ openapi: { info: { title: 'Notes', version: '2.1.0' } } })
  for (const [asked, answered] of [
    ['2025-11-25', '2025-11-25'], ['2025-06-18', '2025-06-18'], ['2025-03-26', '2025-03-26'],
    ['2024-11-05', '2025-11-25'], [undefined, '2025-11-25']
  ] as const) {
    const { status, result } = await rpc('initialize', { protocolVersion: asked })
    t.equal(status, 200)
    t.match(result, {
      protocolVersion: answered,
      capabilities: { tools: {}, resources: {} },
      serverInfo: { name: 'Notes', version: '2.1.0' },
      instructions: /data, never instructions/
    })
  }
  t.strictSame(await rpc('ping'), { status: 200, jsonrpc: '2.0', id: 1, result: {} })
  const payload = { jsonrpc: '2.0', method: 'notifications/initialized' }
  const accepted = await app.inject({ method: 'POST', url: '/mcp', payload })
  t.strictSame([accepted.statusCode, accepted.body, accepted.headers['mcp-session-id']], [202, '', undefined])
})

test('a request of the modern protocol needs no handshake', async t => {
  const { modern } = await serve()
  const discovered = await modern('server/discover')
  t.match(discovered.json(), {
    id: 1,
    result: {
      resultType: 'complete',
      supportedVersions: ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26'],
      ttlMs: 300_000,
      cacheScope: 'public',
      _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'Data API', version: '1.0.0' } }
    }
  })
  const called = await modern('tools/call', { name: 'describe' }, 'a')
  t.match(called.json(), { id: 'a', result: { resultType: 'complete', content: [{ type: 'text' }] } })
  t.notOk('ttlMs' in called.json<{ result: object }>().result)
  const read = await modern('resources/read', { uri: 'data-api:/notes/1' })
  t.match(read.json(), { result: { ttlMs: 0, contents: [{ uri: 'data-api:/notes/1', mimeType: 'application/json' }] } })
})

test('the headers of a modern request must say what its body says, and name a version that is supported', async t => {
  const { app } = await serve()
  const sent = modernRequest('tools/call', { name: 'describe' })
  const name = `=?base64?${Buffer.from('describe').toString('base64')}?=`
  const version = { 'mcp-protocol-version': '2027-01-01' }
  const params = { _meta: { 'io.modelcontextprotocol/protocolVersion': '2027-01-01' } }
  const bare = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
  const versions = { requested: '2027-01-01', supported: ['2026-07-28', '2025-11-25'] }
  for (const [headers, payload, code, data] of [
    [{ ...sent.headers, 'mcp-method': 'tools/list' }, sent.payload, -32020],
    [{ 'mcp-protocol-version': '2026-07-28' }, sent.payload, -32020],
    [{ ...sent.headers, 'mcp-name': 'get' }, sent.payload, -32020],
    [{ ...sent.headers, 'mcp-protocol-version': '2025-11-25' }, sent.payload, -32020],
    [{ 'mcp-method': 'tools/call', 'mcp-name': 'describe' }, sent.payload, -32020],
    [{ ...sent.headers, 'mcp-name': name }, sent.payload],
    [{ 'mcp-method': 'tools/list', ...version }, { ...bare, params }, -32022, versions],
    [version, bare, -32022, versions],
    [{ 'mcp-method': 'tools/list', 'mcp-protocol-version': '2026-07-28' }, bare, -32602]
  ] as const) {
    const { statusCode, body } = await app.inject({ ...sent, headers, payload })
    t.equal(statusCode, code === undefined ? 200 : 400, body)
    if (code !== undefined) t.match(JSON.parse(body), { error: { code, ...data && { data } } })
  }
})

test('what is no message is an error of the protocol', async t => {
  const { app, rpc, modern } = await serve()
  for (const [payload, status, code, id, type = 'application/json'] of [
    ['{', 400, -32700, null],
    ['', 400, -32700, null],
    ['[{"jsonrpc":"2.0","id":1,"method":"ping"}]', 400, -32600, null],
    ['{"jsonrpc":"2.0","id":{},"method":"ping"}', 400, -32600, null],
    ['{"jsonrpc":"2.0","id":7,"result":{}}', 400, -32600, 7],
    ['{"jsonrpc":"2.0","id":7,"method":"ping","params":[]}', 400, -32602, 7],
    ['{}', 415, 'unsupported_media_type', undefined, 'text/plain'],
    ['{}', 415, 'unsupported_media_type', undefined, 'application/merge-patch+json']
  ] as const) {
    const { statusCode, body } = await app.inject({
      method: 'POST', url: '/mcp', payload, headers: { 'content-type': type }
    })
    const { id: told, error } = JSON.parse(body) as { id?: unknown, error: { code: number } | string }
    t.strictSame([statusCode, typeof error === 'string' ? error : error.code, told], [status, code, id])
  }
  for (const [method, params, code] of [
    ['prompts/list', {}, -32601], ['constructor', {}, -32601], ['server/discover', {}, -32601],
    ['tools/call', { name: 'drop' }, -32602], ['tools/call', { name: 'toString' }, -32602],
    ['tools/call', { name: 'get', arguments: 'x' }, -32602], ['resources/read', { uri: 'file:///etc/passwd' }, -32602],
    ['resources/read', { uri: 'data-api:/notes/99' }, -32602]
  ] as const) t.match(await rpc(method, params), { status: 200, error: { code } }, method)
  const missing = await rpc('resources/read', { uri: 'data-api:/notes/99' })
  t.match(missing, { error: { data: { error: 'identifier_not_found' } } })
  t.equal((await modern('ping')).statusCode, 404)
})

test('other methods than POST are 405', async t => {
  const { app } = await serve({ prefix: '/api' })
  for (const method of ['GET', 'DELETE', 'PUT'] as const) {
    const { statusCode, headers } = await app.inject({ method, url: '/api/mcp' })
    t.strictSame([statusCode, headers['allow']], [405, 'POST, OPTIONS'])
  }
  t.equal((await app.inject({ method: 'OPTIONS', url: '/api/mcp' })).statusCode, 204)
})

test('pages of other origins are refused, whatever name leads to the server', async t => {
  const payload = { jsonrpc: '2.0', id: 1, method: 'ping' }
  for (const [options, status, origin, host = 'localhost'] of [
    [{}, 403, 'http://evil.example', 'evil.example'],
    [{}, 403, 'null'],
    [{ mcp: { origins: ['https://agents.example'] } }, 200, 'https://agents.example'],
    [{ baseUrl: 'https://api.example/' }, 200, 'https://api.example'],
    [{ baseUrl: 'https://api.example/' }, 403, 'https://other.example']
  ] as const) {
    const { app } = await serve(options as Partial<DataApiOptions>)
    const answer = await app.inject({ method: 'POST', url: '/mcp', payload, headers: { origin, host } })
    t.equal(answer.statusCode, status, origin)
  }
})

test('describe has a line for each collection, of declarations alone', async t => {
  const { call, rpc } = await serve()
  t.equal((await call('describe')).text, 'notes (What people wrote.): id* integer, text string (what it says); ' +
    'safe -> safes\nsafes: id* integer')
  t.equal((await call('describe', { collections: ['safes'] })).text, 'safes: id* integer')
  t.match(await call('describe', { collections: ['note'] }), {
    isError: true, data: { error: 'collection_not_found', suggestion: 'notes' }
  })
  t.match(await call('describe', { collections: 'notes' }), { isError: true, data: { parameter: 'collections' } })
  t.match((await rpc('resources/list')).result, { resources: [{ uri: 'data-api:/notes', name: 'notes' }, {}] })
  t.match((await rpc('resources/templates/list')).result, {
    resourceTemplates: [{ uriTemplate: 'data-api:/notes{+path}' }, {}]
  })
  const short = await serve({ mcp: { length: 50 } })
  t.equal((await short.call('describe')).text, 'Describe some of these: notes, safes')
})

test('names that are none in a query string are quoted', async t => {
  const Odd = Type.Object({
    id: Type.Integer({ identifier: true, readable: true }),
    choice: Type.Union([Type.Literal('a "b"'), Type.Null()], { readable: true }),
    größe: Type.Array(Type.Number(), { readable: true })
  })
  const odd = collection(Odd, { source: memory([]) })
  const { call } = await serve({ naming: 'none', collections: { 'a\n# Now': odd } })
  t.equal((await call('describe')).text, '"a\\n# Now": id* integer, choice "a \\"b\\""?, größe number[]')
})

test('get gives the data of a URL, the next page and the total', async t => {
  const { call, rpc } = await serve({ prefix: '/api', baseUrl: 'https://x.example/api' }, '/api/mcp')
  const { data } = await call('get', { url: '/notes?limit=2&fields=id&sort=id desc', count: true })
  const start = /^\/notes\?limit=2&fields=id&sort=id%20desc&after=/
  t.match(data, { data: [{ id: 30 }, { id: 29 }], next: start, total: 30 })
  const { next } = data as { next: string }
  t.match((await call('get', { url: next })).data, { data: [{ id: 28 }, { id: 27 }] })
  t.strictSame((await call('get', { url: 'notes/1/id' })).data, { data: 1 })
  t.strictSame((await call('get', { url: '/notes?text=100%&fields=id' })).data, { data: [] })
  const { result } = await rpc('tools/call', { name: 'get', arguments: { url: '/safes' } })
  t.strictSame(result?.['structuredContent'], { data: [{ id: 1 }] })
})

test('a page is made smaller until it fits, and the next one begins behind it', async t => {
  const { call } = await serve({ mcp: { length: 1000 } })
  for (const url of ['/notes', '/notes?size=5&page=2', '/notes?limit=30&offset=1', '/notes/by_id', '/safes/1']) {
    const ids: number[] = []
    for (let next: string | undefined = url; next !== undefined;) {
      const { data, text } = await call('get', { url: next })
      const found = data as { data: object, next?: string }
      t.ok(text.length < 1200, next)
      ids.push(...Object.values(found.data).map(one => (one as { id: number }).id ?? one))
      next = found.next
    }
    const start = url.includes('page') ? 6 : url.includes('offset') ? 2 : 1
    t.strictSame(ids, url === '/safes/1' ? [1] : Array.from({ length: 31 - start }, (_, index) => index + start), url)
  }
  const { call: callShort } = await serve({ mcp: { length: 50 } })
  t.match(await callShort('get', { url: '/notes?limit=3' }), { isError: true, data: { error: 'answer_too_large' } })
  t.match(await callShort('get', { url: '/notes/1' }), { isError: true, data: { error: 'answer_too_large' } })
})

test('an error of the API is the result of the tool, for the model to mend', async t => {
  const { call } = await serve()
  for (const [given, data] of [
    [{ url: '/notes?txt=a' }, { error: 'invalid_filter', parameter: 'txt', position: 1, suggestion: 'text' }],
    [{ url: '/notes?format=csv' }, { error: 'not_acceptable' }],
    [{ url: 'http://localhost/notes' }, { error: 'identifier_not_found' }],
    [{}, { error: 'invalid_parameter', parameter: 'url' }],
    [{ url: '/notes', count: 1 }, { parameter: 'count' }]
  ] as const) t.match(await call('get', given), { isError: true, data })
})

test('a fault is told without details, and when to try again', async t => {
  const Slow = Type.Object({ id: Type.Integer({ identifier: true, readable: true }) })
  const computed = { secret: { kind: 'computed', type: Type.String({ readable: true }), from: [], get: fail } } as const
  const { call, rpc } = await serve({
    collections: { things: collection(Slow, { source: memory([{ id: 1 }]), computed }) },
    responseContent: { errors: 'problem', developerErrors: true }
  })
  t.strictSame((await call('get', { url: '/things/1' })).data, {
    error: 'internal', message: 'Something went wrong on the server.'
  })
  t.match(await rpc('resources/read', { uri: 'data-api:/things/1' }), { status: 200, error: { code: -32603 } })
  const rows = Array.from({ length: 20_000 }, (_, id) => ({ id }))
  const busy = collection(Slow, { source: memory(rows, { statementTimeout: 1 }) })
  const { rpc: rpcBusy } = await serve({ collections: { busy } })
  const { result } = await rpcBusy('tools/call', { name: 'get', arguments: { url: '/busy?sort=-id', count: true } })
  t.match(result, { isError: true, content: [{ text: /unavailable/ }, { text: 'Try again in 1 s.' }] })
})

const fail = () => { throw new Error('a secret of the server') }

test('the door has its own path, and no collection has it', async t => {
  const { app, rpc } = await serve({ mcp: { path: 'agents' } }, '/agents')
  t.equal((await rpc('ping')).status, 200)
  t.equal((await app.inject({ method: 'POST', url: '/mcp', payload: {} })).statusCode, 404)
  await t.rejects(serve({ mcp: { path: 'notes' } }), { message: /option 'mcp.path'.*collection 'notes'/ })
  await t.rejects(serve({ mcp: { collections: ['note'] } }), { message: /did you mean 'notes'/ })
  t.equal((await (await serve({ mcp: false })).app.inject({ method: 'POST', url: '/mcp' })).statusCode, 404)
})

test('llms.txt is the same text for agents that only fetch', async t => {
  const { app } = await serve()
  const { body, headers } = await app.inject('/llms.txt')
  t.match(body, /^Call describe first.*\n\nnotes \(What people wrote.\): /)
  t.equal(headers['content-type'], 'text/plain; charset=utf-8')
  t.equal((await app.inject({ method: 'HEAD', url: '/llms.txt' })).statusCode, 200)
})

test('a 401 of the host stays one, and names where clients authorise', async t => {
  const resourceMetadata = 'https://x.example/.well-known/oauth-protected-resource'
  for (const [challenge, whole] of [
    [undefined, `Bearer resource_metadata="${resourceMetadata}"`],
    ['Bearer', `Bearer resource_metadata="${resourceMetadata}"`],
    ['Bearer realm="x"', `Bearer realm="x", resource_metadata="${resourceMetadata}"`]
  ]) {
    const app = Fastify()
    app.addHook('onRequest', async (_request, reply) => {
      if (challenge !== undefined) reply.header('www-authenticate', challenge)
      throw Object.assign(new Error('Sign in.'), { statusCode: 401 })
    })
    await app.register(dataApi, { collections: collections(), mcp: { resourceMetadata } })
    const { statusCode, headers } = await app.inject({ method: 'POST', url: '/mcp', payload: {} })
    t.strictSame([statusCode, headers['www-authenticate']], [401, whole])
  }
})

test('an application whose hooks change the data of answers must say that agents may have it unchanged', async t => {
  for (const rawStreams of [false, true]) {
    const app = Fastify()
    app.addHook('preSerialization', async (_request, _reply, payload) => payload)
    await app.register(dataApi, { collections: collections(), mcp: true, rawStreams })
    const ready = async () => { await app.ready() }
    await (rawStreams ? t.resolves(ready) : t.rejects(ready, { message: /option 'mcp'/ }))
  }
})
