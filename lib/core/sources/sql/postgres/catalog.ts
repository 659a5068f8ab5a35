import crypto from 'node:crypto'
import type { OnDelete, RowChange, ValueRange } from '../../../declare/source.ts'
import type {
  Catalog, CatalogColumn, CatalogTable, FindTable, StatementTable, TableKind, TypeFamily
} from '../catalog.ts'
import { choicesIn } from '../choices.ts'
import { limitsOf } from './column-limits.ts'
import { keyOfTable, type TableName } from '../table-name.ts'
import { namesQuery, tablesQuery } from './catalog-query.ts'
import type { Connection } from './wire/connection.ts'

/** Tables that were read, also by the names of their partitions. `hash`: equal for tables of equal columns. */
export interface ReadTables { readonly find: FindTable, readonly hash: string }

type Reading = Pick<Connection, 'query'>

/** Reads the tables of these names. A plain name is looked up as in a statement. */
export async function readTables (connection: Reading, names: readonly TableName[]): Promise<ReadTables> {
  // As JSON, because drivers differ in how they send arrays.
  const rows = await connection.query(tablesQuery, [JSON.stringify(names)])
  const tables = new Map<string, CatalogTable & StatementTable>()
  for (const row of rows) {
    const name = names[Number(row['place']) - 1]
    const table = readTable(row)
    const partitions = row['partitions'] === null ? [] : parsed<readonly TableName[]>(row['partitions'])
    for (const partition of partitions) tables.set(keyOfTable(partition), table)
    if (name !== undefined) tables.set(keyOfTable(name), table)
  }
  const columns = rows.map(row => [row['place'], row['columns']].join(' '))
  return { find: name => tables.get(keyOfTable(name)), hash: crypto.hash('sha1', columns.toSorted().join('\n')) }
}

/** Reads what the command asks about tables of these names. */
export async function readCatalog (connection: Reading, names: readonly TableName[]): Promise<Catalog> {
  return catalogOf(await readTables(connection, names), connection, names)
}

/** Returns what the check and the command ask about tables that were read, of these names. */
export async function catalogOf (
  { find }: Pick<ReadTables, 'find'>, connection: Reading, names: readonly TableName[]
): Promise<Catalog> {
  const others = names.every(name => find(name) !== undefined) ? [] : await connection.query(namesQuery)
  return {
    find,
    column: (table, name) => table.columns.find(column => column.name === name),
    others: others.map(row => ({
      schema: isTrue(row['plain']) ? undefined : String(row['schema']),
      name: String(row['name'])
    }))
  }
}

type Row = Readonly<Record<string, unknown>>

const tableKinds: Readonly<Record<string, TableKind>> = { v: 'view', m: 'materialized view', f: 'foreign table' }

const isTrue = (value: unknown) => value === true || value === 't'

/** Parses JSON that the query made, in the form that the query gives it. */
const parsed = <T>(value: unknown): T => JSON.parse(String(value)) as T

// The columns of constraints and indexes are told by their numbers; null for a constraint of no column.
interface ConstraintJson {
  readonly name: string
  readonly columns: readonly number[] | null
  readonly deferrable: boolean
}

interface IndexJson { readonly primary: boolean, readonly columns: readonly number[] }

function readTable (row: Row): CatalogTable & StatementTable {
  const described = parsed<readonly ColumnJson[]>(row['columns'])
  const names = new Map(described.map(({ number, name }) => [number, name]))
  // The number of an expression is 0.
  const named = (numbers: readonly number[] | null) => numbers?.flatMap(number => names.get(number) ?? []) ?? []
  const indexes = parsed<readonly IndexJson[]>(row['unique'])
    .map(({ primary, columns }) => ({ primary, columns: named(columns) }))
  const constraints = parsed<readonly ConstraintJson[]>(row['constraints'])
  const columns = described.map(readColumn)
  const isInherited = isTrue(row['is_inherited'])
  return {
    schema: String(row['schema']),
    name: String(row['name']),
    kind: tableKinds[String(row['kind'])] ?? 'table',
    comment: textOf(row['comment']),
    columns,
    primaryKey: indexes.find(({ primary }) => primary)?.columns ?? [],
    unique: indexes.map(index => index.columns),
    foreignKeys: parsed<readonly ForeignKeyJson[]>(row['foreign_keys'])
      .map(({ columns, schema, table, onDelete, ...key }) => ({
        ...key, columns: named(columns), target: { schema, name: table }, onDelete: onDelete ?? undefined
      })),
    fillsRows: isTrue(row['fills_rows']),
    // A table that inherits may have triggers of its own.
    amendsRows: isInherited || isTrue(row['is_amended']),
    isInherited,
    ...readWrites(row),
    types: new Map(columns.map(({ name, type }) => [name, type])),
    hasRowNumbers: false,
    hasConflictClause: false,
    isDeferrable: constraints.some(({ deferrable }) => deferrable),
    constraints: new Map(constraints.map(({ name, columns }) => [name, named(columns)]))
  }
}

