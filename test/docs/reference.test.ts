import { type TSchema, Type } from '@sinclair/typebox'
import type { FastifyInstance } from 'fastify'
import { existsSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'tap'
import dataApi, { collection, memory } from '../../lib/index.ts'
import { errorKinds } from '../../lib/core/errors/errors.ts'
import { operatorDefaults } from '../../lib/core/request/syntax.ts'
import { flagNames } from '../../schemas/flags.ts'
import { mcpOptions } from '../../schemas/mcp.ts'
import { optionsSchema } from '../../schemas/options.ts'
import {
  answerTo, appOf, cellsOf, codeIn, programsIn, read, root, sectionOf, writeProgram
} from '../helpers/documents.ts'
import Fastify from '../helpers/fastify.ts'

// The tables of the reference hold everything that they are about, and nothing else; the requests in them are sent.

const shown = { readable: true, writable: true } as const

async function declared (): Promise<FastifyInstance> {
  const [program = ''] = programsIn(read('docs/declaring.md'))
  // docs/writing.md: Batches.
  const batching = program.replace("prefix: '/api',", "prefix: '/api', requestStrategies: { batch: true },")
  return appOf('declared.ts', batching)
}

test('the program of docs/declaring.md answers each request of the pages as they say', async t => {
  const app = await declared()
  const pages = ['declaring.md', 'asking.md#queries'].map(page => read(`docs/${page}`)).join('\n')
  const rows = [...pages.matchAll(/\| `GET ([^`]+)` \| `(.+)` \|/g)]
  t.equal(rows.length, 6 + Object.keys(operatorDefaults).length)
  for (const [, url = '', answer] of rows) t.equal((await app.inject(url)).body, answer, url)
  const write = /\| `(POST|PATCH|PUT|DELETE) ([^`]+)` \| (?:`([^`]+)`)? ?\| (\d+) `(.+)` \|/g
  const writes = [...read('docs/writing.md').matchAll(write)]
  t.equal(writes.length, 10)
  for (const [, method = '', url = '', payload, status, answer] of writes) {
    const response = await app.inject({
      method: method as 'POST',
      url,
      ...payload !== undefined && { payload, headers: { 'content-type': 'application/json' } }
    })
    t.strictSame([String(response.statusCode), response.body], [status, answer], `${method} ${url}`)
  }
  const [first = ''] = read('docs/asking.md#queries').split('| Operator |')
  const queries = cellsOf(first).flatMap(([, forms = '']) => codeIn(forms)).filter(code => code.startsWith('?'))
  t.equal(queries.length, 22)
  for (const query of queries) {
    const url = `/api/artists${query.replaceAll('\\|', '|').replaceAll(' ', '%20')}`
    t.equal((await app.inject(url)).statusCode, 200, query)
  }
  await app.close()
})

test('the program with every kind of field answers each request as its table says', async t => {
  const [program = ''] = programsIn(read('docs/declaring.md#every-kind-of-field'))
  const app = await appOf('every-kind.ts', program)
  const [, ...rows] = cellsOf(sectionOf('docs/declaring.md', 'Every kind of field'))
  t.equal(rows.length, 10)
  for (const [request = '', body = '', answer = ''] of rows) {
    t.equal(await answerTo(app, request, body), answer, request)
  }
  await app.close()
})

/** What the table of docs/declaring.md#types-of-fields promises for a filter of a field, as two sets of operators. */
const kinds: ReadonlyArray<readonly [row: string, schema: TSchema, value: string]> = [
  ['Type.Integer()', Type.Integer(shown), '1'],
  ['Type.Number()', Type.Number(shown), '1'],
  ['Type.Boolean()', Type.Boolean(shown), 'true'],
  ['Type.String()', Type.String(shown), 'a'],
  ["format: 'date'", Type.String({ format: 'date', ...shown }), '2001-12-31'],
  ["format: 'date-time'", Type.String({ format: 'date-time', ...shown }), '2001-12-31T00:00:00Z'],
  ["format: 'time'", Type.String({ format: 'time', ...shown }), '12:00:00'],
  ["format: 'uuid'", Type.String({ format: 'uuid', ...shown }), '123e4567-e89b-12d3-a456-426614174000'],
  ["format: 'int64'", Type.String({ format: 'int64', ...shown }), '1'],
  ["format: 'decimal'", Type.String({ format: 'decimal', ...shown }), '1.5'],
  ["format: 'byte'", Type.String({ format: 'byte', ...shown }), 'AQID'],
  ['Type.Array()', Type.Array(Type.String(), shown), 'a']
]

test('each type takes the operators of its row in docs/declaring.md#types-of-fields, and no others', async t => {
  const fields = Object.fromEntries(kinds.map(([, schema], index) => [`f${index}`, Type.Optional(schema)]))
  const things = collection(Type.Object({ id: Type.Integer({ identifier: true, ...shown }), ...fields }), {
    source: memory([])
  })
  const app = Fastify()
  await app.register(dataApi, { collections: { things } })
  const [, ...rows] = cellsOf(read('docs/declaring.md#types-of-fields'))
  const known = Object.values(operatorDefaults).map(([spelling = '']) => spelling)
  let before: readonly string[] = []
  for (const [names = '', , operators = ''] of rows) {
    const told = operators === 'all' ? known : operators === 'the same' ? before : codeIn(operators)
    before = told
    for (const [index, [row, , value]] of kinds.entries()) {
      if (!codeIn(names).includes(row)) continue
      for (const operator of known) {
        const { statusCode } = await app.inject(`/things?f${index}${operator}${encodeURIComponent(value)}`)
        t.equal(statusCode, told.includes(operator) ? 200 : 400, `${row} ${operator}`)
      }
    }
  }
  await app.close()
})

test('every operator stands in its table, and none besides', async t => {
  const [, ...rows] = cellsOf(read('docs/asking.md#queries'))
  const told = rows.map(([operators = '']) => codeIn(operators)).filter(operators => operators.length > 0)
  const known = Object.values(operatorDefaults).map(spellings => spellings.join(' '))
  t.strictSame(told.map(operators => operators.join(' ')).sort(), known.sort())
})

test('every error code stands in its table, with its status, and none besides', async t => {
  const known = Object.entries(errorKinds).map(([one, { status }]) => `${one} ${status}`).sort()
  const [, ...rows] = cellsOf(read('docs/reference.md#errors'))
  const told = rows.flatMap(([codes = '', statuses = '']) => codeIn(codes).map((one, index) => {
    const all = statuses.split(', ')
    return `${one} ${one === 'rejected' ? 400 : all[index] ?? all[0]}`
  }))
  t.strictSame(told.sort(), known)
})

test('every option stands in its table, and none besides', async t => {
  const [, ...rows] = cellsOf(read('docs/reference.md#options'))
  const told = rows.flatMap(([names = '']) => codeIn(names))
  const { queryString, ...others } = optionsSchema.properties
  const known = Object.entries(others).flatMap(([name, option]) => 'properties' in option
    ? Object.keys(option.properties as object).map(member => `${name}.${member}`)
    : [name])
  const members = told.filter(name => name.startsWith('queryString.'))
  t.strictSame(members.sort(), Object.keys(queryString.properties).map(name => `queryString.${name}`).sort())
  const names = told.filter(name => !members.includes(name))
  t.strictSame(names.sort(), [...known, 'caller', 'collections', 'idempotency', 'queryString', 'rules'].sort())
})

test('every option of the door for agents stands in its table, and none besides', async t => {
  const [, ...rows] = cellsOf(sectionOf('docs/agents.md', 'Options'))
  t.strictSame(rows.flatMap(([name = '']) => codeIn(name)).sort(),
    Object.keys(mcpOptions.properties).map(name => `mcp.${name}`).sort())
})

test('every option of a source stands in the table of the source, and none besides', async t => {
  for (const [heading, file, name] of [
    ['memory(rows, options)', 'memory/memory', 'MemoryOptions'],
    ['sqlite(file, options)', 'sql/sqlite/options', 'SqliteOptions'],
    ['postgres(options)', 'sql/postgres/postgres', 'PostgresOptions'],
    ['kysely(instance, options)', 'sql/postgres/kysely', 'KyselyOptions']
  ] as const) {
    const section = read('docs/databases.md').split(`\n### ${heading}\n`)[1]?.split('\n##')[0] ?? ''
    const [, ...rows] = cellsOf(section)
    const known = [...optionsIn(file, name), ...file.includes('postgres') ? optionsIn(common, 'ServerOptions') : []]
    t.strictSame(rows.flatMap(([names = '']) => codeIn(names)).sort(), known.sort(), heading)
  }
})

const common = 'sql/postgres/options'

/** The options that an interface in a file of the sources declares itself. */
function optionsIn (file: string, name: string): readonly string[] {
  const [, members = ''] = read(`lib/core/sources/${file}.ts`).split(new RegExp(`export interface ${name}[^{]* {\n`))
  return [...(members.split('\n}')[0] ?? '').matchAll(/^ {2}(\w+)\?:/gm)].map(([, option = '']) => option)
}

test('every flag stands in its table, and none besides', async t => {
  const [, ...rows] = cellsOf(sectionOf('docs/declaring.md', 'Flags'))
  t.strictSame(rows.flatMap(([names = '']) => codeIn(names)).sort(), [...flagNames].sort())
})

test('every member of a behaviour stands in its table', async t => {
  const [, ...rows] = cellsOf(read('docs/declaring.md#behaviours'))
  const told = rows.flatMap(([first = '']) => codeIn(first)).map(code => code.split(':')[0])
  const { given: _given, schema: _schema, source: _source, ...members } =
    collection(Type.Object({}), { source: memory([]) })
  t.strictSame([...new Set(told)].sort(), Object.keys(members).sort())
})

interface Entry { readonly default: string }
const { exports: entries } = JSON.parse(read('package.json')) as { exports: Readonly<Record<string, Entry | string>> }

test('every export stands in its table, and none besides', async t => {
  const [, ...rows] = cellsOf(read('docs/reference.md#exports').split('\n## ')[0] ?? '')
  const told = rows.flatMap(([names = '', from = '']) => codeIn(names).map(name => `${codeIn(from)[0]} ${name}`))
  // The types of the entry `typebox` differ, its functions do not.
  const known = await Promise.all(Object.entries(entries).map(async ([entry, file]) => {
    if (typeof file === 'string' || entry === './typebox') return []
    const source = new URL(file.default.replace('./dist/', '').replace(/js$/, 'ts'), root)
    return Object.keys(await import(source.href) as object).map(member => `fastify-data-api${entry.slice(1)} ${member}`)
  }))
  t.strictSame(told.sort(), known.flat().sort())
})

test('every exported type stands in the table of its entry, and none besides', t => {
  const tables = sectionOf('docs/reference.md#exports', 'Types that are exported').split(/^(?=\| Types of )/m).slice(1)
  const told = tables.flatMap(table => {
    const [[title = ''] = [], ...rows] = cellsOf(table)
    return rows.flatMap(([names = '']) => codeIn(names).map(name => `${codeIn(title)[0]} ${name}`))
  })
  const known = Object.entries(entries).flatMap(([entry, file]) => {
    if (typeof file === 'string' || entry === './typebox') return []
    const source = file.default.replace('./dist/', '').replace(/js$/, 'ts')
    return typesOf(source).map(name => `fastify-data-api${entry.slice(1)} ${name}`)
  })
  t.strictSame(told.sort(), known.sort())
  t.end()
})

/** The names of the types that a module exports, its own and those of other modules. */
function typesOf (file: string): readonly string[] {
  const text = read(file)
  const own = [...text.matchAll(/^export (?:interface|type) (\w+)/gm)].map(([, name = '']) => name)
  const lists = [...text.matchAll(/^export (type )?\{([^}]+)\}/gm)].flatMap(([, all, names = '']) =>
    names.split(',').map(name => name.trim()).filter(name => all !== undefined || name.startsWith('type ')))
  const others = [...text.matchAll(/^export type \* from '(.+)'/gm)]
    .flatMap(([, name = '']) => typesOf(join(dirname(file), name)))
  return [...own, ...lists.map(name => name.replace('type ', '').split(' as ').at(-1)?.trim() ?? ''), ...others]
}

