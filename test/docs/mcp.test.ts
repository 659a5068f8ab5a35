import type { FastifyInstance } from 'fastify'
import { test } from 'tap'
import { optionsSchema } from '../../schemas/options.ts'
import { mcpOptions } from '../../schemas/mcp.ts'
import { agentOf } from '../helpers/agents.ts'
import { cellsOf, codeIn, programsIn, read, sectionOf, writeProgram } from '../helpers/documents.ts'

test('the program of docs/mcp.md shows people what agents do not see', async t => {
  const [program = ''] = programsIn(read('docs/mcp.md'))
  const { app } = await import(writeProgram('mcp.ts', program).href) as { app: FastifyInstance }
  const { call } = agentOf(app)
  t.equal((await call('describe')).text, 'authors: id* integer, name* string')
  t.strictSame((await call('get', { url: '/authors/Ada' })).data, { data: { id: 1, name: 'Ada' } })
  t.strictSame((await app.inject('/authors/Ada')).json(), { id: 1, name: 'Ada', email: 'ada@example.com' })
})

test('the configurations of clients in docs/mcp.md are JSON, and its table has every option', t => {
  const [file = ''] = programsIn(sectionOf('docs/mcp.md', 'Clients'), 'text')
  t.match(JSON.parse(file), { mcpServers: { 'solar-system': { url: /^http:.*\/mcp$/ } } })
  t.ok('mcp' in optionsSchema.properties)
  const [, ...rows] = cellsOf(sectionOf('docs/mcp.md', 'Options'))
  t.strictSame(rows.flatMap(([name = '']) => codeIn(name)).sort(),
    Object.keys(mcpOptions.properties).map(name => `mcp.${name}`).sort())
  t.end()
})
