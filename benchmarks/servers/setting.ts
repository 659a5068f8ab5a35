import type { Sizes } from '../world.ts'

export const sources = ['memory', 'sqlite', 'postgres'] as const
export type SourceName = typeof sources[number]

/** The source of a server process's data. */
export type Setting =
  | { readonly source: 'memory', readonly sizes: Sizes }
  | { readonly source: 'sqlite', readonly file: string }
  | { readonly source: 'postgres', readonly url: string }

/** The number of connections to PostgreSQL, the same for each server. */
export const mostConnections = 10

// The same pragmas as the plugin sets with `synchronous: 'normal'`. With `full`, writes would measure the disk.
export const sqlitePragmas =
  'pragma journal_mode = wal; pragma synchronous = normal; pragma foreign_keys = on; pragma cache_size = -16000'
