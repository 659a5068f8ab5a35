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
    member: as({ id: 2, team: 1, role: 'member' }),
    lead: as({ id: 1, team: 1, role: 'lead' }),
    blue: as({ id: 3, team: 2, role: 'member' })
  }
}

test('whoever has no token is 401 in the shape of our errors', async t => {
  const { app } = await serve()
  const { statusCode, headers, body } = await app.inject('/notes')
  t.strictSame([statusCode, JSON.parse(body)],
    [401, { error: 'unauthorized', message: 'No Authorization was found in request.headers' }])
  t.equal(headers['cache-control'], 'private')
})

test('what a token says decides what there is', async t => {
  const { app, member, lead, blue } = await serve()
  const get = async (url: string, headers: Record<string, string>) => (await app.inject({ url, headers })).json()
  t.strictSame(await get('/notes', member), [{ id: 1, text: 'Water the plants.' }, { id: 2, text: 'Talk to Ada.' }])
  t.strictSame(await get('/notes?salary>0', lead), [{ id: 2, text: 'Talk to Ada.', salary: 4000 }])
  t.match(await get('/notes?salary>0', member), { error: 'invalid_filter' })
  t.strictSame(await get('/teams?fields=name,notes(text)', blue),
    [{ name: 'blue', notes: [{ text: 'Paint it blue.' }] }])
})

test('a member may do to users, teams and the log what the rules say, and nothing else', async t => {
  const { app, member, lead, blue } = await serve()
  const password = 'a long password'
  const users = app.dataApi.asSystem().collection('users')
  await users.create([{ name: 'Ada', role: 'lead', teamId: 1, password }, { name: 'Bob', teamId: 1, password }])
  const send = async (method: string, url: string, headers: Record<string, string>, payload?: object) =>
    (await app.inject({ method: method as 'GET', url, headers, ...payload && { payload } })).statusCode
  const writes = [
    ['DELETE', '/users/1'], ['DELETE', '/users/2'], ['PATCH', '/users/2', { role: 'lead' }],
    ['POST', '/users', { name: 'Eve', role: 'lead', password }], ['PUT', '/users/1/name', { name: 'Eva' }],
    ['DELETE', '/teams/1/users/1'], ['DELETE', '/notes/1'], ['DELETE', '/teams/1/notes/1'], ['POST', '/teams/1/clear'],
    ['GET', '/entries'], ['GET', '/entries/1'], ['DELETE', '/entries/1'], ['POST', '/entries', { text: 'x' }],
    ['PATCH', '/entries/1', { text: 'x' }], ['DELETE', '/teams/1'], ['POST', '/teams', { name: 'green' }]
  ] as const
  for (const [method, url, payload] of writes) {
    for (const caller of [member, blue]) {
      const status = await send(method, url, caller, payload)
      t.ok([403, 404, 405].includes(status), `${method} ${url}: ${status}`)
    }
  }
  for (const url of ['/users/1', '/users/2', '/entries/1', '/teams/1']) {
    t.equal(await send('DELETE', url, member), 403, url)
  }
  // Nobody deletes what was logged, nor a team with all that it has.
  for (const url of ['/entries/1', '/teams/1']) t.equal(await send('DELETE', url, lead), 403, url)
  t.equal((await users.list()).items.length, 2)
  t.equal((await app.dataApi.asSystem().collection('entries').list()).items.length, 2)
  t.equal(await send('DELETE', '/users/2', lead), 200)
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
})

test('a browser elsewhere may ask, and caches tell callers apart', async t => {
  const { app, member } = await serve()
  const origin = 'https://example.org'
  const asking = {
    origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization,content-type'
  }
  for (const url of ['/notes', '/notes/1', '/login', '/teams/1/clear']) {
    const preflight = await app.inject({ method: 'OPTIONS', url, headers: asking })
    t.strictSame([preflight.statusCode, preflight.headers['access-control-allow-origin']], [204, '*'], url)
  }
  t.equal((await app.inject({ method: 'OPTIONS', url: '/notes/1', headers: { origin } })).statusCode, 401)
  const options = await app.inject({ method: 'OPTIONS', url: '/notes/1', headers: { ...member, origin } })
  t.strictSame([options.statusCode, options.headers.allow], [204, 'GET, HEAD, OPTIONS, PUT, PATCH'])
  const { headers } = await app.inject({ url: '/notes', headers: { ...member, origin } })
  t.equal(headers['access-control-allow-origin'], '*')
  t.match(String(headers.vary), /Authorization, Cookie/)
  t.equal(headers['cache-control'], 'private')
})

