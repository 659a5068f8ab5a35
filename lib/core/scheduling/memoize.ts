import { LruMap } from 'toad-cache'

/** Returns a function that calls `make` once for each object, and caches the result as long as the object lives. */
export function memoize<Key extends object, Result> (make: (key: Key) => Result): (key: Key) => Result {
  const cache = new WeakMap<Key, Result>()
  return key => {
    const cached = cache.get(key)
    if (cached !== undefined) return cached
    const result = make(key)
    cache.set(key, result)
    return result
  }
}

/** Memoizes like memoize(), but only for frozen objects, which outlive their requests. */
export function memoizeFrozen<Key extends object, Result> (make: (key: Key) => Result): (key: Key) => Result {
  const memoized = memoize(make)
  return key => Object.isFrozen(key) ? memoized(key) : make(key)
}

/** Caches the results of a function of three objects by their identity, each as long as all three objects live. */
export function memoizeThree<A extends object, B extends object, C extends object, Made> (
  make: (a: A, b: B, c: C) => Made
): (a: A, b: B, c: C) => Made {
  const cache = memoize((a: A) => memoize((b: B) => memoize((c: C) => make(a, b, c))))
  return (a, b, c) => cache(a)(b)(c)
}

/** Caches the result of a function for the object that it was called with last. */
export function memoizeLast<Key extends object, Result> (make: (key: Key) => Result): (key: Key) => Result {
  let last: { readonly key: Key, readonly result: Result } | undefined
  return key => {
    if (last?.key !== key) last = { key, result: make(key) }
    return last.result
  }
}

interface CacheLimits {
  /** Entries. */
  readonly most: number
  /** Characters of a text; a longer text is not cached. Default: no limit. */
  readonly longest?: number
  /** Characters of all texts together. Default: no limit. */
  readonly characters?: number
}

/**
 * Returns a function that calls `make` for a text and caches the results of the texts that were used last. The cache is
 * bounded because clients choose the texts.
 */
export function memoizeRecent<Result> (
  make: (text: string) => Result, { most, longest = Infinity, characters = Infinity }: CacheLimits
): (text: string) => Result {
  const cache = new RecentMap<Result>(most, characters)
  return text => {
    const cached = cache.get(text)
    if (cached !== undefined) return cached
    const result = make(text)
    if (text.length <= longest) cache.set(text, result)
    return result
  }
}

/**
 * A map from texts that drops those used least recently: it holds at most that many texts, of that many characters
 * together.
 */
export class RecentMap<Value> {
  readonly #cache: LruMap<Held<Value>>
  readonly #characters: number
  #held = 0

  constructor (most: number, characters: number) {
    this.#cache = new LruMap<Held<Value>>(most)
    this.#characters = characters
  }

  get (text: string): Value | undefined { return this.#cache.get(text)?.value }

  /** Sets the value of a text that has none. `characters`: how many it counts for; default: its length. */
  set (text: string, value: Value, characters = text.length): void {
    const cache = this.#cache
    if (cache.size === cache.max) this.#evict()
    cache.set(text, { value, characters })
    this.#held += characters
    while (this.#held > this.#characters) this.#evict()
  }

  #evict (): void {
    const { value } = this.#cache.first as { readonly value: Held<Value> }
    this.#held -= value.characters
    this.#cache.evict()
  }
}

interface Held<Value> { readonly value: Value, readonly characters: number }
