import { fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { test } from 'tap'
import { cellsOf, programsIn, read, root, sectionOf, writeProgram } from '../helpers/documents.ts'
import { withoutRunner } from '../helpers/on-socket.ts'

// The guide as somebody follows it: its files are written as they stand, served, asked and tested.

const folder = 'getting-started'
mkdirSync(new URL(`.tap/documents/${folder}/`, root), { recursive: true })
const names = ['app.ts', 'server.ts', 'app.test.ts']
const [, server = '', itsTest = ''] = programsIn(read('docs/start.md'))
  .map((program, index) => fileURLToPath(writeProgram(`${folder}/${names[index] ?? ''}`, program)))

test('what the guide serves answers each request as its table says', async t => {
  const env = { ...withoutRunner.env, TOKEN: 'secret', PORT: '0', DATABASE: ':memory:' }
  const child = fork(server, { ...withoutRunner, env, stdio: ['ignore', 'pipe', 'inherit', 'ipc'] })
  t.teardown(() => child.kill())
  if (child.stdout === null) throw new TypeError('the output is piped')
  const [output] = await once(child.stdout, 'data') as [Buffer]
  const rows = cellsOf(sectionOf('docs/start.md', 'Ask')).filter(([request = '']) => request.startsWith('`'))
  t.equal(rows.length, 8)
  for (const [request = '', body = '', answer = ''] of rows) {
    const [, method = '', path = '', token] = /^`(\w+) (.+)`( with the token)?$/.exec(request) ?? []
    const response = await fetch(`${String(output).trim()}${path}`, {
      method,
      headers: {
        ...body !== '' && { 'content-type': 'application/json' },
        ...token !== undefined && { authorization: 'Bearer secret' }
      },
      ...body !== '' && { body: body.slice(1, -1) }
    })
    t.equal(`${response.status} \`${await response.text()}\``, answer, request)
  }
})

test('its test passes', async t => {
  const child = spawn(process.execPath, [...withoutRunner.execArgv, itsTest], {
    env: { ...withoutRunner.env, TOKEN: 'secret' }, stdio: 'ignore'
  })
  t.strictSame(await once(child, 'exit'), [0, null])
})
