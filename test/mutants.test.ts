import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { test } from 'tap'
import { faults } from './mutants/faults.ts'
import { readFound } from './mutants/found.ts'

// CONTRIBUTING.md: Faults in lib, on purpose

const root = new URL('../', import.meta.url)
const read = (path: string) => readFileSync(new URL(path, root), 'utf8')

test('lib holds the text of each fault once', async t => {
  const paths = readdirSync(new URL('lib/', root), { recursive: true, encoding: 'utf8' })
  const lib = paths.filter(path => path.endsWith('.ts')).map(path => read(`lib/${path}`)).join('\n')
  for (const { what, text } of faults) t.equal(lib.split(text).length - 1, 1, `${what}: ${text}`)
})

test('each fault has a name of its own, and tests that exist', async t => {
  t.equal(new Set(faults.map(({ what }) => what)).size, faults.length)
  for (const { what, tests } of faults) {
    t.ok(tests.length > 0, what)
    for (const path of tests) t.ok(existsSync(new URL(`test/${path}.test.ts`, root)), `${what}: ${path}`)
  }
})

test('test/mutants/found.txt has each fault, and none besides: `npm run test:mutants -- NAME` adds a new one', t => {
  t.strictSame([...readFound().keys()], faults.map(({ what }) => what))
  t.end()
})
