import { readdir } from 'node:fs/promises'
import { setTimeout } from 'node:timers/promises'
import { test } from 'tap'
import { type Desk, onEachDatabase, openDesk, password } from '../helpers/desk.ts'

// examples/desk, as its users use it: all recipes of the documentation in one application.

type Method = 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** Returns a function that sends a write as JSON. */
const sender = ({ ask }: Desk) => (
  name: Parameters<Desk['ask']>[0], method: Method, url: string, body?: object, headers?: Record<string, string>
) => ask(name, url, { method, ...body && { payload: body }, ...headers && { headers } })

// Ticket 1 is Ada's, 2 Bob's, 3 Cy's and 4 nobody's. All items are of Acme, and so not of Eve, who leads Bolt. A try of
// each write leaves the tables as they are: read, create, update, delete.
const mine = '1c000000-0000-4000-8000-000000000000'
const rights = {
  'tenants/1': { ada: '200 405 405 403', bob: '200 405 405 403', eve: '404 405 405 403' },
  'people/1': { ada: '200 200 200 403', bob: '200 403 403 403', eve: '404 200 404 404' },
  'people/3': { ada: '200 200 200 200', bob: '200 403 403 403', eve: '404 200 404 404' },
  'customers/12': { ada: '200 200 200 409', bob: '200 200 200 403', eve: '404 200 404 404' },
  'tickets/1': { ada: '200 200 200 200', bob: '200 200 403 403', eve: '404 409 404 404' },
  'tickets/2': { ada: '200 200 200 200', bob: '200 200 200 403', eve: '404 409 404 404' },
  'tickets/3': { ada: '200 200 200 200', bob: '200 200 403 403', eve: '404 409 404 404' },
  'tickets/4': { ada: '200 200 200 200', bob: '200 200 200 403', eve: '404 409 404 404' },
  [`comments/${mine}`]: { ada: '200 200 403 403', bob: '200 200 200 200', eve: '404 409 404 404' },
  'attachments/1': { ada: '200 405 405 200', bob: '200 405 405 403', eve: '404 405 405 404' },
  'entries/1': { ada: '200 405 405 403', bob: '403 405 403 403', eve: '404 405 405 403' }
} as const
const bodies: Readonly<Record<string, readonly [object, object]>> = {
  tenants: [{ name: 'New' }, { name: 'x' }],
  people: [{ name: 'New', email: 'new@new.example', password }, { name: 'x' }],
  customers: [{ name: 'New', email: 'new@new.example' }, { name: 'x' }],
  tickets: [{ subject: 'New', body: '', customer: { id: 1 }, assignee: null }, { subject: 'x' }],
  comments: [{ text: 'New', ticket: { id: 1 } }, { text: 'x' }]
}

onEachDatabase('who may do what is as the table says', async (t, kind) => {
  const desk = await openDesk(t, kind)
  const send = sender(desk)
  await send('bob', 'POST', '/api/tickets/1/comments', { id: mine, text: 'Mine.' })
  await upload(desk, 'bob', '/api/tickets/1/files/a.txt', 'hello')
  const prefer = { prefer: 'dry-run' }
  for (const [item, expected] of Object.entries(rights)) {
    const [collection = ''] = item.split('/')
    const [body, change] = bodies[collection] ?? [{}, {}]
    for (const [name, statuses] of Object.entries(expected) as Array<['ada' | 'bob' | 'eve', string]>) {
      const answers = [
        await desk.ask(name, `/api/${item}`), await send(name, 'POST', `/api/${collection}`, body, prefer),
        await send(name, 'PATCH', `/api/${item}`, change, prefer),
        await send(name, 'DELETE', `/api/${item}`, undefined, prefer)
      ]
      t.equal(answers.map(answer => answer.statusCode).join(' '), statuses, `${name} at ${item}`)
    }
    for (const method of ['GET', 'POST', 'PATCH', 'DELETE'] as const) {
      t.equal((await desk.ask('', `/api/${item}`, { method })).statusCode, 401, `${method} ${item} without a token`)
    }
  }
  t.strictSame((await desk.ask('ada', '/api/tickets?fields=count()')).json(), [{ count: 30 }])
})

