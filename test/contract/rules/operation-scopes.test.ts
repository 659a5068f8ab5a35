import { Type } from '@sinclair/typebox'
import { test } from 'tap'
import dataApi, { type Behaviour, collection, type Declared, type Scope } from '../../../lib/index.ts'
import { compileOptions } from '../../../lib/api/options.ts'
import { compileModel } from '../../../lib/model/compile.ts'
import { forbidden, serveThing, Thing } from '../../fixtures/company.ts'
import { tables, world } from '../../fixtures/notes.ts'
import { everySource, type Tools, type World } from '../../helpers/every-source.ts'
import fc, { runsOf } from '../../helpers/fast-check.ts'
import Fastify from '../../helpers/fastify.ts'
import { test as testOnPostgres } from '../../helpers/on-postgres.ts'
import { openers } from '../../helpers/sources.ts'
import { type Way, waysOf } from '../../helpers/ways.ts'

// docs/http.md: Rules. Of the items that exist for a caller it may update some, and delete some.

const requestStrategies = { upsert: true, delete: true } as const

const flags = { readable: true, writable: true } as const
const Plan = Type.Object({
  id: Type.Integer({ identifier: true, readable: true }),
  name: Type.String({ identifier: true, ...flags }),
  owner: Type.Integer(flags)
})

const plans: World = {
  tables: { plans: [{ id: 1, name: 'a', owner: 1 }, { id: 2, name: 'b', owner: 2 }, { id: 3, name: 'c', owner: 3 }] },
  ddl: 'create table plans (id key, name text not null unique, owner integer not null) strict;',
  collections: source => ({
    plans: collection(Plan, {
      source: source('plans'),
      scope: {
        read: (_context, where) => where.less('owner', 3),
        update: ({ request }) => ({ owner: Number(request.headers['x-me']) }),
        delete: ({ request }) => request.headers['x-role'] === 'lead'
      }
    })
  })
}

const me = { 'x-me': '1' }

const rule = (name: string, run: (tools: Tools) => Promise<void>) => {
  everySource(name, run, { requestStrategies: { delete: true } }, plans)
}

const notFound = (segment: string) => ({
  status: 'not_found', error: 'identifier_not_found', message: `An item was not found with the identifier '${segment}'.`
})

rule('an item that may be read and not changed is 403, and one that may not be read is 404', async ({
  send, same, get
}) => {
  const writes = [
    ['PATCH', '', { name: 'x' }], ['PATCH', '', { owner: 2 }], ['PUT', '', { name: 'x' }], ['PUT', '/name', 'x'],
    ['DELETE', '', undefined]
  ] as const
  for (const [method, path, body] of writes) {
    same(await send(method, `/plans/2${path}`, body, me), 403, forbidden)
    same(await send(method, `/plans/b${path}`, body, me), 403, forbidden)
    same(await send(method, `/plans/by_owner/2/2${path}`, body, me), 403, forbidden)
    same(await send(method, `/plans/3${path}`, body, me), 404, notFound('3'))
  }
  same(await send('DELETE', '/plans/1', undefined, me), 403, forbidden)
  same(await send('PATCH', '/plans/1', { name: 'mine' }, me), 200, { status: 'ok' })
  same(await send('DELETE', '/plans/2', undefined, { ...me, 'x-role': 'lead' }), 200, { status: 'ok' })
  same(await get('/plans?fields=id,name', me), 200, [{ id: 1, name: 'mine' }])
})

rule('an item may be taken out of the scope of updates, and not out of that of reads', async ({ send, same, get }) => {
  same(await send('PATCH', '/plans/1', { owner: 3 }, me), 403, forbidden)
  same(await send('PATCH', '/plans/1', { owner: 2 }, me), 200, { status: 'ok' })
  same(await send('PATCH', '/plans/1', { owner: 1 }, me), 403, forbidden)
  same(await get('/plans/1?fields=owner', me), 200, { owner: 2 })
})

rule('the item is judged before its conditions are', async ({ send, same, get }) => {
  const etag = String((await get('/plans/2', me)).headers['etag'])
  for (const tag of [etag, '"other"']) {
    same(await send('PATCH', '/plans/2', { name: 'x' }, { ...me, 'if-match': tag }), 403, forbidden)
    same(await send('DELETE', '/plans/2', undefined, { ...me, 'if-match': tag }), 403, forbidden)
  }
})

