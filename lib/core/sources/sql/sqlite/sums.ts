import { sql } from '../load-kysely.ts'
import { decimalKey, decimalOfKey } from '../../../model/numbers.ts'
import { ExactSum, meanOf, roundedSum } from '../../exact-sum.ts'
import type { ColumnType, Sql } from '../statements/dialect.ts'
import type { SqliteDriver } from './driver.ts'

// Exact sums. SQLite adds integers in two halves, because sum() fails beyond 64 bits; JavaScript adds all other numbers
// as they are shown. Both are joined to the key of a decimal, as filters compare it.

/** Returns the sum of a column, or its mean (Dialect.sum). */
export function sum (column: Sql, { kind, type }: ColumnType, call: 'sum' | 'avg'): Sql {
  const isIntegers = holdsIntegers(type)
  const ofIntegers = isIntegers ? sql`` : sql` filter (where typeof(${column}) = 'integer')`
  const half = (value: Sql) => type === 'REAL' ? sql`null` : sql`cast(sum(${value})${ofIntegers} as text)`
  const isOther = type === 'REAL' ? sql`` : sql` and typeof(${column}) <> 'integer'`
  const others = isIntegers ? sql`null` : sql`data_api_sum(${column}) filter (where ${column} is not null${isOther})`
  const key = sql`data_api_sum_key(${half(sql`${column} >> 32`)}, ${half(sql`${column} & 4294967295`)}, ${others})`
  if (call === 'avg') return sql`data_api_mean_key(${key}, count(${column}))`
  return kind === 'number' ? sql`data_api_rounded_key(${key})` : key
}

// The columns of STRICT tables hold one type.
const holdsIntegers = (type: string) => type === 'INT' || type === 'INTEGER'

export function registerSums (driver: SqliteDriver): void {
  const deterministic = { deterministic: true }
  driver.function('data_api_sum_key', deterministic, (high, low, others) => joinedKey(high, low, others))
  driver.function('data_api_mean_key', deterministic, (key, count) =>
    key === null ? null : decimalKey(meanOf(decimalOfKey(String(key)), Number(count))))
  driver.function('data_api_rounded_key', deterministic, key =>
    key === null ? null : decimalKey(roundedSum(decimalOfKey(String(key)))))
  // @photostructure/sqlite 1.2 keeps no objects as states, so a state is the number of a sum.
  const sums = new Map<number, ExactSum>()
  let last = 0
  driver.aggregate('data_api_sum', {
    start () {
      sums.set(++last, new ExactSum())
      // A statement that fails leaves its sums, which are then the oldest. Few are made at a time.
      const [oldest = 0] = sums.keys()
      if (sums.size > mostSums) sums.delete(oldest)
      return last
    },
    step (id: number, value: unknown) {
      sums.get(id)?.add(typeof value === 'bigint' ? Number(value) : value)
      return id
    },
    result (id: number) {
      const total = sums.get(id)?.total() ?? null
      sums.delete(id)
      return total
    }
  })
}

const mostSums = 1000

function joinedKey (high: unknown, low: unknown, others: unknown): string | null {
  if (high === null && others === null) return null
  const sum = new ExactSum()
  if (others !== null) sum.add(others)
  if (high !== null) sum.add(String((BigInt(String(high)) << 32n) + BigInt(String(low))))
  return decimalKey(sum.total())
}
