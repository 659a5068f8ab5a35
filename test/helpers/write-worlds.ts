import { isDeepStrictEqual } from 'node:util'
import type { FastifyInstance, InjectOptions } from 'fastify'
import dataApi, { type DataApiOptions } from '../../lib/index.ts'
import { collections, contents, ddl, tables } from '../fixtures/shop.ts'
import type { Sent } from './arbitrary-writes.ts'
import Fastify from './fastify.ts'
import { type Opened, openers } from './sources.ts'

/** Calls a function with a fresh world of each source, memory first, and closes them. */
export async function inWorlds (
  use: (worlds: readonly World[]) => Promise<void>,
  requestStrategies: Strategies = { upsert: true, delete: true },
  imports = false
): Promise<void> {
  const worlds = await openWorlds(requestStrategies, imports)
  try {
    await use(worlds)
  } finally {
    for (const { app, opened } of worlds) {
      await app.close()
      await opened.close()
    }
  }
}

type Strategies = NonNullable<DataApiOptions['requestStrategies']>

/** A source that holds the shop, and an API that serves it. */
export interface World { readonly app: FastifyInstance, readonly opened: Opened }

async function openWorlds (
  requestStrategies: Strategies, imports: boolean
): Promise<readonly World[]> {
  return Promise.all(Object.values(openers).map(async open => {
    const opened = await open(tables, ddl)
    const app = Fastify()
    await app.register(dataApi, { collections: collections(opened.source), requestStrategies, imports })
    return { app, opened }
  }))
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
