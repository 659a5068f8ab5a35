import { Type } from '@sinclair/typebox'
import { createCollection, createTransaction } from '@tanstack/db'
import { deepStrictEqual } from 'node:assert'
import { test } from 'tap'
import dataApi, { collection, memory } from '../../lib/index.ts'
import { dataApiCollectionOptions, writeTransaction } from '../../lib/clients/tanstack-db/index.ts'
import { failed } from '../helpers/clients.ts'
import { programsIn, read, writeProgram } from '../helpers/documents.ts'
import fc, { runsOf } from '../helpers/fast-check.ts'
import Fastify from '../helpers/fastify.ts'
import { type Fate, integer, maybe, odd, serveThings, type Thing } from '../helpers/tanstack-db.ts'

// docs/clients.md: Writing in TanStack DB

const rows: readonly Thing[] = [1, 2, 3].map(
  id => ({ id, text: `t${id}`, title: null, size: id, weight: null, done: null, groupId: id })
)

const options = { live: false, syncMode: 'eager' } as const
const fields = ['id', 'text', 'title', 'size', 'weight', 'done', { group: ['id'] }] as const
const flat = { ...options, fields, flatten: true } as const
const row = { text: 'new', title: null, size: 1, weight: null, done: null, group_id: null }

/** The requests that write. */
const writesIn = (sent: readonly string[]) => sent.filter(one => !/^(GET|OPTIONS)/.test(one))

test('each change is written, and shown as the API answers it', async t => {
  const { client, sent, app } = await serveThings(rows)
  const things = createCollection(dataApiCollectionOptions(client.things, flat))
  await things.preload()
  const created = things.insert({ id: 4, ...row, group_id: 2 })
  t.equal(things.get(4)?.text, 'new', 'at once')
  await created.isPersisted.promise
  await things.update(4, draft => { draft.group_id = null }).isPersisted.promise
  await things.update(1, draft => { draft.size = 9; draft.group_id = 3 }).isPersisted.promise
  await things.delete(2).isPersisted.promise
  const select = '.fields=id,text,title,size,weight,done,group(id)'
  const { group_id: none, ...body } = row
  t.strictSame(writesIn(sent), [
    `POST /things?${select} ${JSON.stringify({ id: 4, ...body, group: { id: 2 } })}`,
    `PATCH /things/4?${select} {"group":null}`,
    `PATCH /things/1?${select} {"size":9,"group":{"id":3}}`,
    'DELETE /things/2'
  ])
  const shown = things.toArray.map(({ id, size, group_id: group }) => [id, size, group])
  t.strictSame(shown.sort(), [[1, 9, 3], [3, 3, 3], [4, 1, none]])
  t.equal((await app.inject('/things')).json<unknown[]>().length, 3)
})

test('the API makes fields, also the key', async t => {
  const { client, sent } = await serveThings(rows)
  const folders = createCollection(dataApiCollectionOptions(client.folders, { ...options, generated: ['rank'] }))
  await folders.preload()
  t.match(await failed(folders.insert({ id: 7, name: 'new', rank: 5 }).isPersisted.promise), { code: 'validation' })
  t.strictSame(writesIn(sent), ['POST /folders {"id":7,"name":"new"}'])
})

test('what the API refuses is rolled back, and the error is that of the client', async t => {
  const { client } = await serveThings(rows)
  const things = createCollection(dataApiCollectionOptions(client.things, flat))
  await things.preload()
  const refused = things.update(1, draft => { draft.text = 'too long' })
  t.equal(things.get(1)?.text, 'too long')
  await t.rejects(refused.isPersisted.promise, { name: 'ApiError', code: 'validation' })
  t.equal(things.get(1)?.text, 't1')
  const copies = [5, 6].map(id => ({ ...things.get(3) ?? { ...row, id }, id }))
  await things.insert(copies).isPersisted.promise
  t.equal(things.size, 5)
})

