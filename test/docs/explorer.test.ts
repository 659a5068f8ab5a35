import type { FastifyInstance } from 'fastify'
import { test } from 'tap'
import { programsIn, read, writeProgram } from '../helpers/documents.ts'
import { browser } from '../helpers/explorer-pages.ts'

test('docs/explorer.md: pages behind a bearer token, HTTP basic, and a cookie of a login', async t => {
  const [, program = ''] = programsIn(read('docs/explorer.md'))
  const { app } = await import(writeProgram('explorer-login.ts', program).href) as { app: FastifyInstance }
  const asked = async (headers: Record<string, string>) =>
    app.inject({ url: '/notes', headers: { ...browser, ...headers } })
  const refused = await asked({})
  t.equal(refused.statusCode, 401)
  t.match(refused.body, 'href="/login?next=%2Fnotes"')
  const post = (next: string, token: string) => app.inject({
    method: 'POST',
    url: `/login?next=${next}`,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: `token=${token}`
  })
  const { statusCode, headers } = await post('%2Fnotes', 'token-of-ada')
  t.match([statusCode, headers.location], [303, '/notes'])
  const [set = ''] = String(headers['set-cookie']).split(';')
  t.match(String(headers['set-cookie']), /HttpOnly; Secure; SameSite=Lax/)
  t.equal((await asked({ cookie: set })).statusCode, 200)
  t.equal((await asked({ authorization: 'Bearer token-of-ada' })).statusCode, 200)
  t.equal((await asked({ authorization: 'Basic YWRhOnBhc3N3b3Jk' })).statusCode, 200)
  t.equal((await asked({ authorization: 'Bearer other' })).statusCode, 401)
  t.equal((await post('%2F%2Fevil.example', 'token-of-ada')).headers.location, '/')
  await app.close()
})
