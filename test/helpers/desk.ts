import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { type Test, test } from 'tap'
import { buildDesk, type DeskOptions } from '../../examples/desk/app.ts'
import { type Database, openDatabase } from '../../examples/desk/database.ts'
import { seed } from '../../examples/desk/seed.ts'
import { withoutPostgres } from './on-postgres.ts'
import { serverUrl } from './sources.ts'

// examples/desk, seeded, for tests. It imports the package by its name: the package must be built.

export const password = 'correct horse battery'

type Name = 'ada' | 'bob' | 'cy' | 'eve' | 'finn'

export interface Desk {
  readonly app: FastifyInstance
  readonly db: Database
  /** The folder of attached files. */
  readonly files: string
  /** Logs a person in, and returns the token. */
  login (name: Name): Promise<string>
  /** Sends a request as a person, who is logged in at the first one; without a token where the name is ''. */
  ask (name: Name | '', url: string, options?: Omit<InjectOptions, 'url'>): Promise<LightMyRequestResponse>
}

type Kind = Database['dialect']

/** Runs a test on each database. */
export function onEachDatabase (name: string, run: (t: Test, kind: Kind) => Promise<void>): void {
  for (const kind of ['sqlite', 'postgres'] as const) {
    test(`${name} (${kind})`, { skip: kind === 'postgres' && withoutPostgres && 'WITHOUT_POSTGRES=1' },
      t => run(t, kind))
  }
}

let databases = 0

/** Returns where an empty database is, which goes with the test. */
export async function makePlace (t: Test, kind: Kind): Promise<string> {
  if (kind === 'sqlite') return ':memory:'
  const url = new URL(serverUrl())
  const name = `desk_${process.pid}_${databases++}`
  const run = async (statement: string) => {
    const client = new pg.Client({ connectionString: serverUrl() })
    await client.connect()
    await client.query(statement).finally(() => client.end())
  }
  await run(`create database ${name}`)
  t.teardown(() => run(`drop database ${name} with (force)`))
  url.pathname = `/${name}`
  return url.href
}

/** Opens the desk with the people, customers and tickets of its seed. */
export async function openDesk (t: Test, kind: Kind, options: Partial<DeskOptions> = {}): Promise<Desk> {
  const db = openDatabase(await makePlace(t, kind))
  await db.createTables()
  const files = await mkdtemp(join(tmpdir(), 'desk-'))
  const app = await buildDesk({
    database: db, files, secret: 'a secret of the tests', origin: 'https://desk.example.org', requests: 1e6, ...options
  })
  t.teardown(async () => {
    await app.close()
    await rm(files, { recursive: true })
  })
  await seed(app, password)
  const login = async (name: Name) => {
    const email = `${name}@${['eve', 'finn'].includes(name) ? 'bolt' : 'acme'}.example`
    const answer = await app.inject({ method: 'POST', url: '/login', payload: { email, password } })
    return answer.json<{ token: string }>().token
  }
  const tokens = new Map<string, Promise<string>>()
  const ask: Desk['ask'] = async (name, url, { headers, ...options } = {}) => {
    if (name === '') return app.inject({ url, headers: { ...headers }, ...options })
    const token = tokens.get(name) ?? login(name)
    tokens.set(name, token)
    return app.inject({ url, headers: { authorization: `Bearer ${await token}`, ...headers }, ...options })
  }
  return { app, db, files, login, ask }
}
