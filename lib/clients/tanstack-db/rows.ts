import type { Key, ShownState, Sync } from './tanstack.ts'

export type ItemRow = Readonly<Record<string, unknown>>

export interface RowsChange { readonly shown: ShownState }

/** What a page can tell of rows that it does not hold. */
export interface PageScope {
  /** The number of writes that were confirmed when the page was requested. */
  readonly since: number
  /** Tells if the page would hold an item. */
  takes (item: ItemRow): boolean
}

interface Own {
  readonly page: object
  readonly item: ItemRow
  /** The number of the write. */
  readonly write: number
  readonly time: number
  readonly timer: ReturnType<typeof setTimeout> | undefined
}

/** The rows of a collection: the union of what its pages hold. */
export class Rows {
  readonly #sync: Sync<ItemRow>
  readonly #keyOf: (row: ItemRow) => Key
  /** The pages that hold a row, and the rows that a page holds. */
  readonly #pages = new Map<Key, Set<object>>()
  readonly #held = new Map<object, readonly Key[]>()
  /** The rows of the collection, as JSON. */
  readonly #texts = new Map<Key, string>()
  /** The rows that were written here, until a page shows what became of them. */
  readonly #own = new Map<Key, Own>()
  #writes = 0

  constructor (sync: Sync<ItemRow>, keyOf: (row: ItemRow) => Key) {
    this.#sync = sync
    this.#keyOf = keyOf
  }

  /** The number of writes that were confirmed. */
  get writes (): number { return this.#writes }

  /** Says which rows a page holds now. A row that no page holds any more is deleted. */
  set (page: object, rows: readonly ItemRow[], scope?: PageScope): RowsChange {
    const now = new Map(rows.map(row => [this.#keyOf(row), row]))
    const gone = (this.#held.get(page) ?? []).filter(key => !now.has(key) && this.#pages.get(key)?.delete(page))
    if (rows.length > 0) this.#held.set(page, [...now.keys()])
    else this.#held.delete(page)
    for (const key of now.keys()) this.#pages.set(key, (this.#pages.get(key) ?? new Set()).add(page))
    for (const [key, own] of this.#own) {
      if (now.has(key) && own.page !== page) this.#release(key)
      // It may be on its way to another page, or deleted.
      else if (gone.includes(key) && own.page !== page) this.#keep(key, { ...own, time: Math.min(own.time, 1000) })
    }
    const change = this.#commit([...now], gone.filter(key => this.#pages.get(key)?.size === 0))
    if (scope) this.revoke(rows, scope)
    return change
  }

  /**
   * Shows a row that was written, as the item of the answer, for so many milliseconds at most: until a page holds it,
   * or one that was requested since then would hold it, and does not.
   */
  keep (row: ItemRow, item: ItemRow, time: number): void {
    const key = this.#keyOf(row)
    const { page } = this.#own.get(key) ?? { page: {} }
    this.#keep(key, { page, item, write: ++this.#writes, time })
    this.set(page, [row])
  }

  /** Tells if a row that was written since a page was requested would be one of its rows. */
  awaits ({ since, takes }: PageScope): boolean {
    return [...this.#own.values()].some(({ write, item }) => write > since && takes(item))
  }

  /** Takes back what was written and is not among the rows of a page, though the page would hold it. */
  revoke (rows: readonly ItemRow[], { since, takes }: PageScope): void {
    const held = new Set(rows.map(row => this.#keyOf(row)))
    for (const [key, { write, item }] of this.#own) {
      if (write <= since && !held.has(key) && takes(item)) this.#release(key)
    }
  }

  #keep (key: Key, own: Omit<Own, 'timer'>): void {
    clearTimeout(this.#own.get(key)?.timer)
    const timer = own.time === Infinity ? undefined : setTimeout(() => { this.#release(key) }, own.time)
    this.#own.set(key, { ...own, timer })
  }

  #release (key: Key): void {
    const own = this.#own.get(key)
    clearTimeout(own?.timer)
    this.#own.delete(key)
    if (own) this.set(own.page, [])
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
    for (const { timer } of this.#own.values()) clearTimeout(timer)
  }

  #commit (rows: ReadonlyArray<readonly [Key, ItemRow]>, deleted: readonly Key[]): RowsChange {
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
