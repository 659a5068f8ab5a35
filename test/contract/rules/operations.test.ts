import { Type } from '@sinclair/typebox'
import type { FastifyRequest } from 'fastify'
import { test } from 'tap'
import dataApi, {
  type AnyContext, type Caller, collection, type DataApiOptions, DeclarationError, exactly, memory
} from '../../../lib/index.ts'
import Fastify from '../../helpers/fastify.ts'
import { refused, rule, red, boss, reader, mayNot, serveThing } from '../../fixtures/company.ts'
import { everybody } from '../../helpers/everybody.ts'
import { noField, notAllowed } from '../../helpers/answers.ts'

// docs/http.md: Rules. Rules of a collection decide who may read, create, update and delete.

rule('an operation that a rule denies is 403 or what the rule says, before anything is looked up', async ({
  send, get, same
}) => {
  const unauthorized = { error: 'unauthorized', message: 'Who are you?' }
  same(await get('/tasks', { ...red, 'x-role': 'anonymous' }), 401, unauthorized, { 'www-authenticate': 'Bearer' })
  same(await get('/tasks/99/text', { ...red, 'x-role': 'anonymous' }), 401, unauthorized,
    { 'www-authenticate': 'Bearer' })
  same(await get('/tasks', { ...red, 'x-role': 'visitor' }), 403, mayNot('read', 'tasks'))
  for (const [method, url, body, operation] of [
    ['POST', '/tasks', { text: 'x' }, 'create'], ['POST', '/projects/10/tasks', { text: 'x' }, 'create'],
    ['PUT', '/tasks/20', { text: 'x' }, 'update'], ['PUT', '/tasks/20/text', 'x', 'update'],
    ['DELETE', '/tasks/20', undefined, 'delete'], ['DELETE', '/tasks/99', undefined, 'delete']
  ] as const) {
    same(await send(method, url, body, reader), 403, mayNot(operation, 'tasks'))
  }
  same(await get('/tasks', { ...red, 'x-role': 'visitor', accept: 'application/problem+json' }), 403, {
    type: 'about:blank',
    title: 'Forbidden',
    status: 403,
    detail: "You may not read 'tasks'.",
    error: 'forbidden',
    collection: 'tasks',
    operation: 'read'
  })
})

rule('an operation that a rule denies is not done by way of another collection either', async ({ send, get, same }) => {
  same(await send('PUT', '/projects/10', { tasks: [{ text: 'new' }] }, reader), 403, mayNot('create', 'tasks'))
  same(await send('PUT', '/projects/10', { tasks: [{ id: 22 }] }, reader), 403, mayNot('update', 'tasks'))
  same(await send('POST', '/projects', { title: 'x', tasks: [{ text: 'new' }] }, reader), 403,
    mayNot('create', 'tasks'))
  same(await get('/tasks?fields=project_id', red), 200, [{ project_id: 10 }, { project_id: 12 }])
  const visitor = { ...red, 'x-role': 'visitor' }
  same(await get('/projects/10?fields=title', visitor), 200, { title: 'Apple' })
  same(await get('/projects/10/tasks', visitor), 404, noField('tasks'))
  same(await get('/projects?tasks.hours>0', visitor), 400, {
    error: 'invalid_filter', message: "There is no field 'tasks' to filter by.", parameter: 'tasks.hours', position: 1
  })
  same(await get('/projects/10?fields=tasks(text)', visitor), 400,
    { error: 'invalid_fields', message: "There is no field 'tasks' to select.", parameter: 'fields', position: 1 })
})

rule('Allow tells what this caller may', async ({ request, send, same }) => {
  for (const [url, headers, allow] of [
    ['/tasks', red, 'GET, HEAD, OPTIONS, QUERY, POST, PATCH'], ['/tasks', reader, 'GET, HEAD, OPTIONS, QUERY'],
    ['/tasks/20', red, 'GET, HEAD, OPTIONS, PUT, PATCH, DELETE'], ['/tasks/20', reader, 'GET, HEAD, OPTIONS'],
    ['/tasks/20', { ...red, 'x-role': 'visitor' }, 'OPTIONS'],
    ['/projects/10/budget', reader, 'GET, HEAD, OPTIONS'],
    ['/projects/10/budget', boss, 'GET, HEAD, OPTIONS, PUT, POST']
  ] as const) same(await request({ method: 'OPTIONS', url, headers }), 204, '', { allow })
  const allow = 'GET, HEAD, OPTIONS, QUERY'
  same(await send('DELETE', '/tasks', undefined, reader), 405, notAllowed('DELETE', allow), { allow })
})

