import { Type } from '@sinclair/typebox'
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { test } from 'tap'
import { describeDesign } from '../../lib/tools/command/report.ts'
import { urlsToTry } from '../../lib/tools/command/serve.ts'
import dataApi, { collection, memory, SubCollection } from '../../lib/index.ts'
import { openDriver } from '../../lib/core/sources/sql/sqlite/driver.ts'
import { newPath, runLine, serveTarget } from '../command/helpers.ts'
import { agentOf } from '../helpers/agents.ts'
import {
  answerTo, appOf, cellsOf, codeIn, programsIn, read, root, sectionOf, writeProgram
} from '../helpers/documents.ts'
import { browser } from '../helpers/explorer-pages.ts'
import Fastify from '../helpers/fastify.ts'

test('the program of docs/rules.md#auth-and-tenants answers each caller as its table says', async t => {
  const text = read('docs/rules.md#auth-and-tenants')
  const app = await appOf('auth-and-tenants.ts', programsIn(text).join('\n'))
  const tokens = new Map<string, string>()
  for (const [name, password] of [['Ada', 'correct horse'], ['Bo', 'battery staple']] as const) {
    const { token } = (await app.inject({ method: 'POST', url: '/login', payload: { name, password } })).json()
    tokens.set(name, `Bearer ${token}`)
  }
  const [, ...rows] = cellsOf(text)
  t.equal(rows.length, 7)
  for (const [caller = '', request = '', body = '', answer = ''] of rows) {
    const headers = caller === '' ? {} : { authorization: tokens.get(caller) }
    t.equal(await answerTo(app, request, body, headers), answer, `${caller} ${request}`)
  }
})

test('the program of docs/rules.md#rules-by-example answers each caller as its table says', async t => {
  const text = read('docs/rules.md#rules-by-example')
  const app = await appOf('rules-by-example.ts', programsIn(text).join())
  const rows = cellsOf(text).filter(([, request = '']) => request.startsWith('`'))
  t.equal(rows.length, 9)
  for (const [caller = '', request = '', body = '', answer = ''] of rows) {
    const headers = caller === '' ? {} : { 'x-user': caller }
    t.equal(await answerTo(app, request, body, headers), answer, `${caller} ${request}`)
  }
})

test('docs/explorer.md: pages behind a bearer token, HTTP basic, and a cookie of a login', async t => {
  const [, program = ''] = programsIn(read('docs/explorer.md'))
  const app = await appOf('explorer-login.ts', program)
  const asked = async (headers: Record<string, string>) =>
    app.inject({ url: '/notes', headers: { ...browser, ...headers } })
  t.match(await asked({}), { statusCode: 401, body: 'href="/login?next=%2Fnotes"' })
  const post = (next: string) => app.inject({
    method: 'POST',
    url: `/login?next=${next}`,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: 'token=token-of-ada'
  })
  const { statusCode, headers } = await post('%2Fnotes')
  t.match([statusCode, headers.location], [303, '/notes'])
  t.match(String(headers['set-cookie']), /HttpOnly; Secure; SameSite=Lax/)
  const [cookie = ''] = String(headers['set-cookie']).split(';')
  for (const [status, given] of [
    [200, { cookie }], [200, { authorization: 'Bearer token-of-ada' }],
    [200, { authorization: 'Basic YWRhOnBhc3N3b3Jk' }], [401, { authorization: 'Bearer other' }]
  ] as const) t.equal((await asked(given as Record<string, string>)).statusCode, status)
  t.equal((await post('%2F%2Fevil.example')).headers.location, '/')
  await app.close()
})

test('the program of docs/agents.md shows people what agents do not see, and its configuration is JSON', async t => {
  const app = await appOf('mcp.ts', programsIn(read('docs/agents.md'))[0] ?? '')
  const { call } = agentOf(app)
  t.equal((await call('describe')).text, 'authors: id* integer, name* string')
  t.strictSame((await call('get', { url: '/authors/Ada' })).data, { data: { id: 1, name: 'Ada' } })
  t.strictSame((await app.inject('/authors/Ada')).json(), { id: 1, name: 'Ada', email: 'ada@example.com' })
  const [file = ''] = programsIn(sectionOf('docs/agents.md', 'Clients'), 'text')
  t.match(JSON.parse(file), { mcpServers: { 'solar-system': { url: /^http:.*\/mcp$/ } } })
})

const shown = { readable: true, writable: true } as const

test('every query that the tables of docs/comparison.md#coming-from name is answered', async t => {
  const albums = SubCollection('things', { foreignKey: 'parentId', readable: true })
  const integers = ['age', 'a', 'b', 'year', 'views', 'id', 'parentId']
  const texts = ['name', 'title', 'body']
  const Thing = Type.Object({
    ...Object.fromEntries(integers.map(name => [name, Type.Integer({ ...shown, identifier: name === 'id' })])),
    ...Object.fromEntries(texts.map(name => [name, Type.String(shown)])),
    student: Type.Boolean(shown),
    albums,
    comments: albums
  })
  const row = { id: 1, name: 'Can', title: 'Tago Mago', body: '', student: true, parentId: 1 }
  const things = collection(Thing, {
    source: memory([{ ...row, age: 18, a: 1, b: 2, year: 1991, views: 101 } as never]), key: ['id'] as never
  })
  const app = Fastify()
  await app.register(dataApi, { collections: { things } })
  const told = cellsOf(read('docs/comparison.md#coming-from')).flatMap(([, here = '']) => codeIn(here))
  const queries = told.filter(code => code.startsWith('?')).map(code => code.replaceAll('\\|', '|'))
  t.ok(queries.length >= 14, String(queries.length))
  for (const query of queries) {
    const { statusCode, body } = await app.inject(`/things${query.replaceAll(' ', '%20')}`)
    t.equal(statusCode, 200, `${query}: ${body}`)
  }
})

