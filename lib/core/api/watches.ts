import type { Needs } from '../plan/needs.ts'
import type { LiveNeeds } from '../response/answer.ts'
import type { ChangedRow, ChangedTables } from '../sources/changes.ts'
import type { Database } from '../sources/source.ts'
import type { Followed } from './face.ts'

/** The followed documents of one database, and what it has told since there are any. */
interface Watch {
  readonly documents: Set<Followed>
  readonly since: number
  /** The position of the last change of each table, and of the last one of any table. */
  readonly tables: Map<unknown, number>
  last: number
  stop (): void
}

/** Watches the databases of followed documents, and marks the documents that a change may concern. */
export class Watches {
  /** Counts what was told. */
  position = 0
  private readonly watches = new Map<Database, Watch>()

  /** Watches for a document until the returned function is called. */
  watch (document: Followed): () => void {
    const { database } = document.live
    if (database === undefined) return () => {}
    const watch = this.watches.get(database) ?? this.begin(database)
    watch.documents.add(document)
    return () => {
      if (!watch.documents.delete(document) || watch.documents.size > 0) return
      watch.stop()
      this.watches.delete(database)
    }
  }

  /** Returns true if a document may have changed since the position, when its database may have been watched or not. */
  hasChanged ({ database, tables }: LiveNeeds, since: number): boolean {
    const watch = database && this.watches.get(database)
    if (watch === undefined) return false
    if (watch.since > since || watch.last > since) return true
    return tables === undefined
      ? [...watch.tables.values()].some(position => position > since)
      : [...tables.keys()].some(table => (watch.tables.get(table) ?? 0) > since)
  }

  private begin (database: Database): Watch {
    const documents = new Set<Followed>()
    const since = ++this.position
    const watch: Watch = { documents, since, tables: new Map(), last: 0, stop: () => {} }
    this.watches.set(database, watch)
    watch.stop = database.watch?.(changed => { this.told(watch, changed) }) ?? watch.stop
    return watch
  }

  private told (watch: Watch, changed: ChangedTables): void {
    this.position++
    if (changed === undefined) watch.last = this.position
    else for (const table of changed.keys()) watch.tables.set(table, this.position)
    for (const document of watch.documents) if (concerns(changed, document.live)) document.mark()
  }
}

function concerns (changed: ChangedTables, { tables }: LiveNeeds): boolean {
  if (changed === undefined || tables === undefined) return true
  for (const [table, rows] of changed) {
    const alternatives = tables.get(table)
    if (alternatives === undefined) continue
    if (rows === undefined || rows.some(row => alternatives.some(needs => meets(row, needs)))) return true
  }
  return false
}

function meets (row: ChangedRow, needs: Needs): boolean {
  for (const [column, values] of needs) if (row.has(column) && !values.has(row.get(column))) return false
  return true
}
