import { ask, compare } from './compare.ts'
import type { Watch } from './disturbance.ts'
import type { Pressure } from './load.ts'
import type { Rival } from './rivals.ts'
import type { Scenario } from './scenarios.ts'
import type { SourceName } from './servers/setting.ts'
import { ratiosOf } from './report.ts'
import { pressSockets } from './sockets.ts'
import type { Stage } from './stage.ts'
import { isWide } from './statistics.ts'

/** One round of one subject. CPU times in microseconds per request; `database` is undefined where not measured. */
export interface Sample {
  /** Answers per second. */
  readonly throughput: number
  readonly node: number
  readonly database: number | undefined
  readonly busy: number
}

/** A rival and its rounds, which alternate with the plugin's. */
export interface Against { readonly rival: Rival, readonly samples: readonly Sample[] }

export interface Outcome {
  readonly scenario: Scenario
  readonly source: SourceName
  readonly connections: number
  readonly samples: readonly Sample[]
  readonly against: readonly Against[]
}

/**
 * `rounds`: the least; others follow, up to `mostRounds`, while an interval is wide. `seconds` and `warmUp`: of one
 * round, and of the load before the first. `connections`: those of small requests.
 */
export interface Effort {
  readonly watch: Watch
  readonly rounds: number
  readonly mostRounds: number
  readonly seconds: number
  readonly warmUp: number
  readonly connections: readonly number[]
}

/** The connections of requests whose answers are large: more of them would wait for the client. */
export const fewConnections = 10

/**
 * Measures a scenario on a source, with each number of connections. The rounds of the plugin and its rivals are paired,
 * every other pair the other way round, so that noise affects all.
 */
export async function measure (
  scenario: Scenario, source: SourceName, stage: Stage, effort: Effort
): Promise<readonly Outcome[]> {
  const plugin = await stage.server('plugin', source)
  const rivals = scenario.rivals.filter(rival => rival.sources.includes(source))
  for (const rival of rivals) {
    await compare(scenario, rival, { plugin: plugin.url, rival: (await stage.server(rival.subject, source)).url })
  }
  // The floor has no source. Without a database beside it, its figures are steady.
  const hasFloor = source === 'memory' && rivals.some(({ subject }) => subject === 'by hand')
  const entrants: readonly Entrant[] = [
    { subject: 'plugin', requests: scenario.requests, same: 'no' },
    ...rivals,
    ...hasFloor ? [{ ...await makeFloor(scenario, plugin.url), same: 'no' } as const] : []
  ]
  for (const { subject, requests } of entrants) {
    const server = await stage.server(subject, source)
    await pressSockets(server, requests, { connections: fewConnections, seconds: effort.warmUp, settle: 0 })
  }
  const outcomes: Outcome[] = []
  for (const connections of scenario.isSmall ? effort.connections : [fewConnections]) {
    const sampled = entrants.map((entrant): Sampled => ({ entrant, samples: [] }))
    const outcome = { scenario, source, connections, ...outcomeOf(sampled, source) }
    await runRounds(sampled, source, stage, { ...effort, connections }, () => isClear(outcome))
    outcomes.push(outcome)
  }
  return outcomes
}

type Entrant = Omit<Rival, 'sources'>

interface Sampled { readonly entrant: Entrant, readonly samples: Sample[] }

/** Returns the outcome, which grows with the samples. */
const outcomeOf = ([own, ...others]: readonly Sampled[], source: SourceName): Pick<Outcome, 'samples' | 'against'> => ({
  samples: own?.samples ?? [],
  against: others.map(({ entrant, samples }) => ({ rival: { sources: [source], ...entrant }, samples }))
})

const isClear = (outcome: Outcome) => !outcome.against.some(against => isWide(ratiosOf(outcome, against).cpu))

async function runRounds (
  entrants: readonly Sampled[], source: SourceName, stage: Stage, effort: Omit<Effort, 'connections'> & Pressure,
  areEnough: () => boolean
): Promise<void> {
  for (let round = 0; round < effort.rounds || (round < effort.mostRounds && !areEnough()); round++) {
    for (const { entrant, samples } of round % 2 === 0 ? entrants : entrants.toReversed()) {
      samples.push(await effort.watch.run(async () => sample(entrant, source, stage, effort)))
    }
  }
}

/** Returns the floor as a rival: it answers with the same status and a body of the same size. */
async function makeFloor (
  { requests: [first] }: Scenario, url: string
): Promise<Pick<Rival, 'subject' | 'label' | 'requests'>> {
  if (first === undefined) throw new TypeError('a scenario without requests')
  const { status, size } = await ask(url, first)
  return { subject: 'floor', label: 'floor: a constant string', requests: [{ ...first, path: `/${status}/${size}` }] }
}

async function sample (
  { subject, requests }: Entrant, source: SourceName, stage: Stage, { connections, seconds }: Pressure
): Promise<Sample> {
  const server = await stage.server(subject, source)
  const databaseCpu = () => subject === 'floor' ? undefined : stage.databaseCpu(source)
  const settle = Math.min(0.1, seconds)
  const measured = await pressSockets(server, requests, { connections, seconds, settle }, databaseCpu)
  const { throughput, cpu, database, busy } = measured
  return { throughput, node: cpu, database, busy }
}
