import type { OwnLoad } from './in-memory.ts'
import type { Setting } from './setting.ts'

/** What people write otherwise: Express with prepared statements, Fastify with drizzle, and Feathers. */
export type OtherSubject = 'express' | 'drizzle' | 'feathers'

/**
 * The servers that are measured. The tagged one is written by hand too, and its reads have a strong ETag and 304; the
 * special one has what needs more than plain routes. The wide plugin allows pages larger than the default, the
 * documents of the live one can be followed, and the ruled one has rules and scopes.
 */
export type Subject =
  | 'floor' | 'by hand' | 'tagged' | 'special' | 'plugin' | 'wide plugin' | 'live plugin' | 'ruled plugin'
  | 'importing plugin' | 'import by hand' | 'platformatic' | OtherSubject

/** A server that is measured: one of this checkout, or the plugin of another. */
export type Contestant = Subject | 'other checkout'

/** The settings of a server process, from its command line. */
export interface ServerSettings { readonly subject: Subject, readonly setting: Setting }

/**
 * A question to a server process. It answers each with its usage: `collect` collects garbage first, `watch` resets the
 * longest pause first, and a load is done first.
 */
export type Question = 'usage' | 'collect' | 'watch' | OwnLoad

/**
 * The usage of a server process: CPU time of all threads in microseconds, memory in bytes, and, in milliseconds, the
 * event loop's longest pause and the time of garbage collection. `answers`: those to a load of its own.
 */
export interface Usage {
  readonly cpu: number
  readonly heap: number
  readonly rss: number
  /** The most resident memory since the start. */
  readonly peak: number
  readonly pause: number
  readonly collecting: number
  readonly answers: number
}
