import { CamelCasePlugin, type Dialect, Kysely, PostgresDialect } from 'kysely'
import { PostgresJSDialect } from 'kysely-postgres-js'
import { readFileSync } from 'node:fs'
import pg from 'pg'
import postgresJs from 'postgres'
import tap from 'tap'
import {
  type Declared, kysely, memory, postgres, sqlite, type TableDefinition, type TableOptions
} from '../../lib/index.ts'
import type { DataSource as Source } from '../../lib/core/sources/source.ts'
import { memoizeRecent } from '../../lib/core/scheduling/memoize.ts'
import { withoutPostgres } from './on-postgres.ts'

export type Tables = Readonly<Record<string, ReadonlyArray<Record<string, unknown>>>>

/** A source of one kind over the tables of a test; the same declarations can be served over each kind. */
export interface Opened {
  readonly kind: 'memory' | 'sqlite' | 'postgres'
  source (table: string): Source
  /** Adds a row to a table, without the API. */
  insert (table: string, row: Record<string, unknown>): void | Promise<void>
  remove (table: string, id: number): void | Promise<void>
  /** Returns the current rows of a table. */
  rows (table: string): ReadonlyArray<Record<string, unknown>> | Promise<ReadonlyArray<Record<string, unknown>>>
  /** Gives the tables their first rows again. Where there is none, to open them anew is as fast. */
  reset? (): Promise<void>
  close (): void | Promise<void>
}

/**
 * Opens a source over tables with rows. `ddl`: statements that create the tables; where it is undefined, the types
 * of the columns follow from the rows. In `ddl`, `key` is an integer with the next key as its default, and `boolean`,
 * `decimal`, `json`, `real` and `strict` become the types and options of the database.
 */
export type Opener = (tables: Tables, ddl?: string) => Opened | Promise<Opened>

/** True for statements that read SQLite's catalog: at the start, once for each table, and to see migrations. */
export const isOfCatalog = (text: string) => /pragma_|sqlite_schema|^explain |schema_version$/.test(text)

export type Collections = (source: Opened['source']) => Record<string, Declared>

