import type { Key, Shown, Sync } from './tanstack.ts'

export type Row = Readonly<Record<string, unknown>>

/** A change of the rows. */
export interface Change { readonly shown: Shown }

/** The rows of a collection: the union of what its pages hold. */
export class Rows {
  readonly #sync: Sync<Row>
  readonly #keyOf: (row: Row) => Key
  /** The pages that hold a row, and the rows that a page holds. */
  readonly #pages = new Map<Key, Set<object>>()
  readonly #held = new Map<object, readonly Key[]>()
  /** The rows of the collection, as JSON. */
  readonly #texts = new Map<Key, string>()
  readonly #timers = new Set<ReturnType<typeof setTimeout>>()

  constructor (sync: Sync<Row>, keyOf: (row: Row) => Key) {
    this.#sync = sync
    this.#keyOf = keyOf
  }

  /** Says which rows a page holds now. A row that no page holds any more is deleted. */
  set (page: object, rows: readonly Row[]): Change {
    const now = new Map(rows.map(row => [this.#keyOf(row), row]))
    const gone = (this.#held.get(page) ?? []).filter(key => !now.has(key) && this.#pages.get(key)?.delete(page))
    if (rows.length > 0) this.#held.set(page, [...now.keys()])
    else this.#held.delete(page)
    for (const key of now.keys()) this.#pages.set(key, (this.#pages.get(key) ?? new Set()).add(page))
    return this.#commit([...now], gone.filter(key => this.#pages.get(key)?.size === 0))
  }

  /** Shows a row for so many milliseconds, also while no page holds it. */
  keep (row: Row, time: number): void {
    const page = {}
    this.set(page, [row])
    if (time === Infinity) return
    const timer = setTimeout(() => {
      this.#timers.delete(timer)
      this.set(page, [])
    }, time)
    this.#timers.add(timer)
  }

  /** Deletes a row from all pages. */
  drop (key: Key): void {
    for (const page of this.#pages.get(key) ?? []) {
      this.#held.set(page, this.#held.get(page)?.filter(one => one !== key) ?? [])
    }
    if (this.#pages.has(key)) this.#commit([], [key])
  }

  /** Ends all times. */
  close (): void {
    for (const timer of this.#timers) clearTimeout(timer)
  }

  #commit (rows: ReadonlyArray<readonly [Key, Row]>, deleted: readonly Key[]): Change {
    const texts = rows.map(([key, row]) => ({ key, row, text: JSON.stringify(row) }))
    const changed = texts.filter(({ key, text }) => this.#texts.get(key) !== text)
    if (changed.length + deleted.length === 0) return { shown: true }
    const { begin, write, commit } = this.#sync
    begin()
    for (const { key, row, text } of changed) {
      write({ type: this.#texts.has(key) ? 'update' : 'insert', value: row })
      this.#texts.set(key, text)
    }
    for (const key of deleted) {
      write({ type: 'delete', key })
      this.#texts.delete(key)
      this.#pages.delete(key)
    }
    return { shown: commit() }
  }
}
