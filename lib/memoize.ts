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

/** The size of a cache of texts. */
export interface CacheLimits {
  /** Entries. */
  readonly most: number
  /** Characters of a text; a longer text is not cached. Default: no limit. */
  readonly longest?: number
}

/**
 * Returns a function that calls `make` for a text and caches the results of the texts that were used last. The cache is
 * bounded because clients choose the texts.
 */
export function memoizeRecent<Result> (
  make: (text: string) => Result, { most, longest = Infinity }: CacheLimits
): (text: string) => Result {
  const cache = new LruMap<Result>(most)
  return text => {
    const cached = cache.get(text)
    if (cached !== undefined) return cached
    const result = make(text)
    if (text.length <= longest) cache.set(text, result)
    return result
  }
}
