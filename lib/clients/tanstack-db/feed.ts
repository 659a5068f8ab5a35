import { ApiError, type Page } from '../client/index.ts'
import type { ItemRow, PageScope, RowsChange } from './rows.ts'
import type { PageQuery, SubsetPages } from './subset.ts'

/** Where the items of pages come from, and how they stay current. */
export interface FeedSource {
  readonly collection: Reads
  /** The fields that are selected. */
  readonly fields: readonly unknown[] | undefined
  /** The time between two reads of a page that is not followed; false if there is only one. */
  readonly poll: number | false
  /** The most streams that may be open; set to 0 where the API is not live. */
  streams: number
}

/** A collection of a client, as this room reads it. */
interface Reads {
  list (query: object, options: object): Promise<Page<readonly ItemRow[]>> & AsyncIterable<ItemRow>
  live (query: object, options: object): AsyncGenerator<{ readonly items: readonly ItemRow[] }>
}

/** Where the items of pages are shown (rows.ts). */
export interface Shown {
  writes (): number
  set (page: object, items: readonly ItemRow[], scope?: PageScope): RowsChange
  awaits (scope: PageScope): boolean
  revoke (items: readonly ItemRow[], scope: PageScope): void
}

/** The streams that are open: browsers open few connections to a server. */
let open = 0

/** The time in which a stream should show what was written, in milliseconds. */
const patience = 1000

/** The time before the second try to load a page, in milliseconds. */
const shortest = 500

/** The most items of a page, unless the API allows fewer. */
const most = 1000

/** A page that is kept current. */
export class Feed {
  readonly #source: FeedSource
  readonly #asked: SubsetPages
  readonly #query: PageQuery & { readonly limit: number }
  readonly #limit: number
  readonly #shown: Shown
  readonly #leaving = new AbortController()
  // A browser may have kept an answer: it asks if that still holds.
  readonly #options = { signal: this.#leaving.signal, cache: 'no-cache' }
  #state: 'new' | 'followed' | 'read' = 'new'
  /** The items of the page as it was followed last, and the writes before it was followed. */
  #followed: readonly ItemRow[] = []
  #since = 0
  #turn = 0
  #latest: Promise<void> | undefined
  #further: Feed | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  readonly #again = () => { this.#read().catch(() => {}) }

  constructor (source: FeedSource, asked: SubsetPages, shown: Shown) {
    const { query, query: { limit = Infinity } } = asked
    this.#source = source
    this.#asked = asked
    this.#limit = limit
    this.#query = { ...query, ...source.fields && { fields: source.fields }, limit: Math.min(limit, most) }
    this.#shown = shown
  }

  /**
   * Reads the page, unless it is followed: then it is current, or will be soon. While the API cannot be reached it is
   * tried again: a query whose load has failed shows nothing that comes later.
   */
  async load (): Promise<void> {
    const { signal } = this.#leaving
    const { poll } = this.#source
    for (let pause = shortest; ; pause *= 2) {
      try {
        await this.#loadOnce()
        return
      } catch (error) {
        if (poll === false || !isPassing(error) || signal.aborted) throw error
        await this.#wait(Math.min(pause, poll))
        this.#state = 'new'
      }
    }
  }

  /** Waits, instead of reading the page at its time. Rejects once the page is closed. */
  async #wait (pause: number): Promise<void> {
    const { signal } = this.#leaving
    clearTimeout(this.#timer)
    await new Promise<void>(resolve => {
      this.#timer = setTimeout(resolve, pause)
      signal.addEventListener('abort', () => { resolve() }, { once: true })
    })
    signal.throwIfAborted()
  }

