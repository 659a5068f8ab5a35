import type { FastifyInstance } from 'fastify'
import { test } from 'tap'
import { compileWritten } from '../helpers/compile.ts'
import { answerTo, cellsOf, programsIn, read, writeProgram } from '../helpers/documents.ts'

// The blocks of a page are one program: it compiles, runs, and has the effects that the page describes.

const programOf = (page: string) =>
  programsIn(read(`docs/${page}`)).join('\n')

test('the program of docs/own-code.md#own-code compiles and runs', async t => {
  const wrong = "\n// @ts-expect-error it is not listed\nexport const wrong = () => system.collection('artits')\n"
  const results = 'export const results = { items, can, page, rest, first }\n'
  const program = programOf('own-code.md#own-code') + wrong + results
  t.strictSame(compileWritten([writeProgram('own-code-typed.ts', program)]), [])
  // It runs from the sources.
  const file = writeProgram('own-code.ts', program.replaceAll("'fastify-data-api'", "'../../lib/index.ts'"))
  const { app, results: { items, can, page, rest, first } } = await import(file.href) as
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
