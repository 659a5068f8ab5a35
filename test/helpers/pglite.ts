import { PGlite } from '@electric-sql/pglite'
import {
  type DatabaseConnection, type Dialect, type Driver, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler
} from 'kysely'

/** The dialect of PGlite for Kysely before 0.29, which has a dialect of its own. */
export class PGliteDialect implements Dialect {
  readonly #database: PGlite
  constructor (database: PGlite) { this.#database = database }

  createAdapter = () => new PostgresAdapter()
  createDriver = () => new PGliteDriver(this.#database)
  createIntrospector: Dialect['createIntrospector'] = db => new PostgresIntrospector(db)
  createQueryCompiler = () => new PostgresQueryCompiler()
}

/** PGlite has one connection, which one piece of work after the other holds. */
class PGliteDriver implements Driver {
  readonly #connection: DatabaseConnection
  #last: Promise<void> = Promise.resolve()
  #release = () => {}

  constructor (database: PGlite) {
    this.#connection = {
      async executeQuery<R> ({ sql, parameters }: { readonly sql: string, readonly parameters: readonly unknown[] }) {
        const { rows, affectedRows = 0 } = await database.query<R>(sql, [...parameters])
        return { rows, numAffectedRows: BigInt(affectedRows) }
      },
      streamQuery () { throw new TypeError('PGlite has no cursors here') }
    }
  }

  async acquireConnection (): Promise<DatabaseConnection> {
    const before = this.#last
    let release = () => {}
    this.#last = new Promise(resolve => { release = resolve })
    await before
    this.#release = release
    return this.#connection
  }

  async releaseConnection (): Promise<void> { this.#release() }
  async init (): Promise<void> {}
  async destroy (): Promise<void> {}
  beginTransaction = async () => { throw new TypeError('kysely() sends its own statements') }
  commitTransaction = this.beginTransaction
  rollbackTransaction = this.beginTransaction
}

/**
 * Starts a PGlite that keeps a byte order mark at the beginning of a text. Its own decoder drops it, as if it marked
 * the encoding (docs/databases.md: PGlite).
 */
export function createPGlite (): Promise<PGlite> {
  globalThis.TextDecoder = KeepingDecoder
  return PGlite.create()
}

class KeepingDecoder extends TextDecoder {
  constructor (label?: string, options?: { fatal?: boolean }) { super(label, { ...options, ignoreBOM: true }) }
}
