import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify'
import Fastify from './fastify.ts'
import { isDeepStrictEqual } from 'node:util'
import tap, { type Test, test } from 'tap'
import dataApi, { type DataApiOptions } from '../../lib/index.ts'
import { collections as music, tables as musicTables } from '../fixtures/music.ts'
import { everybody } from './everybody.ts'
import { type Collections, type Opened, openers, type Tables } from './sources.ts'

/** Declarations and the tables that they are over. `ddl`: statements that create the tables. */
export interface World {
  readonly collections: Collections
  readonly tables: Tables
  readonly ddl?: string
  /** Returns further options, which are of the source. */
  readonly options?: (source: Opened['source']) => Options
  /** True where tests add routes, which an application that runs takes no more: each test has one of its own. */
  readonly unshared?: true
}

/** The functions that a test is given, all over one source. */
export interface Tools {
  readonly t: Test
  readonly app: FastifyInstance
  readonly opened: Opened
  get (url: string, headers?: Record<string, string>): Promise<LightMyRequestResponse>
  request (options: InjectOptions): Promise<LightMyRequestResponse>
  /** Sends a request with a body as JSON; without a body where it is undefined. */
  send (
    method: 'POST' | 'PUT' | 'PATCH' | 'DELETE', url: string, body?: unknown, headers?: Record<string, string>
  ): Promise<LightMyRequestResponse>
  /** Asserts the status, the body and the given headers of a response. */
  same (
    response: LightMyRequestResponse, status: number, body: unknown, headers?: Record<string, string | undefined>
  ): void
}

type Options = Omit<DataApiOptions, 'collections'>

const musicWorld: World = { collections: music, tables: musicTables }

/**
 * Runs a test of the contract on each kind of source, by default over the fixture music.ts. Tests share an application
 * with those before them. After a write the rows are what they were; after a test that took `app` or a
 * source, with which it can do anything, all is opened anew.
 */
export function everySource (
  name: string, run: (tools: Tools) => Promise<void>, options: Options = {}, world: World = musicWorld
): void {
  for (const kind of Object.keys(openers) as Kind[]) {
    test(`${name} (${kind})`, async t => {
      const shared = await openShared(kind, world, options)
      try {
        await run(toolsOf(t, shared))
      } finally {
        await restore(shared)
      }
    })
  }
}

type Kind = keyof typeof openers

/** What tests share. */
interface Shared {
  readonly app: FastifyInstance
  readonly opened: Opened
  readonly world: World
  readonly options: Options
  /** Has it been written to? */
  isWritten: boolean
  isTaken: boolean
}

// Those of each kind, the one that was used last first. Tests that write, alone and in a batch, take turns.
const shares = new Map<Kind, readonly Shared[]>()
const mostOfAKind = 4

tap.teardown(async () => { for (const shared of [...shares.values()].flat()) await closeShared(shared) })

async function openShared (kind: Kind, world: World, options: Options): Promise<Shared> {
  const all = shares.get(kind) ?? []
  const known = all.find(one => one.world === world && isDeepStrictEqual(one.options, options))
  if (known !== undefined) {
    shares.set(kind, [known, ...all.filter(one => one !== known)])
    return known
  }
  for (const old of all.slice(mostOfAKind - 1)) await closeShared(old)
  const opened = await openers[kind](world.tables, world.ddl)
  const app = Fastify()
  const shared = { app, opened, world, options, isWritten: false, isTaken: false }
  shares.set(kind, [shared, ...shares.get(kind) ?? []])
  await app.register(dataApi, {
    rules: everybody, ...options, ...world.options?.(opened.source), collections: world.collections(opened.source)
  })
  return shared
}

async function closeShared (shared: Shared): Promise<void> {
  const { app, opened } = shared
  shares.set(opened.kind, (shares.get(opened.kind) ?? []).filter(one => one !== shared))
  await app.close()
  await opened.close()
}

/** Undoes what a test has done. */
async function restore (shared: Shared): Promise<void> {
  const { isWritten, isTaken, opened: { reset } } = shared
  shared.isWritten = false
  if (isTaken || shared.world.unshared === true || (isWritten && reset === undefined)) await closeShared(shared)
  else if (isWritten) await reset?.()
}

function toolsOf (t: Test, shared: Shared): Tools {
  const taken = () => {
    shared.isTaken = true
    return shared
  }
  const written = () => {
    shared.isWritten = true
    return shared
  }
  return {
    t,
    get app () { return taken().app },
    opened: openedOf(shared, taken, written),
    get: (url, headers = {}) => shared.app.inject({ url, headers }),
    request: options => (reading.has(options.method ?? 'GET') ? shared : written()).app.inject(options),
    send: (...args) => send(written().app, ...args),
    same: (...args) => { same(t, ...args) }
  }
}

/** What a test does without the API. To look at rows changes nothing. */
const openedOf = (shared: Shared, taken: () => Shared, written: () => Shared): Opened => ({
  kind: shared.opened.kind,
  rows: table => shared.opened.rows(table),
  insert: (table, row) => written().opened.insert(table, row),
  remove: (table, id) => written().opened.remove(table, id),
  source: table => taken().opened.source(table),
  close: () => taken().opened.close()
})

const reading: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'QUERY'])

function send (
  app: FastifyInstance, method: 'POST' | 'PUT' | 'PATCH' | 'DELETE', url: string, body?: unknown,
  headers: Record<string, string> = {}
) {
  return app.inject({
    method,
    url,
    headers: { ...body !== undefined && { 'content-type': 'application/json' }, ...headers },
    ...body !== undefined && { payload: JSON.stringify(body) }
  })
}

function same (
  t: Test, response: LightMyRequestResponse, status: number, body: unknown,
  headers: Record<string, string | undefined> = {}
): void {
  const got = {
    status: response.statusCode,
    body: bodyOf(response),
    headers: Object.fromEntries(Object.keys(headers).map(name => [name, response.headers[name]]))
  }
  t.strictSame(got, { status, body, headers })
}

function bodyOf ({ body, headers }: LightMyRequestResponse): unknown {
  return body !== '' && String(headers['content-type']).includes('json') &&
    !String(headers['content-type']).includes('ndjson')
    ? JSON.parse(body)
    : body
}
