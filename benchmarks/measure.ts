import { ask, compare } from './compare.ts'
import { press, type Pressure, type Request } from './load.ts'
import type { Rival, Scenario } from './scenarios.ts'
import type { Subject } from './servers/protocol.ts'
import type { SourceName } from './servers/setting.ts'
import type { Stage } from './stage.ts'

/** One round of one subject. CPU times in microseconds per request; `database` is undefined where not measured. */
export interface Sample {
  /** Answers per second. */
  readonly throughput: number
  readonly node: number
  readonly database: number | undefined
  /** The share of its core that the server used. Far below 1 it waited for the client or the database. */
  readonly busy: number
}

/** A rival and its rounds, which alternate with the plugin's. */
export interface Against { readonly rival: Rival, readonly samples: readonly Sample[] }

export interface Outcome {
  readonly scenario: Scenario
  readonly source: SourceName
  readonly samples: readonly Sample[]
  readonly against: readonly Against[]
}

export interface Effort extends Pressure { readonly rounds: number, readonly warmUp: number }

/** Measures a scenario on a source. The rounds of the plugin and its rivals alternate, so that noise affects all. */
export async function measure (scenario: Scenario, source: SourceName, stage: Stage, effort: Effort): Promise<Outcome> {
  const plugin = await stage.server('plugin', source)
  const rivals = scenario.rivals.filter(rival => rival.sources.includes(source))
  for (const rival of rivals) {
    await compare(scenario, rival, { plugin: plugin.url, rival: (await stage.server(rival.subject, source)).url })
  }
  const entrants: ReadonlyArray<Omit<Rival, 'sources'>> = [
    { subject: 'plugin', requests: scenario.requests, same: 'no' },
    ...rivals,
    { ...await makeFloor(scenario, plugin.url), same: 'no' }
  ]
  const samples = entrants.map((): Sample[] => [])
  for (const { subject, requests } of entrants) {
    await press((await stage.server(subject, source)).url, requests, { ...effort, seconds: effort.warmUp })
  }
  for (let round = 0; round < effort.rounds; round++) {
    for (const [index, { subject, requests }] of entrants.entries()) {
      samples[index]?.push(await sample(subject, source, requests, stage, effort))
    }
  }
  const [own = [], ...others] = samples
  return {
    scenario,
    source,
    samples: own,
    against: entrants.slice(1)
      .map((rival, index) => ({ rival: { sources: [source], ...rival }, samples: others[index] ?? [] }))
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
  subject: Subject, source: SourceName, requests: readonly Request[], stage: Stage, effort: Effort
): Promise<Sample> {
  const server = await stage.server(subject, source)
  const databaseBefore = subject === 'floor' ? undefined : stage.databaseCpu(source)
  const before = await server.ask('usage')
  const { requests: answered, seconds } = await press(server.url, requests, effort)
  const { cpu } = await server.ask('usage')
  const databaseAfter = subject === 'floor' ? undefined : stage.databaseCpu(source)
  const used = cpu - before.cpu
  return {
    throughput: answered / seconds,
    node: used / answered,
    database: databaseBefore === undefined || databaseAfter === undefined
      ? undefined
      : (databaseAfter - databaseBefore) / answered,
    busy: used / 1e6 / seconds
  }
}
