import { hash } from 'node:crypto'
import type { PostgresClient } from './postgres-driver.ts'
import { isUnprepared } from './postgres-faults.ts'

/** One connection to a server that speaks PostgreSQL's SQL, whichever driver made it. Its errors are the driver's. */
export interface Connection {
  query (text: string, values?: readonly unknown[]): Promise<ReadonlyArray<Readonly<Record<string, unknown>>>>
  /** A statement whose text will be asked again. */
  prepared (text: string, values: readonly unknown[]): Promise<Result>
}

/** `rows`: each its values, in the order of the statement's columns. `count`: of the rows that were changed. */
export interface Result { readonly rows: ReadonlyArray<readonly unknown[]>, readonly count: number }

/** Whether statements are named. Switched off for good where a pooler turns out to lose them. */
export interface Naming { on: boolean }

/** A connection of the driver `pg`. */
export function driverConnection (client: PostgresClient, naming: Naming): Connection {
  return {
    query: async (text, values = []) => (await client.query<Record<string, unknown>>({ text, values: [...values] })).rows,
    async prepared (text, values) {
      const name = naming.on ? nameOf(text) : undefined
      try {
        const { rows, rowCount } = await client.query<unknown[]>({ text, values: [...values], rowMode: 'array', types: plain, ...name !== undefined && { name } })
        return { rows, count: rowCount ?? 0 }
      } catch (error) {
        // What was begun is over, and is done again as a whole.
        if (name !== undefined && isUnprepared(error)) stopNaming(naming)
        throw error
      }
    }
  }
}

/**
 * What statements of ours give is read by those who made them (`fetched` of the dialect). Numbers are made at once, so that their texts do not outlive the
 * packet they came in.
 */
const plain = { getTypeParser: (oid: number) => numeric.has(oid) ? Number : (value: string) => value }

// int8, int2, int4, float4, float8, numeric
const numeric: ReadonlySet<number> = new Set([20, 21, 23, 700, 701, 1700])

function stopNaming (naming: Naming): void {
  if (!naming.on) return
  naming.on = false
  process.emitWarning('A pooler between this process and PostgreSQL loses prepared statements; they are not used any more. Say postgres({ prepare: false }), or use a pooler that tracks them.', 'DataApiWarning')
}

// A server keeps what is prepared as long as the connection lasts, and clients choose the shapes: the first thousand texts have names, the others are sent whole.
const names = new Map<string, string>()
const mostNames = 1000

function nameOf (text: string): string | undefined {
  const known = names.get(text)
  if (known !== undefined || names.size >= mostNames) return known
  const name = `data_api_${hash('sha1', text, 'hex').slice(0, 20)}`
  names.set(text, name)
  return name
}
