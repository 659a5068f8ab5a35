import { isDeepStrictEqual } from 'node:util'
import type { FastifyInstance, InjectOptions } from 'fastify'
import tap from 'tap'
import dataApi, { type DataApiOptions } from '../../lib/index.ts'
import { collections, contents, ddl, tables } from '../fixtures/shop.ts'
import type { Sent } from './arbitrary-writes.ts'
import Fastify from './fastify.ts'
import { type Opened, openers } from './sources.ts'

/** Calls a function with a world of each source, memory first, that holds what the fixture holds. */
export async function inWorlds (
  use: (worlds: readonly World[]) => Promise<void>,
  requestStrategies: Strategies = { upsert: true, delete: true },
  imports = false
): Promise<void> {
  const options = { requestStrategies, imports }
  const worlds = await Promise.all(kinds.map(kind => takeWorld(kind, options)))
  try {
    await use(worlds)
  } catch (error) {
    await Promise.all(worlds.map(close))
    throw error
  }
  await Promise.all(worlds.map((world, index) => giveBack(world, kinds[index], options)))
}

type Strategies = NonNullable<DataApiOptions['requestStrategies']>

/** A source that holds the shop, and an API that serves it. */
export interface World { readonly app: FastifyInstance, readonly opened: Opened }

const kinds = Object.keys(openers) as Kind[]

type Kind = keyof typeof openers

interface Options { readonly requestStrategies: Strategies, readonly imports: boolean }

// Tables and connections stay where rows can be reset: to make them anew takes most of a case's time.
const free = new Map<string, World[]>()

tap.teardown(() => Promise.all([...free.values()].flat().map(close)))

const nameOf = (kind: Kind | undefined, options: Options) => JSON.stringify([kind, options])

async function takeWorld (kind: Kind, options: Options): Promise<World> {
  const world = free.get(nameOf(kind, options))?.pop()
  if (world !== undefined) return world
  const opened = await openers[kind](tables, ddl)
  const app = Fastify()
  await app.register(dataApi, { collections: collections(opened.source), ...options })
  return { app, opened }
}

async function giveBack (world: World, kind: Kind | undefined, options: Options): Promise<void> {
  if (world.opened.reset === undefined) return close(world)
  await world.opened.reset()
  const name = nameOf(kind, options)
  free.set(name, [...free.get(name) ?? [], world])
}

async function close ({ app, opened }: World): Promise<void> {
  await app.close()
  await opened.close()
}

/** Sends a request to a world. */
export async function send ({ app }: World, { method, url, body, headers }: Sent): Promise<Answer> {
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

interface Answer { readonly status: number, readonly body: string, readonly location: unknown, readonly etag: unknown }

/**
 * All that a source holds, in one form for all sources: no nulls, booleans as numbers, JSON as text, rows in one order.
 */
export async function held (world: World): Promise<Held> {
  const tables = Object.entries(await contents(world.opened))
  return Object.fromEntries(tables.map(([table, rows]) =>
    [table, rows.map(plainRow).sort((one, other) => JSON.stringify(one) < JSON.stringify(other) ? -1 : 1)]))
}

export type Held = Readonly<Record<string, ReadonlyArray<Record<string, unknown>>>>

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

/** Returns the tables that are not as they were. */
export const changes = (before: Held, after: Held) => Object.fromEntries(Object.keys(before).filter(table =>
  !isDeepStrictEqual(before[table], after[table])).map(table => [table, [before[table], after[table]]]))

/** Throws an error that tells the request, if two facts differ. */
export function sameOrThrow (kind: string, sent: Sent, problem: string, one: unknown, other: unknown): void {
  if (!isDeepStrictEqual(one, other)) throw tell(kind, sent, problem, one, other)
}

/** Returns an error that tells a request and what is wrong with its answer. */
export const tell = (kind: string, sent: Sent, problem: string, ...facts: readonly unknown[]) =>
  new Error(`${kind}: ${sent.method} ${sent.url} ${JSON.stringify(sent.headers)} ${(sent.body ?? '').slice(0,
    2000)}\n${problem}\n${facts.map(fact => JSON.stringify(fact)).join('\n')}`)
