import { LruMap } from 'toad-cache'
import { memoizeRecent } from '../../../scheduling/memoize.ts'
import type { OnDelete, RowChange } from '../../../declare/source.ts'
import {
  type Catalog, type CatalogColumn, type CatalogForeignKey, type CatalogTable, type FindTable, plainColumn,
  type StatementTable, type TableKind
} from '../catalog.ts'
import { choicesOfTable } from '../choices.ts'
import { keyOfTable, quoteName, type TableName } from '../table-name.ts'
import { type ColumnRow, columnTypeOf, readColumn } from './columns.ts'
import { compileError, isRefused } from './compiled-changes.ts'
import type { SqliteDriver } from './driver.ts'

/** The part of a driver that reads a catalog. */
type Preparing = Pick<SqliteDriver, 'prepare'>

/** Returns a function that reads each table once, and looks a plain name up as in a statement. It caches no error. */
export function makeReadTable (driver: Preparing): FindTable {
  const cache = new LruMap<{ readonly table: ReturnType<FindTable> }>(mostTables)
  // No index finds a table by its name, so each schema is read as a whole.
  const definitionsIn = memoizeRecent(schema => readDefinitions(driver, schema), { most: 100 })
  return name => {
    const key = keyOfTable(name)
    const cached = cache.get(key)
    if (cached !== undefined) return cached.table
    const found = findTable(driver, name)
    const table = found && readTable(driver, found, definitionsIn)
    cache.set(key, { table })
    return table
  }
}

// More tables than any known database has.
const mostTables = 10_000

export function readCatalog (driver: Preparing, names: readonly TableName[]): Catalog {
  const read = makeReadTable(driver)
  return {
    find: read,
    column (table, name) {
      return table.columns.find(column => fold(column.name) === fold(name)) ?? rowNumber(table, name)
    },
    others: names.every(name => read(name) !== undefined)
      ? []
      : rowsOf<ListRow>(driver, namesQuery).map(({ schema, name }) =>
        ({ schema: schema === 'main' || schema === 'temp' ? undefined : schema, name }))
  }
}

// A temporary table hides one of the main database, which hides those of attached databases.
const tableQuery = `
select l.schema, l.name, l.type, l.wr, l.strict from pragma_table_list(?) as l
where ? is null or l.schema = ? collate nocase
order by case l.schema when 'temp' then 0 when 'main' then 1 else 2 end limit 1`

const namesQuery = `
select schema, name from pragma_table_list
where type in ('table', 'view', 'virtual') and name not like 'sqlite!_%' escape '!'`

const columnsQuery = `
select name, type, "notnull" as required, dflt_value as fallback, pk, hidden from pragma_table_xinfo(?, ?)`
const indexesQuery = 'select name, origin, "unique" = 1 and partial = 0 as whole from pragma_index_list(?, ?)'
const indexColumnsQuery = 'select name from pragma_index_xinfo(?, ?) where key = 1 order by seqno'
const foreignKeysQuery = `
select id, "table" as target, "from" as own, "to" as other, on_delete as action
from pragma_foreign_key_list(?, ?) order by id, seq`

/** A table as the list of tables names it. `wr`: 1 for a table without numbers of rows. */
interface ListRow {
  readonly schema: string
  readonly name: string
  readonly type: string
  readonly wr: number
  readonly strict: number
}

interface IndexRow { readonly name: string, readonly origin: string, readonly whole: number }

/** Returns the rows of a statement, whose columns the type names. */
const rowsOf = <Row>(driver: Preparing, text: string, ...parameters: ReadonlyArray<string | null>) =>
  driver.prepare(text).all(...parameters) as readonly Row[]

function findTable (driver: Preparing, { schema, name }: TableName): ListRow | undefined {
  const asked = schema ?? null
  return rowsOf<ListRow>(driver, tableQuery, name, asked, asked)[0]
}

/** The rows of SQLite's own lists about a table. */
interface Listed {
  readonly found: ListRow
  readonly rows: readonly ColumnRow[]
  readonly indexes: readonly IndexRow[]
  /** The statement that created the table; empty for a view. */
  readonly definition: string
}