  async #loadOnce (): Promise<void> {
    const mayFollow = this.#state === 'new' && open < this.#source.streams
    if (mayFollow) await new Promise<void>((resolve, reject) => { this.#follow(resolve).catch(reject) })
    else if (this.#state !== 'followed') await this.#read()
    else this.#expect()
  }

  close (): void {
    this.#leaving.abort()
    clearTimeout(this.#timer)
    this.#further?.close()
    this.#shown.set(this, [])
  }

  /** Follows the page. Calls `shown` with what is pending until its first items are shown. */
  async #follow (shown: (pending: Promise<void>) => void): Promise<void> {
    this.#state = 'followed'
    open++
    this.#since = this.#shown.writes()
    let known = 0
    try {
      for await (const { items } of this.#source.collection.live(this.#query, this.#options)) {
        this.#turn++
        this.#latest = this.#tell(items)
        this.#latest.catch(() => {})
        if (items.length > known && await this.#isCut(items.length)) break
        known = Math.max(known, items.length)
        this.#followed = items
        this.#shown.revoke(items, this.#scopeOf(items, this.#since))
        shown(this.#latest)
      }
    } catch (error) {
      if (isError(error) && error.code === 'not_acceptable') this.#source.streams = 0
    } finally {
      open--
    }
    // Where it cannot be followed, it is read, and a read has the error of the page.
    shown(this.#read())
  }

  /** Looks for what was written since the page is followed, until it is shown: it may be deleted by now. */
  #expect (): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => { this.#look().catch(() => {}) }, Math.min(patience, this.#source.poll || patience))
  }

  async #look (): Promise<void> {
    if (this.#state !== 'followed' || !this.#shown.awaits(this.#scopeOf(this.#followed, this.#since))) return
    const since = this.#shown.writes()
    const items = await this.#items()
    if (this.#leaving.signal.aborted) return
    this.#shown.revoke(items, this.#scopeOf(items, since))
    this.#expect()
  }

  /** `since`: the writes before the items were requested. */
  #scopeOf (items: readonly ItemRow[], since: number): PageScope {
    const { takes, isBefore } = this.#asked
    const last = items.at(-1)
    const isWhole = items.length < this.#limit
    return { since, takes: item => takes(item) && (isWhole || isBefore?.(item, last ?? item) === true) }
  }

  /** Returns true if a page has fewer items than it is asked for, as the API's pages may, and not all there are. */
  async #isCut (length: number): Promise<boolean> {
    if (length >= this.#limit) return false
    const { list } = this.#source.collection
    const behind = await list({ ...this.#query, offset: length, limit: 1 }, this.#options)
    if (behind.items.length === 0) return false
    // It may have come meanwhile: then the page has it by now.
    const { items, next } = await list(this.#query, this.#options)
    return next !== undefined && items.length < this.#limit
  }

  #read (): Promise<void> {
    this.#state = 'read'
    clearTimeout(this.#timer)
    this.#latest = this.#readOnce(++this.#turn)
    // An error that nobody waits for is told again by the next read, if it lasts.
    this.#latest.catch(() => {})
    return this.#latest
  }

  async #readOnce (turn: number): Promise<void> {
    const since = this.#shown.writes()
    try {
      const items = await this.#items()
      // What was read or told meanwhile is newer.
      await (turn === this.#turn ? this.#tell(items, this.#scopeOf(items, since)) : this.#latest)
    } catch (error) {
      if (isError(error) && isGone.test(String(error.status))) this.#shown.set(this, [])
      throw error
    } finally {
      const isLast = turn === this.#turn && !this.#options.signal.aborted
      if (isLast && this.#source.poll !== false) this.#timer = setTimeout(this.#again, this.#source.poll)
    }
  }

  async #items (): Promise<readonly ItemRow[]> {
    const items: ItemRow[] = []
    for await (const item of this.#source.collection.list(this.#query, this.#options)) {
      if (items.push(item) >= this.#limit) break
    }
    return items
  }

  async #tell (items: readonly ItemRow[], scope?: PageScope): Promise<void> {
    this.#options.signal.throwIfAborted()
    const { shown } = this.#shown.set(this, items, scope)
    const { ifNull } = this.#asked
    if (ifNull && this.#further === undefined && items.some(item => isNullAt(item, ifNull.path))) {
      this.#further = new Feed(this.#source, ifNull.page, this.#shown)
      await this.#further.load()
    }
    await shown
  }
}

const isNullAt = (item: ItemRow, path: readonly string[]): boolean =>
  (path.reduce<unknown>((value, name) => (value as ItemRow | null)?.[name], item) ?? null) === null

const isError = (error: unknown): error is ApiError => error instanceof ApiError

/** The status of an error that says that the page cannot be read any more. */
const isGone = /^4(?!29)/

/** Returns true for an error that may be over soon: no answer, that of a sick server, or of a limit of requests. */
const isPassing = (error: unknown): boolean => isError(error) && /^(?:0|429|5..)$/.test(String(error.status))