const [, ...rooms] = cellsOf(sectionOf('docs/architecture.md', 'Rooms'))
const houseTable = rooms.flatMap(([names = '']) => codeIn(names))

/** The files and rooms of lib, in the order in which a list names them, without endings. */
const inLib = (names: readonly string[]) => names
  .filter(name => /^([^/]+\.ts|plugin\/|(core|doors|clients)\/[^/]+\/|tools\/.*\/)$/.test(name)).map(bare)
const bare = (name: string) => name.replace(/\.ts$|\/$/, '')

test('the table of rooms names every file and folder of lib, and only paths that exist', async t => {
  const inside = (folder: string) => readdirSync(new URL(`lib/${folder}`, root)).map(name => folder + name)
  const found = inside('').flatMap(name => /^(core|doors|clients|tools)$/.test(name) ? inside(`${name}/`) : [name])
    .flatMap(name => name === 'tools/testing' ? inside(`${name}/`) : [name])
  t.strictSame(inLib(houseTable).toSorted(), found.map(bare).toSorted())
  for (const name of houseTable) t.ok(existsSync(new URL(name === 'schemas/' ? name : `lib/${name}`, root)), name)
})

test('the map for the auditor names every file of the rules', t => {
  const [map = ''] = read('lib/core/rules/caller.ts').split('*/')
  const named = [...map.matchAll(/^ \* {5}([a-z-]+\.ts) /gm)].map(([, file]) => file)
  t.strictSame(named.toSorted(), readdirSync(new URL('lib/core/rules/', root)).toSorted())
  t.end()
})