everySource('an upsert of an item that exists is an update of it', async ({ send, same }) => {
  same(await send('PUT', '/plans/b', { owner: 1 }, me), 403, forbidden)
  same(await send('PUT', '/plans/d', { owner: 1 }, me), 201, { status: 'created' })
}, { requestStrategies }, plans)

test('own code for a caller keeps to the scopes of its operations', async t => {
  const app = Fastify()
  const { source } = await openers.memory(plans.tables)
  await app.register(dataApi, { collections: plans.collections(source) })
  app.patch('/rename', async request =>
    app.dataApi.as(request).collection('plans').update(Number(request.headers['x-id']), { name: 'new' }))
  const statuses = await Promise.all(['1', '2', '3'].map(async id =>
    (await app.inject({ method: 'PATCH', url: '/rename', headers: { ...me, 'x-id': id } })).statusCode))
  t.strictSame(statuses, [200, 403, 404])
})

test('a scope of an operation that fails allows nothing, and one with an unknown name is 500', async t => {
  const scopes: ReadonlyArray<readonly [Behaviour<typeof Thing>['scope'], number]> = [
    [{ update: () => { throw new Error('no database') } }, 403],
    [{ update: () => ({ owner: undefined }) }, 403],
    [{ update: () => ({ nonsense: 1 } as never) }, 500],
    [{ update: () => true }, 200]
  ]
  for (const [scope, status] of scopes) {
    const { app, logged } = await serveThing({ ...scope && { scope } })
    t.equal((await app.inject('/things')).statusCode, 200)
    t.equal((await app.inject({ method: 'POST', url: '/things', payload: { name: 'x' } })).statusCode, 201)
    const answer = await app.inject({ method: 'PATCH', url: '/things/1', payload: { name: 'x' } })
    t.equal(answer.statusCode, status, String(scope))
    t.equal(logged.length > 0, status !== 200)
  }
})

test('a scope that is none is refused at registration', async t => {
  const source = (await openers.memory({ things: [] })).source('things')
  for (const [scope, message] of [
    [{ red: () => true }, /scope\.red: there is no such scope; use 'read', 'update' or 'delete'/],
    [{ update: true }, /scope\.update: expected a function; found true/],
    ['all', /scope: expected a function; found/]
  ] as const) {
    const app = Fastify()
    const declared = collection(Thing, { source, scope: scope as never })
    await t.rejects(async () => app.register(dataApi, { collections: { things: declared } }), { message })
  }
})

// By every way of writing a link and of deleting its items, enumerated from the model: a write is refused where it
// changes an item that the caller may not change, by the rows before and after alone, and done where it does not.

type Row = Readonly<Record<string, unknown>>
type Data = Readonly<Record<string, readonly Row[]>>
type Allowed = Readonly<Record<string, { readonly update: readonly number[], readonly delete: readonly number[] }>>
type Kind = keyof typeof openers

const declared: Record<string, Declared> = world.collections((await openers.memory(tables)).source)
const { naming, pages } = compileOptions({ collections: declared, requestStrategies })
const model = compileModel(declared, { naming, pages, requestStrategies, reserved: new Map() })

function waysFor (own: Readonly<Record<string, number>>): readonly Way[] {
  const links = waysOf(model, { of: ({ name }) => own[name] ?? 0, unused: 99 })
  const posts = [['safes', 'notes'], ['notes', 'parts'], ['notes', 'tags'], ['tags', 'notes']] as const
  return [
    ...links.flatMap(({ ways, unlinking }) => [...ways, ...unlinking]),
    ...posts.map(([holder, name]): Way =>
      ({ method: 'POST', url: `/${holder}/${own[holder]}/${name}`, body: { id: own[name] }, asks: [] }))
  ]
}

async function send (kind: Kind, data: Data, { method, url, body }: Way, allowed?: Allowed) {
  const opened = await openers[kind](data, world.ddl)
  const app = Fastify()
  const among = (ids: readonly number[]): Scope<Record<string, unknown>> => (_context, where) => where.oneOf('id', ids)
  const collections = Object.fromEntries(Object.entries(world.collections(opened.source)).map(([name, one]) => {
    const ids = allowed?.[name]
    return [name, { ...one, scope: ids && { update: among(ids.update), delete: among(ids.delete) } }]
  }))
  await app.register(dataApi, { requestStrategies, collections })
  try {
    const payload = body === undefined ? {} : { payload: JSON.stringify(body) }
    const headers = body === undefined ? {} : { 'content-type': 'application/json' }
    const { statusCode } = await app.inject({ method, url, headers, ...payload })
    const after = await Promise.all(Object.keys(data).map(async name => [name, await opened.rows(name)] as const))
    return { status: statusCode, after: Object.fromEntries(after) as Data }
  } finally {
    await app.close()
    await opened.close()
  }
}

