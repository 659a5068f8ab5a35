import { hash } from 'node:crypto'
import { Batch } from './postgres-batch.ts'
import type { PostgresClient, PrepareValue } from './postgres-driver.ts'
import { isBroken, isUnprepared } from './postgres-faults.ts'
import { makeWatch } from './postgres-watch.ts'

/** One connection to a server that speaks PostgreSQL's SQL, whichever driver made it. Its errors are the driver's. */
export interface Connection {
  query (text: string, values?: readonly unknown[]): Promise<ReadonlyArray<Readonly<Record<string, unknown>>>>
  /** A statement whose text will be asked again. */
  prepared (text: string, values: readonly unknown[]): Promise<Result>
  /** The same for several reads, in one packet each way. What comes behind an error is not answered. Rejects where the connection is gone. */
  together?: (statements: readonly Statement[]) => Promise<readonly Result[]>
}

export interface Statement { readonly text: string, readonly values: readonly unknown[] }

/** `rows`: each its values, in the order of the statement's columns; of some drivers as texts. `count`: of the rows that were read or changed. */
export interface Result { readonly rows: ReadonlyArray<readonly unknown[]>, readonly count: number }

/** Whether statements are named. Switched off for good where a pooler turns out to lose them. */
export interface Naming { on: boolean }

/** What all connections of a pool have in common. `patience`: how long the server may say nothing, in milliseconds; undefined where without end. */
export interface Setup { readonly naming: Naming, readonly prepareValue: PrepareValue, readonly patience: number | undefined }

/** A connection of the driver `pg`. */
export function driverConnection (client: PostgresClient, { naming, prepareValue, patience }: Setup): Connection {
  const watch = patience === undefined ? undefined : makeWatch(patience)
  const ask = (statements: readonly Statement[]) => new Promise<{ readonly error: Error | null, readonly results: readonly Result[] }>(resolve => {
    const queries = statements.map(({ text, values }) => ({ name: naming.on ? nameOf(text) : '', text, values: values.map(prepareValue) }))
    const giveUp = (error: Error) => { resolve({ error, results: [] }) }
    const batch = new Batch(queries, error => {
      watch?.end(giveUp)
      resolve({ error, results: batch.results })
    })
    watch?.begin(giveUp)
    client.query(batch)
  })
  return {
    query: (text, values = []) => new Promise((resolve, reject) => {
      watch?.begin(reject)
      client.query<Record<string, unknown>>({ text, values: [...values] })
        .finally(() => { watch?.end(reject) })
        .then(({ rows }) => { resolve(rows) }, reject)
    }),
    async prepared (text, values) {
      const named = naming.on
      const { error, results: [result] } = await ask([{ text, values }])
      if (result !== undefined) return result
      // What was begun is over, and is done again as a whole.
      if (named && isUnprepared(error)) stopNaming(naming)
      throw error
    },
    async together (statements) {
      const { error, results } = await ask(statements)
      if (isBroken(error)) throw error
      return results
    }
  }
}

function stopNaming (naming: Naming): void {
  if (!naming.on) return
  naming.on = false
  process.emitWarning('A pooler between this process and PostgreSQL loses prepared statements; they are not used any more. Say postgres({ prepare: false }), or use a pooler that tracks them.', 'DataApiWarning')
}

// A server keeps what is prepared as long as the connection lasts, and clients choose the shapes: the first thousand texts have names, the others are sent whole.
const names = new Map<string, string>()
const mostNames = 1000

/** Empty for what is not to be prepared. */
function nameOf (text: string): string {
  const known = names.get(text)
  if (known !== undefined) return known
  if (names.size >= mostNames) return ''
  const name = `data_api_${hash('sha1', text, 'hex').slice(0, 20)}`
  names.set(text, name)
  return name
}