rule('caches are told that answers depend on who asks', async ({ get, same, t }) => {
  for (const url of [
    '/projects', '/projects/10', '/projects/99', '/projects?x=1', '/teams/1/projects/10/title', '/projects/10/nothing',
    '/nothing', `/projects?${'x'.repeat(5000)}`
  ]) {
    const { headers } = await get(url, red)
    t.equal(headers['cache-control'], 'private', url)
    t.match(String(headers.vary), /Authorization, Cookie/, url)
  }
  same(await get('/', red), 200, [{ name: 'teams', type: 'collection' }, { name: 'projects', type: 'collection' }, {
    name: 'tasks', type: 'collection'
  }, { name: 'labels', type: 'collection' }], { 'cache-control': undefined, vary: 'Accept' })
})

test('a rule that throws denies, and is logged; one that says 401 or 403 is not', async t => {
  const { app, logged, messages } = await serveThing({
    rules: {
      update: () => { throw new Error('broken') },
      delete: async () => {
        throw refused(403, 'Not yours.')
      },
      fields: { name: { read: async () => { throw new Error('field') } } }
    }
  })
  t.strictSame((await app.inject({ method: 'PATCH', url: '/things/1', payload: {} })).json(),
    mayNot('update', 'things'))
  t.strictSame((await app.inject({ method: 'DELETE', url: '/things/1' })).json(),
    { error: 'forbidden', message: 'Not yours.' })
  t.strictSame(logged.sort(), ['broken', 'broken', 'field', 'field'])
  t.strictSame([...messages].sort(), ['fields.name.read', 'update'].map(rule =>
    `collection 'things', rules.${rule}: it failed, so it denies access`))
})

test('a rule that returns neither true nor false denies; a truthy value is logged (docs/rules.md)', async t => {
  const results = [
    [{ id: 1 }, ['it returned an object; return true or false']], [undefined, []],
    ['yes', ["it returned the string 'yes'; return true or false"]]
  ] as const
  for (const [returned, logs] of results) {
    const { app, logged } = await serveThing({ rules: { read: () => returned as never } })
    t.equal((await app.inject('/things')).statusCode, 403)
    t.strictSame(logged, logs)
  }
})

test('scopes and rules are asked once a request', async t => {
  const asked: string[] = []
  const rules = {
    read: () => Boolean(asked.push('read')),
    update: () => Boolean(asked.push('update')),
    fields: { name: { read: () => Boolean(asked.push('name')) } }
  }
  const { app } = await serveThing({ scope: () => Boolean(asked.push('scope')), rules })
  await app.inject({
    method: 'PUT',
    url: '/things/1',
    headers: { prefer: 'return=representation', 'content-type': 'application/json' },
    payload: '{"name":"x","owner":2}'
  })
  t.strictSame(asked.sort(), ['name', 'read', 'scope', 'update'])
})

test('rules that are undefined are none', async t => {
  const none = [{ fields: { name: undefined } }, { fields: { name: { read: undefined } } }, { read: undefined }]
  for (const rules of none) {
    const { app } = await serveThing({ rules: rules as never })
    t.equal((await app.inject('/things')).statusCode, 200)
  }
})

test('a rule for what there is not is a mistake', async t => {
  const wrong = (behaviour: object, message: string) => t.rejects(serveThing(behaviour), new DeclarationError(message))
  await wrong({ rules: { fields: { nam: { read: () => true } } } },
    "collection 'things', rules.fields.nam: there is no such field; did you mean 'name'?")
  await wrong({ rules: { fields: { name: { see: () => true } } } },
    "collection 'things', rules.fields.name: 'see' is not a rule of a field. Use one of read, write, writeItem.")
  await wrong({ rules: { fields: { name: { read: true } } } },
    "collection 'things', rules.fields.name.read: expected a function; found true")
  await wrong({ rules: { reed: () => true } },
    "collection 'things', rules: 'reed' is not a rule. Did you mean 'read'?")
  await wrong({ rules: { fields: { name: () => false } } },
    "collection 'things', rules.fields.name: expected { read, write }; found a function")
  await wrong({ rules: { fields: () => false } },
    "collection 'things', rules.fields: must be an object; found a function")
  await wrong({ rules: () => false }, "collection 'things', rules: must be an object; found a function")
  await wrong({ setters: () => {} }, "collection 'things', setters: must be an object; found a function")
  await wrong({ rules: { create: 1 } },
    "collection 'things', rules.create: expected a function, true or false; found the number 1")
  await wrong({ scope: { owner: 1 } },
    "collection 'things', scope: 'owner' is not a scope. Use one of read, update, delete.")
})

test('who may create but not update changes nothing of an item that is there by an upsert', async t => {
  const { app } = await serveThing({ requestStrategies: { upsert: true }, rules: { update: () => false } })
  const put = async (url: string, payload: string) =>
    (await app.inject({ method: 'PUT', url, headers: { 'content-type': 'application/json' }, payload })).statusCode
  t.equal(await put('/things/3', '{"name":"c"}'), 201)
  t.equal(await put('/things/1', '{"name":"c"}'), 403)
  t.equal(await put('/things/1', '{}'), 403)
})

