import { Type } from '@sinclair/typebox'
import { test } from 'tap'
import dataApi, { type Behaviour, collection, computed, memory } from '../../../lib/index.ts'
import { serveThing, type Thing } from '../../fixtures/company.ts'
import Fastify from '../../helpers/fastify.ts'

// docs/http.md: Rules. What a scope may return, and what is seen where it returns something else.

test('a scope that gives an undefined value, nothing, or throws, is a scope of no item, and logged', async t => {
  const scopes: ReadonlyArray<readonly [Behaviour<typeof Thing>['scope'], RegExp]> = [
    [() => ({ owner: undefined }), /uses undefined for 'owner'/],
    [() => ({}), /without values/],
    [() => undefined as never, /returned undefined/],
    [() => { throw new Error('no database') }, /no database/],
    [async () => { throw new Error('later') }, /later/],
    [(_context, where) => where.equals('owner', 'x' as never), /uses a value of type 'string' for 'owner'/],
    [(_context, where) => where.equals('other' as 'owner', 1), /names 'other'/],
    [(_context, where) => where.some('other', one => one.all()), /names 'other'/]
  ]
  for (const [scope, message] of scopes) {
    const { app, logged } = await serveThing({ ...scope && { scope } })
    const answer = await app.inject('/things')
    t.strictSame([answer.statusCode, answer.json()], [200, []], String(message))
    t.match(logged, [message])
  }
})

test('a stream shows no item that has left the scope since it began', async t => {
  const rows = Array.from({ length: 1200 }, (_, index) => ({ id: index + 1, owner: 1 }))
  const Owned = Type.Object({ id: Type.Integer({ identifier: true, readable: true }), owner: Type.Integer() })
  const app = Fastify()
  await app.register(dataApi, {
    collections: {
      things: collection(Owned, {
        source: memory(rows),
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
