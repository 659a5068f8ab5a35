import type { Request } from './load.ts'
import type { Contestant, OtherSubject } from './servers/protocol.ts'
import type { SourceName } from './servers/setting.ts'

/** A server that the plugin is compared with in a scenario. */
export interface Rival {
  readonly subject: Contestant
  /** A description, where the subject's name is not enough. */
  readonly label?: string
  readonly requests: readonly Request[]
  readonly sources: readonly SourceName[]
  /** The target on SQLite: the least ratio of the plugin's throughput to the rival's. */
  readonly sqlite?: number
  /** The target on memory(), likewise. */
  readonly memory?: number
  /** The target on both with one connection, if it is lower. */
  readonly lone?: number
  /** The target on PostgreSQL: the highest ratio of the plugin's CPU time to the rival's. */
  readonly postgres?: number
  /** True for a server whose packages are those of benchmarks/package.json. */
  readonly needs?: 'packages'
  /** The comparison of its answers with the plugin's: whole, by the number of items where names differ, or none. */
  readonly same: 'whole' | 'size' | 'no'
}

export const everywhere: readonly SourceName[] = ['memory', 'sqlite', 'postgres']

type Targets = Pick<Rival, 'sqlite' | 'memory' | 'lone' | 'postgres' | 'label'>

// The targets of small requests, and those against a route that sends tags.
export const small: Targets = { sqlite: 0.95, memory: 0.95, lone: 0.9, postgres: 1 }
export const larger: Targets = { sqlite: 1.1, memory: 1.1, postgres: 1 }

export const byHand = (requests: readonly Request[], targets: Targets = {}): Rival => ({
  subject: 'by hand',
  sources: everywhere,
  same: 'whole',
  requests,
  ...targets
})
/** The same by hand, with tags. */
export const tagged = (requests: readonly Request[]): Rival => ({
  subject: 'tagged',
  label: 'by hand, with tags',
  sources: everywhere,
  same: 'whole',
  requests,
  sqlite: 1.15,
  memory: 1.15,
  postgres: 0.9
})
export const platformatic = (requests: readonly Request[], target?: number): Rival =>
  ({
    subject: 'platformatic',
    needs: 'packages',
    sources: ['sqlite'],
    same: 'size',
    requests,
    ...target !== undefined && { sqlite: target }
  })

/** What people write otherwise, with the URLs of the route by hand. */
export const others = (requests: readonly Request[], same?: Rival['same']): readonly Rival[] => [
  other('drizzle', 'Fastify with drizzle', requests, same),
  other('express', 'Express, prepared statements', requests, same)
]
const other = (
  subject: OtherSubject, label: string, requests: readonly Request[], same: Rival['same'] = 'whole'
): Rival => ({ subject, label, needs: 'packages', sources: ['sqlite'], same, requests })
export const feathers = (requests: readonly Request[], same?: Rival['same']): Rival =>
  other('feathers', 'Feathers with knex', requests, same)