test('a transaction of several collections is one batch with its key, wherever the API keeps keys', async t => {
  const keys: unknown[] = []
  const fate: Fate = (deliver, { method, headers }) => {
    if (method === 'POST') keys.push((headers as Record<string, string>)['idempotency-key'])
    return deliver()
  }
  for (const idempotency of [undefined, {}]) {
    keys.length = 0
    const { client, sent } = await serveThings(rows, idempotency && { idempotency }, fate)
    const things = createCollection(dataApiCollectionOptions(client.things, flat))
    const folders = createCollection(dataApiCollectionOptions(client.folders, options))
    await Promise.all([things.preload(), folders.preload()])
    const transaction = createTransaction({ mutationFn: writeTransaction, autoCommit: false })
    transaction.mutate(() => {
      folders.insert({ id: 8, name: 'eight', rank: null })
      things.insert({ id: 9, ...row, group_id: 8 })
      things.delete(1)
    })
    await transaction.commit()
    t.equal(writesIn(sent).length, 1)
    t.strictSame(keys, [idempotency && transaction.id])
    t.strictSame([things.get(9)?.group_id, folders.get(8)?.name, things.has(1)], [8, 'eight', false])
  }
})

test('a collection can be written one by one, or not at all', async t => {
  const { client, sent } = await serveThings(rows, { idempotency: {} })
  const each = createCollection(dataApiCollectionOptions(client.things, { ...options, write: 'each' }))
  const none = createCollection(dataApiCollectionOptions(client.things, { ...options, write: false }))
  await Promise.all([each.preload(), none.preload()])
  await each.delete([1, 2]).isPersisted.promise
  t.strictSame(writesIn(sent), ['DELETE /things/1', 'DELETE /things/2'])
  t.throws(() => none.delete(3), { name: 'MissingHandlerError' })
  const mixed = createTransaction({ mutationFn: writeTransaction, autoCommit: false })
  mixed.mutate(() => { none.delete(3) })
  mixed.isPersisted.promise.catch(() => {})
  await t.rejects(mixed.commit(), { name: 'TypeError' })
})

/** Answers of OPTIONS that do not tell what the API takes, and the code and message of the error. */
const untold: ReadonlyArray<readonly [() => Response, object]> = [
  [() => new Response(null, { status: 204 }), { code: 'network', message: /corsOptions/ }],
  [() => new Response('Invalid Preflight Request', { status: 400 }), { code: 'network', message: /corsOptions/ }],
  [() => { throw new TypeError('Failed to fetch') }, { code: 'network', message: /corsOptions/ }],
  [() => new Response('{"error":"unauthorized","message":"no"}', { status: 401 }), { code: 'unauthorized' }]
]

