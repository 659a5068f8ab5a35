import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'tap'
import { faults } from './mutants/faults.ts'

// CONTRIBUTING.md: Faults in lib, on purpose

const root = new URL('../', import.meta.url)
const read = (path: string) => readFileSync(new URL(path, root), 'utf8')

test('lib holds the text of each fault once', async t => {
  const paths = readdirSync(new URL('lib/', root), { recursive: true, encoding: 'utf8' })
  const lib = paths.filter(path => path.endsWith('.ts')).map(path => read(`lib/${path}`)).join('\n')
  for (const { what, text } of faults) t.equal(lib.split(text).length - 1, 1, `${what}: ${text}`)
})

test('the table of faults has all of them, each with a test that finds it', async t => {
  const rows = [...read('CONTRIBUTING.md').matchAll(/^\| ([a-z]+: .+?) \| `(.+?)\.test\.ts` \|$/gm)]
  t.strictSame(rows.map(([, what]) => what), faults.map(({ what }) => what))
  for (const [index, { what, tests }] of faults.entries()) t.ok(tests.includes(rows[index]?.[2] ?? ''), what)
})
