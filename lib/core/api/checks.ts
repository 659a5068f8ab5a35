import { setTimeout } from 'node:timers/promises'
import { DataApiError, DeclarationError, unavailable } from '../errors/errors.ts'
import type { Collection, Model } from '../model/model.ts'
import { type CatalogCheck, faultyDeclarations, messagesOf } from '../sources/catalog-check.ts'
import { type Database, databaseOf } from '../sources/source.ts'

/** Compares the declarations of one registration with its databases (docs/databases.md: Declarations and tables). */
export interface Checks {
  /**
   * Checks every database. Rejects with a DeclarationError that lists all faults. A database that cannot be reached
   * within `startTimeout` milliseconds is checked when it can be.
   */
  start (startTimeout: number): Promise<void>
  /**
   * Returns `undefined` for a request whose database is checked. Otherwise checks it, and rejects with `unavailable` as
   * long as its declarations are not known to fit. `name`: the first segment of the request's path.
   */
  admit (name: string | undefined): Promise<void> | undefined
}

/** Compares nothing with the tables, which may not be there yet. */
export const unchecked: Checks = { start: async () => {}, admit: () => undefined }

interface Log { warn (object: object, message: string): void }

/** Makes the checks of a model. `all`: its collections, and those of keys. */
export function makeChecks (all: readonly Collection[], { collections }: Model, log: Log): Checks {
  const waiting = new Map<Database, Check>()
  for (const [database, own] of groupByDatabase(all)) {
    const { catalogCheck } = database
    const passed = () => waiting.delete(database)
    if (catalogCheck?.mode === 'off') {
      const { prepare } = catalogCheck
      if (prepare !== undefined) waiting.set(database, makePreparation(() => prepare(own), passed))
    } else if (catalogCheck !== undefined) waiting.set(database, new Comparison(catalogCheck, own, log, passed))
  }
  return {
    async start (startTimeout) {
      const faults = await Promise.all([...waiting.values()].map(check => check.start(startTimeout)))
      if (faults.flat().length > 0) throw faultyDeclarations(faults.flat())
    },
    admit (name) {
      if (waiting.size === 0) return undefined
      const collection = name === undefined ? undefined : collections.get(name)
      return collection && waiting.get(databaseOf(collection))?.admit()
    }
  }
}

function groupByDatabase (collections: Iterable<Collection>): ReadonlyMap<Database, readonly Collection[]> {
  const groups = new Map<Database, Collection[]>()
  for (const collection of collections) {
    const database = databaseOf(collection)
    // Registration does not look at sources that are none; their requests tell it.
    if (typeof database !== 'object') continue
    groups.set(database, [...groups.get(database) ?? [], collection])
  }
  return groups
}

/** The check of one database that has not passed yet. */
interface Check {
  /** Returns the faults that keep the application from starting. */
  start (startTimeout: number): Promise<readonly string[]>
  admit (): Promise<void>
}

/** Compares nothing. The first request waits for what its plan needs to know, and fails if the database does. */
const makePreparation = (prepare: () => Promise<void>, passed: () => void): Check => ({
  start: async () => [],
  async admit () {
    await prepare()
    passed()
  }
})

/** Compares the declarations of the collections with the database's catalogue. */
class Comparison implements Check {
  private readonly catalogCheck: CatalogCheck
  private readonly collections: readonly Collection[]
  private readonly log: Log
  private readonly passed: () => void
  private running: Promise<readonly string[]> | undefined
  // The error of requests until the next check is due, so that the tables are not read again for each of them.
  private refusal: { readonly error: DataApiError, readonly until: number } | undefined

  constructor (catalogCheck: CatalogCheck, collections: readonly Collection[], log: Log, passed: () => void) {
    this.catalogCheck = catalogCheck
    this.collections = collections
    this.log = log
    this.passed = passed
  }

  async start (startTimeout: number): Promise<readonly string[]> {
    const timer = new AbortController()
    const silent = setTimeout(startTimeout, 'silent', { signal: timer.signal }).catch(() => 'silent')
    try {
      const faults = await Promise.race([this.check(), silent])
      if (typeof faults !== 'string') return faults
      this.log.warn({}, unreached)
    } catch (error) {
      if (!isPassing(error)) throw uncheckable(error)
      this.log.warn({ err: causeOf(error) }, unreached)
    } finally {
      timer.abort()
    }
    return []
  }

  async admit (): Promise<void> {
    const { refusal } = this
    if (refusal !== undefined && performance.now() < refusal.until) throw refusal.error
    const faults = await this.check().catch((error: unknown) => {
      throw isPassing(error) ? error : unavailable(causeOf(error))
    })
    if (faults.length === 0) return
    const error = unavailable(faultyDeclarations(faults))
    this.refusal = { error, until: performance.now() + interval }
    throw error
  }

  /** Runs the check, once for all who wait, and returns the faults. It has passed where there are none. */
  private check (): Promise<readonly string[]> {
    this.running ??= this.compare().finally(() => { this.running = undefined })
    return this.running
  }

  private async compare (): Promise<readonly string[]> {
    const { mode, run, prepare } = this.catalogCheck
    const findings = await run(this.collections)
    await prepare?.(this.collections)
    const faults = messagesOf(findings, 'fault')
    const warnings = [...messagesOf(findings, 'warning'), ...mode === 'warn' ? faults : []]
    if (warnings.length > 0) this.log.warn({ declarations: warnings }, warningText(warnings))
    if (faults.length > 0 && mode === 'error') return faults
    this.passed()
    return []
  }
}

// In milliseconds. A migration that runs later mends the declarations, so the check is repeated.
const interval = 1000

const unreached = 'a database cannot be reached, so its declarations are checked later; until then requests are 503'

const warningText = (warnings: readonly string[]) =>
  `declarations and tables:\n${warnings.map(warning => `- ${warning}`).join('\n')}`

const isPassing = (error: unknown) => error instanceof DataApiError && error.code === 'unavailable'

const causeOf = (error: unknown) => error instanceof Error && error.cause !== undefined ? error.cause : error

/** The error for a database that can be reached, but refuses to be read: a wrong password, no such database. */
function uncheckable (error: unknown): DeclarationError {
  const cause = causeOf(error)
  const reason = cause instanceof Error ? cause.message : String(cause)
  return new DeclarationError(`the declarations cannot be compared with the tables: ${reason}`, { cause })
}
