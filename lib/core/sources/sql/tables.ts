import { memoizeRecent } from '../../scheduling/memoize.ts'
import type { RowChange } from '../../declare/source.ts'
import type { Collection } from '../../model/model.ts'
import { databaseOf } from '../source.ts'
import type { Catalog, CatalogTable, Engine } from './catalog.ts'
import { designTables } from './design/design.ts'
import { printDiff } from './design/diff.ts'
import { readFromPostgres, readFromSqlite, type SendQuery } from './design/existing.ts'
import { printDesign } from './design/print.ts'
import { loadKysely } from './load-kysely.ts'
import { readCatalog } from './postgres/catalog.ts'
import { changeLogScript } from './postgres/change-log-sql.ts'
import { postgres, type PostgresDatabase, type PostgresOptions } from './postgres/postgres.ts'
import { tablesOf } from './source.ts'
import { makeReadTable } from './sqlite/catalog.ts'
import { compileError } from './sqlite/compiled-changes.ts'
import { sqliteDialect } from './sqlite/dialect.ts'
import { openDriver } from './sqlite/driver.ts'
import { sqlite, type SqliteDatabase, type SqliteOptions } from './sqlite/sqlite.ts'
import type { TableName } from './table-name.ts'

export { type ColumnNames, columnNaming } from './column-names.ts'
export type { CatalogColumn, CatalogTable } from './catalog.ts'
export type { SessionSettings } from './postgres/request-session.ts'
export type { SqlDatabase } from './source.ts'
export { describeChanges } from './design/changes.ts'
export { quoteName, quoteTable, type TableName } from './table-name.ts'

// What the command takes of tables and catalogs: databases that are opened for their tables, scripts of SQL for
// declarations, names. Declarations are not compared with the tables when such a database is served.

/** A SQLite database that is opened for its tables. */
export interface SqliteTables {
  readonly db: SqliteDatabase
  /** Returns a table of the file itself; undefined if there is none. Each is read once. */
  describe (name: string): CatalogTable | undefined
  /** Returns the message with which SQLite refuses a write of a table; undefined if it takes all. */
  refusal (table: CatalogTable): string | undefined
  /** Does work that fills the database in one transaction, also if it is only read from then on. */
  fill (work: () => void): void
  /** Runs a statement for each list of values. Drivers differ in how they take numbers. */
  runEach (statement: string, lists: ReadonlyArray<ReadonlyArray<string | number | bigint | null>>): void
  /** Returns the script that adds what the file lacks of the tables of collections. */
  printMissing (collections: readonly Collection[]): string
}

/**
 * Opens a SQLite file; without one, a new database in memory. The journal mode of a file stays: another one would
 * outlast the process, with files beside it.
 */
export function openSqlite (
  file: string | undefined, options: Pick<SqliteOptions, 'readOnly' | 'statementTimeout'>
): SqliteTables {
  const given = { ...options, check: 'off', journal: 'keep' } as const
  const db = file === undefined
    ? sqlite('', { ...given, driver: openDriver(':memory:', undefined) })
    : sqlite(file, given)
  const { driver } = db
  // Each table is asked the same.
  const read = makeReadTable({ prepare: memoizeRecent(text => driver.prepare(text), { most: 1000 }) })
  return {
    db,
    describe: name => read({ schema: 'main', name }),
    refusal (table) {
      const columns = table.columns.filter(({ generated }) => !generated).map(({ name }) => name)
      const errors = changes.map(change => compileError({ change, table, columns }, driver))
      return errors.find(error => error !== undefined)?.message
    },
    fill (work) {
      driver.exec('pragma query_only = off; begin')
      work()
      driver.exec(`commit; pragma query_only = ${db.readOnly ? 'on' : 'off'}`)
    },
    runEach (statement, lists) {
      const prepared = driver.prepare(statement)
      for (const values of lists) {
        prepared.run(...values.map(value => typeof value === 'bigint' ? value : sqliteDialect.bind(value)))
      }
    },
    printMissing (collections) {
      const designs = designTables(collections, 'sqlite')
      return printDiff(collections, designs, readFromSqlite(driver, designs.map(({ table }) => table)), 'sqlite')
    }
  }
}

const changes: readonly RowChange[] = ['insert', 'update', 'delete']

/** A PostgreSQL database that is opened for its tables. */
export interface PostgresTables {
  readonly db: PostgresDatabase
  readonly query: SendQuery
  /** Loads what builds statements, which the first request would wait for. */
  loadBuilder (): void
  describe (names: readonly TableName[]): Promise<Catalog>
  /** Returns the script that adds what the database lacks of the tables of collections. */
  printMissing (collections: readonly Collection[]): Promise<string>
}

/** Opens a PostgreSQL database. It connects at the first query. */
export function openPostgres (
  connectionString: string, options: Pick<PostgresOptions, 'readOnly' | 'statementTimeout' | 'session'>
): PostgresTables {
  const db = postgres({ ...options, connectionString, check: 'off' })
  const query: SendQuery = async (text, values = []) =>
    (await db.pool.query<Record<string, unknown>>(text, [...values])).rows
  return {
    db,
    query,
    loadBuilder: loadKysely,
    describe: names => readCatalog({ query }, names),
    async printMissing (collections) {
      const designs = designTables(collections, 'postgres')
      const existing = await readFromPostgres(query, designs.map(({ table }) => table))
      return printDiff(collections, designs, existing, 'postgres')
    }
  }
}

/** Returns the script that creates the tables of collections. */
export const printTables = (collections: readonly Collection[], engine: Engine): string =>
  printDesign(designTables(collections, engine), engine)

/** Returns the script that has PostgreSQL log the changes of the tables of collections (docs/live.md: PostgreSQL). */
export const printChangeLog = (collections: readonly Collection[]): string => changeLogScript(tablesOf(collections))

/** Collections whose tables one engine has, or is to have; or their kinds of databases, none of which was expected. */
type Chosen =
  | { readonly engine: Engine, readonly collections: readonly Collection[] }
  | { readonly engine: undefined, readonly kinds: readonly string[], readonly expected: readonly Engine[] }

const engines: readonly Engine[] = ['sqlite', 'postgres']

/**
 * Returns the collections whose database is of the asked kind, or all collections if none is. Without a kind it is that
 * of all collections.
 */
export function chooseEngine (all: readonly Collection[], asked: string | undefined): Chosen {
  const kinds = [...new Set(all.map(one => databaseOf(one).kind))]
  const [only, other] = kinds
  const wanted = asked ?? (other === undefined ? only : undefined)
  const engine = engines.find(one => one === wanted)
  if (engine === undefined) return { engine, kinds, expected: engines }
  const own = all.filter(one => databaseOf(one).kind === engine)
  return { engine, collections: own.length > 0 ? own : all }
}