/** Returns true if the caller may make all changes between the data before and after. */
function isAllowed ({ method, url }: Way, before: Data, after: Data, allowed: Allowed): boolean {
  const [, name = '', segment, relation] = url.split('/')
  const path = { name, id: Number(segment) }
  const may = (operation: 'update' | 'delete', collection: string, id: unknown) =>
    before[collection]?.every(row => row['id'] !== id) === true ||
      allowed[collection]?.[operation].includes(Number(id)) === true
  const isOfItem = method === 'PATCH' || (method === 'PUT' && (relation === undefined || relation === 'safe_id'))
  if (isOfItem && !may('update', path.name, path.id)) return false
  const isDeletion = Object.keys(allowed).some(one => (after[one]?.length ?? 0) < (before[one]?.length ?? 0))
  // A link that is there already is asked for as a new one is.
  const isLinking = (method === 'POST' && ['notes/tags', 'tags/notes'].includes(`${name}/${relation}`)) ||
    (!isDeletion && JSON.stringify(before['note_tags']) !== JSON.stringify(after['note_tags']))
  if (isLinking && segment !== undefined && !may('update', path.name, path.id)) return false
  return Object.keys(allowed).every(one => before[one]?.every(row => {
    const now = after[one]?.find(({ id }) => id === row['id'])
    if (now === undefined) return may('delete', one, row['id'])
    return JSON.stringify(now) === JSON.stringify(row) || may('update', one, row['id'])
  }))
}

interface Case {
  readonly allowed: Allowed
  readonly links: ReadonlyArray<readonly [number, number]>
  readonly own: Readonly<Record<string, number>>
  readonly choice: number
}

async function findBreach (kind: Kind, { allowed, links, own, choice }: Case): Promise<string | undefined> {
  const ways = waysFor(own)
  const way = ways[choice % ways.length]
  if (way === undefined) throw new TypeError('there are ways')
  const data: Data = { ...tables, note_tags: links.map(([noteId, tagId]) => ({ noteId, tagId })) }
  const open = await send(kind, data, way)
  const restricted = await send(kind, data, way, allowed)
  const isWritten = JSON.stringify(restricted.after) !== JSON.stringify(data)
  const may = isAllowed(way, data, open.after, allowed)
  const isLawful = open.status >= 400
    ? !isWritten && [open.status, 403].includes(restricted.status)
    : may
      ? restricted.status === open.status && JSON.stringify(restricted.after) === JSON.stringify(open.after)
      : restricted.status === 403 && !isWritten
  return isLawful
    ? undefined
    : `${way.method} ${way.url} ${JSON.stringify(way.body)} ${JSON.stringify({ allowed, links, may })}: ${
      JSON.stringify({ open, restricted })}`
}

const some = (...ids: readonly number[]) => fc.record({ update: fc.subarray([...ids]), delete: fc.subarray([...ids]) })

const cases: fc.Arbitrary<Case> = fc.record({
  allowed: fc.record({ safes: some(5, 6), notes: some(1, 2, 3), parts: some(1, 2, 3), tags: some(1, 2) }),
  choice: fc.nat({ max: 100_000 }),
  links: fc.subarray([[1, 1], [1, 2], [2, 1], [2, 2], [3, 1], [3, 2]] as const),
  own: fc.record({
    safes: fc.constantFrom(5, 6),
    notes: fc.integer({ min: 1, max: 3 }),
    parts: fc.integer({ min: 1, max: 3 }),
    tags: fc.integer({ min: 1, max: 2 })
  })
})

// Each write on SQLite and PostgreSQL has a new database.
const shares = { memory: 12, sqlite: 4, postgres: 1 } as const

for (const [kind, share] of Object.entries(shares) as ReadonlyArray<readonly [Kind, number]>) {
  const run = kind === 'postgres' ? testOnPostgres : test
  run(`a write is done if the caller may change every item that it changes, and else refused (${kind})`, async t => {
    t.setTimeout(0)
    const numRuns = runsOf(8) * share
    await fc.assert(fc.asyncProperty(cases, async one => {
      const breach = await findBreach(kind, one)
      if (breach !== undefined) throw new Error(breach)
    }), { numRuns, endOnFailure: true, includeErrorInReport: true })
    t.pass(`${numRuns} writes`)
  })
}
