import type { FastifyInstance } from 'fastify'
import { mkdirSync } from 'node:fs'
import { test } from 'tap'
import { cellsOf, programsIn, read, root, writeProgram } from '../helpers/documents.ts'

// docs/rules.md#rules-by-example: each program answers as the table below it says.

const [head = '', ...sections] = read('docs/rules.md#rules-by-example').split(/^## /m)
mkdirSync(new URL('.tap/documents/rules/', root), { recursive: true })
writeProgram('rules/people.ts', programsIn(head).join())

for (const [index, section] of sections.entries()) {
  const [title = ''] = section.split('\n')
  test(`the program of '${title}' answers each caller as its table says`, async t => {
    const url = writeProgram(`rules/example-${index + 1}.ts`, programsIn(section).join())
    const { app } = await import(url.href) as { app: FastifyInstance }
    const [, ...rows] = cellsOf(section)
    t.ok(rows.length > 3)
    const isReason = section.includes('| Reason |')
    for (const [caller = '', request = '', given = '', answer = ''] of rows) {
      const [method = '', path = ''] = request.slice(1, -1).split(' ')
      const body = isReason ? '' : given
      const response = await app.inject({
        method: method as 'GET',
        url: path,
        headers: {
          ...caller !== '' && { 'x-user': caller },
          ...body !== '' && { 'content-type': 'application/json' },
          ...isReason && given !== '' && { 'x-reason': given }
        },
        ...body !== '' && { payload: body.slice(1, -1) }
      })
      t.equal(`${response.statusCode} \`${response.body}\``, answer, `${caller} ${request}`)
    }
    await app.close()
  })
}
