import { fileURLToPath } from 'node:url'
import { test } from 'tap'
import { root, writeProgram } from '../helpers/documents.ts'
import { runLine } from './helpers.ts'

// docs/testing.md: At the command line.

const notes = fileURLToPath(new URL('test/prove/notes.ts', root))
const header = ['--header', 'x-team: 1', '--seed', '1']

let files = 0

const write = (text: string) => fileURLToPath(writeProgram(`proved-${files++}.mjs`, text))

test('a leak is exit code 1, a report and one sentence', async t => {
  const file = write(`import { buildNotes } from '${notes}'\nexport const build = () => buildNotes('computed')`)
  const { code, out, error } = await runLine('prove', file, ...header)
  t.equal(code, 1)
  t.match(error, /^A caller can tell \d+ from \d+ in `notes.salary` by `GET \/notes`\n$/)
  t.match(out, `# What callers can learn\n\n**${error.trim()}**\n`)
})

test('what callers may learn is allowed, own routes are driven, and no leak is exit code 0', async t => {
  const file = write(`import { buildNotes } from '${notes}'
    export default async () => {
      const app = await buildNotes('computed')
      app.get('/me', async () => ({ name: 'me' }))
      return app
    }`)
  const given = ['--requests', '400', '--allow', 'notes.salary', '--route', 'GET /me']
  const { code, out, error } = await runLine('prove', file, ...header, ...given)
  t.strictSame([code, error], [0, ''])
  t.match(out, /^\| GET \/me \| \d+ \| \d+ \| 0 \|$/m)
  t.match(out, '- notes.salary: allowed')
})

test('a module that makes its application when it is imported is imported twice', async t => {
  const file = write(`import { buildNotes } from '${notes}'\nexport const app = await buildNotes('lookup')`)
  const error = /^A caller can tell \d+ from \d+ in `notes.salary`/
  t.match(await runLine('prove', file, ...header), { code: 1, error })
})

test('no database is asked: the sources of the application are never read', async t => {
  const file = write(`import { Type } from '@sinclair/typebox'
    import { collection } from '${fileURLToPath(new URL('lib/index.ts', root))}'
    const database = new Proxy({ kind: 'broken' }, { get (target, name) {
      if (name === 'kind') return 'broken'
      throw new Error('asked for ' + String(name))
    } })
    const Thing = Type.Object({ id: Type.Integer({ identifier: true, readable: true }), secret: Type.Integer() })
    export const collections = { things: collection(Thing, {
      source: { database, table: 'things' }, requestStrategies: { create: false, update: [] }
    }) }`)
  const { code, out, error } = await runLine('prove', file, '--requests', '200', '--seed', '1')
  t.strictSame([code, error], [0, ''])
  t.match(out, 'Hidden, and so different in both worlds: things.secret.')
})
