import { AsyncLocalStorage } from 'node:async_hooks'
import type { Api } from '../core/api/answer.ts'
import type { DataApiOptions } from '../core/api/options.ts'

/** Stands in for the data of an application that is built to be tested (docs/prove.md), or to be read. */
interface StandIn {
  /** Returns the collections over other sources. */
  collections (declared: DataApiOptions['collections']): DataApiOptions['collections']
  /** Receives a registration with its prefix; returns the one that answers requests. */
  registered (api: Api, prefix: string): Api
}

/** The stand-in of the applications that are built within its run(), as they are, without knowing of it. */
export const standIns = new AsyncLocalStorage<StandIn>()