onEachDatabase('what only leads read does not exist for agents, in documents too', async (t, kind) => {
  const { ask } = await openDesk(t, kind)
  t.match((await ask('ada', '/api/tickets/1')).json(), { cost: '0.50' })
  t.strictSame((await ask('ada', '/api/tickets?fields=cost.sum()')).json(), [{ cost: { sum: '1355' } }])
  t.equal('cost' in (await ask('bob', '/api/tickets/1')).json<object>(), false)
  for (const url of ['/api/tickets?cost>1', '/api/tickets?sort=cost', '/api/tickets?fields=cost.sum()']) {
    t.equal((await ask('bob', url)).statusCode, 400, url)
  }
  const document = async (name: 'ada' | 'bob') => (await ask(name, '/api/openapi.json')).body
  t.match(await document('ada'), /"cost"/)
  t.notMatch(await document('bob'), /cost|"note"/)
})

onEachDatabase('a ticket is locked by its tag and by its version', async (t, kind) => {
  const desk = await openDesk(t, kind)
  const send = sender(desk)
  const { headers } = await desk.ask('bob', '/api/tickets/2')
  const locked = { 'if-match': `W/${String(headers.etag)}` }
  t.equal((await send('bob', 'PATCH', '/api/tickets/2', { priority: 'high' }, locked)).statusCode, 200)
  t.equal((await send('ada', 'PATCH', '/api/tickets/2', { priority: 'low' }, locked)).statusCode, 412)
  t.equal((await send('ada', 'PATCH', '/api/tickets/2', { priority: 'low', version: 0 })).statusCode, 400)
  t.equal((await send('ada', 'PATCH', '/api/tickets/2', { priority: 'low', version: 1 })).statusCode, 200)
  t.match((await desk.ask('ada', '/api/tickets/2')).json(), { priority: 'low', version: 2 })
})

onEachDatabase('closing needs an assignee, whatever the order of the body', async (t, kind) => {
  const desk = await openDesk(t, kind)
  const send = sender(desk)
  const refused = await send('bob', 'PATCH', '/api/tickets/4', { state: 'closed' })
  t.strictSame([refused.statusCode, refused.json()], [400, {
    error: 'argument', message: 'A ticket without an assignee cannot be closed.', pointer: '/state'
  }])
  t.equal((await send('bob', 'PATCH', '/api/tickets/4', { state: 'closed', assignee: { id: 2 } })).statusCode, 200)
  t.not((await desk.ask('bob', '/api/tickets/4')).json<{ closed_at: unknown }>().closed_at, null)
  t.equal((await send('bob', 'PATCH', '/api/tickets/4', { assignee: null })).statusCode, 400)
  t.equal((await send('bob', 'PATCH', '/api/tickets/4', { state: 'open' })).statusCode, 200)
  t.equal((await desk.ask('bob', '/api/tickets/4/closed_at')).body, 'null')
  t.equal((await send('bob', 'PATCH', '/api/tickets/2', { assignee: { id: 5 } })).statusCode, 409, 'Finn is of Bolt')
})

/** Returns what has been logged since. */
const logOf = ({ ask }: Desk) => async (since = 0) =>
  (await ask('ada', `/api/entries?id>${since}&fields=id,text&sort=id`)).json<Array<{ id: number, text: string }>>()

onEachDatabase('what is refused leaves nothing, in a batch, in a route and in the log', async (t, kind) => {
  const desk = await openDesk(t, kind)
  const send = sender(desk)
  const log = logOf(desk)
  const last = (await log()).at(-1)?.id
  const batch = await send('bob', 'POST', '/api', [
    { method: 'PATCH', path: '/tickets/2', body: { priority: 'high' } },
    { method: 'POST', path: '/tickets/2/comments', body: { text: 'Now.' } },
    { method: 'PATCH', path: '/tickets/3', body: { priority: 'high' } }
  ])
  t.match([batch.statusCode, batch.json()], [403, { error: 'forbidden', operation: 2 }])
  // Customer 2 has the open tickets 2 and 14, which are Bob's.
  await send('ada', 'PATCH', '/api/tickets/14', { assignee: { id: 3 } })
  t.equal((await send('bob', 'POST', '/api/customers/2/close')).statusCode, 403)
  t.strictSame((await desk.ask('bob', '/api/tickets/2?fields=priority,state,version')).json(),
    { priority: 'normal', state: 'open', version: 0 })
  t.strictSame((await log(last)).map(({ text }) => text), ['Ada changed ticket 14'])
  t.equal((await send('finn', 'POST', '/api/customers/2/close')).statusCode, 404)
  const { closed: count } = (await send('ada', 'POST', '/api/customers/2/close')).json<{ closed: number }>()
  t.equal((await log(last)).length, count + 1)
})

