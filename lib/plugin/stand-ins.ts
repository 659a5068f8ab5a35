import { AsyncLocalStorage } from 'node:async_hooks'
import type { Api } from '../core/api/answer.ts'
import type { DataApiOptions, Options } from '../core/api/options.ts'
import type { Callers } from '../core/rules/caller.ts'

/** Stands in for the data of an application that is built to be tested (docs/testing.md: Prove), or to be read. */
interface StandIn {
  /** Returns the collections over other sources. Default: they stay as they are. */
  collections? (declared: DataApiOptions['collections']): DataApiOptions['collections']
  registering (prefix: string): Registering
}

/** What differs in a registration. */
interface Registering {
  readonly options?: (options: Options) => Options
  readonly callers?: (callers: Callers) => Callers
  /** False for declarations that are not compared with tables. Default true. */
  readonly checks?: boolean
  registered (api: Api): void
}

/** The stand-in of the applications that are built within its run(), as they are, without knowing of it. */
export const standIns = new AsyncLocalStorage<StandIn>()