test('several writes are rejected where the API does not tell if it takes a batch, and one is sent', async t => {
  for (const [answer, error] of untold) {
    let told = false
    const fate: Fate = async (deliver, { method }) => method === 'OPTIONS' && !told ? answer() : deliver()
    const { client, sent } = await serveThings(rows, {}, fate)
    const things = createCollection(dataApiCollectionOptions(client.things, flat))
    const folders = (write: 'batch' | 'each') =>
      createCollection(dataApiCollectionOptions(client.folders, { ...options, write }))
    const [whole, each] = [folders('batch'), folders('each')]
    await Promise.all([things, whole, each].map(one => one.preload()))
    t.match(await failed(things.delete([1, 2]).isPersisted.promise), { ...error, outcome: 'failed' })
    t.strictSame(writesIn(sent), [])
    t.equal(things.size, 3)
    await things.delete(1).isPersisted.promise
    const added = (ids: readonly number[]) => ids.map(id => ({ id, name: 'new', rank: null }))
    await whole.insert(added([7, 8])).isPersisted.promise
    await each.insert(added([10, 11])).isPersisted.promise
    t.match(writesIn(sent), ['DELETE /things/1', /^POST \[/, /^POST \/folders/, /^POST \/folders/])
    t.equal(writesIn(sent).length, 4)
    if (answer === untold[0]?.[0]) continue
    told = true
    await things.delete([2, 3]).isPersisted.promise
    t.match(writesIn(sent)[4], /^POST \[/, 'what failed is asked again')
  }
})

const change = fc.record({
  type: fc.constantFrom('insert', 'update', 'delete'),
  id: fc.integer({ min: 1, max: 6 }),
  values: fc.record({ text: odd, size: integer, title: maybe(odd) })
})

/** Where requests that write fail: before they arrive, after they are done, or as the API refuses them. */
const failure = fc.record({
  place: fc.constantFrom('before', 'after', 'refused'), times: fc.integer({ min: 0, max: 4 }), hasKeys: fc.boolean()
})

test('a transaction is written whole or not at all, wherever a request fails', async t => {
  await fc.assert(fc.asyncProperty(
    fc.array(change, { minLength: 1, maxLength: 5 }), failure, async (changes, { place, times, hasKeys }) => {
      let failures = place === 'refused' ? 0 : times
      const fate: Fate = async (deliver, { method = 'GET' }) => {
        if (!/^[PD]/.test(method) || failures-- <= 0) return deliver()
        if (place === 'after') await deliver()
        return new Response('', { status: 502, headers: { 'retry-after': '0.001' } })
      }
      const { client, app } = await serveThings(rows, hasKeys ? { idempotency: {} } : {}, fate, { retries: 2 })
      const things = createCollection(dataApiCollectionOptions(client.things, flat))
      await things.preload()
      const stored = async () => (await app.inject('/things?sort=id&fields=id,text,title,size')).json<unknown>()
      const shown = () => things.toArray.sort((one, other) => one.id - other.id)
        .map(({ id, text, title, size }) => ({ id, text, title, size }))
      const before = shown()
      const transaction = createTransaction({ mutationFn: writeTransaction, autoCommit: false })
      transaction.isPersisted.promise.catch(() => {})
      transaction.mutate(() => {
        for (const { type, id, values } of changes) {
          if (type === 'insert' && !things.has(id)) things.insert({ ...row, id, ...values })
          if (type === 'update' && things.has(id)) things.update(id, draft => { Object.assign(draft, values) })
          if (type === 'delete' && things.has(id)) things.delete(id)
        }
        if (place === 'refused') things.insert({ ...row, id: 7, text: 'too long' })
      })
      const meant = shown()
      const isSent = transaction.mutations.length > 0
      const isDone = await transaction.commit().then(() => true, () => false)
      deepStrictEqual(shown(), isDone ? meant : before)
      const after = await stored()
      // Without a key, a write whose answer is lost is done, and its transaction is rolled back in the page alone.
      deepStrictEqual(after, isDone || (place === 'after' && isSent) ? meant : before)
      t.equal(isDone, !isSent || (place !== 'refused' && times <= (hasKeys ? 2 : 0)))
      await app.close()
    }
  ), { numRuns: runsOf(60) })
})

test('the program of docs/clients.md#tanstack-db writes an artist and its album', async t => {
  const text = { readable: true, writable: true }
  const Artist = Type.Object({ id: Type.String({ identifier: true, ...text }), name: Type.String(text) })
  const Album = Type.Object({
    id: Type.String({ identifier: true, ...text }), title: Type.String(text), artist_id: Type.String(text)
  })
  const app = Fastify({ forceCloseConnections: true })
  await app.register(dataApi, {
    collections: {
      artists: collection(Artist, { source: memory([]) }), albums: collection(Album, { source: memory([]) })
    },
    requestStrategies: { batch: true }
  })
  t.teardown(() => app.close())
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  const [program = ''] = programsIn(read('docs/clients.md#tanstack-db'), 'ts')
  await import(writeProgram('tanstack-db.ts', `${program.replace('http://localhost:3000', url)}
await Promise.all([artists.cleanup(), albums.cleanup()])`).href)
  t.strictSame((await app.inject('/albums')).json(), [{ id: '4f2c9a10', title: 'Tago Mago', artist_id: 'f0d6a7f4' }])
  t.strictSame((await app.inject('/artists')).json(), [{ id: 'f0d6a7f4', name: 'Can' }])
})
