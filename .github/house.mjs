import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { Session } from 'node:inspector/promises'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

// npm run house: counts how large lib is, so that each change can be held to it (CONTRIBUTING.md: The house).
// `-- --names` lists the names that are declared in two files or more.

const root = fileURLToPath(new URL('..', import.meta.url))
const files = filesIn('lib').filter(path => path.endsWith('.ts')).map(path => {
  const text = readFileSync(join(root, path), 'utf8')
  return { path, lines: linesOf(path, text), source: ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true) }
})
const shared = sharedNames()

if (process.argv.includes('--names')) {
  for (const [name, where] of shared) console.log(`${String(where.length).padStart(3)}  ${name}  ${where.join(' ')}`)
} else {
  printRooms()
  const touched = await filesOfAFilter()
  const decided = touched.filter(path => /(^|\/)(filter|values|comparison|shape)\.ts$/.test(path))
  print('lib: files', files.length)
  print('lib: lines', sum(files))
  const sheet = readFileSync(join(root, 'lib/doors/explorer/style.css'), 'utf8')
  print('explorer: lines of its style sheet', linesOf('', sheet))
  print('sources: lines', sum(files.filter(({ path }) => path.startsWith('lib/core/sources/'))))
  print('files that run because of a filter', touched.length)
  print('of them named after what they decide', decided.length)
  print('members of Dialect', membersOf('Dialect'))
  print('names declared in two files or more', shared.length)
  print("rows of architecture's table of rooms", rowsOfRooms())
}

function filesIn (folder) {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(({ parentPath, name }) => relative(root, join(parentPath, name)).replaceAll('\\', '/'))
    .sort()
}

/** The script and the style sheet of the explorer are one generated line each. */
function linesOf (path, text) {
  return /explorer\/(script|style)\.ts$/.test(path) ? 0 : text.split('\n').length - 1
}

function sum (counted) {
  return counted.reduce((total, { lines }) => total + lines, 0)
}

function print (what, figure) {
  console.log(`${what.padEnd(44)} ${String(figure).padStart(24)}`)
}

function printRooms () {
  for (const room of new Set(files.map(({ path }) => roomOf(path)))) {
    const inside = files.filter(({ path }) => roomOf(path) === room)
    print(room, `${inside.length} files, ${sum(inside)} lines`)
  }
}

/** Engines and stages of plans are rooms of their own. */
function roomOf (path) {
  const folders = path.split('/').slice(0, -1)
  if (folders[1] === 'sources') return folders.slice(0, 4).join('/')
  return folders.slice(0, folders[1] === 'plan' ? 3 : 2).join('/')
}

/** The names that more than one file declares at its top. */
function sharedNames () {
  const where = new Map()
  for (const { path, source } of files) {
    for (const name of new Set(source.statements.flatMap(namesOf))) {
      where.set(name, [...where.get(name) ?? [], path])
    }
  }
  return [...where].filter(([, paths]) => paths.length > 1).sort((a, b) => b[1].length - a[1].length)
}

function namesOf (statement) {
  if (ts.isVariableStatement(statement)) {
    return statement.declarationList.declarations.flatMap(({ name }) => ts.isIdentifier(name) ? [name.text] : [])
  }
  const named = ts.isFunctionDeclaration(statement) || ts.isClassDeclaration(statement) ||
    ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement)
  return named && statement.name !== undefined ? [statement.name.text] : []
}

function membersOf (name) {
  const found = files.flatMap(({ source }) => source.statements)
    .filter(statement => ts.isInterfaceDeclaration(statement) && statement.name.text === name)
  return Math.max(...found.map(({ members }) => members.length))
}

function rowsOfRooms () {
  const text = readFileSync(join(root, 'docs/architecture.md'), 'utf8')
  const [, table = ''] = /\n## Rooms\n([^]*?)\n## /.exec(text) ?? []
  return table.split('\n').filter(line => /^\| [^-]/.test(line)).length - 1
}

/** The files of which a function runs more often for a listing with a filter than for one without. */
async function filesOfAFilter () {
  const { default: Fastify } = await import('fastify')
  const { Type } = await import('@sinclair/typebox')
  const { default: dataApi, collection, sqlite } = await import('../lib/index.ts')
  const db = sqlite(':memory:')
  db.exec('create table artists (id integer primary key, name text not null) strict')
  const schema = Type.Object({
    id: Type.Integer({ identifier: true, readable: true }),
    name: Type.String({ readable: true })
  })
  const app = Fastify()
  await app.register(dataApi, { collections: { artists: collection(schema, { source: db.table('artists') }) } })
  for (const url of ['/artists', '/artists?size=2', '/artists?name=CA', '/artists?name^=CA']) await app.inject(url)
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  const without = await callsOf(session, () => app.inject('/artists?size=3'))
  const filtered = await callsOf(session, () => app.inject('/artists?size=4&name^~=CA'))
  session.disconnect()
  await app.close()
  db.close()
  const more = [...filtered].filter(([key, count]) => count > (without.get(key) ?? 0))
  return [...new Set(more.map(([key]) => key.split(' ')[0]))].sort()
}

async function callsOf (session, run) {
  await session.post('Profiler.takePreciseCoverage')
  await run()
  const { result } = await session.post('Profiler.takePreciseCoverage')
  const calls = new Map()
  for (const { url, functions } of result) {
    const path = relative(root, url.startsWith('file:') ? fileURLToPath(url) : url).replaceAll('\\', '/')
    if (!path.startsWith('lib/')) continue
    for (const { functionName, ranges: [{ startOffset, count }] } of functions) {
      calls.set(`${path} ${functionName} ${startOffset}`, count)
    }
  }
  return calls
}
