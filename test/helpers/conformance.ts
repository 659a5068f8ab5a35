import type { Column, Open, Table, TableReference } from '../../lib/tools/testing/conformance/index.ts'
import type { PGlite } from '@electric-sql/pglite'
import { Kysely } from 'kysely'
import { join } from 'node:path'
import { kysely, sqlite } from '../../lib/index.ts'
import type { SqliteDatabase } from '../../lib/core/sources/sql/sqlite/sqlite.ts'
import { createPGlite, PGliteDialect } from './pglite.ts'
import { type Connect, connectKysely, connectKyselyJs, connectPostgres, runOnServer, serverUrl } from './sources.ts'

// Functions that create the conformance suite's tables in each database.

const quote = (name: string) => `"${name.replaceAll('"', '""')}"`

function ddl (
  { name, columns, primaryKey, references = [] }: Table, typeOf: (column: Column, place: number) => string,
  defaultOf: (column: Column) => string, suffix: string
): string {
  const lines = columns.map((column, place) =>
    `${quote(column.name)} ${typeOf(column, place)}${defaultOf(column)}${constraintsOf(column)}`)
  const key = primaryKey.length > 0 ? [`primary key (${list(primaryKey)})`] : []
  return `create table ${quote(name)} (${[...lines, ...key, ...references.map(foreignKey)].join(', ')})${suffix}`
}

const list = (names: readonly string[]) => names.map(quote).join(', ')

const foreignKey = ({ columns, table, otherColumns, cascade }: TableReference) => [
  `foreign key (${list(columns)}) references ${quote(table)} (${list(otherColumns)})`,
  ...cascade ? ['on delete cascade'] : []
].join(' ')

function constraintsOf ({ nullable, unique, references }: Column): string {
  const own = `${nullable ? '' : ' not null'}${unique ? ' unique' : ''}`
  if (references === undefined) return own
  const { table, column, cascade } = references
  return `${own} references ${quote(table)} (${quote(column)})${cascade ? ' on delete cascade' : ''}`
}

const sqliteTypes = {
  key: 'integer',
  text: 'text',
  integer: 'integer',
  number: 'real',
  real: 'real',
  numeric: 'real',
  int64: 'integer',
  decimal: 'text',
  byte: 'blob',
  boolean: 'integer',
  date: 'text',
  'date-time': 'text',
  time: 'text',
  uuid: 'text',
  json: 'text'
} as const

function toSqlite (value: unknown, { kind }: Column): unknown {
  if (value === null) return null
  switch (kind) {
    case 'json': return JSON.stringify(value)
    case 'boolean': return Number(value)
    case 'byte': return Buffer.from(String(value), 'base64')
    case 'key':
    case 'integer':
    case 'int64': return BigInt(String(value))
    case 'number':
    case 'real':
    case 'numeric':
      // SQLite has no NaN. @photostructure/sqlite binds numbers close to zero as the integer 0.
      return value === 0 || /^-?Infinity$/.test(String(value)) ? Number(value) : String(value)
    default: return value
  }
}

function sqliteDefault (column: Column): string {
  if (column.default === undefined) return ''
  const value = toSqlite(column.default, column)
  if (value === null) return ' default null'
  if (Buffer.isBuffer(value)) return ` default x'${value.toString('hex')}'`
  return ` default ${typeof value === 'string' ? literal(value) : String(value)}`
}

/** Only tables that are not STRICT can hold NaN, as text. */
const holdsNaN = ({ columns, rows }: Table) => columns.some(({ name, kind }) =>
  kind !== 'text' && kind !== 'json' && kind !== 'decimal' && rows.some(row => row[name] === 'NaN'))

/** Creates tables in SQLite, every other one STRICT: only in those does SQLite enforce the types of columns. */
export const openSqlite: Open = tables => fill(sqlite(':memory:'), tables)

/** Returns a function that does so in a new file of the folder, whose reads are cached. */
export function openCached (folder: string): Open {
  let files = 0
  return tables => {
    const db = sqlite(join(folder, `${files++}.db`), { readThreads: 0 })
    db.exec('pragma synchronous = off')
    return fill(db, tables)
  }
}

function fill (db: SqliteDatabase, tables: readonly Table[]): ReturnType<Open> {
  for (const [place, table] of tables.entries()) {
    const suffix = place % 2 === 0 && !holdsNaN(table) ? ' strict' : ''
    db.exec(ddl(table, ({ kind }) => sqliteTypes[kind], sqliteDefault, suffix))
    const names = table.columns.map(({ name }) => quote(name)).join(', ')
    const values = table.columns.map(() => '?').join(', ')
    const insert = db.driver.prepare(`insert into ${quote(table.name)} (${names}) values (${values})`)
    for (const row of table.rows) insert.run(...table.columns.map(column => toSqlite(row[column.name] ?? null, column)))
  }
  return {
    source: name => db.table(name, { columns: tables.find(table => table.name === name)?.naming ?? 'none' }),
    close () { db.close() }
  }
}

