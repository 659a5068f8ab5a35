import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { test } from 'tap'
import type * as TypeScript from 'typescript'
import { documents, programsIn, read, root, writeProgram } from '../helpers/documents.ts'

// Every block of TypeScript in the documents is compiled, strictly. Blocks that continue others use these names.

const ts = createRequire(import.meta.url)('typescript') as typeof TypeScript

const context = `
import type { FastifyInstance } from 'fastify'
import type { Collection, SqliteDatabase } from 'fastify-data-api'
declare module 'fastify' { interface FastifyRequest { user: { team: number, role: 'member' | 'lead' } } }
declare global {
  type Context = import('fastify-data-api').Context
  const Type: typeof import('@sinclair/typebox').Type
  const Fastify: typeof import('fastify').default
  const cors: typeof import('@fastify/cors').default
  const subscribe: typeof import('node:diagnostics_channel').subscribe
  type StatementEvent = import('fastify-data-api').StatementEvent
  const dataApi: typeof import('fastify-data-api').default
  const collection: typeof import('fastify-data-api').collection
  const postgres: typeof import('fastify-data-api').postgres
  const sqlite: typeof import('fastify-data-api').sqlite
  const app: FastifyInstance
  const db: import('fastify-data-api').SqliteDatabase
  const collections: import('fastify-data-api').DataApiOptions['collections']
  const notes: import('fastify-data-api').DataApiOptions['collections'][string]
  const requests: { labels (...labels: string[]): { observe (seconds: number): void } }
  const Note: import('@sinclair/typebox').TObject<{
    id: import('@sinclair/typebox').TInteger
    teamId: import('@sinclair/typebox').TInteger
    salary: import('@sinclair/typebox').TInteger
  }>
}
`

test('every block of TypeScript in the documents compiles', async t => {
  const prelude = fileURLToPath(writeProgram('context.d.ts', context))
  const blocks = documents().flatMap(document => programsOf(document).map((program, index) => (
    { name: `${document.replaceAll(/\W/g, '-')}-${index + 1}.ts`, program }
  )))
  t.ok(blocks.length > 10)
  const files = blocks.map(({ name, program }) => fileURLToPath(writeProgram(name, `${program}\nexport {}\n`)))
  const { config } = ts.parseConfigFileTextToJson('tsconfig.json', readFileSync(new URL('tsconfig.json', root), 'utf8'))
  const { options } = ts.convertCompilerOptionsFromJson(
    (config as { compilerOptions: object }).compilerOptions, fileURLToPath(root)
  )
  const relaxed = { ...options, noUnusedLocals: false, rootDir: fileURLToPath(root) }
  const program = ts.createProgram([prelude, ...files], relaxed)
  const wrong = ts.getPreEmitDiagnostics(program).map(({ file, start = 0, messageText }) => {
    const line = file?.getLineAndCharacterOfPosition(start).line ?? 0
    return `${file?.fileName.split('/').at(-1)}:${line + 1} ${ts.flattenDiagnosticMessageText(messageText, ' ')}`
  })
  t.strictSame(wrong, [])
})

function programsOf (document: string): readonly string[] {
  // The guide's own files import each other; its own test runs them.
  if (document === 'docs/getting-started.md') return []
  const text = read(document)
  return text.includes('The blocks of this page are one program') ? [programsIn(text).join('\n')] : programsIn(text)
}