test('whoever is not known to a rule is refused, and it is no error of the server', async t => {
  const userOf = ({ request }: { request: object }) => (request as { user: { id: number } }).user
  const { app } = await serveThing({
    scope: context => ({ owner: userOf(context).id }),
    rules: {
      create: context => userOf(context).id === 1,
      delete: async context => userOf(context).id === 1,
      fields: { name: { read: context => userOf(context).id === 1 } }
    }
  })
  const post = await app.inject({
    method: 'POST', url: '/things', headers: { 'content-type': 'application/json' }, payload: '{}'
  })
  const answers = [
    await app.inject('/things'), await app.inject('/things/1'), post,
    await app.inject({ method: 'DELETE', url: '/things/1' }), await app.inject('/things?name=a')
  ]
  t.strictSame(answers.map(answer => answer.statusCode), [200, 404, 403, 403, 400])
  t.equal(answers[0]?.body, '[]')
})

// docs/rules.md: Facts about the caller

const Thing = Type.Object({
  id: Type.Integer({ identifier: true, readable: true }),
  word: Type.String({ readable: true, writable: true }),
  team: Type.Integer({ readable: true })
})

async function serveFacts (caller: DataApiOptions['caller'], seen: unknown[] = []) {
  const app = Fastify()
  const see = (name: string, context: AnyContext) => { seen.push([name, context.caller, context.system]) }
  const things = collection(Thing, {
    source: memory([{ id: 1, word: 'one', team: 1 }, { id: 2, word: 'two', team: 2 }]),
    scope: ({ caller: facts }) => facts !== undefined && { team: facts.tenant },
    rules: { update: ({ caller: facts }) => facts?.role === 'lead' },
    identifiers: { first: exactly('first', context => { see('first', context); return { id: 1 } }) },
    setters: { word (thing, word, context) { see('word', context); thing.word = word } },
    hooks: {
      creating (thing, context) { see('creating', context); thing.team ??= context.caller?.tenant ?? 1 },
      saved (_saved, context) { see('saved', context) }
    }
  })
  await app.register(dataApi, { rules: everybody, collections: { things }, ...caller !== undefined && { caller } })
  return { app, things }
}

const lead = { id: 7, name: 'Ada', tenant: 1, role: 'lead' } as const

test('rules, scopes, identifiers, setters and hooks have the facts about the caller, asked once a request', async t => {
  const seen: unknown[] = []
  let asked = 0
  const { app, things } = await serveFacts(() => { asked++; return lead }, seen)
  t.strictSame((await app.inject('/things?fields=id')).json(), [{ id: 1 }])
  t.equal(asked, 1)
  await app.inject({ method: 'PATCH', url: '/things/first', payload: { word: 'uno' } })
  await app.inject({ method: 'POST', url: '/things', payload: { word: 'three' } })
  t.equal(asked, 3)
  const names = ['first', 'word', 'saved', 'word', 'creating', 'saved']
  t.strictSame(seen, names.map(name => [name, lead, false]))
  seen.length = 0
  await app.dataApi.asSystem().collection(things).create({ word: 'four' })
  t.strictSame(seen, ['word', 'creating', 'saved'].map(name => [name, undefined, true]))
  t.equal(asked, 3)
})

test('a caller who is not known has no facts', async t => {
  for (const caller of [() => undefined, () => null, undefined]) {
    const { app } = await serveFacts(caller)
    t.strictSame((await app.inject('/things')).json(), [])
    t.equal((await app.inject({ method: 'PATCH', url: '/things/1', payload: { word: 'uno' } })).statusCode, 403)
  }
})

test('an error of the facts is that of the function which asks for them', async t => {
  const refuse = (_request: FastifyRequest): Caller => {
    throw Object.assign(new Error('Who are you?'), { statusCode: 401 })
  }
  const { app } = await serveFacts(refuse)
  const { statusCode, body } = await app.inject({ method: 'PATCH', url: '/things/1', payload: { word: 'uno' } })
  t.strictSame([statusCode, JSON.parse(body)], [401, { error: 'unauthorized', message: 'Who are you?' }])
  t.strictSame((await app.inject('/things')).json(), [])
})

test('facts that are promised are none, and a function that is none is an error at registration', async t => {
  const { app } = await serveFacts((async () => lead) as unknown as () => Caller)
  t.strictSame((await app.inject('/things')).json(), [])
  t.equal((await app.inject({ method: 'PATCH', url: '/things/1', payload: { word: 'uno' } })).statusCode, 403)
  await app.close()
  await t.rejects(serveFacts('user' as unknown as () => Caller),
    new DeclarationError("option 'caller': expected a function; found the string 'user'"))
})