const Artist = Type.Object({
  id: Type.Integer({ identifier: true, readable: true }),
  name: Type.String({ identifier: true, readable: true, writable: true }),
  founded: Type.Integer({ readable: true, writable: true })
})

test('the program of docs/clients.md#other-http-clients gets from the API what it asks for', async t => {
  const rows = [{ id: 1, name: 'Can', founded: 1968 }, { id: 2, name: 'Noisia', founded: 2003 }]
  const app = Fastify()
  await app.register(dataApi, { collections: { artists: collection(Artist, { source: memory(rows) }) } })
  process.env['API'] = await app.listen({ host: '127.0.0.1', port: 0 })
  const program = programsIn(read('docs/clients.md#other-http-clients')).join('\n')
  const results = `
    export const results = { renamed: renamed.status, second, total, young: young.data, old,
      refused: refused.suggestion, pages: pages.pages.map(({ artists }) => artists) }`
  const { results: found } = await import(writeProgram('clients.ts', program + results).href) as
    { results: Record<string, unknown> }
  t.strictSame(found, {
    renamed: 200,
    second: [{ id: 2, name: 'Noisia', founded: 2003 }],
    total: 2,
    young: [{ name: 'Can' }],
    refused: 'name',
    old: [{ name: 'Can' }],
    pages: [[{ id: 1, name: 'Can', founded: 1967 }], [{ id: 2, name: 'Noisia', founded: 2003 }]]
  })
  await app.close()
})

test('quoted as docs/asking.md#in-a-shell shows, a URL comes through a shell whole', t => {
  const [row = []] = cellsOf(read('docs/asking.md#in-a-shell')).filter(([shell]) => shell === 'bash, zsh')
  const command = row[1]?.slice(1, -1).replace('curl', "printf '%s'") ?? ''
  const printed = execFileSync('sh', ['-c', command], { encoding: 'utf8' })
  t.equal(printed, 'http://localhost:3000/api/artists?founded>=1968&name^=C')
  t.end()
})

test('docs/command.md runs as written, and prints what it shows', async t => {
  const page = 'docs/command.md'
  const folder = newPath('docs')
  mkdirSync(folder)
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  symlinkSync(new URL('node_modules', root), join(folder, 'node_modules'))
  writeFileSync(join(folder, 'make.ts'), programsIn(read(page))[0] ?? '')
  useSources(folder)
  const before = process.cwd()
  t.teardown(() => { process.chdir(before) })
  process.chdir(folder)
  await import(pathToFileURL(join(folder, 'make.ts')).href)

  const [bare = [], ...blocks] = programsIn(read(page), 'console').map(commandsIn)
  t.equal(blocks.length, 4)
  mkdirSync('data')
  writeFileSync(join('data', 'artists.csv'), 'id,name\n1,Can\n')
  for (const [target = ''] of bare.map(({ words }) => words.slice(2))) {
    // test/command/postgres.test.ts serves a database of PostgreSQL.
    if (target.startsWith('postgres://')) continue
    const { app, close } = await serveTarget(target)
    t.match((await app.inject('/artists/1')).body, '"name":"Can"', target)
    await close()
  }
  for (const { words, output } of blocks.flat()) {
    process.chdir(folder)
    t.equal(await run(words), output, words.join(' '))
    if (existsSync('my-api')) useSources('my-api')
  }

  process.chdir(folder)
  const { app, close } = await serveTarget('music.db')
  const rows = cellsOf(sectionOf(page, 'A first look')).filter(([request = '']) => request.startsWith('`GET'))
  t.equal(rows.length, 4)
  for (const cells of rows) {
    const [request = '', answer = ''] = cells.map(cell => cell.slice(1, -1))
    const answered = (await app.inject(request.replace('GET ', ''))).body
    t.equal(answered.replace(',"country":null', ''), answer, request)
  }
  await close()
})

interface Command { readonly words: readonly string[], readonly output: string }

/** The commands of a block, each with what it prints. */
const commandsIn = (block: string): readonly Command[] => block.split(/^\$ /m).slice(1).map(part => {
  const [line = '', ...output] = part.split('\n')
  const words = [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '')
  return { words, output: output.join('\n') }
})

/** Runs a command in this process, and returns what it prints. */
async function run ([program, first = '', ...rest]: readonly string[]): Promise<string> {
  if (program === 'sqlite3') {
    const driver = openDriver(first, undefined)
    driver.exec(rest.join(' '))
    driver.close()
    return ''
  }
  if (rest.length > 1 || rest[0] !== 'music.db') {
    const { out, error } = await runLine(...rest)
    return out + error
  }
  const { app, design, close } = await serveTarget('music.db')
  const urls = ['/', ...await urlsToTry(app, design, '')]
  await close()
  const served = describeDesign(design, { label: 'music.db', write: false })
  return `${served}\n${urls.map(path => `http://127.0.0.1:3000${path}\n`).join('')}`
}

/** The programs of a folder import the sources in place of the package. */
function useSources (folder: string): void {
  const library = new URL('../../lib/index.ts', import.meta.url).href
  for (const name of readdirSync(folder).filter(file => file.endsWith('.ts'))) {
    const file = join(folder, name)
    writeFileSync(file, readFileSync(file, 'utf8').replace("'fastify-data-api'", `'${library}'`))
  }
}
