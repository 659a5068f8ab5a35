import { Type } from '@sinclair/typebox'
import { test } from 'tap'
import dataApi, {
  collection, type DataApiOptions, input, memory, SubCollection, SubItem
} from '../../lib/index.ts'
import { agentOf } from '../helpers/agents.ts'
import { programsIn, sectionOf } from '../helpers/documents.ts'
import Fastify from '../helpers/fastify.ts'
import { everybody } from '../helpers/everybody.ts'

// docs/agents.md: What an agent writes.

const shown = { readable: true, writable: true } as const

async function serveDesk (options: Partial<DataApiOptions> = {}) {
  const people = collection(Type.Object({
    id: Type.Integer({ identifier: true, readable: true }),
    name: Type.String({ identifier: true, ...shown }),
    tasks: SubCollection('tasks', { foreignKey: 'ownerId', ...shown })
  }), { source: memory([]), inputs: { password: input({ type: Type.String(), set: () => {} }) } })
  const tasks = collection(Type.Object({
    id: Type.Integer({ identifier: true, readable: true }),
    text: Type.String(shown),
    ownerId: Type.Optional(Type.Integer()),
    owner: SubItem('people', { foreignKey: 'ownerId', ...shown })
  }), { source: memory([]) })
  const requestStrategies = { batch: true, delete: true } as const
  const app = Fastify()
  await app.register(dataApi, {
    rules: everybody, collections: { people, tasks }, requestStrategies, mcp: { write: true }, ...options
  })
  return agentOf(app, `${options.prefix ?? ''}/mcp`)
}

const create = (text: string) => ({ method: 'POST', path: '/tasks', body: { text } })

test('write runs its operations as one batch, all or none', async t => {
  const { call, rpc } = await serveDesk({ prefix: '/api' })
  const { result } = await rpc('tools/call', {
    name: 'write',
    arguments: {
      operations: [
        { method: 'POST', path: '/people', body: { name: 'Ann', password: 'x' }, as: 'ann' },
        { method: 'POST', path: '/$ann/tasks', body: { text: 'a' } },
        { method: 'POST', path: '/tasks', body: { text: 'b', owner: { $: 'ann' } }, return: 'representation' }
      ]
    }
  })
  t.strictSame(result?.['structuredContent'], {
    results: [
      { status: 201, location: '/people/by_id/1', body: { status: 'created', id: 1 } },
      { status: 201, location: '/people/by_id/1/tasks/1', body: { status: 'created', id: 1 } },
      {
        status: 201,
        location: '/tasks/2',
        etag: (result?.['structuredContent'] as { results: ReadonlyArray<{ etag: string }> }).results[2]?.etag,
        body: { id: 2, text: 'b', owner: { id: 1, name: 'Ann' } }
      }
    ]
  })
  const failed = await call('write', { operations: [create('c'), { method: 'PATCH', path: '/tasks/9', body: {} }] })
  t.match(failed, { isError: true, data: { error: 'identifier_not_found', operation: 1 } })
  t.match(await call('write', { operations: [create('c'), { method: 'POST', path: '/tasks', body: { txt: 'd' } }] }), {
    isError: true, data: { error: 'validation', operation: 1, details: [{ pointer: /^\/1/ }] }
  })
  t.match((await call('get', { url: '/tasks?fields=id' })).data, { data: [{ id: 1 }, { id: 2 }] })
  t.match(await call('write', { operations: [{ method: 'GET', path: '/tasks' }] }), {
    isError: true, data: { details: [{ pointer: '/0/method' }] }
  })
})

test('an agent writes what docs/agents.md shows, and is told that it may', async t => {
  const { call } = await serveDesk()
  const [written = '', described = ''] = programsIn(sectionOf('docs/agents.md', 'What an agent writes'), 'text')
  const { data } = await call('write', JSON.parse(written) as object)
  t.match(data, { results: [{ status: 201 }, { status: 201, location: '/people/by_id/1/tasks/1' }] })
  t.equal((await call('describe', { collections: ['people'] })).text, described.trim())
})

