import type { Live } from '../../core/response/answer.ts'
import type { Needs } from '../../core/plan/needs.ts'
import type { ChangedRow, ChangedTables } from '../../core/sources/changes.ts'
import type { Database } from '../../core/sources/source.ts'
import type { Document } from './document.ts'

/** The documents of one database that are open, and what it has told since they are. */
interface Watch {
  readonly documents: Set<Document>
  readonly since: number
  /** The position of the last change of each table, and of the last one of any table. */
  readonly tables: Map<unknown, number>
  last: number
  stop (): void
}

/** Watches the databases of open documents, and marks the documents that a change may concern. */
export class Watches {
  /** Counts what was told. */
  position = 0
  private readonly watches = new Map<Database, Watch>()

  add (document: Document): void {
    const { database } = document.live
    if (database === undefined) return
    const watch = this.watches.get(database) ?? this.begin(database)
    watch.documents.add(document)
  }

  remove (document: Document): void {
    const { database } = document.live
    const watch = database && this.watches.get(database)
    if (watch === undefined || !watch.documents.delete(document) || watch.documents.size > 0) return
    watch.stop()
    if (database !== undefined) this.watches.delete(database)
  }

  /** Returns true if a document may have changed since the position, when its database may have been watched or not. */
  hasChanged ({ database, tables }: Live, since: number): boolean {
    const watch = database && this.watches.get(database)
    if (watch === undefined) return false
    if (watch.since > since || watch.last > since) return true
    return tables === undefined
      ? [...watch.tables.values()].some(position => position > since)
      : [...tables.keys()].some(table => (watch.tables.get(table) ?? 0) > since)
  }

  private begin (database: Database): Watch {
    const documents = new Set<Document>()
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

function concerns (changed: ChangedTables, { tables }: Live): boolean {
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