/** Converts a test's `ddl` to SQLite's dialect. */
export const sqliteDdl = (ddl: string) => ddl.replaceAll(/(?<!primary |, )\bkey\b(?! \(| text)/g, 'integer primary key')
  .replaceAll(/\bboolean\b/g, 'integer')
  .replaceAll(/\bdecimal\b/g, 'text')
  .replaceAll(/\bjson\b|\btimestamptz\b/g, 'text')
export const postgresDdl = (ddl: string) => nextKey + ddl
  .replaceAll(/create table (\w+) \((\s*)id key\b/g, "create table $1 ($2id bigint primary key default next_key('$1')")
  .replaceAll(/\binteger\b/g, 'bigint')
  .replaceAll(/\breal\b/g, 'double precision')
  .replaceAll(/\) strict\b/g, ')')

// An identity column counts refused inserts as well, and so would give other keys than the other sources.
const nextKey = `create function next_key (tbl text) returns bigint language plpgsql as $$
declare n bigint; begin execute format('select coalesce(max(id), 0) + 1 from %I', tbl) into n; return n; end $$;
`

function openMemory (tables: Tables) {
  // Copies, because a test may change its rows.
  const rows = Object.fromEntries(Object.entries(tables)
    .map(([name, table]) => [name, table.map(row => structuredClone({ ...row }))]))
  const rowsOf = (table: string) => rows[table] ?? []
  return {
    kind: 'memory' as const,
    // A busy machine may take longer than the limit.
    source: (table: string) => memory(rowsOf(table), { joins: rows, statementTimeout: 0 }),
    insert (table: string, row: Record<string, unknown>) { rowsOf(table).push({ ...row }) },
    remove (table: string, id: number) {
      const at = rowsOf(table).findIndex(row => row['id'] === id)
      if (at >= 0) rowsOf(table).splice(at, 1)
    },
    rows: (table: string) => structuredClone(rowsOf(table)),
    close () {}
  }
}

function openSqlite (tables: Tables, ddl?: string) {
  const db = sqlite(':memory:', { check: checkOf(ddl) })
  const insert = (table: string, row: Record<string, unknown>) => {
    const values = Object.values(row).map(bound)
    const names = Object.keys(row).map(quote).join(', ')
    const places = values.map(() => '?').join(', ')
    db.driver.prepare(`insert into ${quote(table)} (${names}) values (${places})`).run(...values)
  }
  if (ddl !== undefined) db.exec(sqliteDdl(ddl))
  for (const [name, rows] of Object.entries(tables)) {
    if (ddl === undefined) db.exec(`create table ${quote(name)} (${columnsOf(rows).join(', ')}) strict`)
    db.exec('begin')
    for (const row of rows) insert(name, row)
    db.exec('commit')
  }
  return {
    kind: 'sqlite' as const,
    source: (table: string) => db.table(table),
    insert,
    remove (table: string, id: number) { db.driver.prepare(`delete from ${quote(table)} where id = ?`).run(id) },
    rows: (table: string) => db.driver.prepare(`select * from ${quote(table)} order by 1, 2`)
      .all() as Array<Record<string, unknown>>,
    close () { db.close() }
  }
}

function bound (value: unknown): unknown {
  if (typeof value === 'boolean') return Number(value)
  // A driver of SQLite binds a number below 1e-14 as 0. A column of numbers makes one of the text.
  if (typeof value === 'number' && Math.abs(value) < 1e-13) return String(value)
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : value ?? null
}

const quote = (name: string) => `"${name.replaceAll('"', '""')}"`

function columnsOf (rows: ReadonlyArray<Record<string, unknown>>): readonly string[] {
  const names = new Set(rows.flatMap(row => Object.keys(row)))
  return [...names].map(name =>
    `${quote(name)} ${typeOf(rows.map(row => row[name]))}${name === 'id' ? ' primary key' : ''}`
  )
}

function typeOf (values: readonly unknown[]): 'integer' | 'real' | 'text' {
  const known = values.filter(value => value !== null && value !== undefined)
  if (known.every(value => Number.isInteger(value) || typeof value === 'boolean')) return 'integer'
  return known.every(value => typeof value === 'number') ? 'real' : 'text'
}

/** Returns the URL of the PostgreSQL server: DATABASE_URL, or the server that was started for the run. */
export const serverUrl = (): string =>
  process.env['DATABASE_URL'] ?? (JSON.parse(readFileSync(
    new URL('../../.tap/postgres.json', import.meta.url), 'utf8'
  )) as { url: string }).url

/** Returns the openers that need PostgreSQL; an empty object in a run without PostgreSQL. */
const onPostgres = <T extends Record<string, Opener>>(those: T): T => (withoutPostgres ? {} : those) as T

let schemas = 0

// Has columns count from their starts again.
const restarting = `select setval(s.seqrelid, s.seqstart, false) from pg_sequence s
  join pg_class c on c.oid = s.seqrelid where c.relnamespace = current_schema()::regnamespace`

// The schemas that no test uses any more, by the script that made their tables.
const unused = new Map<string, string[]>()

tap.teardown(async () => {
  // The server of the run is thrown away.
  if (process.env['DATABASE_URL'] === undefined) return
  for (const schema of [...unused.values()].flat()) await runOnServer(schema, `drop schema ${schema} cascade`)
})

// Parsers that give big integers as numbers and dates as texts, as the other sources do.
const plainTypes = {
  getTypeParser: (oid: number) => [20, 23].includes(oid)
    ? Number
    : [1082, 1114, 1184].includes(oid) ? String : pg.types.getTypeParser(oid)
}

interface Client {
  readonly table: (name: string | TableDefinition, options?: TableOptions) => Source
  close (): Promise<void>
}

/** Tables that are made of rows alone have none of the constraints that declarations need. */
const checkOf = (ddl: string | undefined) => ddl === undefined ? 'off' : 'error'

/** Connects to a schema of PostgreSQL with at most `max` connections. */
export type Connect = (to: {
  readonly url: string
  readonly schema: string
  readonly max: number
  readonly check?: 'error' | 'off'
}) => Client

const poolOf = memoizeRecent((connectionString: string) =>
  new pg.Pool({ connectionString, max: 1, allowExitOnIdle: true }), { most: 10 })

/**
 * Runs a statement of a test's own on the server, in a schema. One connection has them all: a new one takes 30 ms of
 * CPU time on the server, and tables take twice as long to create on it.
 */
export async function runOnServer<R extends pg.QueryResultRow> (
  schema: string, query: string | pg.QueryConfig, values: unknown[] = [], server = serverUrl()
): Promise<readonly R[]> {
  const client = await poolOf(server).connect()
  try {
    await client.query(`set search_path to ${schema}`)
    return (await client.query<R>(query, values.length === 0 ? undefined : values)).rows
  } finally {
    client.release()
  }
}

/** Gives each test a schema, which is faster than a database and just as separate. */
const postgresOpener = (connect: Connect) => async (tables: Tables, ddl?: string) => {
  const script = ddl === undefined ? scriptOf(tables) : postgresDdl(ddl)
  const used = unused.get(script)?.pop()
  const schema = used ?? `test_${process.pid}_${schemas++}`
  const query = <R extends pg.QueryResultRow>(...statement: [text: string | pg.QueryConfig, values?: unknown[]]) =>
    runOnServer<R>(schema, ...statement)
  const insertAll = async (table: string, rows: ReadonlyArray<Record<string, unknown>>) => {
    const columns = [...new Set(rows.flatMap(row => Object.keys(row)))].map(quote).join(', ')
    const into = `insert into ${quote(table)} (${columns})`
    const statement = `${into} select ${columns} from json_populate_recordset(null::${quote(table)}, $1)`
    for (let start = 0; start < rows.length; start += 5000) {
      await query(statement, [JSON.stringify(rows.slice(start, start + 5000))])
    }
  }
  const fill = async () => { for (const [name, rows] of Object.entries(tables)) await insertAll(name, rows) }
  /** Tables and connections stay, whose making is most of what a test costs the server. */
  const reset = async () => {
    const all = await query<{ name: string }>('select tablename as name from pg_tables where schemaname = $1', [schema])
    const deletions = all.map(({ name }) => `delete from ${quote(name)}`)
    // No trigger runs, and no foreign key is checked.
    await query([
      'set session_replication_role = replica', ...deletions, 'reset session_replication_role', restarting
    ].join('; '))
    await fill()
  }
  if (used === undefined) {
    await query(`create schema ${schema}`)
    await query(script)
    await fill()
  } else await reset()
  const client = connect({ url: serverUrl(), schema, max: 4, check: checkOf(ddl) })
  return {
    kind: 'postgres' as const,
    source: client.table,
    insert: (table: string, row: Record<string, unknown>) => insertAll(table, [row]),
    remove: async (table: string, id: number) => {
      await query(`delete from ${quote(table)} where id = $1`, [id])
    },
    rows: async (table: string) => query<Record<string, unknown>>({
      text: `select * from ${quote(table)} order by 1, 2`,
      types: plainTypes
    }),
    reset,
    close: async () => {
      await client.close()
      unused.set(script, [...unused.get(script) ?? [], schema])
    }
  }
}

// In milliseconds. On a slow machine a hundred requests that race for a few connections take longer than the default
// of 5 seconds, and a test's own timeout ends a test that hangs.
export const connectionTimeout = 240_000

export const connectPostgres: Connect = ({ url, schema, max, check = 'error' }) => {
  const driver = { options: `-c search_path=${schema}` }
  const db = postgres({ connectionString: url, max, connectionTimeout, check, driver })
  return { table: (name, options) => db.table(name, options), close: () => db.close() }
}

export const connectKysely: Connect = ({ url, schema, max, check }) => overKysely(new PostgresDialect({
  pool: new pg.Pool({ connectionString: url, max, options: `-c search_path=${schema}` })
}), check)
export const connectKyselyJs: Connect = ({ url, schema, max, check }) => overKysely(new PostgresJSDialect({
  postgres: postgresJs(url, { max, connection: { search_path: schema }, onnotice: () => {} })
}), check)

function overKysely (dialect: Dialect, check: 'error' | 'off' = 'error'): Client {
  const instance = new Kysely<unknown>({ dialect, plugins: [new CamelCasePlugin()] })
  const db = kysely(instance, { check })
  return { table: (name, options) => db.table(name, options), close: () => instance.destroy() }
}

/** Kysely as applications use it, with drivers that convert values, and with a plugin that renames columns. */
export const kyselyOpeners = onPostgres({
  'kysely over pg': postgresOpener(connectKysely),
  'kysely over postgres.js': postgresOpener(connectKyselyJs)
})

const scriptOf = (tables: Tables) => Object.entries(tables)
  .map(([name, rows]) => `create table ${quote(name)} (${postgresColumns(rows).join(', ')})`).join('; ')

function postgresColumns (rows: ReadonlyArray<Record<string, unknown>>): readonly string[] {
  const names = new Set(rows.flatMap(row => Object.keys(row)))
  return [...names].map(name =>
    `${quote(name)} ${postgresType(rows.map(row => row[name]))}${name === 'id' ? ' primary key' : ''}`
  )
}

function postgresType (values: readonly unknown[]): string {
  const known = values.filter(value => value !== null && value !== undefined)
  if (known.length > 0 && known.every(value => typeof value === 'boolean')) return 'boolean'
  const type = typeOf(values)
  return type === 'real' ? 'double precision' : type === 'integer' ? 'bigint' : type
}

/** The openers of all kinds of source that the tests run on. */
export const openers = {
  memory: openMemory,
  sqlite: openSqlite,
  ...onPostgres({ postgres: postgresOpener(connectPostgres) })
} as const
