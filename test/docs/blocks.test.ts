import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { test } from 'tap'
import type * as TypeScript from 'typescript'
import { solarSystem } from '../../examples/solar-system/collections.ts'
import { fill } from '../../examples/solar-system/fill.ts'
import { errorKinds } from '../../lib/core/errors/errors.ts'
import dataApi, { sqlite } from '../../lib/index.ts'
import { runLine } from '../command/helpers.ts'
import { compileWritten } from '../helpers/compile.ts'
import { anchorOf, documents, programsIn, read, root, writeProgram } from '../helpers/documents.ts'
import Fastify from '../helpers/fastify.ts'

// Every block of TypeScript in the documents is compiled, strictly. Blocks that continue others use these names.

const ts = createRequire(import.meta.url)('typescript') as typeof TypeScript

const guide: ReadonlyMap<string, string> = new Map([
  ['docs/start.md#declare', 'app'], ['docs/start.md#serve', 'server'], ['docs/start.md#test', 'app.test']
])

const context = `
import type { FastifyInstance } from 'fastify'
import type { Caller, Collection, SqliteDatabase } from 'fastify-data-api'
declare module '@fastify/jwt' { interface FastifyJWT { user: Caller } }
declare global {
  type Context = import('fastify-data-api').Context
  const Type: typeof import('@sinclair/typebox').Type
  const Fastify: typeof import('fastify').default
  const cors: typeof import('@fastify/cors').default
  const swagger: typeof import('@fastify/swagger').default
  const withDataApi: typeof import('fastify-data-api').withDataApi
  const dataApi: typeof import('fastify-data-api').default
  const collection: typeof import('fastify-data-api').collection
  const postgres: typeof import('fastify-data-api').postgres
  const sqlite: typeof import('fastify-data-api').sqlite
  const app: FastifyInstance
  const db: import('fastify-data-api').SqliteDatabase
  const collections: import('fastify-data-api').DataApiOptions['collections']
  const notes: import('fastify-data-api').DataApiOptions['collections'][string]
  const build: () => Promise<FastifyInstance>
  const requests: { labels (...labels: string[]): { observe (seconds: number): void } }
  const Note: import('@sinclair/typebox').TObject<{
    id: import('@sinclair/typebox').TInteger
    teamId: import('@sinclair/typebox').TInteger
    authorId: import('@sinclair/typebox').TInteger
    salary: import('@sinclair/typebox').TInteger
  }>
}
`

test('every block of TypeScript in the documents compiles', async t => {
  const prelude = writeProgram('context.d.ts', context)
  writeProgram('api.ts', await typesOfExample())
  const blocks = documents().flatMap(partsOf).flatMap(part => programsOf(part).map((program, index) => (
    { name: nameOf(part, index), program }
  )))
  t.ok(blocks.length > 30)
  mkdirSync(new URL('.tap/documents/guide/', root), { recursive: true })
  const files = blocks.map(({ name, program }) => writeProgram(name, `${program}\nexport {}\n`))
  t.strictSame(compileWritten([prelude, ...files]), [])
})

/** The types of the example's API, which docs/clients.md imports. */
async function typesOfExample (): Promise<string> {
  const db = sqlite(':memory:')
  fill(db, fileURLToPath(new URL('examples/solar-system/data/', root)))
  const app = Fastify()
  await app.register(dataApi, { collections: solarSystem(db) })
  await app.ready()
  const types = app.dataApi.types()
  await app.close()
  db.close()
  return types
}

/** Files that import each other have a folder of their own. */
function nameOf (part: string, index: number): string {
  const ofGuide = guide.get(part)
  if (ofGuide !== undefined) return `guide/${ofGuide}.ts`
  return `${part.replaceAll(/\W/g, '-')}-${index + 1}.ts`
}

