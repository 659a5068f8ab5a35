import type { Declared } from '../../lib/core/declare/collection.ts'
import type { Source } from '../../lib/core/declare/source.ts'
import { sqlite, type TableOptions } from '../../lib/index.ts'
import { tradeCollections } from '../fixtures/trade/collections.ts'
import { type Cell, type TableRow, tradeRows } from '../fixtures/trade/rows.ts'
import { ddl } from '../fixtures/trade/tables.ts'
import { onDatabase } from './on-database.ts'
import { withoutPostgres } from './on-postgres.ts'

/** Runs work with the collections of the trading company over one kind of database. */
export type OnTrade = (work: (collections: Readonly<Record<string, Declared>>) => Promise<void>) => Promise<void>

const seed = Number(process.env['FC_SEED'] ?? 1)

/** The databases that the company's tables are tried on, by kind. */
export const tradeDatabases: Readonly<Record<string, OnTrade>> = {
  sqlite: async work => {
    const db = sqlite(':memory:')
    db.exec(tradeScript(bytes => `x'${bytes}'`))
    await work(tradeCollections((name, options) => db.table(name, options)))
    db.close()
  },
  ...!withoutPostgres && {
    postgres: (work: Parameters<OnTrade>[0]) => onDatabase(tradeScript(bytes => `'\\x${bytes}'`), async db => {
      await work(tradeCollections((name: string, options: TableOptions): Source => db.table(name, options)))
    })
  }
}

/** Returns the statements that create and fill all tables. `toBytes`: makes a literal from hexadecimal digits. */
export function tradeScript (toBytes: (digits: string) => string): string {
  const inserts = Object.entries(tradeRows(seed)).flatMap(([table, rows]) => {
    const columns = Object.keys(rows[0] ?? {})
    const values = rows.map(row => `(${columns.map(column => literal(row, column, toBytes)).join(', ')})`)
    return `insert into ${table} (${columns.join(', ')}) values ${values.join(', ')};`
  })
  return `${ddl} ${inserts.join('\n')}`
}

function literal (row: TableRow, column: string, toBytes: (digits: string) => string): string {
  const cell: Cell = row[column] ?? null
  if (typeof cell === 'string') return `'${cell.replaceAll("'", "''")}'`
  return typeof cell === 'object' && cell !== null ? toBytes(Buffer.from(cell).toString('hex')) : String(cell)
}
