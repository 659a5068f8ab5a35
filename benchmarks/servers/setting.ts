import type { Sizes } from '../world.ts'

export const sources = ['memory', 'sqlite', 'postgres'] as const
export type SourceName = typeof sources[number]

/** What a server process serves its data from. */
export type Setting =
  | { readonly source: 'memory', readonly sizes: Sizes }
  | { readonly source: 'sqlite', readonly file: string }
  | { readonly source: 'postgres', readonly url: string }

/** Connections to PostgreSQL, of every server alike. */
export const mostConnections = 10

// With the write-ahead log this is what SQLite's manual advises: the disk is waited for at checkpoints only. The cache is as large as the plugin's own.
export const sqlitePragmas = 'pragma journal_mode = wal; pragma synchronous = normal; pragma foreign_keys = on; pragma cache_size = -16000'