test('a write can be tried, and guards against lost updates by the tag of get', async t => {
  const { call } = await serveDesk()
  t.match((await call('write', { operations: [create('a')], dry_run: true })).data, { status: 'ok', dry_run: true })
  t.strictSame((await call('get', { url: '/tasks' })).data, { data: [] })
  await call('write', { operations: [create('a')] })
  const { etag } = (await call('get', { url: '/tasks/1' })).data as { etag: string }
  const change = (text: string) =>
    ({ operations: [{ method: 'PATCH', path: '/tasks/1', body: { text }, if_match: etag }] })
  t.match(await call('write', change('b')), { isError: false })
  t.match(await call('write', change('c')), { isError: true, data: { error: 'precondition_failed' } })
  t.match(await call('write', { ...change('d'), dry_run: 1 }), { isError: true, data: { parameter: 'dry_run' } })
})

test('a write has at most twenty operations, and no answer that is too long to be told', async t => {
  const many = (length: number) => Array.from({ length }, () => create('a'.repeat(40)))
  const { call } = await serveDesk({ mcp: { write: true, length: 1500 } })
  t.match(await call('write', { operations: many(21) }), { isError: true, data: { error: 'content_too_large' } })
  const told = many(20).map(one => ({ ...one, return: 'representation' }))
  t.match(await call('write', { operations: told }), { isError: true, data: { error: 'answer_too_large' } })
  t.strictSame((await call('get', { url: '/tasks' })).data, { data: [] })
  t.match(await call('write', { operations: many(20) }), { isError: false })
  const few = await serveDesk({ requestStrategies: { batch: { operations: 2 } } })
  t.match(await few.call('write', { operations: many(3) }), { isError: true, data: { error: 'content_too_large' } })
})

test('where writes have keys, each call has one, under which it is done once', async t => {
  const { call, rpc } = await serveDesk({ idempotency: {} })
  const toolsIn = async (told: typeof rpc) =>
    (await told('tools/list')).result?.['tools'] as ReadonlyArray<Record<string, unknown>>
  const toolIn = async (told: typeof rpc) => (await toolsIn(told))[2]
  // Measured with o200k: 1,830 characters of these tools are 500 tokens.
  t.ok(JSON.stringify(await toolsIn(rpc)).length < 1830)
  t.match(await toolIn(rpc), {
    inputSchema: { required: ['operations', 'key'] }, annotations: { destructiveHint: true, idempotentHint: true }
  })
  t.match(await call('write', { operations: [create('a')] }), { isError: true, data: { parameter: 'key' } })
  const first = await call('write', { operations: [create('a')], key: 'k"1' })
  const again = await call('write', { operations: [create('a')], key: 'k"1' })
  t.strictSame(again.data, { ...first.data as object, replayed: true })
  t.match(await call('write', { operations: [create('b')], key: 'k"1' }), {
    isError: true, data: { error: 'idempotency_mismatch' }
  })
  t.match((await call('get', { url: '/tasks?fields=id' })).data, { data: [{ id: 1 }] })
  const without = await serveDesk()
  t.match(await toolIn(without.rpc), { annotations: { destructiveHint: true, idempotentHint: false } })
  t.match(await without.call('write', { operations: [], key: 'a' }), { isError: true, data: { parameter: 'key' } })
  const unknown = await serveDesk({ idempotency: { caller: () => undefined } })
  t.match(await toolIn(unknown.rpc), { annotations: { idempotentHint: false } })
})

test('describe tells what may be written where the door is open for it', async t => {
  const { call } = await serveDesk()
  t.strictSame((await call('describe')).text.split('\n'), [
    'people: id* integer, name* string; tasks ->> tasks; POST PUT PATCH DELETE, not id; takes password string',
    'tasks: id* integer, text string; owner -> people; POST PUT PATCH DELETE, not id'
  ])
  t.match((await (await serveDesk({ mcp: true })).call('describe')).text, /tasks ->> tasks\n.*owner -> people$/)
  await t.rejects(serveDesk({ requestStrategies: {} }), { message: /'mcp.write'.*'requestStrategies.batch'/ })
})
