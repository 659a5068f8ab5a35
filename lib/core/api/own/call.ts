import type { Checks } from '../checks.ts'
import type { Collection } from '../../model/model.ts'
import type { ReadOptions } from '../../plan/read/read.ts'
import type { WriteLimits } from '../../plan/write/limits.ts'
import type { Caller } from '../../rules/caller.ts'
import { type ScopedDatabase, scopeDatabase } from '../../rules/scoped-database.ts'
import type { RunContext } from '../../run/context.ts'
import { databaseOf } from '../../sources/source.ts'
import type { Joined } from './contexts.ts'

/** For whom own code reads and writes, and in which transaction. */
export interface Binding {
  readonly context: RunContext
  readonly joined: Joined | undefined
  readonly limits: Limits
  /** Undefined for the system, which reads and writes a database that is not checked yet as well. */
  readonly checks: Pick<Checks, 'admit'> | undefined
  callerOf (name: string): Caller | Promise<Caller>
}

/** The limits of calls. As for requests, the options of reads must be made once. */
export interface Limits {
  readonly paged: ReadOptions
  readonly whole: ReadOptions
  readonly writes: WriteLimits
}

export interface OwnCall {
  readonly binding: Binding
  readonly caller: Caller
  readonly collection: Collection
  /** The collection as it is declared; `collection` is without what rules hide from the caller. */
  readonly declared: CollectionNames
  readonly database: ScopedDatabase
}

/** A collection as it is declared, before rules: its names in the application and on the wire, and its fields. */
export type CollectionNames = Pick<Collection, 'property' | 'name' | 'stored'>

/**
 * Begins a call on a collection: asks the rules once, and scopes the database. Rejects with `unavailable` for a
 * database whose declarations are not known to fit.
 */
export async function beginCall (declared: CollectionNames, binding: Binding): Promise<OwnCall> {
  const { property, name } = declared
  const { joined, checks } = binding
  joined?.check()
  await checks?.admit(name)
  const caller = await binding.callerOf(property)
  const collection = caller.model.collections.get(property)
  if (collection === undefined) throw new TypeError(`there is no collection '${property}'`)
  const database = joined === undefined ? databaseOf(collection) : joined.databaseFor(collection)
  return { binding, caller, collection, declared, database: scopeDatabase(database, caller) }
}