onEachDatabase('a write that is sent again with its key is done and logged once', async (t, kind) => {
  const desk = await openDesk(t, kind)
  const send = sender(desk)
  const create = () => send('bob', 'POST', '/api/customers', { name: 'Nut', email: 'nut@nut.example' }, {
    'idempotency-key': '"k1"'
  })
  const answers = [await create(), await create()]
  t.strictSame(answers.map(({ statusCode, headers }) => [statusCode, headers['idempotency-replayed']]),
    [[201, undefined], [201, 'true']])
  t.equal((await logOf(desk)()).filter(({ text }) => text.startsWith('Bob created customer')).length, 1)
})

onEachDatabase('a deleted ticket is gone with what belongs to it', async (t, kind) => {
  const desk = await openDesk(t, kind)
  const send = sender(desk)
  await send('bob', 'POST', '/api/tickets/1/comments', { id: mine, text: 'Mine.' })
  await upload(desk, 'bob', '/api/tickets/1/files/a.txt', 'hello')
  t.equal((await send('ada', 'DELETE', '/api/tickets/1')).statusCode, 200)
  const urls = ['tickets/1', `comments/${mine}`, 'attachments/1', 'files/1']
  for (const url of urls) t.equal((await desk.ask('ada', `/api/${url}`)).statusCode, 404, url)
  t.match((await logOf(desk)()).at(-1), { text: 'Ada deleted ticket 1' })
})

test('a ticket is overdue by the clock of the database, and its tag does not change by that', async t => {
  const desk = await openDesk(t, 'sqlite')
  const isOverdue = async () => (await desk.ask('bob', '/api/tickets/2/is_overdue')).body
  t.equal(await isOverdue(), 'false')
  await sender(desk)('bob', 'PATCH', '/api/tickets/2', { due_at: new Date(Date.now() + 2000).toISOString() })
  const { headers: { etag } } = await desk.ask('bob', '/api/tickets/2')
  while (await isOverdue() === 'false') await setTimeout(100)
  const change = await sender(desk)('bob', 'PATCH', '/api/tickets/2', { body: 'x' }, { 'if-match': String(etag) })
  t.equal(change.statusCode, 200)
})

/** Sends a file. */
const upload = ({ ask }: Desk, name: 'bob' | 'finn', url: string, payload: string, type = 'text/plain') =>
  ask(name, url, { method: 'PUT', payload, headers: { 'content-type': type } })

onEachDatabase('a file is under the rules of its ticket', async (t, kind) => {
  const desk = await openDesk(t, kind, { largestFile: 100 })
  const { ask, files } = desk
  const name = encodeURIComponent('../../etc/passwd "ü".txt')
  const put = (payload: string, type?: string) => upload(desk, 'bob', `/api/tickets/1/files/${name}`, payload, type)
  t.strictSame((await put('hello')).json(), { status: 'created', id: 1 })
  t.strictSame((await put('hi')).json(), { status: 'ok', id: 1 })
  const { headers, body } = await ask('bob', '/api/files/1')
  t.match([body, headers], ['hi', {
    'content-type': 'text/plain',
    'content-disposition': "attachment; filename*=UTF-8''..%2F..%2Fetc%2Fpasswd%20%22%C3%BC%22.txt",
    'x-content-type-options': 'nosniff'
  }])
  t.match((await ask('bob', '/api/tickets/1/attachments')).json(), [{ name: decodeURIComponent(name), size: 2 }])
  t.equal((await ask('finn', '/api/files/1')).statusCode, 404)
  t.equal((await upload(desk, 'finn', '/api/tickets/1/files/a.txt', 'hello')).statusCode, 404)
  t.equal((await put('x'.repeat(101))).statusCode, 413)
  t.equal((await put('<script>', 'text/html')).statusCode, 415)
  t.equal((await readdir(files)).length, 1, 'what was refused and replaced is gone')
  t.equal((await ask('bob', '/api/files/1')).body, 'hi')
  t.equal((await ask('bob', '/api/attachments/1', { method: 'DELETE' })).statusCode, 403)
  t.equal((await ask('ada', '/api/attachments/1', { method: 'DELETE' })).statusCode, 200)
  t.strictSame(await readdir(files), [])
})

