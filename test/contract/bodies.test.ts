import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { isDeepStrictEqual } from 'node:util'
import fc, { runsOf } from '../helpers/fast-check.ts'
import type { FastifyInstance, InjectOptions } from 'fastify'
import Fastify from '../helpers/fastify.ts'
import { test } from 'tap'
import dataApi from '../../lib/index.ts'
import { collections, contents, ddl, tables, uuid } from '../fixtures/shop.ts'
import { type Opened, openers } from '../helpers/sources.ts'

// docs/http.md: Writing. Generated requests that write, sent to a fresh world of each source.

const runs = runsOf(30)

// Keys that are drawn must be the same on every source.
let drawn = 100
Object.assign(crypto, { randomUUID: () => uuid(++drawn) })
syncBuiltinESMExports()

// Values. JSON.stringify has no way to write some that JSON has, which stand here as a text with a mark.

const mark = '\uE123'
const literal = (text: string) => `${mark}${text}${mark}`
const marked = new RegExp(`"${mark}([^"]*?)${mark}"`, 'g')
const print = (value: unknown) => JSON.stringify(value).replaceAll(marked, '$1')

const nest = (depth: number, inner: unknown): unknown =>
  depth === 0 ? inner : depth % 2 === 0 ? [nest(depth - 1, inner)] : { name: nest(depth - 1, inner) }

const numbers = [
  literal('-0'), literal('1e400'), literal('-1e400'), literal('9007199254740993'), literal('1.0'), literal('1e0'),
  literal('5e-324'), 0, 1, -1, 7, 9.99, 10, 10.5, 2000, 2 ** 31, 2 ** 53 - 1
]
const texts = [
  '', 'null', '\0', 'a\0b', '\uD800', 'x\uDC00', '\u{1F600}', "it's", '"', '__proto__', 'constructor', '%2F', 'a/b',
  '~1', 'x'.repeat(5000)
]
const dates = [
  '0000-01-01', '0001-01-01', '1900-02-29', '2024-02-29', '9999-12-31', '10000-01-01', '2001-12-31T00:00:00Z'
]
const moments = [
  '2020-01-01T00:00:00Z', '2020-01-01T00:00:00.1234Z', '1990-12-31T23:59:60Z', '9999-12-31T23:59:59-01:00',
  '0000-01-01T00:00:00+01:00', '2020-01-01T24:00:00Z', '2020-01-01 00:00:00Z', '2020-01-01T00:00:00', '2001-12-31'
]
const uuids = [1, 2, 3, 4].map(uuid)

const absent = fc.constant(undefined)

/** The first so many times as often as the second. */
const times = <A, B>(weight: number, often: fc.Arbitrary<A>, seldom: fc.Arbitrary<B>): fc.Arbitrary<A | B> =>
  fc.oneof({ weight, arbitrary: often }, { weight: 1, arbitrary: seldom })

const odd: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(null, true, false, [], {}, [null], [[]], { id: 1 }, [{ id: 1 }], ...numbers,
    ...texts, ...dates, ...moments),
  fc.jsonValue({ maxDepth: 2 }),
  fc.integer({ min: 1, max: 40 }).map(depth => nest(depth, null))
)

type Name = 'labels' | 'artists' | 'albums' | 'tracks'
type Body = Record<string, unknown>

