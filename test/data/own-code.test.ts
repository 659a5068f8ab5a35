import { Type } from '@sinclair/typebox'
import type { FastifyRequest } from 'fastify'
import Fastify from '../helpers/fastify.ts'
import { type Test, test } from 'tap'
import dataApi, { collection, memory, type RequestData, sqlite } from '../../lib/index.ts'
import { calls, Entry, guarded, told } from '../fixtures/guarded-notes.ts'
import { everySource, type Tools } from '../helpers/every-source.ts'

// docs/own-code.md: Own code

/** Asserts that a promise rejects with an error that has these members. */
async function refused (t: Test, promise: Promise<unknown>, expected: object): Promise<void> {
  const error = await promise.then(() => undefined, (reason: unknown) => reason)
  t.match(error, expected)
}

// test/client/one-language.test.ts shows that own code finds what the client finds.
everySource('own code lists items with the same queries as objects', async ({ t, app }) => {
  const artists = app.dataApi.collection('artists').asSystem()
  for (const [query, names] of [
    [{ where: { age: { gte: 23, lt: 58 } }, sort: '-age' }, ['AC/DC 100%?#;', 'Noisia']],
    [{ where: { id: [1, 2] }, sort: ['-label.name'] }, ['Noisia', 'Can']],
    [{ where: { 'albums.count()': { gt: 0, in: [1, 2] } }, sort: 'albums.count()' }, ['10', 'Noisia', 'Can']],
    [{ where: { id: { lt: 4 } }, sort: '-albums.year.max()' }, ['Noisia', 'Can', '10']],
    [{ where: { age: null, id: { lte: 6 } } }, ['me', '\u{1F3B8} Émile']],
    [{ where: { albums: { year: 1971, genre: 'rock' } } }, ['Can']], [{ where: { label: null, albums: {} } }, ['10']],
    [{ where: { or: [{ name: { startsWith: 'No' } }, { not: { id: { gt: 2 } } }] } }, ['Noisia', 'Can']],
    [{ where: { name: { containsIgnoreCase: 'NOIS' } } }, ['Noisia']],
    [{ where: { startDate: { lt: new Date('1990-01-01') } } }, ['Can']],
    [{ where: { albumCount: { gte: 2 } } }, ['Noisia', 'Can']]
  ] as const) {
    const { items } = await artists.list({ ...query as object, fields: ['name'] })
    t.strictSame(items.map(({ name }) => name), names, JSON.stringify(query))
  }
  const albums = { count: true, max: ['year'], count_distinct: ['genre'] } as const
  const { items: called } = await artists.list({ fields: [{ albums }], where: { 'albums.year.sum()': 3943 } })
  t.strictSame(called, [{ albums: { count: 2, year: { max: 1972 }, genre: { count_distinct: 1 } } }])
  for (const albums of [{ max: ['yeer'] }, { max: 3 }, { count: true, limit: 1 }]) {
    await refused(t, artists.list({ fields: [{ albums }] } as never), { code: 'invalid_fields' })
  }
})

everySource('own code gets an item by its key or an identifier, with the fields it selects', async ({ t, app }) => {
  const artists = app.dataApi.collection('artists').asSystem()
  const query = { fields: ['name', 'oldName', { albums: { fields: ['title'], sort: '-year' } }, { label: ['name'] }] }
  t.strictSame(await artists.get(1, query), {
    name: 'Noisia', albums: [{ title: 'Outer Edges' }, { title: 'Split the Atom' }], label: { name: 'Vision' }
  })
  t.equal((await artists.get({ name: 'Can' }))['id'], 2)
  t.equal((await artists.get({ secretCode: 1002 }))['secretCode'], 1002)
  t.equal(await artists.find(99), undefined)
  t.equal(await artists.find('1'), undefined, 'a text is no integer')
  await t.rejects(artists.get(99), { code: 'identifier_not_found', statusCode: 404 })
  await t.rejects(artists.get({ age: 23 }), TypeError)
})

