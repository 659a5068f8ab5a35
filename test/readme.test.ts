import type { FastifyInstance } from 'fastify'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { test } from 'tap'
import { errorKinds } from '../lib/errors.ts'
import { operatorDefaults } from '../lib/request/syntax.ts'
import { optionsSchema } from '../schemas/options.ts'

// These tests run every claim of the README that can be run. They import the package by its name, as a user would, so
// it must be built.

const root = new URL('../', import.meta.url)
const readme = readFileSync(new URL('README.md', root), 'utf8')
const section = (heading: string) => readme.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? ''
const cells = (text: string) => text.split('\n').filter(line => line.startsWith('| ')).map(line =>
  line.slice(1, -1).split(' | ').map(cell => cell.trim()))
const code = (text: string) => [...text.matchAll(/`([^`]+)`/g)].map(([, one = '']) => one)

async function firstProgram (): Promise<FastifyInstance> {
  const [, program = ''] = /```ts\n([^]*?)```/.exec(section('A first collection')) ?? []
  // Inside the package, where its own name can be imported.
  const folder = new URL('.tap/readme/', root)
  mkdirSync(folder, { recursive: true })
  writeFileSync(new URL('first.ts', folder), program)
  const { app } = await import(new URL('first.ts', folder).href) as { app: FastifyInstance }
  return app
}

test('the first program runs, and answers each request as the tables say', async t => {
  const app = await firstProgram()
  const rows = [...readme.matchAll(/\| `GET ([^`]+)` \| `(.+)` \|/g)]
  t.equal(rows.length, 7 + Object.keys(operatorDefaults).length)
  for (const [, url = '', answer] of rows) t.equal((await app.inject(url)).body, answer, url)
  const writes = [
    ...section('Writing').matchAll(/\| `(POST|PATCH|PUT|DELETE) ([^`]+)` \| (?:`([^`]+)`)? ?\| (\d+) `(.+)` \|/g)
  ]
  t.equal(writes.length, 8)
  for (const [, method = '', url = '', payload, status, answer] of writes) {
    const response = await app.inject({
      method: method as 'POST',
      url,
      ...payload !== undefined && { payload, headers: { 'content-type': 'application/json' } }
    })
    t.strictSame([String(response.statusCode), response.body], [status, answer], `${method} ${url}`)
  }
  await app.close()
})

test('every operator stands in its table, and none besides', async t => {
  const told = cells(section('Asking')).slice(1).map(([operators = '']) => code(operators)).filter(
    operators => operators.length > 0
  )
  t.strictSame(told.map(operators => operators.join(' ')).sort(),
    Object.values(operatorDefaults).map(spellings => spellings.join(' ')).sort())
})

test('every error code stands in its table, with its status, and none besides', async t => {
  const told = cells(section('Errors'))
    .slice(1).flatMap(([codes = '', statuses = '']) => code(codes).map((one, index) => {
      const all = statuses.split(', ')
      return `${one} ${one === 'rejected' ? 400 : all[index] ?? all[0]}`
    }))
  t.strictSame(told.sort(), Object.entries(errorKinds).map(([one, { status }]) => `${one} ${status}`).sort())
})

test('every option stands in its table, and none besides', async t => {
  const told = cells(section('Options')).slice(1).flatMap(([names = '']) => code(names))
  const { queryString, ...others } = optionsSchema.properties
  const known = Object.entries(others).flatMap(([name, option]) => 'properties' in option
    ? Object.keys(option.properties as object).map(member => `${name}.${member}`)
    : [name])
  const members = told.filter(name => name.startsWith('queryString.'))
  for (const name of members) t.ok(name.slice('queryString.'.length) in queryString.properties, name)
  const names = told.filter(name => !members.includes(name))
  t.strictSame(names.sort(), [...known, 'collections', 'queryString'].sort())
})

const houseTable = cells(section('How it is built')).slice(1).flatMap(([names = '']) => code(names))

/** The files and folders directly in lib, in the order in which a list names them, without endings. */
const inLib = (names: readonly string[]) =>
  names.filter(name => /^[^/]+(\.ts|\/)$/.test(name) && name !== 'schemas/').map(bare)
const bare = (name: string) => name.replace(/\.ts$|\/$/, '')

test('the table of rooms names every file and folder of lib, and only paths that exist', async t => {
  const entries = readdirSync(new URL('lib/', root), { withFileTypes: true })
  const found = entries.map(entry => entry.isDirectory() ? `${entry.name}/` : entry.name)
  t.strictSame(inLib(houseTable).toSorted(), found.map(bare).toSorted())
  for (const name of houseTable) t.ok(existsSync(new URL(name === 'schemas/' ? name : `lib/${name}`, root)), name)
})

test('the linter knows the rooms in the order of the table', async t => {
  const config = readFileSync(new URL('eslint.config.js', root), 'utf8')
  const [, order = ''] = /^const order = \[([^\]]*)\]/m.exec(config) ?? []
  t.strictSame([...order.matchAll(/'([^']+)'/g)].map(([, room]) => room), inLib(houseTable))
})

test('the program of docs/conformance.md runs', async t => {
  const [, program = ''] = /```ts\n([^]*?)```/.exec(readFileSync(new URL('docs/conformance.md', root), 'utf8')) ?? []
  const folder = new URL('.tap/readme/', root)
  mkdirSync(folder, { recursive: true })
  writeFileSync(new URL('conformance.ts', folder), program)
  const { seed } = await import(new URL('conformance.ts', folder).href) as { seed: number }
  t.ok(Number.isInteger(seed))
})
