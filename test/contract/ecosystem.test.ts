import { test } from 'tap'
import { buildTeams } from '../../examples/teams/app.ts'

// docs/http.md: Rules. With @fastify/jwt, @fastify/rate-limit and @fastify/cors, as an application uses them.

type User = Parameters<Awaited<ReturnType<typeof buildTeams>>['jwt']['sign']>[0]

async function serve (options: { requests?: number } = {}) {
  const app = await buildTeams({ secret: 'a secret of the tests', ...options })
  await app.ready()
  const as = (user: User) => ({ authorization: `Bearer ${app.jwt.sign(user)}` })
  return {
    app,
    member: as({ team: 1, role: 'member' }),
    lead: as({ team: 1, role: 'lead' }),
    blue: as({ team: 2, role: 'member' })
  }
}

test('whoever has no token is 401 in the shape of our errors', async t => {
  const { app } = await serve()
  const { statusCode, headers, body } = await app.inject('/notes')
  t.strictSame([statusCode, JSON.parse(body)],
    [401, { error: 'unauthorized', message: 'No Authorization was found in request.headers' }])
  t.equal(headers['cache-control'], 'private')
  await app.close()
})

test('what a token says decides what there is', async t => {
  const { app, member, lead, blue } = await serve()
  const get = async (url: string, headers: Record<string, string>) => (await app.inject({ url, headers })).json()
  t.strictSame(await get('/notes', member), [{ id: 1, text: 'Water the plants.' }, { id: 2, text: 'Talk to Ada.' }])
  t.strictSame(await get('/notes?salary>0', lead), [{ id: 2, text: 'Talk to Ada.', salary: 4000 }])
  t.match(await get('/notes?salary>0', member), { error: 'invalid_filter' })
  t.strictSame(await get('/teams?fields=name,notes(text)', blue),
    [{ name: 'blue', notes: [{ text: 'Paint it blue.' }] }])
  await app.close()
})

test('what is written belongs to the caller, who may do what the rules say', async t => {
  const { app, member, lead, blue } = await serve()
  const send = async (method: 'POST' | 'DELETE', url: string, headers: Record<string, string>, payload?: object) =>
    (await app.inject({ method, url, headers, ...payload && { payload } })).statusCode
  t.equal(await send('POST', '/notes', blue, { text: 'Mine.' }), 201)
  t.equal((await app.inject({ url: '/notes/4', headers: member })).statusCode, 404)
  t.equal((await app.inject({ url: '/notes/4/team/name', headers: blue })).body, '"blue"')
  t.equal(await send('DELETE', '/notes/1', member), 403)
  t.equal(await send('DELETE', '/notes/1', lead), 200)
  t.equal(await send('DELETE', '/notes/3', lead), 404)
  await app.close()
})

test('a rate limit answers in the shape of our errors, and says when to come back', async t => {
  const { app, member } = await serve({ requests: 2 })
  const answers = [
    await app.inject({ url: '/notes', headers: member }), await app.inject({ url: '/notes/1', headers: member }),
    await app.inject({ url: '/notes', headers: member })
  ]
  t.strictSame(answers.map(answer => answer.statusCode), [200, 200, 429])
  t.match(answers[2]?.json(), { error: 'rejected', message: /Rate limit exceeded/ })
  t.ok(Number(answers[2]?.headers['retry-after']) > 0)
  t.equal(answers[0]?.headers['x-ratelimit-remaining'], '1')
  await app.close()
})

test('a browser elsewhere may ask, and caches tell callers apart', async t => {
  const { app, member } = await serve()
  const preflight = await app.inject({
    method: 'OPTIONS',
    url: '/notes',
    headers: {
      origin: 'https://example.org',
      'access-control-request-method': 'GET',
      'access-control-request-headers': 'authorization'
    }
  })
  t.equal(preflight.statusCode, 204)
  const { headers } = await app.inject({ url: '/notes', headers: { ...member, origin: 'https://example.org' } })
  t.equal(headers['access-control-allow-origin'], '*')
  t.match(String(headers.vary), /Authorization, Cookie/)
  t.equal(headers['cache-control'], 'private')
  await app.close()
})
