import { Type } from '@sinclair/typebox'
import { test } from 'tap'
import dataApi, { ArgumentError, collection, input, memory, SubCollection, SubItem } from '../../../lib/index.ts'
import Fastify from '../../helpers/fastify.ts'
import { everySource, type World } from '../../helpers/every-source.ts'
import { everybody } from '../../helpers/everybody.ts'
import { created, validation } from '../../helpers/answers.ts'

// docs/writing.md: Inputs

const Team = Type.Object({
  id: Type.Integer({ identifier: true, readable: true }),
  users: SubCollection('users', { foreignKey: 'teamId', readable: true, writable: true })
})
const User = Type.Object({
  id: Type.Integer({ identifier: true, readable: true, writable: true }),
  name: Type.String({ readable: true, writable: true }),
  passwordHash: Type.String(),
  invitedBy: Type.Optional(Type.String()),
  changes: Type.Integer({ readable: true, version: true }),
  teamId: Type.Optional(Type.Integer()),
  team: SubItem('teams', { foreignKey: 'teamId', readable: true, writable: true })
})

const calls: unknown[] = []

const world: World = {
  ddl: `create table teams (id key) strict;
    create table users (id key, name text not null, "passwordHash" text not null, "invitedBy" text,
      changes integer not null, "teamId" integer references teams) strict;`,
  tables: { teams: [{ id: 1 }], users: [{ id: 1, name: 'Ada', passwordHash: '#old', changes: 3, teamId: 1 }] },
  collections: source => ({
    teams: collection(Team, { source: source('teams') }),
    users: collection(User, {
      source: source('users'),
      requestStrategies: { upsert: true },
      rules: { fields: { inviteCode: { write: ({ request }) => request.headers['x-guest'] === undefined } } },
      inputs: {
        newPassword: input({
          type: Type.String({ minLength: 8 }),
          async set (user, password, context) {
            await Promise.resolve()
            calls.push([context.transaction.kind, { ...user }, password])
            if (password.includes(user.name)) throw new ArgumentError('It has the name.', { field: 'newPassword' })
            user.passwordHash = `#${password}`
          }
        }),
        inviteCode: input({
          type: Type.Optional(Type.Union([Type.String(), Type.Null()])),
          set (user, code) { user.invitedBy = code === null ? undefined : `by ${code}` }
        })
      }
    })
  })
}

type Run = Parameters<typeof everySource>[1]
const inputs = (name: string, run: Run) => { everySource(name, run, {}, world) }

const shown = '?fields=id,name,changes'
const password = 'correct horse'

inputs('an input is written by every way of writing, and fills what its function assigns', async tools => {
  const { send, same, app, opened, t } = tools
  same(await send('POST', '/users', { name: 'Eve', new_password: password, invite_code: 'x' }), 201,
    created(2))
  same(await send('PATCH', '/users/1', { new_password: 'one two three' }), 200, { status: 'ok' })
  same(await send('PUT', '/users/7', { name: 'Upserted', new_password: password }), 201, { status: 'created' })
  same(await send('PUT', '/users/7', { new_password: 'another one' }), 200, { status: 'ok' })
  same(await send('PATCH', '/teams/1', { users: [{ id: 8, name: 'Nested', new_password: password }] }), 200,
    { status: 'ok' })
  same(await send('POST', '/teams/1/users', { id: 9, name: 'Below', new_password: password }), 201,
    created(9))
  same(await send('PUT', '/users/2/new_password', 'a scalar one'), 200, { status: 'ok' })
  const users = app.dataApi.asSystem().collection('users')
  await users.create({ id: 10, name: 'Own', newPassword: password, inviteCode: 'y' })
  await users.update(10, { inviteCode: null })
  const hashes = (await opened.rows('users')).map(row => [row['id'], row['passwordHash'], row['invitedBy'] ?? null])
  t.strictSame(hashes.sort((one, other) => Number(one[0]) - Number(other[0])), [
    [1, '#one two three', null], [2, '#a scalar one', 'by x'], [7, '#another one', null], [8, `#${password}`, null],
    [9, `#${password}`, null], [10, `#${password}`, null]
  ])
})

inputs('the function of an input gets the item, the value and the transaction', async ({ t, send, opened }) => {
  calls.length = 0
  await send('PATCH', '/users/1', { name: 'Bea', new_password: password })
  const before = { id: 1, name: 'Bea', passwordHash: '#old', changes: 3, teamId: 1 }
  t.strictSame(calls, [[opened.kind, before, password]])
})

inputs('a new item must have an input that is not optional', async ({ send, same }) => {
  const missing = (pointer: string) => validation([pointer, 'is required'])
  same(await send('POST', '/users', { name: 'Eve' }), 400, missing('/new_password'))
  same(await send('PUT', '/users/7', { name: 'Eve' }), 400, missing('/new_password'))
  same(await send('POST', '/users', [{ name: 'Eve', new_password: password }, { name: 'Adam' }]), 400,
    missing('/1/new_password'))
  same(await send('PATCH', '/teams/1', { users: [{ name: 'Eve' }] }), 400, missing('/users/0/new_password'))
})

inputs('as the system, no input is required', async ({ app, t }) => {
  const users = app.dataApi.asSystem().collection('users')
  t.match(await users.create({ name: 'Eve', passwordHash: '#given' }), { id: 2, passwordHash: '#given' })
})