everySource('own code is told what is wrong with a query', async ({ t, app }) => {
  const artists = app.dataApi.collection('artists').asSystem()
  for (const [query, facts] of [
    [{ where: { nme: 1 } }, { code: 'invalid_filter', facts: { parameter: 'where.nme', suggestion: 'name' } }],
    [{ where: { age: { lessThan: 1 } } }, { code: 'invalid_filter', message: /own, such as 'lessThan'/ }],
    [{ where: { age: undefined } }, { code: 'invalid_filter', message: /'where.age' is undefined/ }],
    [{ where: { age: { gt: undefined } } }, { code: 'invalid_filter' }],
    [{ where: { age: 'old' } }, { code: 'invalid_filter', message: /takes an integer/ }],
    [{ where: { age: {} } }, { code: 'invalid_filter' }], [{ where: { age: { in: 1 } } }, { code: 'invalid_filter' }],
    [{ where: { albums: { titel: 1 } } }, { facts: { parameter: 'where.albums.titel', suggestion: 'title' } }],
    [{ sort: 'nme' }, { code: 'invalid_sort', facts: { suggestion: 'name' } }],
    [{ fields: [] }, { code: 'invalid_fields' }],
    [{ fields: ['nme'] }, { code: 'invalid_fields', facts: { suggestion: 'name' } }],
    [{ fields: [{ albums: { feilds: ['title'] } }] }, { code: 'invalid_fields' }],
    [{ page: 0 }, { code: 'invalid_page' }], [{ page: 1.5 }, { code: 'invalid_page' }],
    [{ size: 1, limit: 1 }, { code: 'invalid_page' }],
    [{ wher: {} }, { code: 'invalid_parameter', facts: { suggestion: 'where' } }]
  ]) await refused(t, artists.list(query as object), facts ?? {})
  t.throws(() => app.dataApi.collection('artits'), { message: /Did you mean 'artists'/ })
  t.throws(() => app.dataApi.as({} as FastifyRequest), TypeError)
})

/** Answers what a function returns for a request of a team. */
async function forTeam<T> (
  { app }: Pick<Tools, 'app'>, work: (data: RequestData, request: FastifyRequest) => Promise<T>
): Promise<T> {
  const url = `/own/${Math.random()}`
  let result: { readonly done: T } | undefined
  app.get(url, async request => {
    result = { done: await work(app.dataApi.as(request), request) }
    return {}
  })
  const response = await app.inject({ url, headers: { 'x-team': '1' } })
  if (result === undefined) throw Object.assign(new Error(response.body), response.json<object>())
  return result.done
}

const tables = (opened: Tools['opened'], table: string) => Promise.resolve(opened.rows(table))
const entriesOf = async ({ opened }: Tools) => (await tables(opened, 'entries')).map(({ what }) => what)
const textsOf = async ({ opened }: Tools) => (await tables(opened, 'notes')).map(({ text }) => text)

// Routes cannot be added to an application that runs, so each test asks for its caller once.

everySource('under a request, its rules, scopes and flags hold', async tools => {
  const { t } = tools
  await forTeam(tools, async data => {
    const notes = data.collection('notes')
    t.strictSame((await notes.list()).items, [
      { id: 1, text: 'Water the plants.', publishedAt: null }, { id: 2, text: 'Talk to Ada.', publishedAt: null }
    ])
    t.equal(await notes.count(), 2)
    t.equal(await notes.find(3), undefined)
    await t.rejects(notes.list({ where: { salary: 4000 } }), { code: 'invalid_filter' })
    await t.rejects(notes.list({ where: { teamId: 1 } }), { code: 'invalid_filter' })
    await t.rejects(notes.update(3, { text: 'mine' }), { code: 'identifier_not_found' })
    await t.rejects(notes.update(1, { publishedAt: new Date() }), { code: 'validation' })
    await t.rejects(notes.delete(1), { code: 'forbidden', statusCode: 403 })
    const team = await data.collection('teams').get(1, { fields: [{ notes: ['id'] }] })
    t.strictSame(team, { notes: [{ id: 1 }, { id: 2 }] })
    t.strictSame(await notes.create({ text: 'New.', salary: 1 }), { id: 4, text: 'New.', publishedAt: null })
  })
}, {}, guarded)

everySource('as the system, neither rules nor scopes nor flags nor page sizes hold', async tools => {
  const { t, app } = tools
  const notes = app.dataApi.asSystem().collection('notes')
  t.equal((await notes.list({ size: 10_000 })).items.length, 3)
  t.strictSame((await notes.list({ where: { teamId: 2, salary: null } })).items.map(({ id }) => id), [3])
  const moment = new Date('2026-01-02T03:04:05.678Z')
  t.match(await notes.update(3, { publishedAt: moment, teamId: 1 }), { publishedAt: moment.toISOString(), teamId: 1 })
  t.equal(await notes.delete(2), undefined)
  t.strictSame((await tables(tools.opened, 'notes')).map(({ id }) => id), [1, 3])
  await t.rejects(notes.delete(2), { code: 'identifier_not_found' })
}, { pages: { maxSize: 2 } }, guarded)

