import { Type } from '@sinclair/typebox'
import type { FastifyInstance } from 'fastify'
import { execFileSync } from 'node:child_process'
import { test } from 'tap'
import dataApi, { collection, memory } from '../../lib/index.ts'
import Fastify from '../helpers/fastify.ts'
import { cellsOf, programsIn, read, writeProgram } from '../helpers/documents.ts'

test('the program of docs/recipes.md answers each request as its tables say', async t => {
  const text = read('docs/recipes.md')
  const { app } = await import(writeProgram('recipes.ts', programsIn(text).join('\n')).href) as { app: FastifyInstance }
  const rows = cellsOf(text).filter(([request = '']) => /^`(?:GET|POST|PUT|PATCH|DELETE) /.test(request))
  t.equal(rows.length, 14)
  for (const [request = '', body = '', answer = ''] of rows) {
    const [, method = '', path = '', type = 'application/json'] = /^`(\w+) (.+?)`(?: as `(.+)`)?$/.exec(request) ?? []
    const response = await app.inject({
      method: method as 'GET',
      url: path,
      ...body !== '' && { payload: body.slice(1, -1), headers: { 'content-type': type } }
    })
    const told = response.body === '' ? '' : ` \`${response.body}\``
    t.equal(`${response.statusCode}${told}`, answer, request)
  }
  await app.close()
})

const Artist = Type.Object({
  id: Type.Integer({ identifier: true, readable: true }),
  name: Type.String({ identifier: true, readable: true, writable: true }),
  founded: Type.Integer({ readable: true, writable: true })
})

test('the program of docs/clients.md gets from the API what it asks for', async t => {
  const rows = [{ id: 1, name: 'Can', founded: 1968 }, { id: 2, name: 'Noisia', founded: 2003 }]
  const app = Fastify()
  await app.register(dataApi, { collections: { artists: collection(Artist, { source: memory(rows) }) } })
  process.env['API'] = await app.listen({ host: '127.0.0.1', port: 0 })
  const program = programsIn(read('docs/clients.md')).join('\n')
  const results = `
    export const results = { renamed: renamed.status, second, total, young: young.data, old,
      refused: refused.suggestion,      pages: pages.pages.map(({ artists }) => artists) }
    export const rows = await new Promise((resolve, reject) => datasource.getRows({ startRow: 1, endRow: 3,
      sortModel: [{ colId: 'name', sort: 'desc' }], failCallback: reject,
      successCallback: (rows, last) => { resolve([rows, last]) } }))`
  const { results: found, rows: gridded } = await import(writeProgram('clients.ts', program + results).href) as
    { results: Record<string, unknown>, rows: unknown }
  t.strictSame(found, {
    renamed: 200,
    second: [{ id: 2, name: 'Noisia', founded: 2003 }],
    total: 2,
    young: [{ name: 'Can' }],
    refused: 'name',
    old: [{ name: 'Can' }],
    pages: [[{ id: 1, name: 'Can', founded: 1967 }], [{ id: 2, name: 'Noisia', founded: 2003 }]]
  })
  t.strictSame(gridded, [[{ id: 1, name: 'Can', founded: 1967 }], 2])
  await app.close()
})

test('quoted as docs/recipes.md shows, a URL comes through a shell whole', t => {
  const [row = []] = cellsOf(read('docs/recipes.md')).filter(([shell]) => shell === 'bash, zsh')
  const command = row[1]?.slice(1, -1).replace('curl', "printf '%s'") ?? ''
  const printed = execFileSync('sh', ['-c', command], { encoding: 'utf8' })
  t.equal(printed, 'http://localhost:3000/api/orders?id>=8&is_open=true')
  t.end()
})
