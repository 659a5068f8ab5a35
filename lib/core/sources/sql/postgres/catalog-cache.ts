import { toFault } from './faults.ts'
import type { LoadedCatalog } from './session.ts'
import { keyOfTable, type TableName } from '../table-name.ts'

/** The tables of a database, which are read when they are first needed. */
export interface CatalogCache {
  /** Adds tables to those that are read. */
  add (names: readonly TableName[]): void
  /** Rejects with our error if the catalog cannot be loaded. */
  get (): Promise<LoadedCatalog>
  /** Returns the catalog that was loaded last; undefined before the first. */
  last (): LoadedCatalog | undefined
  clear (): void
  /** Returns true if the columns are others than in that catalog: a migration changed them. Never rejects. */
  isOutdated (known: LoadedCatalog): Promise<boolean>
}

/**
 * Returns a cache that loads the catalog at the first `get` and after each `clear`. Callers that wait for one load
 * share its error; the next `get` loads again.
 */
export function makeCatalogCache (load: (names: readonly TableName[]) => Promise<LoadedCatalog>): CatalogCache {
  const names = new Map<string, TableName>()
  let loaded: Promise<LoadedCatalog> | undefined
  let last: LoadedCatalog | undefined
  const clear = () => { loaded = undefined }
  const keep = async () => {
    last = await load([...names.values()])
    return last
  }
  const look = limitRate(async () => {
    const found = await load([...names.values()])
    if (found.hash === last?.hash) return
    last = found
    loaded = Promise.resolve(found)
  })
  return {
    add (some) {
      if (some.some(name => !names.has(keyOfTable(name)))) clear()
      for (const name of some) names.set(keyOfTable(name), name)
    },
    clear,
    last: () => last,
    get () {
      loaded ??= keep().catch((error: unknown) => {
        clear()
        throw toFault(error)
      })
      return loaded
    },
    async isOutdated (known) {
      if (known === last) await look().catch(() => {})
      return known !== last
    }
  }
}

/** Returns a function that does the work at most once a second, and otherwise returns the promise of the last time. */
function limitRate (work: () => Promise<void>): () => Promise<void> {
  let [last, next] = [Promise.resolve(), 0]
  return () => {
    const now = performance.now()
    if (now < next) return last
    next = now + pause
    last = work()
    return last
  }
}

// In milliseconds. A statement that no catalog makes right would otherwise have the catalog read with each request.
const pause = 1000
