import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { test } from 'tap'
import { cellsOf, programsIn, read, sectionOf, writeProgram } from '../helpers/documents.ts'

test('the first program listens, and answers each request as the table says', async t => {
  const [program = ''] = programsIn(sectionOf('README.md', 'Install'))
  t.match(program, '{ port: 3000 }')
  const file = writeProgram('app.ts', `${program.replace('{ port: 3000 }', '{ port: 0, host: \'127.0.0.1\' }')}
    process.send(app.server.address().port)
    process.on('disconnect', () => { process.exit() })`)
  const folder = mkdtempSync(join(tmpdir(), 'readme-'))
  // Its database is a file of the folder it runs in, where the loader's path alone would lead nowhere.
  const execArgv = ['--import', new URL('../helpers/strip-types.mjs', import.meta.url).href]
  const child = fork(fileURLToPath(file), { cwd: folder, execArgv })
  t.teardown(() => {
    child.disconnect()
    child.once('exit', () => { rmSync(folder, { recursive: true, force: true }) })
  })
  const [port] = await once(child, 'message') as [number]
  const rows = cellsOf(sectionOf('README.md', 'Install')).filter(([request = '']) => request.startsWith('`'))
  t.equal(rows.length, 5)
  for (const [request = '', body = '', answer = ''] of rows) {
    const [method = '', path = ''] = request.slice(1, -1).split(' ')
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      ...body !== '' && { body: body.slice(1, -1), headers: { 'content-type': 'application/json' } }
    })
    t.equal(`${response.status} \`${await response.text()}\``, answer, request)
  }
})

test('every figure of its table of speed is that of docs/speed.md', async t => {
  const [, ...told] = cellsOf(sectionOf('README.md', 'Speed'))
  const all = cellsOf(read('docs/speed.md'))
  t.ok(told.length > 3)
  for (const row of told) t.ok(all.some(other => other.join() === row.join()), row.join())
})

test('it is at most 150 lines', async t => {
  t.ok(read('README.md').split('\n').length <= 151)
})