everySource('own code creates, updates and upserts, and gets the item back', async tools => {
  const { t, app } = tools
  const teams = app.dataApi.collection('teams').asSystem()
  t.strictSame(await teams.create({ name: 'green' }), { id: 3, name: 'green' })
  t.strictSame(await teams.create([{ name: 'a' }], { returning: ['name'] }), [{ name: 'a' }])
  t.match(await teams.create({ name: 'b' }, { returning: true }), { name: 'b' })
  t.strictSame(await teams.update({ name: 'green' }, { name: 'olive' }, { returning: ['name'] }), { name: 'olive' })
  t.strictSame(await teams.upsert(9, { name: 'nine' }), { id: 9, name: 'nine' })
  t.strictSame(await teams.upsert(9, { name: 'neun' }), { id: 9, name: 'neun' })
  await refused(t, teams.create({ name: 'olive' }), { code: 'duplicate', facts: { fields: ['name'] } })
  await refused(t, teams.create([{ name: 'c' }, { name: 1 }]), { facts: { details: [{ pointer: '/1/name' }] } })
  await refused(t, app.dataApi.collection('notes').asSystem().create({ text: 'x', teamId: 1 }), {
    facts: { details: [{ pointer: '/text' }, { pointer: '/salary' }] }
  })
  t.equal(await teams.count(), 6)
}, {}, guarded)

everySource('the calls of a transaction are committed together, or rolled back together', async tools => {
  const { t, app } = tools
  const { dataApi: api } = app
  told.length = 0
  const id = await api.transaction(async tx => {
    const { id } = await tx.asSystem().collection('notes').create({ text: 'in tx', salary: 1, teamId: 1 })
    t.equal((await tx.asSystem().collection('notes').get({ text: 'in tx' }))['id'], id)
    await tx.asSystem().collection('notes').update(1, { text: 'changed' })
    t.strictSame(told, [['hook', 'changed']], 'saved runs after the commit of the whole')
    return id
  })
  t.strictSame(told.splice(0), [['hook', 'changed'], ['created', 'in tx'], ['updated', 'changed']])
  t.equal(id, 4)
  t.strictSame((await entriesOf(tools)).at(-1), 'Water the plants. -> changed')
  const failed = api.asSystem().transaction(async tx => {
    await tx.collection('notes').update(1, { text: 'lost' })
    throw new Error('no')
  })
  await t.rejects(failed, { message: 'no' })
  t.notOk((await textsOf(tools)).includes('lost'))
  t.strictSame(told, [['hook', 'lost']])
}, {}, guarded)

everySource('a call that fails dooms its transaction, even if the error is caught', async tools => {
  const { t, app } = tools
  const work = app.dataApi.transaction(async tx => {
    const notes = tx.asSystem().collection('notes')
    await notes.update(1, { text: 'half' })
    await notes.update(2, { text: 'refused' }).catch(() => {})
    await t.rejects(notes.list(), { message: 'the transaction is rolled back: a call in it failed' })
  })
  await t.rejects(work, { code: 'argument' })
  t.notOk((await textsOf(tools)).includes('half'))
  await app.dataApi.transaction(async tx => {
    await t.rejects(tx.asSystem().collection('notes').get(99), { code: 'identifier_not_found' })
    await tx.asSystem().collection('notes').update(1, { text: 'after a miss' })
  })
  t.ok((await textsOf(tools)).includes('after a miss'))
}, {}, guarded)

everySource('a transaction waits for a call that nobody awaits, so that it is committed as a whole', async tools => {
  const { t, app } = tools
  let late: Promise<unknown> | undefined
  await app.dataApi.transaction(async tx => {
    late = tx.asSystem().collection('notes').update(1, { text: 'late' })
  })
  await late
  t.ok((await textsOf(tools)).includes('late'))
  t.strictSame((await entriesOf(tools)).slice(1), ['Water the plants. -> late'])
}, {}, guarded)

