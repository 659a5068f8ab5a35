import { type Change, isLinkChange } from './source.ts'

/** The tables in which rows may have changed, by Source.tableKey; undefined for all of the database. */
export type ChangedTables = ReadonlySet<unknown> | undefined

/** Receives the changes of a database. */
export type Tell = (tables: ChangedTables) => void

/** Returns the table of a change; undefined for one that may change other tables too. */
function tableOfChange (change: Change): unknown {
  if (isLinkChange(change)) {
    const { link, holder } = change.field
    return link.kind === 'join' ? holder.source.tableKey?.(link.through) : undefined
  }
  return change.collection.source.tableKey?.()
}

/** Tells those who watch a database of its changes. `begin` is called for the first one, its result for the last. */
export class Changes {
  readonly #listeners = new Set<Tell>()
  readonly #begin: () => () => void
  #end: (() => void) | undefined

  constructor (begin: () => () => void = () => () => {}) {
    this.#begin = begin
  }

  get isWatched (): boolean { return this.#listeners.size > 0 }

  readonly watch = (tell: Tell): () => void => {
    // The same function may watch twice.
    const listener: Tell = tables => { tell(tables) }
    this.#listeners.add(listener)
    this.#end ??= this.#begin()
    return () => {
      if (!this.#listeners.delete(listener) || this.isWatched) return
      this.#end?.()
      this.#end = undefined
    }
  }

  tell (tables: ChangedTables): void {
    for (const listener of this.#listeners) listener(tables)
  }

  /** Tells of changes that were committed. */
  tellOf (changes: readonly Change[]): void {
    if (!this.isWatched || changes.length === 0) return
    const tables = new Set(changes.map(tableOfChange))
    this.tell(tables.has(undefined) ? undefined : tables)
  }
}