function readTable (
  driver: Preparing, found: ListRow, definitionsIn: ReadDefinitions
): CatalogTable & StatementTable {
  const { schema, name, type } = found
  const definition = definitionsIn(schema).tables.get(name) ?? ''
  const rows = rowsOf<ColumnRow>(driver, columnsQuery, name, schema).filter(({ hidden }) => hidden !== 1)
  const indexes = rowsOf<IndexRow>(driver, indexesQuery, name, schema)
  const listed: Listed = { found, rows, indexes, definition: type === 'table' ? definition : '' }
  const columns = readColumns(driver, listed)
  const key = rows.filter(({ pk }) => pk > 0).toSorted((one, other) => one.pk - other.pk).map(column => column.name)
  const unique = [
    ...key.length > 0 ? [key] : [],
    ...indexes.flatMap(index => index.whole === 1 ? uniqueColumns(driver, found, index) : []),
    ...hasNumbers(listed, rowNumberName) ? [[rowNumberName]] : []
  ]
  // A temporary trigger may be of any schema's table.
  const hasTriggers = [schema, 'temp'].some(one => definitionsIn(one).triggered.has(fold(name)))
  return {
    schema,
    name,
    kind: kindOf(type),
    comment: undefined,
    columns,
    primaryKey: key,
    unique,
    foreignKeys: readForeignKeys(driver, found),
    // A trigger cannot change the row that is inserted.
    fillsRows: false,
    amendsRows: type !== 'table' || hasTriggers,
    isInherited: false,
    ...readWrites(driver, listed),
    types: new Map(rows.map((row, index) =>
      [row.name, isNumber(row, listed) ? 'INTEGER' : columnTypeOf(row, found, columns[index]?.collation)])),
    hasRowNumbers: hasNumbers(listed, '_rowid_'),
    // By a constraint such as `unique on conflict replace`, a duplicate would delete another item.
    hasConflictClause: /\bon\s+conflict\b/i.test(definition),
    isDeferrable: false,
    // Errors of SQLite name columns.
    constraints: new Map()
  }
}

function readColumns (driver: Preparing, listed: Listed): readonly CatalogColumn[] {
  const { found, rows, definition } = listed
  const choices = choicesOfTable(definition)
  // A view shows columns of other tables with their collations.
  const collates = found.type !== 'table' || /collate/i.test(definition)
  return rows.map(row => readColumn(driver, { ...found, collates }, row, {
    isNumbered: isNumber(row, listed),
    choices: choices.get(fold(row.name))
  }))
}

/** Returns true for a table whose rows have a number of this name, which none of its columns has taken. */
const hasNumbers = ({ found, rows }: Listed, name: string) =>
  found.type === 'table' && found.wr === 0 && !rows.some(row => fold(row.name) === name)

/** Returns true for an `integer primary key`, which is the number of the row, and so needs no index. */
const isNumber = ({ pk, type }: ColumnRow, { found, indexes }: Listed) => found.type === 'table' && pk === 1 &&
  /^integer$/i.test(type) && !indexes.some(({ origin }) => origin === 'pk')

function kindOf (type: string): TableKind {
  if (type === 'view') return 'view'
  return type === 'virtual' || type === 'shadow' ? 'virtual table' : 'table'
}

/** Returns the writes of a table. A view has a trigger for a change, or refuses it, as the module of a table may. */
function readWrites (
  driver: Preparing, { found: table, rows }: Listed
): Pick<CatalogTable, 'refused' | 'replaced'> {
  if (table.type === 'table') return { refused: new Set(), replaced: new Set() }
  const columns = [rows[0]?.name ?? '']
  const refused = new Set(changes.filter(change => {
    const error = compileError({ change, table, columns }, driver)
    return error !== undefined && isRefused(error)
  }))
  return { refused, replaced: new Set(table.type === 'view' ? changes.filter(change => !refused.has(change)) : []) }
}

const changes: readonly RowChange[] = ['insert', 'update', 'delete']

function uniqueColumns (driver: Preparing, { schema }: ListRow, index: IndexRow): ReadonlyArray<readonly string[]> {
  const columns = rowsOf<{ readonly name: string | null }>(driver, indexColumnsQuery, index.name, schema)
  const names = columns.map(column => column.name)
  // The name of an expression is null.
  return names.every(column => column !== null) ? [names] : []
}

