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

// What the plugin sets for itself with `synchronous: 'normal'`. In full, writes would measure the disk, which both sides wait for alike.
export const sqlitePragmas = 'pragma journal_mode = wal; pragma synchronous = normal; pragma foreign_keys = on; pragma cache_size = -16000'