const plainTypes = {
  key: 'bigint',
  text: 'text',
  integer: 'bigint',
  number: 'double precision',
  real: 'real',
  numeric: 'numeric',
  int64: 'bigint',
  decimal: 'numeric',
  byte: 'bytea',
  boolean: 'boolean',
  date: 'text',
  'date-time': 'text',
  time: 'text',
  uuid: 'uuid',
  json: 'json'
} as const
const ownTypes = { ...plainTypes, date: 'date', 'date-time': 'timestamp with time zone' } as const
// The check refuses keys whose microseconds clients do not see.
const keyTypes = { ...ownTypes, 'date-time': 'timestamp(3) with time zone' } as const

const hasTimestampKey = ({ columns, primaryKey }: Table) =>
  columns.some(({ name, kind, unique }) => kind === 'date-time' && (unique || primaryKey.includes(name)))

/**
 * Returns the statement of a table. Dates and date-times have PostgreSQL's types where there is an even number of
 * tables, else text: a foreign key must have the type of the key, also where the database does not check it.
 */
function postgresDdl (table: Table, _place: number, tables: readonly Table[]): string {
  const types = tables.length % 2 === 1 ? plainTypes : tables.some(hasTimestampKey) ? keyTypes : ownTypes
  return ddl(
    table,
    ({ name, kind }) => kind === 'key'
      ? `bigint default next_key(${literal(table.name)}, ${literal(name)})`
      : types[kind],
    column => column.default === undefined ? '' : ` default ${toLiteral(column.default, column)}`,
    ''
  )
}

const literal = (text: string) => `'${text.replaceAll("'", "''")}'`

// An identity column counts refused inserts as well, and so would give other keys than the other sources.
const nextKey = (schema: string) => `
create function next_key (tbl text, col text) returns bigint language plpgsql set search_path = ${schema} as $$
declare n bigint; begin execute format('select coalesce(max(%I), 0) + 1 from %I', col, tbl) into n; return n; end $$`

let schemas = 0

const scriptOf = (schema: string, tables: readonly Table[]) => [
  `create schema ${schema}`,
  `set search_path = ${schema}`,
  nextKey(schema),
  ...tables.map(postgresDdl),
  ...tables.flatMap(inserts)
].join(';\n')

const namingOf = (tables: readonly Table[], table: string) =>
  tables.find(({ name }) => name === table)?.naming ?? 'none'

const postgresOpener = (connect: Connect): Open => async tables => {
  const schema = `conformance_${process.pid}_${schemas++}`
  await runOnServer(schema, scriptOf(schema, tables))
  // The tables of every other world are not on the search path, so that their schema must be named.
  const isNamed = schemas % 2 === 0
  const { table, close } = connect({ url: serverUrl(), schema: isNamed ? 'public' : schema, max: 1 })
  return {
    source: name => table({ name, ...isNamed && { schema } }, { columns: namingOf(tables, name) }),
    close: async () => {
      await close()
      await runOnServer('public', `drop schema ${schema} cascade`)
    }
  }
}

// Those that no world uses: a start takes a second. One has one connection, so two worlds at once need two.
const free: PGlite[] = []

/** Returns a PGlite that nobody uses, until it is given back. */
export async function takePGlite (): Promise<{ readonly database: PGlite, giveBack (): void }> {
  const database = free.pop() ?? await createPGlite()
  return { database, giveBack: () => { free.push(database) } }
}

/** Creates tables in PGlite. */
export const openPGlite: Open = async tables => {
  const schema = `conformance_${schemas++}`
  const { database, giveBack } = await takePGlite()
  await database.exec(scriptOf(schema, tables))
  const db = kysely(new Kysely<unknown>({ dialect: new PGliteDialect(database) }))
  return {
    source: name => db.table(name, { columns: namingOf(tables, name) }),
    close: async () => {
      await database.exec(`drop schema ${schema} cascade`)
      giveBack()
    }
  }
}

export const openPostgres = postgresOpener(connectPostgres)
export const openKysely = {
  'kysely over pg': postgresOpener(connectKysely),
  'kysely over postgres.js': postgresOpener(connectKyselyJs)
}

function inserts ({ name, columns, rows }: Table): readonly string[] {
  if (rows.length === 0) return []
  const names = columns.map(column => quote(column.name)).join(', ')
  const values = rows.map(row =>
    `(${columns.map(column => toLiteral(row[column.name] ?? null, column)).join(', ')})`)
  return [`insert into ${quote(name)} (${names}) values ${values.join(', ')}`]
}

function toLiteral (value: unknown, { kind }: Column): string {
  if (value === null) return 'null'
  if (kind === 'byte') return `'\\x${Buffer.from(String(value), 'base64').toString('hex')}'`
  // As text, because PostgreSQL chooses the type of an unquoted number by its size.
  return literal(kind === 'json' ? JSON.stringify(value) : Object.is(value, -0) ? '-0' : String(value))
}