interface ForeignKeyRow {
  readonly id: number
  readonly target: string
  readonly own: string
  readonly other: string | null
  readonly action: string
}

const actions: Readonly<Record<string, OnDelete>> = {
  CASCADE: 'cascade', 'SET NULL': 'set null', RESTRICT: 'restrict', 'NO ACTION': 'restrict'
}

function readForeignKeys (driver: Preparing, { schema, name }: ListRow): readonly CatalogForeignKey[] {
  const rows = rowsOf<ForeignKeyRow>(driver, foreignKeysQuery, name, schema)
  return [...new Set(rows.map(({ id }) => id))].map(id => {
    const parts = rows.filter(row => row.id === id)
    return {
      columns: parts.map(({ own }) => own),
      target: { schema, name: parts[0]?.target ?? '' },
      targetColumns: parts.flatMap(({ other }) => other ?? []),
      onDelete: actions[parts[0]?.action ?? '']
    }
  })
}

const rowNumberName = 'rowid'

/** Returns the column that a table has without declaring it: the number of its row. */
function rowNumber ({ unique, kind }: CatalogTable, name: string): CatalogColumn | undefined {
  const hasIt = kind === 'virtual table' || unique.some(([first]) => first === rowNumberName)
  if (!hasIt || !['rowid', 'oid', '_rowid_'].includes(fold(name))) return undefined
  return { ...plainColumn, name: rowNumberName, type: 'INTEGER', family: 'integer', nullable: false, filled: true }
}

/** What is made from the tables of a database, as long as no migration changes them. */
interface FollowedSchema<Made> {
  current (): Made
  /** Looks for a migration at the next call of `current`. */
  refresh (): void
}

/**
 * Makes something from the tables of a database, and makes it anew after a migration, whoever has run it. SQLite counts
 * the changes of each schema. It is asked at most every 100 ms, because that takes as long as a small read.
 */
export function followSchema<Made> (driver: Preparing, make: () => Made): FollowedSchema<Made> {
  let known: { readonly versions: string | undefined, readonly made: Made } | undefined
  let next = 0
  const look = () => {
    const versions = readVersions(driver) ?? known?.versions
    return known !== undefined && known.versions === versions ? known : { versions, made: make() }
  }
  return {
    current () {
      const now = performance.now()
      if (known !== undefined && now < next) return known.made
      next = now + pause
      known = look()
      return known.made
    },
    refresh () { next = 0 }
  }
}

// In milliseconds.
const pause = 100

/** Returns the versions of all schemas; undefined if they cannot be read now, such as while the file is locked. */
function readVersions (driver: Preparing): string | undefined {
  try {
    const schemas = driver.prepare(schemasQuery).all() as readonly SchemaRow[]
    return JSON.stringify(['temp', ...schemas.map(({ name }) => name)].map(name =>
      [name, driver.prepare(`pragma ${quoteName(name)}.schema_version`).get()]))
  } catch {
    return undefined
  }
}

// The temporary schema is listed from its first use on.
const schemasQuery = "select name from pragma_database_list where name <> 'temp'"

interface SchemaRow { readonly name: string }

/** The statements that created the tables of a schema, by their names, and the folded names of those with triggers. */
interface Definitions { readonly tables: ReadonlyMap<string, string>, readonly triggered: ReadonlySet<string> }

type ReadDefinitions = (schema: string) => Definitions

function readDefinitions (driver: Preparing, schema: string): Definitions {
  const text = `select type, name, tbl_name as changed, sql from ${quoteName(schema)}.sqlite_schema
    where type in ('table', 'trigger')`
  const rows = driver.prepare(text).all() as ReadonlyArray<Record<'type' | 'name' | 'changed' | 'sql', string>>
  return {
    tables: new Map(rows.filter(({ type }) => type === 'table').map(({ name, sql }) => [name, sql])),
    triggered: new Set(rows.filter(({ type }) => type === 'trigger').map(({ changed }) => fold(changed)))
  }
}

/** Returns a name as SQLite compares it: without the case of ASCII letters. */
const fold = (name: string): string => name.replaceAll(/[A-Z]/g, letter => letter.toLowerCase())