everySource('a hook reads and writes in the transaction of its request', async tools => {
  const { t, send } = tools
  const headers = { 'x-team': '1' }
  t.equal((await send('PATCH', '/notes/1', { text: 'changed' }, headers)).statusCode, 200)
  t.strictSame((await entriesOf(tools)).slice(1), ['Water the plants. -> changed'])
  t.equal((await send('PATCH', '/notes/1', { text: 'refused' }, headers)).statusCode, 400)
  const twice = await send('PATCH', '/notes/1', { text: 'twice' }, headers)
  t.strictSame([twice.statusCode, twice.json().error], [409, 'duplicate'], 'the hook caught the error')
  t.equal((await entriesOf(tools)).length, 2)
}, {}, guarded)

everySource('rules and scopes are asked once a request, also by own code', async tools => {
  const { t } = tools
  calls.asked = 0
  await forTeam(tools, async (data, request) => {
    await data.collection('notes').list()
    await data.collection('notes').count()
    await tools.app.dataApi.collection('notes').as(request).update(1, { text: 'once' })
  })
  t.equal(calls.asked, 1)
}, {}, guarded)

test('a transaction is of one database, which must be named where there are several', async t => {
  const db = sqlite(':memory:')
  db.exec('create table entries (id integer primary key, what text not null) strict')
  const app = Fastify()
  const entries = collection(Entry, { source: db.table('entries') })
  const others = collection(Entry, { source: memory([]) })
  await app.register(dataApi, { collections: { entries, others } })
  await t.rejects(app.dataApi.transaction(async () => {}), { message: /several databases/ })
  await app.dataApi.asSystem().transaction(async tx => {
    t.strictSame(await tx.collection(entries).create({ what: 'x' }), { id: 1, what: 'x' })
    await t.rejects(tx.collection(others).list(), { message: /another database/ })
  }, { on: entries })
  t.equal(await app.dataApi.collection(entries).asSystem().count(), 1)
  let kept: typeof app.dataApi | undefined
  await app.dataApi.transaction(async tx => { kept = tx as typeof app.dataApi }, { on: 'entries' })
  await t.rejects(async () => kept?.asSystem().collection(entries).count(), { message: /transaction has ended/ })
  await app.close()
  db.close()
})

test('an item is a copy, whose lists and values of JSON belong to own code', async t => {
  const app = Fastify()
  const schema = Type.Object({
    id: Type.Integer({ identifier: true, readable: true }),
    tags: Type.Array(Type.String(), { readable: true }),
    more: Type.Unknown({ readable: true })
  })
  const things = collection(schema, { source: memory([{ id: 1, tags: ['a'], more: { deep: [null] } }]) })
  await app.register(dataApi, { collections: { things } })
  const own = app.dataApi.asSystem().collection(things)
  const { items: [listed] } = await own.list()
  for (const item of [await own.get(1), listed]) {
    item?.tags.push('b')
    ;(item?.more as { deep: unknown[] }).deep.push(1)
  }
  t.strictSame(await own.get(1), { id: 1, tags: ['a'], more: { deep: [null] } })
  await app.close()
})

test('the context of a call as the system has no request', async t => {
  const app = Fastify()
  const seen: unknown[] = []
  const entries = collection(Entry, {
    source: memory([]),
    hooks: {
      creating (_entry, { request, system }) { seen.push(system ? request : request.url) },
      saved (_saved, { request, system }) { seen.push(system ? request : request.url) }
    }
  })
  await app.register(dataApi, { collections: { entries } })
  await app.dataApi.asSystem().collection(entries).create({ what: 'x' })
  t.strictSame(seen, [undefined, undefined])
  await app.close()
})

test('an API has its own declarations, and names them (docs/own-code.md#plugin-and-hooks)', async t => {
  const app = Fastify()
  const [one, two] = [collection(Entry, { source: memory([]) }), collection(Entry, { source: memory([]) })]
  await app.register(dataApi, { prefix: '/one', collections: { one } })
  await app.register(dataApi, { prefix: '/two', collections: { two } })
  t.throws(() => app.dataApi.collection(two), {
    name: 'TypeError',
    message: 'No collection of this API has this declaration; it has one. app.dataApi is the API that was registered ' +
      'first, app.dataApi.registrations has the others by prefix.'
  })
  t.equal(await app.dataApi.registrations.get('/two')?.asSystem().collection(two).count(), 0)
  await app.close()
})
