import { Feed, type FeedSource, type Shown } from './feed.ts'
import { pagesOf } from './subset.ts'
import type { ShownState, Subset, Syncing } from './tanstack.ts'
import type { PathOf } from './where.ts'

/** What the subsets of a collection are loaded by. */
interface Loading { readonly source: FeedSource, readonly base: object, readonly pathOf: PathOf }

/** A subset that is in use. `loaded`: undefined after an error. */
interface Used {
  readonly feeds: readonly Feed[]
  users: number
  loaded: ShownState | undefined
}

/** Returns the functions of a collection that load and unload subsets. Users of the same one share it. */
export function makeSubsets ({ source, base, pathOf }: Loading, shown: Shown): Syncing & { refresh (): void } {
  const subsets = new Map<string, Used>()
  return {
    loadSubset (options: Subset): ShownState {
      const pages = pagesOf(options, base, pathOf)
      const key = textOf(pages)
      const subset = subsets.get(key) ??
        { feeds: pages.map(page => new Feed(source, page, shown)), users: 0, loaded: undefined }
      subsets.set(key, subset)
      subset.users++
      return options.refetch || subset.loaded === undefined ? load(subset) : subset.loaded
    },
    unloadSubset (options: Subset): void {
      const key = textOf(pagesOf(options, base, pathOf))
      const subset = subsets.get(key)
      if (subset === undefined || --subset.users > 0) return
      subsets.delete(key)
      for (const feed of subset.feeds) feed.close()
    },
    cleanup (): void {
      for (const { feeds } of subsets.values()) for (const feed of feeds) feed.close()
      subsets.clear()
    },
    refresh (): void {
      for (const subset of subsets.values()) load(subset).catch(() => {})
    }
  }
}

function load (subset: Used): Promise<void> {
  const loaded = Promise.all(subset.feeds.map(feed => feed.load())).then(
    () => { if (subset.loaded === loaded) subset.loaded = true },
    (error: unknown) => {
      if (subset.loaded === loaded) subset.loaded = undefined
      throw error
    }
  )
  subset.loaded = loaded
  return loaded
}

const textOf = (pages: unknown): string =>
  JSON.stringify(pages, (_, value: unknown) => typeof value === 'bigint' ? String(value) : value)