const textOf = (value: unknown) => typeof value === 'string' ? value : undefined

const changes: readonly RowChange[] = ['insert', 'update', 'delete']
// The bits of tgtype.
const triggerBits: Readonly<Record<RowChange, number>> = { insert: 4, update: 16, delete: 8 }
// The bits of pg_relation_is_updatable() are the numbers of commands.
const updatableBits: Readonly<Record<RowChange, number>> = { insert: 8, update: 4, delete: 16 }

function readWrites ({ updatable, replaced }: Row): Pick<CatalogTable, 'refused' | 'replaced'> {
  const takes = updatable === null ? -1 : Number(updatable)
  const triggers = Number(replaced ?? 0)
  return {
    refused: new Set(changes.filter(change => (takes & updatableBits[change]) === 0)),
    replaced: new Set(changes.filter(change => (triggers & triggerBits[change]) !== 0))
  }
}

interface ForeignKeyJson {
  readonly columns: readonly number[]
  readonly schema: string
  readonly table: string
  readonly targetColumns: readonly string[]
  /** Null for a default. */
  readonly onDelete: OnDelete | null
}

interface ColumnJson {
  readonly number: number
  readonly name: string
  readonly type: string
  readonly base: string
  readonly class: string
  readonly category: string
  readonly required: boolean
  readonly default: string | null
  readonly domainDefault: boolean
  readonly generated: boolean
  readonly computed: boolean
  readonly identity: string
  readonly members: readonly string[] | null
  readonly checks: readonly string[] | null
  /** The checks of its domain, and of those under it. */
  readonly domainChecks: readonly string[] | null
  readonly comment: string | null
}

function readColumn (column: ColumnJson): CatalogColumn {
  const { name, type, required, generated, computed, identity, members, checks, domainChecks, comment } = column
  const family = familyOf(column)
  const ofDomain = domainChecks?.map(text => choicesIn(text, 'value')).find(choices => choices !== undefined)
  return {
    name,
    type,
    family,
    nullable: !required,
    filled: column.default !== null || column.domainDefault || generated || identity !== '',
    default: generated ? undefined : column.default ?? undefined,
    generated,
    computed,
    identity: identity === 'a' ? 'always' : identity === 'd' ? 'by default' : undefined,
    members: members ?? undefined,
    choices: checks?.map(text => choicesIn(text, name)).find(choices => choices !== undefined) ?? ofDomain,
    collation: undefined,
    comment: comment ?? undefined,
    range: rangeOf(column),
    // A trigger may make any other value one that a check of the table lists, but none that a type does not take.
    limits: limitsOf({ type, family, choices: members ?? ofDomain?.map(String) })
  }
}

function rangeOf ({ type, category, identity, default: value }: ColumnJson): ValueRange | undefined {
  // A counter that gives a million numbers a second reaches 2^53 in 285 years.
  if (identity !== '' || value?.startsWith('nextval(') === true) return undefined
  const [, range] = ranges.find(([pattern]) => pattern.test(type)) ?? []
  return category === 'A' ? { elements: range } : range
}

const ranges: ReadonlyArray<readonly [RegExp, ValueRange]> = [
  [/^bigint/, 'int64'],
  [/^numeric/, 'decimal'],
  [/^(?:real|double precision)/, 'float'],
  [/^(?:date|timestamp)(?!range|multirange)/, 'day'],
  [/^time/, 'time']
]

const families: Readonly<Record<string, TypeFamily>> = {
  int2: 'integer',
  int4: 'integer',
  int8: 'integer',
  numeric: 'decimal',
  float4: 'float',
  float8: 'float',
  money: 'money',
  bool: 'boolean',
  text: 'text',
  varchar: 'text',
  bpchar: 'text',
  name: 'text',
  char: 'text',
  citext: 'text',
  date: 'date',
  timestamp: 'timestamp',
  timestamptz: 'timestamp',
  time: 'time',
  timetz: 'time',
  interval: 'interval',
  uuid: 'uuid',
  json: 'json',
  jsonb: 'json',
  bytea: 'bytes'
}

function familyOf ({ base, class: kind, category }: ColumnJson): TypeFamily {
  if (kind === 'e') return 'enum'
  return category === 'A' ? 'array' : families[base] ?? 'other'
}
