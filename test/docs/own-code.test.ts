import type { FastifyInstance } from 'fastify'
import { mkdirSync, writeFileSync } from 'node:fs'
import { test } from 'tap'
import ts from 'typescript'
import { answerTo, cellsOf, programsIn, read, root } from '../helpers/documents.ts'

// The blocks of a page are one program: it compiles, runs, and has the effects that the page describes.

const folder = new URL('.tap/documents/', root)

const programOf = (page: string) =>
  programsIn(read(`docs/${page}`)).join('\n')

/** Writes a program to a file beside the sources, in place of the package, and returns its type errors. */
function typeErrors (name: string, program: string): readonly string[] {
  mkdirSync(folder, { recursive: true })
  const file = new URL(name, folder)
  writeFileSync(file, program.replaceAll(/'fastify-data-api'/g, "'../../lib/index.ts'"))
  const { config } = ts.readConfigFile(new URL('tsconfig.json', root).pathname, path => ts.sys.readFile(path))
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root.pathname)
  const compiled = ts.createProgram([file.pathname], { ...options, noUnusedLocals: false, noUnusedParameters: false })
  const source = compiled.getSourceFile(file.pathname)
  return compiled.getSemanticDiagnostics(source)
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '))
}

test('the program of docs/own-code.md#own-code compiles and runs', async t => {
  const wrong = "\n// @ts-expect-error it is not listed\nexport const wrong = () => system.collection('artits')\n"
  const results = 'export const results = { items, can, page, rest, first }\n'
  t.strictSame(typeErrors('own-code.ts', programOf('own-code.md#own-code') + wrong + results), [])
  const { app, results: { items, can, page, rest, first } } = await import(new URL('own-code.ts', folder).href) as
    { app: FastifyInstance, results: Record<string, unknown> }
  t.strictSame(items, [{ name: 'Can' }])
  t.strictSame(can, { id: 2, name: 'Can', founded: 1968, published: true, ownerId: 8 })
  t.match(page, { items: [{ name: 'Noisia', albums: [{ title: 'Outer Edges' }] }], total: 2 })
  t.match(rest, { items: [{ name: 'Can', albums: [] }], next: undefined })
  t.match(first, { id: 2 })
  const rows = cellsOf(read('docs/own-code.md#own-code')).filter(([, request = '']) => /^`[A-Z]+ /.test(request))
  t.equal(rows.length, 8)
  for (const [user = '', request = '', body = '', answer = ''] of rows) {
    t.equal(await answerTo(app, request, body, { 'x-user': user }), answer, request)
  }
  t.equal((await app.inject('/api/entries')).statusCode, 403)
  const { items: entries } = await app.dataApi.asSystem().collection('entries').list({ fields: ['text'] })
  t.strictSame(entries, [{ text: 'Noisia was changed' }, { text: 'Tago Mago was deleted' }])
  await app.close()
})