const mostly = (right: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> => times(9, right, odd)
const some = (...values: readonly unknown[]) => mostly(fc.constantFrom(...values))

/** What members mean something, in the order that they are likely to be there. */
const scalars: Readonly<Record<Name, Readonly<Record<string, fc.Arbitrary<unknown>>>>> = {
  labels: { code: some('VSN', 'SPOON', 'NEW', 'WARP'), id: some(1, 2, 3), city: some('Groningen', 'Köln', '', null) },
  artists: {
    name: some('Noisia', 'Can', '2', 'New', 'Neu!', 'forbidden'),
    id: some(1, 2, 3, 4),
    email: some(null, null, null, 'can@example.org', 'new@example.org'),
    born: some(null, ...dates),
    rating: some(...numbers),
    active: some(true, false),
    tags: some([], ['dnb'], ['a', 'a'], ['\0', '\uD800'], [1], [null]),
    biography: some('Long.', null),
    pin: some('0000', '1234', '12345', null),
    old_name: some('Noisia', null, literal('1e400')),
    genre: some('rock', 'jazz', 'folk', null)
  },
  albums: {
    title: some('Outer Edges', 'New', ''), id: some(7, 8, 9), year: some(1971, 2016, ...numbers), version: some(1, 2, 3)
  },
  tracks: {
    title: some('Intro', 'Halleluhwah', 'New',
      'Other'),
    id: some(...uuids, uuid(1).toUpperCase()),
    seconds: some(0, 90, 1112),
    played_at: some(null, ...moments)
  }
}
const needed: ReadonlySet<string> = new Set(['code', 'name', 'email', 'title'])

const relations: Readonly<Record<Name, Readonly<Record<string, { readonly target: Name, readonly many: boolean }>>>> = {
  labels: { artists: { target: 'artists', many: true } },
  artists: { label: { target: 'labels', many: false }, albums: { target: 'albums', many: true } },
  albums: { artist: { target: 'artists', many: false }, tracks: { target: 'tracks', many: true } },
  tracks: {}
}

const strange = fc.tuple(fc.constantFrom('__proto__', 'constructor', 'label_id', 'artist_id', 'a/b~', '', 'naem'), odd)
  .map(([name, value]) => ({ name, value }))

const bodies = new Map<string, fc.Arbitrary<Body>>()

/** The body of an item, more or less as it should be. */
function itemBody (name: Name, depth: number): fc.Arbitrary<Body> {
  const known = bodies.get(`${name} ${depth}`) ?? makeBody(name, depth)
  bodies.set(`${name} ${depth}`, known)
  return known
}

function makeBody (name: Name, depth: number): fc.Arbitrary<Body> {
  const members = Object.entries(scalars[name]).map(([member, value]) =>
    [member, needed.has(member) ? times(6, value, absent) : times(4, absent, value)] as const)
  const related = depth === 0
    ? []
    : Object.entries(relations[name]).map(([member, { target, many }]) =>
      [member, relation(target, many, depth)] as const)
  return fc.tuple(fc.record(Object.fromEntries([...members, ...related])),
    times(19, absent, strange)).map(([body, more]) => {
    const all = Object.entries(body).filter(([, value]) => value !== undefined)
    return Object.fromEntries(more === undefined ? all : [...all, [more.name, more.value]])
  })
}

function relation (target: Name, many: boolean, depth: number): fc.Arbitrary<unknown> {
  const element = mostly(itemBody(target, depth - 1))
  const right = many ? fc.array(element, { maxLength: 3 }) : times(4, element, fc.constant(null))
  return times(1, absent, mostly(right))
}

// URLs

const identifiers: Readonly<Record<Name, readonly string[]>> = {
  labels: [
    '1', '2', '3', 'VSN', 'SPOON', 'NEW', 'X', 'much%20too%20long', 'by_code/WARP', 'by_code/X', 'by_id/1', 'by_id/9',
    '9007199254740991'
  ],
  artists: [
    '1', '2', '3', '4', 'Noisia', 'Can', 'New', 'forbidden', '%00', 'me', '~Noisia', '~New', '__proto__', 'by_name/2',
    'by_name/forbidden', 'by_email/can@example.org', 'by_email/x', 'by_slug/~Can', 'by_id/2'
  ],
  albums: ['7', '8', '9', 'by_id/7', '-0'],
  tracks: [...uuids, uuid(1).replace('8000', 'A000'), 'Intro', 'New', 'a%2Fb', `by_id/${uuid(3)}`, 'by_title/New']
}
const groups: Readonly<Record<Name, readonly string[]>> = {
  labels: ['by_city/Groningen', 'by_city/K%C3%B6ln', 'by_city'],
  artists: [
    'by_genre/rock', 'by_genre/folk', 'by_rating/7', 'by_rating/99', 'by_active/false', 'by_born/2024-02-29',
    'by_old_name/x', 'by_tags/x', 'by_pin/1234', 'by_name'
  ],
  albums: ['by_year/1971', 'by_title/New', 'by_title/New/by_year/1', 'by_version/1'],
  tracks: ['by_played_at/2020-01-01T00:00:00Z', 'by_seconds/90', 'by_seconds']
}

interface Target {
  readonly url: string
  readonly body: fc.Arbitrary<unknown>
  readonly kind: 'many' | 'one' | 'scalar'
}

const oneOr = (element: fc.Arbitrary<unknown>) => times(3, element, fc.array(element, { maxLength: 3 }))

/** Anything that can be said below a collection. */
function below (url: string, name: Name, depth: number): fc.Arbitrary<Target> {
  const group = times(4, fc.constant(url), fc.constantFrom(...groups[name]).map(group => `${url}/${group}`))
  return group.chain(url => fc.oneof(
    fc.constant<Target>({ url, body: oneOr(itemBody(name, 2)), kind: 'many' }),
    fc.constantFrom(...identifiers[name]).chain(identifier => ofItem(`${url}/${identifier}`, name, depth))
  ))
}

function ofItem (url: string, name: Name, depth: number): fc.Arbitrary<Target> {
  const one = fc.constant<Target>({ url, body: itemBody(name, 2), kind: 'one' })
  const scalar = fc.constantFrom(...Object.entries(scalars[name])).map<Target>(([field, body]) =>
    ({ url: `${url}/${field}`, body, kind: 'scalar' }))
  const further = Object.entries(relations[name]).map(([field, { target, many }]) => many
    ? below(`${url}/${field}`, target, depth - 1)
    : ofItem(`${url}/${field}`, target, depth - 1))
  return depth === 0
    ? fc.oneof(one, scalar)
    : fc.oneof({ weight: 3, arbitrary: one }, { weight: 2, arbitrary: scalar },
      ...further.map(arbitrary => ({ weight: 2, arbitrary })))
}

const targets = fc.constantFrom<Name>('labels', 'artists', 'albums', 'tracks').chain(name => below(`/${name}`, name, 2))

// Requests

interface Sent {
  readonly method: 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly url: string
  readonly body: string | undefined
  readonly headers: Readonly<Record<string, string>>
}

const likely: Readonly<Record<Target['kind'], ReadonlyArray<Sent['method']>>> = {
  many: ['POST'], one: ['PUT', 'PATCH', 'PUT', 'DELETE'], scalar: ['PUT']
}

const methodFor = (kind: Target['kind']) =>
  times(9, fc.constantFrom(...likely[kind]), fc.constantFrom<Sent['method']>('POST', 'PUT', 'PATCH', 'DELETE'))

const unlikely = (...values: readonly string[]) => times(5, absent, fc.constantFrom(...values))
const headers = fc.record({
  prefer: unlikely('return=representation', 'return=minimal'),
  'if-match': unlikely('*', '"x"', ''),
  'if-none-match': unlikely('*'),
  'x-me': unlikely('1', '9')
})
  .map(all =>
    Object.fromEntries(Object.entries(all).flatMap(([name, value]) => value === undefined ? [] : [[name, value]])))

const requestOf = (bodyOf: (target: Target) => fc.Arbitrary<string | undefined>) => targets.chain(target =>
  fc.record<Sent>({ method: methodFor(target.kind), url: fc.constant(target.url), body: bodyOf(target), headers }))

const shaped = requestOf(({ body }) =>
  times(19, body.map(print), fc.constantFrom(undefined, '', '{', 'null', '[]', '{}')))
const anything = requestOf(() => fc.oneof(fc.jsonValue().map(print), odd.map(print), fc.json(), fc.string()))
const requests = fc.array(times(9, shaped, anything), { minLength: 1, maxLength: 6 })

// What has gone wrong once, before anything is generated.
const put = (url: string, body: string): Sent => ({ method: 'PUT', url, body, headers: {} })
const post = (url: string, body: string): Sent => ({ method: 'POST', url, body, headers: {} })
const once: Sent[][] = [
  [post('/tracks', '{"title":"New","played_at":"9999-12-31T23:59:59-01:00"}')],
  [put('/tracks/Intro', '{"played_at":"0000-01-01T00:00:00+01:00"}')],
  [post('/tracks', `{"id":"${uuid(2)}","title":"Intro"}`)],
  [post('/artists', '{"name":"Can","email":"noisia@example.org"}')],
  [put('/labels/9007199254740991', '{"code":"BIG"}'), post('/labels', '{"code":"NEXT"}')],
  [put('/labels/X', '{}')],
  [post('/artists/by_rating/99', '{"name":"Loud","email":null}')],
  [put('/artists/by_name/forbidden', '{"email":null}')]
]
const examples = once.map((sent): [Sent[]] => [sent])

// Worlds

interface World { readonly app: FastifyInstance, readonly opened: Opened }

interface Answer { readonly status: number, readonly body: string, readonly location: unknown, readonly etag: unknown }

async function openWorlds (): Promise<readonly World[]> {
  return Promise.all(Object.values(openers).map(async open => {
    const opened = await open(tables, ddl)
    const app = Fastify()
    await app.register(dataApi,
      { collections: collections(opened.source), requestStrategies: { upsert: true, delete: true } })
    return { app, opened }
  }))
}

async function inWorlds (use: (worlds: readonly World[]) => Promise<void>): Promise<void> {
  const worlds = await openWorlds()
  try {
    await use(worlds)
  } finally {
    for (const { app, opened } of worlds) {
      await app.close()
      await opened.close()
    }
  }
}

async function send ({ app }: World, { method, url, body, headers }: Sent): Promise<Answer> {
  const options: InjectOptions = {
    method, url, headers: { 'content-type': 'application/json', ...headers }, ...body !== undefined && { payload: body }
  }
  const response = await app.inject(options)
  return {
    status: response.statusCode,
    body: response.body,
    location: response.headers['location'],
    etag: response.headers['etag']
  }
}

type Held = Readonly<Record<string, ReadonlyArray<Record<string, unknown>>>>

/**
 * All that a source holds, in one form for all sources: no nulls, booleans as numbers, JSON as text, rows in one order.
 */
async function held (world: World): Promise<Held> {
  const tables = Object.entries(await contents(world.opened))
  return Object.fromEntries(tables.map(([table, rows]) =>
    [table, rows.map(plainRow).sort((one, other) => JSON.stringify(one) < JSON.stringify(other) ? -1 : 1)]))
}

function plainRow (row: Record<string, unknown>): Record<string, unknown> {
  const known = Object.entries(row).filter(([, value]) => value !== null && value !== undefined)
  return Object.fromEntries(
    known.sort(([one], [other]) => one < other ? -1 : 1).map(([name, value]) => [name, plainValue(value)])
  )
}

function plainValue (value: unknown): unknown {
  if (typeof value === 'boolean' || typeof value === 'bigint') return Number(value)
  return typeof value === 'object' ? JSON.stringify(value) : value
}

const tell = (kind: string, sent: Sent, problem: string, ...facts: readonly unknown[]) =>
  new Error(`${kind}: ${sent.method} ${sent.url} ${JSON.stringify(sent.headers)} ${(sent.body ?? '').slice(0,
    2000)}\n${problem}\n${facts.map(fact => JSON.stringify(fact)).join('\n')}`)

function sameOrThrow (kind: string, sent: Sent, problem: string, one: unknown, other: unknown): void {
  if (!isDeepStrictEqual(one, other)) throw tell(kind, sent, problem, one, other)
}

/** The tables that are not as they were. */
const changes = (before: Held, after: Held) => Object.fromEntries(Object.keys(before).filter(table =>
  !isDeepStrictEqual(before[table], after[table])).map(table => [table, [before[table], after[table]]]))

test('no request that writes is answered with a fault, and one that is refused changes nothing', async t => {
  await fc.assert(fc.asyncProperty(requests, sent => inWorlds(async worlds => {
    for (const one of sent) for (const world of worlds) await sendSoundly(world, one)
  })), { numRuns: runs, examples })
  t.pass(`${runs} sequences of requests`)
})

async function sendSoundly (world: World, sent: Sent): Promise<void> {
  const before = await held(world)
  const answer = await send(world, sent)
  if (answer.status >= 500) throw tell(world.opened.kind, sent, 'a fault', answer)
  if (answer.status >= 400) {
    sameOrThrow(world.opened.kind, sent, 'refused, but changed', {}, changes(before, await held(world)))
  }
}

test('requests that write are answered alike on every source, and leave the same data', async t => {
  await fc.assert(fc.asyncProperty(requests, sent => inWorlds(async ([memory, ...others]) => {
    if (memory === undefined) return
    for (const one of sent) {
      const before = drawn
      const expected = await send(memory, one)
      for (const other of others) {
        drawn = before
        sameOrThrow(other.opened.kind, one, 'answered unlike memory', expected, await send(other, one))
        sameOrThrow(other.opened.kind, one, 'holds what memory does not', {},
          changes(await held(memory), await held(other)))
      }
    }
  })), { numRuns: runs, examples })
  t.pass(`${runs} sequences of requests`)
})

test('whatever was written before, an item can be sent back as it is got, and then nothing changes', async t => {
  await fc.assert(fc.asyncProperty(requests, sent => inWorlds(async worlds => {
    for (const world of worlds) {
      for (const one of sent) await send(world, one)
      for (const url of await urlsOf(world)) await sendBack(world, url, sent)
    }
  })), { numRuns: Math.ceil(runs / 3), examples })
  t.pass(`${runs} sequences of requests`)
})

/** Where the items are: in their collections, and below those that they belong to. */
async function urlsOf ({ opened }: World): Promise<readonly string[]> {
  const rows = await contents(opened)
  const ids = (table: Name) => (rows[table] ?? []).map(row => `/${table}/by_id/${String(row['id'])}`)
  const nested = (rows['artists'] ?? []).flatMap(({ id, labelId }) => labelId === null || labelId === undefined
    ? []
    : [`/labels/by_id/${String(labelId)}/artists/by_id/${String(id)}`, `/artists/by_id/${String(id)}/label`])
  const joined = (rows['album_tracks'] ??
    []).map(({ albumId, trackId }) => `/albums/${String(albumId)}/tracks/by_id/${String(trackId)}`)
  return [...ids('labels'), ...ids('artists'), ...ids('albums'), ...ids('tracks'), ...nested, ...joined]
}

async function sendBack (world: World, url: string, earlier: readonly Sent[]): Promise<void> {
  const got = await world.app.inject(url)
  const sent: Sent = { method: 'PUT', url, body: got.body, headers: {} }
  const before = await held(world)
  const answer = await send(world, sent)
  if (got.statusCode !== 200 || answer.status !== 200) {
    throw tell(world.opened.kind, sent, 'not taken back', answer, earlier)
  }
  sameOrThrow(world.opened.kind, sent, 'changed by what it was', {},
    changes(unversioned(before), unversioned(await held(world))))
}

/** A version counts writes, whether or not they change anything. */
const unversioned = (all: Held): Held =>
  ({ ...all, albums: (all['albums'] ?? []).map(({ version: _version, ...row }) => row) })