onEachDatabase('a session that is revoked or has expired is 401 at once', async (t, kind) => {
  const desk = await openDesk(t, kind)
  const [one, other] = [await desk.login('bob'), await desk.login('bob')]
  const as = (token: string) => ({ headers: { authorization: `Bearer ${token}` } })
  const get = async (token: string) => (await desk.app.inject({ url: '/api/tickets/1', ...as(token) })).statusCode
  t.equal((await desk.app.inject({ method: 'POST', url: '/logout', ...as(one) })).statusCode, 204)
  t.strictSame([await get(one), await get(other)], [401, 200])
  const { session } = desk.app.jwt.decode<{ session: string }>(other) ?? { session: '' }
  t.equal((await desk.ask('finn', `/api/sessions/${session}`)).statusCode, 404)
  t.equal((await desk.ask('cy', `/api/sessions/${session}`, { method: 'DELETE' })).statusCode, 404)
  t.equal((await desk.ask('ada', `/api/sessions/${session}`, { method: 'DELETE' })).statusCode, 200)
  t.equal(await get(other), 401)
  const again = desk.app.jwt.decode<{ session: string }>(await desk.login('bob')) ?? { session: '' }
  const past = Math.floor(Date.now() / 1000) - 60
  t.equal(await get(desk.app.jwt.sign({ session: again.session, iat: past }, { expiresIn: 1 })), 401)
  t.equal(await get(desk.app.jwt.sign({ session: again.session })), 200)
})

onEachDatabase('who loses a right or the account loses it at once', async (t, kind) => {
  const desk = await openDesk(t, kind)
  const send = sender(desk)
  t.equal((await send('ada', 'PATCH', '/api/people/2', { role: 'lead' })).statusCode, 200)
  t.equal((await desk.ask('bob', '/api/entries')).statusCode, 200)
  await send('ada', 'PATCH', '/api/people/2', { role: 'agent' })
  t.equal((await desk.ask('bob', '/api/entries')).statusCode, 403)
  await send('ada', 'DELETE', '/api/people/2')
  t.equal((await desk.ask('bob', '/api/tickets')).statusCode, 401)
  t.equal((await desk.ask('ada', '/api/tickets/2/assignee')).body, 'null')
})

