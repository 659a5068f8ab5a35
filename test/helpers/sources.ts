import { type Declared, memory, sqlite } from '../../lib/index.ts'
import type { Source } from '../../lib/sources/source.ts'

export type Tables = Readonly<Record<string, ReadonlyArray<Record<string, unknown>>>>

/** One set of rows behind a source of each kind, so that the same declarations can be served over all. */
export interface Opened {
  readonly kind: 'memory' | 'sqlite'
  source (table: string): Source
  /** Adds or removes rows while an API serves them. */
  insert (table: string, row: Record<string, unknown>): void
  remove (table: string, id: number): void
  /** The rows as they are, in the form of the tables given. */
  rows (table: string): ReadonlyArray<Record<string, unknown>>
  close (): void
}

/** `ddl` makes the tables of a database; without it they are made as the rows look. */
export type Opener = (tables: Tables, ddl?: string) => Opened

/** Every kind of source that the tests run on. */
export const openers: Readonly<Record<Opened['kind'], Opener>> = { memory: openMemory, sqlite: openSqlite }

export type Collections = (source: Opened['source']) => Record<string, Declared>

function openMemory (tables: Tables): Opened {
  // Copies, because a test may change them.
  const rows = Object.fromEntries(Object.entries(tables).map(([name, table]) => [name, table.map(row => structuredClone({ ...row }))]))
  const rowsOf = (table: string) => rows[table] ?? []
  return {
    kind: 'memory',
    source: table => memory(rowsOf(table), { joins: rows }),
    insert (table, row) { rowsOf(table).push({ ...row }) },
    remove (table, id) {
      const at = rowsOf(table).findIndex(row => row['id'] === id)
      if (at >= 0) rowsOf(table).splice(at, 1)
    },
    rows: table => structuredClone(rowsOf(table)),
    close () {}
  }
}

function openSqlite (tables: Tables, ddl?: string): Opened {
  const db = sqlite(':memory:')
  const insert = (table: string, row: Record<string, unknown>) => {
    const values = Object.values(row).map(bound)
    db.driver.prepare(`insert into ${quote(table)} (${Object.keys(row).map(quote).join(', ')}) values (${values.map(() => '?').join(', ')})`).run(...values)
  }
  if (ddl !== undefined) db.exec(ddl)
  for (const [name, rows] of Object.entries(tables)) {
    if (ddl === undefined) db.exec(`create table ${quote(name)} (${columnsOf(rows).join(', ')}) strict`)
    db.exec('begin')
    for (const row of rows) insert(name, row)
    db.exec('commit')
  }
  return {
    kind: 'sqlite',
    source: table => db.table(table),
    insert,
    remove (table, id) { db.driver.prepare(`delete from ${quote(table)} where id = ?`).run(id) },
    rows: table => db.driver.prepare(`select * from ${quote(table)} order by 1, 2`).all() as Array<Record<string, unknown>>,
    close () { db.close() }
  }
}

function bound (value: unknown): unknown {
  if (typeof value === 'boolean') return Number(value)
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : value ?? null
}

const quote = (name: string) => `"${name.replaceAll('"', '""')}"`

function columnsOf (rows: ReadonlyArray<Record<string, unknown>>): readonly string[] {
  const names = new Set(rows.flatMap(row => Object.keys(row)))
  return [...names].map(name => `${quote(name)} ${typeOf(rows.map(row => row[name]))}${name === 'id' ? ' primary key' : ''}`)
}

function typeOf (values: readonly unknown[]): 'integer' | 'real' | 'text' {
  const known = values.filter(value => value !== null && value !== undefined)
  if (known.every(value => Number.isInteger(value) || typeof value === 'boolean')) return 'integer'
  return known.every(value => typeof value === 'number') ? 'real' : 'text'
}
