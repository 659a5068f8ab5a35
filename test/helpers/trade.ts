import { type Cell, type TableRow, tradeRows } from '../fixtures/trade/rows.ts'
import { ddl } from '../fixtures/trade/tables.ts'

const seed = Number(process.env['FC_SEED'] ?? 1)

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
