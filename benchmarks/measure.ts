import { ask, compare, withTags } from './compare.ts'
import type { Watch } from './disturbance.ts'
import type { Pressure } from './load.ts'
import { type Paced, paceSockets } from './pace.ts'
import type { Rival } from './rivals.ts'
import type { Scenario } from './scenarios.ts'
import type { SourceName } from './servers/setting.ts'
import { ratiosOf } from './report.ts'
import { pressFirst, pressSockets } from './sockets.ts'
import type { Stage } from './stage.ts'
import { isWide, medianOf } from './statistics.ts'

/** One round of one subject. CPU times in microseconds per request; `database` is undefined where not measured. */
export interface Sample {
  /** Answers per second. */
  readonly throughput: number
  readonly node: number
  readonly database: number | undefined
  readonly busy: number
}

/**
 * What was measured of a server. `served`: the requests that it had answered before the first round. `first`: the CPU
 * time of each of the first requests that its process answered, in microseconds, where these were of this scenario.
 */
export interface Figures {
  readonly samples: readonly Sample[]
  readonly served: number
  readonly first: number | undefined
  readonly paced: Paced | undefined
}

/** A rival and its rounds, which alternate with the plugin's. */
export interface Against extends Figures { readonly rival: Rival }

export interface Outcome extends Figures {
  readonly scenario: Scenario
  readonly source: SourceName
  readonly connections: number
  readonly against: readonly Against[]
}

/**
 * `rounds`: the least; others follow, up to `mostRounds`, while an interval is wide. `seconds` and `warmUp`: of one
 * round, and of the load before the first. `connections`: those of small requests. `first`: how many requests of a new
 * process are measured on their own. `paced`: the seconds of a load of half the capacity.
 */
export interface Effort {
  readonly watch: Watch
  readonly rounds: number
  readonly mostRounds: number
  readonly seconds: number
  readonly warmUp: number
  readonly first: number
  readonly paced: number
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
  const { subject = 'plugin' } = scenario
  const plugin = await stage.server(subject, source)
  const rivals = scenario.rivals.filter(rival => rival.sources.includes(source))
  for (const rival of rivals) {
    await compare(scenario, rival, { plugin: plugin.url, rival: (await stage.server(rival.subject, source)).url })
  }
  // The floor has no source. Without a database beside it, its figures are steady.
  const hasFloor = source === 'memory' && rivals.some(({ subject }) => subject === 'by hand')
  const entrants: readonly Entrant[] = [
    { subject, requests: scenario.requests, same: 'no' },
    ...rivals,
    ...hasFloor ? [{ ...await makeFloor(scenario, plugin.url), same: 'no' } as const] : []
  ]
  const begun: Begun[] = []
  for (const entrant of entrants) begun.push(await warmUp(scenario, entrant, source, stage, effort))
  const outcomes: Outcome[] = []
  for (const connections of scenario.isSmall ? effort.connections : [fewConnections]) {
    const sampled = begun.map((one): Sampled => ({ ...one, paced: undefined, samples: [] }))
    const outcome = { scenario, source, connections, ...outcomeOf(sampled, source) }
    const rounds = { ...effort, connections, rows: scenario.rows ?? 1 }
    await runRounds(sampled, source, stage, rounds, () => isClear(outcome))
    if (scenario.isSmall && connections === fewConnections) await pace(sampled, source, stage, effort.paced)
    outcomes.push({ ...outcome, ...outcomeOf(sampled, source) })
  }
  return outcomes
}

type Entrant = Omit<Rival, 'sources'>

/** A server that has answered requests before the first round. */
interface Begun { readonly entrant: Entrant, readonly served: number, readonly first: number | undefined }

async function warmUp (
  { isConditional = false }: Scenario, entrant: Entrant, source: SourceName, stage: Stage, effort: Effort
): Promise<Begun> {
  const server = await stage.server(entrant.subject, source)
  const requests = isConditional ? await withTags(server.url, entrant.requests) : entrant.requests
  const first = server.served === 0 ? await pressFirst(server, requests, effort.first) : undefined
  await pressSockets(server, requests, { connections: fewConnections, seconds: effort.warmUp, settle: 0 })
  return { entrant: { ...entrant, requests }, served: server.served, first }
}

/** Measures latencies while each server gets half of the requests that it can answer. */
async function pace (sampled: readonly Sampled[], source: SourceName, stage: Stage, seconds: number): Promise<void> {
  for (const one of sampled) {
    const rate = medianOf(one.samples.map(sample => sample.throughput)) / 2
    const server = await stage.server(one.entrant.subject, source)
    one.paced = await paceSockets(server, one.entrant.requests, { connections: fewConnections, rate, seconds })
  }
}

interface Sampled extends Begun { readonly samples: Sample[], paced: Paced | undefined }

const figuresOf = ({ samples, served, first, paced }: Sampled): Figures => ({ samples, served, first, paced })

/** Returns the outcome, which grows with the samples. */
function outcomeOf (sampled: readonly Sampled[], source: SourceName): Figures & Pick<Outcome, 'against'> {
  const [own, ...others] = sampled
  if (own === undefined) throw new TypeError('no server')
  return {
    ...figuresOf(own),
    against: others.map(one => ({ rival: { sources: [source], ...one.entrant }, ...figuresOf(one) }))
  }
}

const isClear = (outcome: Outcome) => !outcome.against.some(against => isWide(ratiosOf(outcome, against).cpu))

async function runRounds (
  entrants: readonly Sampled[], source: SourceName, stage: Stage, effort: Omit<Effort, 'connections'> & RoundsOf,
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

/** `rows`: those of each answer, whose figures are wanted. */
interface RoundsOf extends Pressure { readonly rows: number }

async function sample (
  { subject, requests }: Entrant, source: SourceName, stage: Stage, { connections, seconds, rows }: RoundsOf
): Promise<Sample> {
  const server = await stage.server(subject, source)
  const databaseCpu = () => subject === 'floor' ? undefined : stage.databaseCpu(source)
  const settle = Math.min(0.1, seconds)
  const measured = await pressSockets(server, requests, { connections, seconds, settle }, databaseCpu)
  const { throughput, cpu, database, busy } = measured
  return { throughput: throughput * rows, node: cpu / rows, database, busy }
}