test('a stream ends with its session', async t => {
  const desk = await openDesk(t, 'sqlite')
  const token = await desk.login('bob')
  const url = await desk.app.listen({ port: 0 })
  const headers = { authorization: `Bearer ${token}`, accept: 'text/event-stream' }
  const { body } = await fetch(`${url}/api/tickets/2`, { headers })
  await desk.app.inject({ method: 'POST', url: '/logout', headers: { authorization: `Bearer ${token}` } })
  await setTimeout(1100)
  await sender(desk)('ada', 'PATCH', '/api/tickets/2', { priority: 'high' })
  let text = ''
  for await (const chunk of body ?? []) text += Buffer.from(chunk as Uint8Array).toString()
  t.match(text, /event: end\ndata: \{"error":"unauthorized","message":"The session has ended/)
  t.notMatch(text, '"priority":"high"')
})

test('a person logs in with the password that a lead has set, which nobody reads', async t => {
  const desk = await openDesk(t, 'sqlite')
  const create = (name: 'ada' | 'bob', body: object) =>
    sender(desk)(name, 'POST', '/api/people', { name: 'Zoe', email: 'zoe@acme.example', ...body })
  t.match((await create('ada', { password: 'short' })).json(), { details: [{ pointer: '/password' }] })
  t.match((await create('ada', {})).json(), { details: [{ pointer: '/password', message: 'is required' }] })
  t.equal((await create('ada', { password: 'a horse of its own' })).statusCode, 201)
  t.equal((await desk.ask('ada', '/api/people?password_hash^=x')).statusCode, 400)
  const login = (guess: string) => desk.app.inject({
    method: 'POST', url: '/login', payload: { email: 'zoe@acme.example', password: guess }
  })
  t.match([(await login('wrong')).statusCode, (await login('a horse of its own')).json()], [401, {
    token: String, person: { name: 'Zoe', role: 'agent' }
  }])
})

test('a browser logs in by a form, and its cookie opens the explorer under the policies of helmet', async t => {
  const { app } = await openDesk(t, 'sqlite')
  const accept = 'text/html'
  const refused = await app.inject({ url: '/api/tickets?state=open', headers: { accept } })
  t.match([refused.statusCode, refused.body], [401, /href="\/login\?next=%2Fapi%2Ftickets%3Fstate%3Dopen"/])
  t.match((await app.inject('/login?next=/api')).body, '<form method="post">')
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const payload = new URLSearchParams({ email: 'bob@acme.example', password }).toString()
  const login = (next: string) => app.inject({ method: 'POST', url: `/login?next=${next}`, headers, payload })
  for (const [next, location] of [['/api/tickets', '/api/tickets'], ['//evil.example', '/'], ['https://evil', '/']]) {
    t.match([(await login(next ?? '')).statusCode, (await login(next ?? '')).headers], [303, { location }])
  }
  const [cookie] = (await login('/')).cookies
  t.match(cookie, { name: 'token', httpOnly: true, sameSite: 'Lax', path: '/' })
  const ask = (options: object, more = {}) => app.inject({
    url: '/api/tickets/2', cookies: { token: cookie?.value ?? '' }, headers: { accept, ...more }, ...options
  })
  const page = await ask({})
  t.match([page.statusCode, page.headers], [200, {
    'content-security-policy': /^default-src 'none'/, 'referrer-policy': 'same-origin'
  }])
  const form = { method: 'POST', url: '/api/tickets/2?_edit', payload: 'priority=high' }
  t.equal((await ask(form, { ...headers, 'sec-fetch-site': 'cross-site' })).statusCode, 403)
})

test('each caller has a limit of requests, and each address one of logins', async t => {
  const desk = await openDesk(t, 'sqlite', { requests: 40 })
  const statuses = async (name: 'bob' | 'cy', times: number) => {
    const answers = []
    while (answers.length < times) answers.push(await desk.ask(name, '/api/tickets/1/subject'))
    return answers.at(-1)
  }
  const last = await statuses('bob', 41)
  t.match([last?.statusCode, last?.json(), last?.headers], [429, { error: 'rejected', message: /Rate limit/ }, {
    'retry-after': /^[1-9]/
  }])
  t.equal((await statuses('cy', 1))?.statusCode, 200)
  t.equal((await desk.app.inject({ method: 'POST', url: '/login', payload: { email: 'a', password: 'b' } })).statusCode,
    429, 'two have logged in')
})

test('pages of the origin of the front end may ask, others may not', async t => {
  const { app, ask } = await openDesk(t, 'sqlite')
  const asking = {
    'access-control-request-method': 'PATCH', 'access-control-request-headers': 'authorization,if-match'
  }
  const origin = 'https://desk.example.org'
  // Outside of the API, @fastify/cors answers.
  for (const [url, status] of [['/api/tickets/1', 204], ['/api/files/1', 204], ['/login', 200]] as const) {
    const { statusCode, headers } = await app.inject({ method: 'OPTIONS', url, headers: { origin, ...asking } })
    t.strictSame([statusCode, headers['access-control-allow-origin']], [status, origin], url)
  }
  const refused = await ask('', '/api/tickets', { headers: { origin } })
  t.strictSame([refused.statusCode, refused.headers['access-control-allow-origin']], [401, origin])
  const options = await ask('bob', '/api/tickets/3', { method: 'OPTIONS', headers: { origin } })
  t.strictSame([options.statusCode, options.headers.allow], [204, 'GET, HEAD, OPTIONS'])
})

test('a file of customers is checked, and imported whole or not at all', async t => {
  const { ask } = await openDesk(t, 'sqlite')
  const send = (payload: string, more = {}) => ask('bob', '/api/customers', {
    method: 'POST', payload, headers: { 'content-type': 'text/csv', ...more }
  })
  const csv = 'name,email\nNut,nut@nut.example\n'
  const tried = await send(`${csv},x@x.example\n`, { prefer: 'dry-run' })
  t.match(tried.json(), { details: [{ line: 3, pointer: '/name' }] })
  t.strictSame((await send(csv)).json(), { status: 'created', count: 1 })
  t.equal((await send('name,note\nOak,secret\n')).statusCode, 400, 'notes are for leads')
  t.strictSame((await ask('ada', '/api/customers?name=Nut&fields=email')).json(), [{ email: 'nut@nut.example' }])
})

test('health and metrics are asked without a token', async t => {
  const { ask } = await openDesk(t, 'sqlite')
  t.strictSame((await ask('', '/health')).json(), { status: 'ok' })
  await ask('bob', '/api/tickets')
  const { body } = await ask('', '/metrics')
  t.match(body, 'requests_total{collection="tickets",kind="list",status="200"} 1\n')
  t.match(body, /^statements_total\{collection="tickets",kind="read"\} [1-9]/m)
})
