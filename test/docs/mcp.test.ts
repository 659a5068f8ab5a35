import { Type } from '@sinclair/typebox'
import type { FastifyInstance } from 'fastify'
import { test } from 'tap'
import { optionsSchema } from '../../schemas/options.ts'
import { mcpOptions } from '../../schemas/mcp.ts'
import dataApi, { collection, input, memory, SubCollection } from '../../lib/index.ts'
import { agentOf } from '../helpers/agents.ts'
import { cellsOf, codeIn, programsIn, read, sectionOf, writeProgram } from '../helpers/documents.ts'
import Fastify from '../helpers/fastify.ts'

test('the program of docs/agents.md shows people what agents do not see', async t => {
  const [program = ''] = programsIn(read('docs/agents.md'))
  const { app } = await import(writeProgram('mcp.ts', program).href) as { app: FastifyInstance }
  const { call } = agentOf(app)
  t.equal((await call('describe')).text, 'authors: id* integer, name* string')
  t.strictSame((await call('get', { url: '/authors/Ada' })).data, { data: { id: 1, name: 'Ada' } })
  t.strictSame((await app.inject('/authors/Ada')).json(), { id: 1, name: 'Ada', email: 'ada@example.com' })
})

test('the configurations of clients in docs/agents.md are JSON, and its table has every option', t => {
  const [file = ''] = programsIn(sectionOf('docs/agents.md', 'Clients'), 'text')
  t.match(JSON.parse(file), { mcpServers: { 'solar-system': { url: /^http:.*\/mcp$/ } } })
  t.ok('mcp' in optionsSchema.properties)
  const [, ...rows] = cellsOf(sectionOf('docs/agents.md', 'Options'))
  t.strictSame(rows.flatMap(([name = '']) => codeIn(name)).sort(),
    Object.keys(mcpOptions.properties).map(name => `mcp.${name}`).sort())
  t.end()
})

test('an agent writes what docs/agents.md shows, and is told that it may', async t => {
  const shown = { readable: true, writable: true } as const
  const key = Type.Integer({ identifier: true, readable: true })
  const people = collection(Type.Object({
    id: key,
    name: Type.String({ identifier: true, ...shown }),
    tasks: SubCollection('tasks', { foreignKey: 'ownerId', ...shown })
  }), { source: memory([]), inputs: { password: input({ type: Type.String(), set: () => {} }) } })
  const tasks = collection(Type.Object({ id: key, text: Type.String(shown), ownerId: Type.Optional(Type.Integer()) }), {
    source: memory([])
  })
  const app = Fastify()
  await app.register(dataApi, {
    collections: { people, tasks }, mcp: { write: true }, requestStrategies: { batch: true, delete: true }
  })
  const { call } = agentOf(app)
  const [written = '', described = ''] = programsIn(sectionOf('docs/agents.md', 'What an agent writes'), 'text')
  const { data } = await call('write', JSON.parse(written) as object)
  t.match(data, { results: [{ status: 201 }, { status: 201, location: '/people/by_id/1/tasks/1' }] })
  t.equal((await call('describe', { collections: ['people'] })).text, described.trim())
})