/** A document by its parts, each of which may be one program. */
function partsOf (document: string): readonly string[] {
  const anchors = [...read(document).matchAll(/^## (.+)$/gm)].map(([, heading = '']) => `#${anchorOf(heading)}`)
  return ['#', ...anchors].map(anchor => document + anchor)
}

function programsOf (part: string): readonly string[] {
  const text = read(part)
  return text.includes('The blocks of this part are one program') ? [programsIn(text).join('\n')] : programsIn(text)
}

const { scripts } = JSON.parse(read('package.json')) as { scripts: Readonly<Record<string, string>> }
const namesOfFiles = (text: string) => text.match(/\b[\w-]+(?:\/[\w-]+)*\.ts\b/g) ?? []

test('every command in the documents names a script, a flag or a file that exists', async t => {
  const commands = [[], ['init'], ['types'], ['prove'], ['rights'], ['mcp'], ['import'], ['sql']]
  const helps = await Promise.all(commands.map(name => runLine(...name, '--help')))
  const help = helps.map(({ out }) => out).join('')
  for (const document of documents()) {
    const text = read(document)
    const blocks = [...programsIn(text, 'console'), ...programsIn(text, 'sh')]
    for (const line of blocks.flatMap(block => block.split('\n')).filter(line => /^\$ |^curl /.test(line))) {
      for (const [, script = ''] of line.matchAll(/npm (?:run )?(\w[\w:]*)/g)) {
        t.ok(script in scripts || ['ci', 'init', 'install', 'pkg'].includes(script), `${document}: ${line}`)
      }
      const [, flags = ''] = /npx fastify-data-api (.*)$/.exec(line) ?? []
      for (const [flag] of flags.matchAll(/--\w[\w-]*/g)) {
        t.ok(help.includes(flag) || document === 'docs/command.md', `${document}: ${line}`)
      }
      for (const [, file = ''] of line.matchAll(/ node ([\w.]+\.ts)/g)) t.ok(text.includes(`\`${file}\``), line)
      const [, url] = /^(?:\$ )?curl .*(http\S+)/.exec(line) ?? []
      t.ok(url === undefined || /^http\S+'$|^http[^&|<>()*!]+$/.test(url), `${document}: ${line}`)
    }
  }
})

test('the walk through a new operator names every table of operators', t => {
  const walk = read('CONTRIBUTING.md').split('## Adding an operator')[1]?.split('\n## ')[0] ?? ''
  const files = readdirSync(new URL('lib/', root), { recursive: true, encoding: 'utf8' })
  const sources = files.filter(name => name.endsWith('.ts'))
  const table = /^(?!.*(Partial|\* )).*\b(Record|Spellings)<Operator[,>]/m
  const tables = sources.filter(name => table.test(read(`lib/${name}`)))
  t.ok(tables.length > 5)
  t.strictSame(tables.filter(name => !walk.includes(`lib/${name}`)), [])
  t.end()
})

test('the lifecycle in docs/architecture.md names errors and files that exist', t => {
  const [lifecycle = ''] = programsIn(read('docs/architecture.md'), 'text')
  const exits = [...lifecycle.matchAll(/->(.*)$/gm)].flatMap(([, text = '']) => text.match(/\b[a-z]+_[a-z_]+\b/g) ?? [])
  t.ok(exits.length > 15)
  t.strictSame(exits.filter(code => !(code in errorKinds)), [])
  t.strictSame(namesOfFiles(lifecycle).filter(file => !existsSync(new URL(`lib/${file}`, root))), [])
  t.end()
})

test('the Dockerfile of docs/running.md#deploying takes what a registry and the guide give', t => {
  const [file = ''] = programsIn(read('docs/running.md#deploying'), 'dockerfile')
  const lines = file.trim().split('\n')
  t.match(lines[0], /^FROM node:(?:2[2-9]|[3-9]\d)-slim$/, 'a Node.js that has SQLite and runs TypeScript')
  t.strictSame(lines.filter(line => line.startsWith('COPY')), ['COPY package*.json ./', 'COPY *.ts ./'])
  t.strictSame(lines.filter(line => line.startsWith('RUN')), [
    'RUN npm ci --omit=dev', 'RUN mkdir data && chown node data'
  ])
  const guide = read('docs/start.md')
  const [, main = ''] = /^CMD \["node", "(.+)"\]$/m.exec(file) ?? []
  t.match(guide, `\`${main}\` listens`)
  const [, variables = ''] = /^ENV (.+)$/m.exec(file) ?? []
  for (const variable of variables.split(' ')) t.match(guide, `process.env['${variable.split('=')[0]}']`)
  t.end()
})

test('every component in the documents is well-formed, and imports what the package has', async t => {
  for (const program of documents().flatMap(document => programsIn(read(document), 'tsx'))) {
    const { diagnostics } = ts.transpileModule(program, {
      reportDiagnostics: true, compilerOptions: { jsx: ts.JsxEmit.Preserve }, fileName: 'component.tsx'
    })
    t.strictSame(diagnostics?.map(({ messageText }) => messageText), [])
    for (const [, name = '', entry = ''] of program.matchAll(/import \{ (\w+) \} from 'fastify-data-api\/([\w-]+)'/g)) {
      const row = new RegExp(`^\\| .*\`${name}\`.* \\| \`fastify-data-api/${entry}\` `, 'm')
      t.match(read('docs/reference.md#exports'), row)
    }
  }
})

test('no block is of a language that nothing checks', t => {
  // http: test/example.test.ts sends the requests. sql: migrating.test.ts runs the statements.
  const checked = ['ts', 'tsx', 'console', 'sh', 'text', 'dockerfile', 'http', 'sql']
  for (const document of documents()) {
    const fences = read(document).split('\n').filter(line => line.startsWith('```'))
    const opened = fences.filter((_, index) => index % 2 === 0)
    t.strictSame(opened.filter(line => !checked.includes(line.slice(3))), [], document)
  }
  t.end()
})

test('every page with programs is run by a test', t => {
  const names = ['pages', 'programs', 'live', 'own-code', 'getting-started', 'reference', 'migrating',
    'row-level-security']
  const others = ['package', 'prove/prove', 'command/sql', 'client/tanstack-db-writes']
  const tests = [...names.map(name => `docs/${name}`), ...others].map(name => read(`test/${name}.test.ts`)).join('')
  const pages = documents().filter(page => programsIn(read(page)).length > 0).map(page => page.replace('docs/', ''))
  t.ok(pages.length > 10)
  t.strictSame(pages.filter(page => !tests.includes(page)), [])
  t.end()
})
