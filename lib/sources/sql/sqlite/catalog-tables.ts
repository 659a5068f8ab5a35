import type { Catalog, CatalogColumn, CatalogForeignKey, CatalogTable, TableKind, TypeFamily } from '../catalog.ts'
import { choicesOfTable, type Literal } from '../choices.ts'
import { keyOfTable, quoteName, type TableName } from '../table-name.ts'
import { binary, knownCollation, readCollation } from './collation.ts'
import type { SqliteDriver } from './driver.ts'

/** Reads the tables of these names from the catalog of SQLite. A plain name is looked up as in a statement. */
export function readTables (driver: Preparing, names: readonly TableName[]): Catalog {
  const tables = new Map<string, CatalogTable>()
  const read = makeTableReader(driver)
  for (const name of names) {
    const table = read(name)
    if (table !== undefined) tables.set(keyOfTable(name), table)
  }
  const isComplete = names.every(name => tables.has(keyOfTable(name)))
  return {
    find: name => tables.get(keyOfTable(name)),
    column (table, name) {
      return table.columns.find(column => fold(column.name) === fold(name)) ?? rowNumber(table, name)
    },
    collation: (table, column) => readCollation(driver, table, column.name),
    others: isComplete
      ? []
      : rowsOf<ListRow>(driver, namesQuery).map(({ schema, name }) =>
        ({ schema: schema === 'main' || schema === 'temp' ? undefined : schema, name }))
  }
}

/** Returns a function that reads one table, if it exists. */
export function makeTableReader (driver: Preparing): (name: TableName) => CatalogTable | undefined {
  const statements = makeStatements(driver)
  return name => readTable(driver, statements, name)
}

/** The part of a driver that reads a catalog. */
type Preparing = Pick<SqliteDriver, 'prepare'>

// SQLite compares names without the case of ASCII letters.
const fold = (name: string) => name.replaceAll(/[A-Z]/g, letter => letter.toLowerCase())

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
const indexesQuery = 'select name, origin from pragma_index_list(?, ?) where "unique" = 1 and partial = 0'
const indexColumnsQuery = 'select name from pragma_index_xinfo(?, ?) where key = 1 order by seqno'
const foreignKeysQuery = `
select id, "table" as target, "from" as own, "to" as other from pragma_foreign_key_list(?, ?) order by id, seq`

interface ListRow {
  readonly schema: string
  readonly name: string
  readonly type: string
  readonly wr: number
  readonly strict: number
}

interface ColumnRow {
  readonly name: string
  readonly type: string
  readonly required: number
  readonly fallback: string | null
  readonly pk: number
  readonly hidden: number
}

/** Returns the rows of a statement, whose columns the type names. */
const rowsOf = <Row>(driver: Preparing, text: string, ...parameters: ReadonlyArray<string | null>) =>
  driver.prepare(text).all(...parameters) as readonly Row[]

function readTable (driver: Preparing, statements: Statements, wanted: TableName): CatalogTable | undefined {
  const asked = wanted.schema ?? null
  const [found] = rowsOf<ListRow>(driver, tableQuery, wanted.name, asked, asked)
  if (found === undefined) return undefined
  const { schema, name } = found
  // Columns of virtual tables may be hidden (1); those of generated columns have 2 and 3.
  const columns = rowsOf<ColumnRow>(driver, columnsQuery, name, schema).filter(({ hidden }) => hidden !== 1)
  const primaryKey = columns.filter(({ pk }) => pk > 0).toSorted((one, other) => one.pk - other.pk)
  const isHidden = columns.some(column => fold(column.name) === rowNumberName)
  const hasRowNumber = found.type === 'table' && found.wr === 0
  // SQLite numbers the rows of some keys, and an insert of the plugin those of the others (unnumbered-keys.ts).
  const numberKey = found.type === 'table' && primaryKey.length === 1 && /INT/i.test(primaryKey[0]?.type ?? '')
    ? primaryKey[0]?.name
    : undefined
  const keyNames = primaryKey.map(column => column.name)
  const choices = choicesOfTable(found.type === 'table' ? statements(schema).get(name) ?? '' : '')
  return {
    schema,
    name,
    kind: kindOf(found.type),
    comment: undefined,
    columns: columns.map(column => readColumn(column, found, {
      numberKey, choices: storedChoices(driver, found, column, choices.get(fold(column.name)))
    })),
    primaryKey: keyNames,
    unique: [
      ...keyNames.length > 0 ? [keyNames] : [],
      ...readUnique(driver, found),
      ...hasRowNumber && !isHidden ? [[rowNumberName]] : []
    ],
    foreignKeys: readForeignKeys(driver, found),
    // A trigger cannot change the row that is inserted.
    fillsRows: false,
    isInherited: false
  }
}

function kindOf (type: string): TableKind {
  if (type === 'view') return 'view'
  return type === 'virtual' || type === 'shadow' ? 'virtual table' : 'table'
}

/** Returns the statements that created the tables of a schema, by the table's name: those with a check constraint. */
type Statements = (schema: string) => ReadonlyMap<string, string>

