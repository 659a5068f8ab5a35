import type { Setting } from './setting.ts'

/** The wide plugin has pages larger than its options' default. */
export type Subject = 'floor' | 'by hand' | 'plugin' | 'wide plugin' | 'platformatic'

/** What a server process is told on its command line. */
export interface Served { readonly subject: Subject, readonly setting: Setting }

/** What it is asked: its usage, at once, after it has collected its garbage, or with its longest pause forgotten. */
export type Asked = 'usage' | 'collect' | 'watch'

/**
 * CPU time of all its threads in microseconds, memory in bytes. In milliseconds the event loop's longest pause, and the
 * time spent in garbage collection.
 */
export interface Usage {
  readonly cpu: number
  readonly heap: number
  readonly rss: number
  readonly pause: number
  readonly collecting: number
}