test('a script of another origin pages by links, and writes with the tag that it has read', async t => {
  const { app, member } = await serve()
  const origin = 'https://example.org'
  const { headers } = await app.inject({ url: '/notes?size=1', headers: { ...member, origin } })
  t.match(headers.link, /rel="next"/)
  const exposed = String(headers['access-control-expose-headers'])
  for (const name of ['Link', 'ETag', 'Location', 'X-Total-Count']) t.ok(exposed.split(', ').includes(name), name)
  for (const method of ['PATCH', 'DELETE', 'QUERY']) {
    const asking = { origin, 'access-control-request-method': method, 'access-control-request-headers': 'if-match' }
    const preflight = await app.inject({ method: 'OPTIONS', url: '/notes/1', headers: asking })
    t.ok(String(preflight.headers['access-control-allow-methods']).includes(method), method)
  }
  const { etag = '' } = (await app.inject({ url: '/notes/1', headers: { ...member, origin } })).headers
  const write = () => app.inject({
    method: 'PATCH', url: '/notes/1', headers: { ...member, origin, 'if-match': String(etag) }, payload: { text: 'x' }
  })
  t.equal((await write()).statusCode, 200)
  t.equal((await write()).statusCode, 412)
})

test('a user logs in with the password that a lead has set, which nobody reads', async t => {
  const { app, lead, member } = await serve()
  const create = (headers: Record<string, string>, payload: object) =>
    app.inject({ method: 'POST', url: '/users', headers, payload })
  const login = (password: string) => app.inject({ method: 'POST', url: '/login', payload: { name: 'Zoe', password } })
  t.equal((await create(member, { name: 'Zoe', password: 'correct horse' })).statusCode, 403)
  t.match((await create(lead, { name: 'Zoe', password: 'short' })).json(), { details: [{ pointer: '/password' }] })
  t.match((await create(lead, { name: 'Zoe' })).json(), { details: [{ pointer: '/password', message: 'is required' }] })
  t.equal((await create(lead, { name: 'Zoe', password: 'correct horse' })).statusCode, 201)
  t.strictSame((await app.inject({ url: '/users/Zoe', headers: lead })).json(), { id: 1, name: 'Zoe', role: 'member' })
  t.equal((await app.inject({ url: '/users?password_hash^=x', headers: lead })).statusCode, 400)
  t.equal((await login('wrong')).statusCode, 401)
  const { token } = (await login('correct horse')).json<{ token: string }>()
  const notes = await app.inject({ url: '/notes?fields=id', headers: { authorization: `Bearer ${token}` } })
  t.strictSame(notes.json(), [{ id: 1 }, { id: 2 }])
})

test('a deleted note is gone for readers, and what was done is logged in the same transaction', async t => {
  const { app, lead, member, blue } = await serve()
  const entries = async () =>
    (await app.inject({ url: '/entries?fields=text,user_id', headers: lead })).json<object[]>()
  await app.inject({ method: 'POST', url: '/notes', headers: member, payload: { text: 'Buy paint.' } })
  await app.inject({ method: 'PATCH', url: '/notes/4', headers: member, payload: { text: 'Buy red paint.' } })
  const refused = await app.inject({ method: 'PATCH', url: '/notes/4', headers: member, payload: { text: '' } })
  t.equal(refused.statusCode, 400)
  t.equal((await app.inject({ method: 'DELETE', url: '/notes/4', headers: lead })).statusCode, 200)
  t.equal((await app.inject({ url: '/notes/4', headers: lead })).statusCode, 404)
  const counted = await app.inject({ url: '/notes', headers: { ...lead, prefer: 'count=exact' } })
  t.equal(counted.headers['x-total-count'], '2')
  t.strictSame(await entries(), [
    { text: 'note 4 was created', user_id: 2 }, { text: 'note 4 was changed', user_id: 2 },
    { text: 'note 4 was deleted', user_id: 1 }
  ])
  const clear = (headers: Record<string, string>) => app.inject({ method: 'POST', url: '/teams/1/clear', headers })
  t.equal((await clear(blue)).statusCode, 404)
  t.equal((await clear(member)).statusCode, 403)
  t.equal((await entries()).length, 3)
  t.strictSame((await clear(lead)).json(), { deleted: 2 })
  t.strictSame((await app.inject({ url: '/notes', headers: member })).json(), [])
  t.equal((await entries()).length, 5)
  t.equal((await app.inject({ url: '/entries', headers: member })).statusCode, 403)
})

test('health and metrics are asked without a token', async t => {
  const { app, member } = await serve()
  t.strictSame((await app.inject('/health')).json(), { status: 'ok' })
  await app.inject({ url: '/notes', headers: member })
  await app.inject({ url: '/nothing', headers: member })
  const { body } = await app.inject('/metrics')
  t.match(body, 'requests_total{collection="notes",kind="list",status="200"} 1\n')
  t.match(body, 'requests_total{collection="none",kind="none",status="404"} 1\n')
  t.match(body, /^statements_total\{collection="notes",kind="read"\} [1-9]/m)
  t.equal((await app.inject('/teams')).statusCode, 401)
})