inputs('faults of a value are those of any field', async ({ t, send }) => {
  const detailsOf = async (body: unknown) => (await send('PATCH', '/users/1', body)).json().details
  t.strictSame(await detailsOf({ new_password: 'short', name: 3 }), [
    { pointer: '/name', message: 'must be a string of valid Unicode without NUL characters; found the number 3' },
    { pointer: '/new_password', message: 'must have at least 8 characters' }
  ])
  t.match(await detailsOf({ new_password: null }), [{ pointer: '/new_password', message: /^must be a string/ }])
  t.match(await detailsOf({ invite_code: 1 }), [{ pointer: '/invite_code', message: /^must be a string.* or null/ }])
  const scalar = (await send('PUT', '/users/1/new_password', 'short')).json()
  t.strictSame(scalar.details, [{ pointer: '', message: 'must have at least 8 characters' }])
})

inputs('a rejection points to the input, and leaves nothing behind', async ({ send, same, get }) => {
  const error = { error: 'argument', message: 'It has the name.' }
  same(await send('PATCH', '/users/1', { name: 'Xenia', new_password: 'I am Xenia' }), 400,
    { ...error, pointer: '/new_password' })
  same(await send('PATCH', '/teams/1', { users: [{ name: 'Bob', new_password: 'I am Bob' }] }), 400,
    { ...error, pointer: '/users/0/new_password' })
  same(await send('PUT', '/users/1/new_password', 'I am Ada'), 400, error)
  same(await get(`/users/1${shown}`), 200, { id: 1, name: 'Ada', changes: 3 })
})

inputs('an input is shown nowhere: it is answered as a field that does not exist', async ({ t, get, send }) => {
  t.strictSame(Object.keys((await get('/users/1')).json<object>()), ['id', 'name', 'changes', 'team'])
  t.strictSame(Object.keys((await get('/users')).json<readonly object[]>()[0] ?? {}), ['id', 'name', 'changes'])
  for (const path of [
    '/users?fields=F', '/users?sort=F', '/users?F=x', '/users?where=F=x', '/users/by_F', '/users/by_F/x', '/users/1/F',
    '/teams?users.F=x', '/teams?fields=users(F)'
  ]) {
    const ask = async (name: string) => {
      const { statusCode, body } = await get(path.replace('F', name))
      return [statusCode, body.replaceAll(name, 'F').replaceAll(/"position":\d+/g, '')]
    }
    t.strictSame(await ask('new_password'), await ask('qqqqqqqqqqqq'), path)
  }
  const answer = await send('PATCH', '/users/1', { new_password: password }, { prefer: 'return=representation' })
  t.strictSame(Object.keys(answer.json<object>()), ['id', 'name', 'changes', 'team'])
  t.equal((await get('/users/1', { accept: 'text/csv' })).body.includes(password), false)
})

inputs('a write rule of an input hides it, and refuses its value', async ({ send, same, t }) => {
  const guest = { 'x-guest': '1' }
  const refused = await send('PATCH', '/users/1', { invite_code: 'x' }, guest)
  t.match([refused.statusCode, refused.json()], [400, { details: [{ message: 'there is no such field' }] }])
  same(await send('PATCH', '/users/1', { new_password: password }, guest), 200, { status: 'ok' })
})

inputs('the version changes with an input whose value is equal', async ({ send, same, get }) => {
  same(await send('PATCH', '/users/1', { new_password: 'same value' }), 200, { status: 'ok' })
  same(await send('PATCH', '/users/1', { new_password: 'same value' }), 200, { status: 'ok' })
  same(await get(`/users/1${shown}`), 200, { id: 1, name: 'Ada', changes: 5 })
})

test('an existing item is not linked by an input', async t => {
  const app = Fastify()
  await app.register(dataApi, {
    rules: everybody,
    collections: {
      teams: collection(Type.Object({
        id: Type.Integer({ identifier: true, readable: true }),
        users: SubCollection('users', { foreignKey: 'teamId', readable: true, writable: true })
      }), { source: memory([{ id: 1 }]) }),
      users: collection(Type.Object({
        id: Type.Integer({ identifier: true, readable: true }),
        hash: Type.Optional(Type.String()),
        teamId: Type.Optional(Type.Integer())
      }), {
        source: memory([{ id: 5 }]),
        inputs: { password: input({ type: Type.String(), set (user, value) { user.hash = value } }) }
      })
    }
  })
  const payload = { users: [{ id: 5, password: 'x' }] }
  const { statusCode, body } = await app.inject({ method: 'PATCH', url: '/teams/1', payload })
  t.match([statusCode, JSON.parse(body)],
    [400, { details: [{ pointer: '/users/0/password', message: 'cannot be written here' }] }])
})

test('the documents describe inputs in bodies alone', async t => {
  const app = Fastify()
  await app.register(dataApi, {
    rules: everybody,
    collections: {
      users: collection(Type.Object({ id: Type.Integer({ identifier: true, readable: true }), hash: Type.String() }), {
        source: memory([]),
        inputs: {
          password: input({
            type: Type.String({ format: 'password', minLength: 8 }), set (user, value) { user.hash = value }
          }),
          note: input({ type: Type.Optional(Type.Integer()), set () {} })
        }
      })
    }
  })
  const { components: { schemas }, paths } = app.dataApi.openapi()
  const password = { type: 'string', format: 'password', minLength: 8, writeOnly: true }
  const note = { type: 'integer', minimum: -9007199254740991, maximum: 9007199254740991, writeOnly: true }
  const additionalProperties = false
  t.strictSame(schemas['UsersCreate'],
    { type: 'object', properties: { password, note }, required: ['password'], additionalProperties })
  t.strictSame(schemas['UsersUpdate'], { type: 'object', properties: { password, note }, additionalProperties })
  t.strictSame(Object.keys((schemas['Users'] as { properties: object }).properties), ['id'])
  const { get, put } = paths['/users/{identifier}/{field}'] ?? {}
  t.match(get?.parameters?.[0], { schema: { enum: ['id'] } })
  t.match(put?.parameters?.[0], { schema: { enum: ['password', 'note'] } })
})