test('the linter knows the rooms in the order of the table', async t => {
  const { order } = await import(new URL('eslint.config.js', root).href) as { readonly order: readonly string[] }
  t.strictSame(order, inLib(houseTable))
})

test('docs/architecture.md says where the code of each section of docs/http.md begins', t => {
  const [, ...rows] = cellsOf(sectionOf('docs/architecture.md', 'By the sections of the wire'))
  const sections = [...read('docs/http.md').matchAll(/^##+ (.+)$/gm)].map(([, title = '']) => title)
  t.strictSame(rows.map(([title]) => title), sections)
  for (const file of rows.flatMap(([, ...cells]) => cells.flatMap(codeIn))) {
    t.ok(existsSync(new URL(`lib/${/^(?:doors|plugin)\//.test(file) ? '' : 'core/'}${file}`, root)), file)
  }
  t.end()
})

test('each sentence that the table names is in the docs, and its function in its file', t => {
  const pages = readdirSync(new URL('docs/', root)).filter(name => name.endsWith('.md') && name !== 'architecture.md')
  const text = pages.map(name => read(`docs/${name}`)).join(' ').replaceAll(/\s+/g, ' ')
  const [, ...rows] = cellsOf(sectionOf('docs/architecture.md', 'Where a sentence is decided'))
  t.ok(rows.length > 50)
  for (const [sentence = '', file = '', name = ''] of rows) {
    t.ok(text.includes(sentence), sentence)
    const declaration = new RegExp(`(?:function|class|const) \\*? ?${name.slice(1, -1)}\\b`)
    t.match(read(file.slice(1, -1)), declaration, file)
  }
  t.end()
})

test('the program of docs/testing.md#conformance runs', async t => {
  const [program = ''] = programsIn(read('docs/testing.md#conformance'))
  // The reader's program draws a seed and sends more; here each run sends the same.
  const seeded = program.replace('requests: 1000,', 'requests: 100, seed: 20261121,')
  const { seed } = await import(writeProgram('conformance.ts', seeded).href) as { seed: number }
  t.equal(seed, 20261121)
})

test('docs/README.md leads to every page', async t => {
  for (const name of readdirSync(new URL('docs/', root))) {
    if (name.endsWith('.md') && name !== 'README.md') t.match(read('docs/README.md'), `](${name})`)
  }
})
