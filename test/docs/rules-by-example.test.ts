import type { FastifyInstance } from 'fastify'
import { test } from 'tap'
import { cellsOf, programsIn, read, writeProgram } from '../helpers/documents.ts'

test('the program of docs/rules.md#rules-by-example answers each caller as its table says', async t => {
  const text = read('docs/rules.md#rules-by-example')
  const { app } = await import(writeProgram('rules-by-example.ts', programsIn(text).join()).href) as
    { app: FastifyInstance }
  const rows = cellsOf(text).filter(([, request = '']) => request.startsWith('`'))
  t.equal(rows.length, 9)
  for (const [caller = '', request = '', body = '', answer = ''] of rows) {
    const [method = '', path = ''] = request.slice(1, -1).split(' ')
    const response = await app.inject({
      method: method as 'GET',
      url: path,
      headers: {
        ...caller !== '' && { 'x-user': caller },
        ...body !== '' && { 'content-type': 'application/json' }
      },
      ...body !== '' && { payload: body.slice(1, -1) }
    })
    t.equal(`${response.statusCode} \`${response.body}\``, answer, `${caller} ${request}`)
  }
  await app.close()
})