/** Reads each schema once: nothing in it is indexed by name. */
function makeStatements (driver: Preparing): Statements {
  const known = new Map<string, ReadonlyMap<string, string>>()
  return schema => {
    const read = known.get(schema) ?? readStatements(driver, schema)
    known.set(schema, read)
    return read
  }
}

function readStatements (driver: Preparing, schema: string): ReadonlyMap<string, string> {
  const place = `${quoteName(schema)}.sqlite_schema`
  const text = `select name, sql from ${place} where type = 'table' and instr(lower(sql), 'check') > 0`
  const rows = rowsOf<{ readonly name: string, readonly sql: string }>(driver, text)
  return new Map(rows.map(({ name, sql }) => [name, sql]))
}

/**
 * Returns the choices of a column as it stores them. Undefined for texts that another collation compares: the column
 * may hold other spellings of them.
 */
function storedChoices (
  driver: Preparing, table: ListRow, { name, type }: ColumnRow, listed: readonly Literal[] | undefined
): readonly Literal[] | undefined {
  const isAny = table.strict === 1 && type.toUpperCase() === 'ANY'
  const choices = isAny ? listed : listed?.map(choice => storedChoice(choice, type))
  const hasTexts = choices?.some(choice => typeof choice === 'string') === true
  return hasTexts && knownCollation(driver, table, name) !== binary ? undefined : choices
}

/** A column of text turns every number into text, and a column of numbers each text that is a number into that. */
function storedChoice (choice: Literal, type: string): Literal {
  if (affinity(type) === 'text') return String(choice)
  const isNumeric = /INT/i.test(type) || (type !== '' && !/BLOB/i.test(type))
  return isNumeric && typeof choice === 'string' && isNumber.test(choice) ? Number(choice) : choice
}

const isNumber = /^\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?\s*$/i

/**
 * What else is known of a column. `numberKey`: the column of its table's key, if an insert without it gets the next
 * number.
 */
interface Known {
  readonly numberKey: string | undefined
  readonly choices: readonly Literal[] | undefined
}

function readColumn (
  { name, type, required, fallback, pk, hidden }: ColumnRow, { strict }: ListRow, { numberKey, choices }: Known
): CatalogColumn {
  const family = strict === 1 ? strictFamily(type) : affinity(type)
  return {
    name,
    type: type === '' ? 'without a type' : type,
    family,
    // SQLite allows null in most primary keys, which nobody who declares one means.
    nullable: required === 0 && pk === 0,
    filled: fallback !== null || hidden > 1 || name === numberKey,
    default: fallback ?? undefined,
    generated: hidden > 1,
    computed: false,
    identity: undefined,
    members: undefined,
    choices,
    comment: undefined
  }
}

function strictFamily (type: string): TypeFamily {
  switch (type.toUpperCase()) {
    case 'INT':
    case 'INTEGER': return 'integer'
    case 'REAL': return 'float'
    case 'TEXT': return 'text'
    case 'BLOB': return 'bytes'
    default: return 'any'
  }
}

/**
 * Returns what the declared type of a column means for the values that it stores. A column of text turns every number
 * into text. Other columns take text that is no number, so they may hold anything.
 */
function affinity (type: string): TypeFamily {
  const name = type.toUpperCase()
  return !name.includes('INT') && /CHAR|CLOB|TEXT/.test(name) ? 'text' : 'any'
}

function readUnique (driver: Preparing, { schema, name }: ListRow): ReadonlyArray<readonly string[]> {
  return rowsOf<{ readonly name: string }>(driver, indexesQuery, name, schema).flatMap(index => {
    const columns = rowsOf<{ readonly name: string | null }>(driver, indexColumnsQuery, index.name, schema)
    const names = columns.map(column => column.name)
    // The name of an expression is null.
    return names.every(column => column !== null) ? [names] : []
  })
}

interface ForeignKeyRow {
  readonly id: number
  readonly target: string
  readonly own: string
  readonly other: string | null
}

function readForeignKeys (driver: Preparing, { schema, name }: ListRow): readonly CatalogForeignKey[] {
  const rows = rowsOf<ForeignKeyRow>(driver, foreignKeysQuery, name, schema)
  return [...new Set(rows.map(({ id }) => id))].map(id => {
    const parts = rows.filter(row => row.id === id)
    return {
      columns: parts.map(({ own }) => own),
      target: { schema, name: parts[0]?.target ?? '' },
      targetColumns: parts.flatMap(({ other }) => other ?? [])
    }
  })
}

const rowNumberName = 'rowid'

/** Returns the column that a table has without declaring it: the number of its row. */
function rowNumber ({ unique, kind }: CatalogTable, name: string): CatalogColumn | undefined {
  const hasIt = kind === 'virtual table' || unique.some(([first]) => first === rowNumberName)
  if (!hasIt || !['rowid', 'oid', '_rowid_'].includes(fold(name))) return undefined
  return {
    name: rowNumberName,
    type: 'INTEGER',
    family: 'integer',
    nullable: false,
    filled: true,
    default: undefined,
    generated: false,
    computed: false,
    identity: undefined,
    members: undefined,
    choices: undefined,
    comment: undefined
  }
}
