import { Type } from '@sinclair/typebox'
import { test } from 'tap'
import dataApi, { type Behaviour, collection, computed, memory, SubItem } from '../../../lib/index.ts'
import { serveThing, type Thing } from '../../fixtures/company.ts'
import Fastify from '../../helpers/fastify.ts'
import { everybody } from '../../helpers/everybody.ts'

// docs/http.md: Rules. What a scope may return, and what is seen where it returns something else.

test('a scope that gives an undefined value, nothing, or throws, is a scope of no item, and logged', async t => {
  const scopes: ReadonlyArray<readonly [Behaviour<typeof Thing>['scope'], RegExp]> = [
    [() => ({ owner: undefined }), /uses undefined for 'owner'/],
    [() => ({}), /without values/],
    [() => undefined as never, /returned undefined/],
    [() => { throw new Error('no database') }, /no database/],
    [async () => { throw new Error('later') }, /later/],
    [(_context, where) => where.equals('owner', 'x' as never), /uses a value of type 'string' for 'owner'/]
  ]
  for (const [scope, message] of scopes) {
    const { app, logged } = await serveThing({ ...scope && { scope } })
    const answer = await app.inject('/things')
    t.strictSame([answer.statusCode, answer.json()], [200, []], String(message))
    t.match(logged, [message])
  }
})

test('a scope that names a field or relation that does not exist is 500, and logged', async t => {
  const scopes: ReadonlyArray<NonNullable<Behaviour<typeof Thing>['scope']>> = [
    () => ({ other: null } as never),
    (_context, where) => where.equals('other' as 'owner', 1),
    (_context, where) => where.not(where.any(where.equals('owner', 1), where.oneOf('other' as 'owner', []))),
    (_context, where) => where.some('other', one => one.all())
  ]
  for (const scope of scopes) {
    const { app, logged } = await serveThing({ scope })
    const requests = [
      ['GET', '/things'], ['GET', '/things/1'], ['GET', '/things/1/name'], ['GET', '/things/by_id'],
      ['HEAD', '/things'], ['POST', '/things', { name: 'x' }], ['PATCH', '/things/1', { name: 'x' }],
      ['DELETE', '/things/1']
    ] as const
    for (const [method, url, payload] of requests) {
      const { statusCode, body } = await app.inject({ method, url, ...payload && { payload } })
      t.equal(statusCode, 500, `${method} ${url}`)
      t.notMatch(body, 'other')
    }
    t.equal(logged.length, requests.length)
    for (const message of logged) t.match(message, /its scope names 'other', which is not a (?:stored field|relation)/)
  }
})

test('a scope that names an unknown field fails no request but those that need it', async t => {
  const id = Type.Integer({ identifier: true, readable: true })
  const source = memory([{ id: 1, teamId: 1 }])
  const teams = collection(Type.Object({ id }), { source, scope: () => ({ other: 1 } as never) })
  const users = collection(Type.Object({
    id, teamId: Type.Integer(), team: SubItem('teams', { foreignKey: 'teamId', readable: true, hidden: true })
  }), { source })
  const scope = { read: () => true, delete: () => ({ other: 1 } as never) }
  const kept = collection(Type.Object({ id }), { source, scope, requestStrategies: { delete: true } })
  const app = Fastify()
  await app.register(dataApi, { rules: everybody, collections: { teams, users, kept } })
  for (const [url, status] of [
    ['/', 200], ['/users', 200], ['/users/1', 200], ['/teams', 500], ['/users/1/team', 500],
    ['/users?fields=team(id)', 500], ['/kept/1', 200]
  ] as const) t.equal((await app.inject(url)).statusCode, status, url)
  t.equal((await app.inject({ method: 'DELETE', url: '/kept/1' })).statusCode, 500)
  t.equal((await app.inject('/kept/1')).statusCode, 200)
})

test('a stream shows no item that has left the scope since it began', async t => {
  const rows = Array.from({ length: 1200 }, (_, index) => ({ id: index + 1, owner: 1 }))
  const Owned = Type.Object({ id: Type.Integer({ identifier: true, readable: true }), owner: Type.Integer() })
  const app = Fastify()
  await app.register(dataApi, {
    rules: everybody,
    collections: {
      things: collection(Owned, {
        source: memory(rows, { statementTimeout: 10_000 }),
        scope: () => ({ owner: 1 }),
        computed: {
          // Runs while the first batch is made.
          getMoved: computed({
            type: Type.Boolean({ readable: true }),
            from: ['id'],
            get ({ id }) {
              if (id === 1) for (const row of rows.slice(1000)) row.owner = 2
              return true
            }
          })
        }
      })
    }
  })
  const { body } = await app.inject({ url: '/things?fields=id,moved', headers: { accept: 'application/x-ndjson' } })
  t.equal(body.trim().split('\n').length, 1000)
})

test('a scope builds conditions of every kind', async t => {
  const scopes: ReadonlyArray<readonly [NonNullable<Behaviour<typeof Thing>['scope']>, number[]]> = [
    [() => true, [1, 2]],
    [() => false, []],
    [() => ({ owner: null as never }), [2]],
    [(_context, where) => where.equals('owner', null), [2]],
    [(_context, where) => where.oneOf('name', ['a', 'z']), [1]],
    [(_context, where) => where.oneOf('name', []), []],
    [(_context, where) => where.any(where.less('id', 2), where.greater('id', 1)), [1, 2]],
    [(_context, where) => where.all(where.atMost('id', 2), where.atLeast('id', 2)), [2]],
    [(_context, where) => where.not(where.equals('name', 'a')), [2]]
  ]
  for (const [scope, ids] of scopes) {
    const { app } = await serveThing({ scope })
    t.strictSame((await app.inject('/things?fields=id')).json(), ids.map(id => ({ id })), String(scope))
  }
})
