import { Type } from '@sinclair/typebox'
import type { FastifyInstance } from 'fastify'
import { test } from 'tap'
import dataApi, { collection, memory, sqlite } from '../../lib/index.ts'
import { collections, Note } from '../fixtures/keyed-notes.ts'
import Fastify from '../helpers/fastify.ts'
import { everybody } from '../helpers/everybody.ts'

// docs/http.md: Idempotency keys. Whose key it is, and where it leads.

test('what names no caller is 500 and logged, so that nobody gets the answers of others', async t => {
  const lines: string[] = []
  const app = Fastify({ logger: { level: 'error', stream: { write (line: string) { lines.push(line) } } } })
  let caller: () => unknown
  await app.register(dataApi, {
    rules: everybody,
    collections: collections(() => memory([])),
    idempotency: { caller: () => caller() as string }
  })
  let notes = 0
  const send = async (given: () => unknown) => {
    caller = given
    const headers = { 'idempotency-key': 'k' }
    const payload = { text: String(notes++) }
    return (await app.inject({ method: 'POST', url: '/notes', headers, payload })).statusCode
  }
  const wrong = [
    async () => 'ann', async () => { throw new Error('late') },
    ...[{}, ['ann'], NaN, Infinity, false, true, 1n, Symbol('a')].map(one => () => one),
    ...['', 'a\0', '\ud800', 'x'.repeat(501)].map(one => () => one)
  ]
  for (const one of wrong) t.equal(await send(one), 500)
  t.equal(lines.length, wrong.length)
  t.match(lines[0], "option 'idempotency.caller', its result: expected a finite number, or a text of 1 to 500 " +
    'characters without NUL and halves of surrogates; found a promise')
  for (const none of [undefined, null]) t.equal(await send(() => none), 400)
  for (const one of ['ann', 7, 'x'.repeat(500)]) t.equal(await send(() => one), 201)
  await app.close()
})

test('a key of one registration is another request to another, also where they share the table of keys', async t => {
  const db = sqlite(':memory:')
  const tables = ['notes', 'other_notes']
  for (const table of tables) db.exec(`create table ${table} (id integer primary key, text text not null unique)`)
  db.exec(`create table data_api_keys (caller text not null, key text not null, fingerprint text not null, results text,
    at text not null, primary key (caller, key))`)
  const apps: FastifyInstance[] = []
  const register = async (app: FastifyInstance, table: string) => {
    if (!apps.includes(app)) apps.push(app)
    const notes = collection(Type.Pick(Note, ['id', 'text']), { source: db.table(table) })
    await app.register(dataApi, {
      rules: everybody,
      collections: { notes },
      requestStrategies: { batch: true },
      idempotency: { table: db.table('data_api_keys') }
    })
  }
  const [one, other, hosts] = [Fastify(), Fastify(), Fastify()]
  await register(one, 'notes')
  await register(other, 'other_notes')
  for (const host of ['a.test', 'b.test']) {
    await hosts.register(async scope => {
      scope.addHook('onRoute', route => { route.constraints = { host } })
      await register(scope, 'notes')
    })
  }
  const single = { url: '/notes', payload: { text: 'a' } }
  const batch = { url: '/', payload: [{ method: 'POST', path: '/notes', body: { text: 'b' } }] }
  for (const [index, write] of [single, batch].entries()) {
    const send = async (app: FastifyInstance, host = 'a.test') => {
      const headers = { 'idempotency-key': `k${index}`, host }
      const { statusCode, headers: told } = await app.inject({ method: 'POST', headers, ...write })
      return [statusCode, told['idempotency-replayed']]
    }
    const done = index === 0 ? 201 : 200
    t.strictSame(await send(one), [done, undefined])
    t.strictSame(await send(other), [422, undefined], 'another table')
    t.strictSame(await send(one, 'b.test'), [422, undefined], 'another host')
    t.strictSame(await send(hosts, 'b.test'), [422, undefined], 'another host of another application')
    t.strictSame(await send(hosts, 'a.test'), [done, 'true'], 'the same host and table')
    t.strictSame(await send(one, 'a.test:8080'), [done, 'true'], 'another port')
  }
  for (const app of apps) await app.close()
  db.close()
})
