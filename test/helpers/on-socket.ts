import Fastify, { type FastifyInstance } from 'fastify'
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'
import dataApi, { type DataApiOptions, type SqliteDatabase, sqlite } from '../../lib/index.ts'
import { ddl } from '../fixtures/shop.ts'
import { type Collections, type Opened, openers, sqliteDdl } from './sources.ts'

export interface Answer { readonly status: number, readonly body: unknown, readonly etag: string }
export type Send = (method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>) => Promise<Answer>

/** What holds the shop's data, none of it there yet. */
export interface Store { source: Opened['source'], rows (table: string): ReadonlyArray<Record<string, unknown>>, close (): void }
export type StoreKind = 'memory' | 'sqlite file' | 'sqlite :memory:'

export function openStore (kind: StoreKind, t: Test): Store {
  if (kind === 'memory') return openers.memory({ labels: [], artists: [], albums: [], tracks: [], album_tracks: [] })
  return storeOf(openShop(kind === 'sqlite file' ? fileFor(t) : ':memory:'))
}

/** A path for a database, removed when the test is over. */
export function fileFor (t: Pick<Test, 'teardown'>): string {
  const folder = mkdtempSync(join(tmpdir(), 'data-api-'))
  t.teardown(() => { rmSync(folder, { recursive: true }) })
  return join(folder, 'shop.db')
}

/** A new database with the shop's tables. */
export function openShop (file: string): SqliteDatabase {
  const db = sqlite(file)
  db.exec(sqliteDdl(ddl))
  return db
}

const storeOf = (db: SqliteDatabase): Store => ({
  source: table => db.table(table),
  rows: table => db.driver.prepare(`select * from ${table} order by 1, 2`).all() as ReturnType<Store['rows']>,
  close () { db.close() }
})

export interface Served { readonly app: FastifyInstance, readonly port: number, readonly send: Send, close (): Promise<void> }

/** Serves collections on a socket. `logged` takes what is logged of errors. */
export async function serve (collections: Collections, store: Store, options: Omit<DataApiOptions, 'collections'>, logged: string[] = []): Promise<Served> {
  const app = Fastify({ forceCloseConnections: true, logger: { level: 'error', stream: { write (line: string) { logged.push(line) } } } })
  await app.register(dataApi, { ...options, collections: collections(store.source) })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  const close = async () => {
    await app.close()
    store.close()
  }
  return { app, port, send: sendTo(port), close }
}

export interface Child { readonly process: ChildProcess, readonly send: Send, stop (): Promise<void> }

/** Serves the shop's file from a process of its own. */
export async function serveElsewhere (file: string): Promise<Child> {
  const child = fork(new URL('child-server.ts', import.meta.url), [file], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  const [port] = await Promise.race([once(child, 'message'), once(child, 'exit').then(() => { throw new Error('the child ended before it served') })]) as [number]
  const stop = async () => {
    child.disconnect()
    await once(child, 'exit')
  }
  return { process: child, send: sendTo(port), stop }
}

function sendTo (port: number): Send {
  return async (method, path, body, headers = {}) => {
    const content = body === undefined ? {} : { body: JSON.stringify(body) }
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { method, headers: { ...body !== undefined && { 'content-type': 'application/json' }, ...headers }, ...content })
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.startsWith('application/json') === true
    return { status: response.status, body: isJson ? JSON.parse(text) as unknown : text, etag: response.headers.get('etag') ?? '' }
  }
}

/** How many times each status was answered. */
export function tally (answers: readonly Answer[]): Record<number, number> {
  const counts: Record<number, number> = {}
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

export const times = <T>(count: number, make: (n: number) => T): T[] => Array.from({ length: count }, (_, n) => make(n))
