import { mkdirSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { findDeepPage } from './deep.ts'
import { watchMachine } from './disturbance.ts'
import { describeMachine, machineName, pinSelf, shareCores, sqliteDriver } from './machine.ts'
import { type Effort, fewConnections, measure, type Outcome } from './measure.ts'
import { report } from './report.ts'
import { againstOther, type Facts, type Scenario, scenarios } from './scenarios.ts'
import { describeRivals, hasRivals } from './servers/rivals.ts'
import { type SourceName, sources } from './servers/setting.ts'
import { openStage, type Stage } from './stage.ts'
import { fullSizes, quickSizes, type Sizes } from './world.ts'

// npm run bench [-- --quick] [--source sqlite] [--scenario 'item by id'] [--connections 10] [--rounds 5] [--seconds 2]
// npm run bench -- --against ../before compares with the plugin of another checkout, which must be built.

const { values: { quick, source, scenario, connections, rounds, seconds, against } } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    source: { type: 'string', multiple: true, default: [...sources] },
    scenario: { type: 'string', multiple: true },
    connections: { type: 'string', multiple: true },
    against: { type: 'string' },
    rounds: { type: 'string' },
    seconds: { type: 'string' }
  }
})

/** `patience`: see watchMachine(mode.patience). */
interface Mode {
  readonly sizes: Sizes
  readonly deepPage: number
  readonly patience: readonly number[]
  readonly effort: Omit<Effort, 'watch'>
}

const modes: Readonly<Record<'full' | 'quick', Mode>> = {
  full: {
    sizes: fullSizes,
    deepPage: 10_000,
    // Other machines' bursts last for seconds.
    patience: [0, 0.25, 0.5, 1, 2, 2, 2],
    // On a quiet machine the intervals of eight rounds are a tenth wide.
    effort: { rounds: 8, mostRounds: 24, seconds: 0.3, warmUp: 1.5, first: 5_000, paced: 2, connections: [1, 10, 100] }
  },
  quick: {
    sizes: quickSizes,
    deepPage: 1_000,
    patience: [],
    effort: { rounds: 2, mostRounds: 2, seconds: 0.06, warmUp: 0.05, first: 100, paced: 0.1, connections: [10] }
  }
}

const mode = quick ? modes.quick : modes.full
const watch = watchMachine(mode.patience)
const effort: Effort = {
  ...mode.effort,
  watch,
  ...connections !== undefined && { connections: connections.map(Number) },
  ...rounds !== undefined && { rounds: Number(rounds), mostRounds: Number(rounds) },
  ...seconds !== undefined && { seconds: Number(seconds) }
}
const chosen = sources.filter(name => source.includes(name))
const withRivals = hasRivals()
const cores = shareCores()

async function measureAll (stage: Stage): Promise<readonly Outcome[]> {
  const facts: Facts = {
    sizes: mode.sizes,
    deep: await findDeepPage((await stage.server('plugin', 'sqlite')).url, mode.deepPage)
  }
  // A process that has answered nothing is measured from its first request on.
  await stage.clear()
  const outcomes: Outcome[] = []
  for (const name of chosen) {
    for (const one of scenarios(facts).filter(one => isWanted(one, name))) {
      outcomes.push(...await measure(entered(one), name, stage, effort))
      process.stderr.write(`${name}: ${one.name}\n`)
    }
    await stage.clear()
  }
  return outcomes
}

const isWanted = ({ name, subject, sources }: Scenario, source: SourceName) =>
  sources.includes(source) && (against === undefined || subject === undefined) &&
  (scenario === undefined || scenario.some(part => name.startsWith(part)))

/** Returns the scenario with the rivals that are there. */
function entered (scenario: Scenario): Scenario {
  if (against !== undefined) return againstOther(scenario)
  const rivals = scenario.rivals.filter(({ needs }) => needs === undefined || withRivals)
  return { ...scenario, rivals }
}

const roundsOf = ({ rounds, mostRounds }: Effort) =>
  rounds === mostRounds ? String(rounds) : `${rounds} to ${mostRounds}`

function document (outcomes: readonly Outcome[], disturbances: readonly string[]): string {
  const { artists, albumsEach, tracksEach } = mode.sizes
  const counts = [artists, artists * albumsEach, artists * albumsEach * tracksEach]
    .map(count => count.toLocaleString('en'))
  return [
    against === undefined ? '# The plugin against routes written by hand' : `# The plugin against that of ${against}`,
    `Made by \`npm run bench\`${quick
      ? ' in its quick mode, which shows that it works and no more'
      : ''}. Ratios are the plugin's figure to the rival's, estimated from ${roundsOf(effort)} paired rounds ` +
      `of ${effort.seconds} s, with their 95 % confidence intervals. Over ${effort.connections.join(', ')} ` +
      `connections, and over ${fewConnections} where answers are large. Answers are compared before anything is ` +
      'timed. A target is met or missed by the whole interval; otherwise it is open.',
    disturbances.length === 0
      ? 'The machine was quiet.'
      : `**This run was disturbed, and its figures do not count:** ${disturbances.join('; ')}.`,
    'The floor, beside memory() alone, sends a constant string of the same size. The route by hand has prepared ' +
      'statements on the same driver, schemas for fast-json-stringify and Ajv, and neither tags nor links, which ' +
      'the plugin sends.',
    [
      ...describeMachine(cores),
      `SQLite through ${sqliteDriver()}, for the plugin and by hand; ` +
        'PostgreSQL through pg with named statements, for both',
      withRivals
        ? `${describeRivals()}; Express on the driver of the route by hand, the others on better-sqlite3`
        : 'What people write otherwise is left out, as it is not installed: `npm ci --prefix benchmarks`',
      `Data: ${counts[0]} artists, ${counts[1]} albums, ${counts[2]} tracks`
    ].map(line => `- ${line}`).join('\n'),
    report(outcomes)
  ].join('\n\n')
}

pinSelf(cores.client)
const stage = await openStage(mode.sizes, [...new Set<SourceName>(['sqlite', ...chosen])], cores, against)
try {
  const outcomes = await measureAll(stage)
  const disturbances = watch.disturbancesIn(outcomes)
  const text = document(outcomes, disturbances)
  const isPart = [against, scenario, connections].some(option => option !== undefined)
  const isWhole = !quick && !isPart && chosen.length === sources.length
  if (isWhole && disturbances.length === 0) {
    mkdirSync('benchmarks/results', { recursive: true })
    writeFileSync(`benchmarks/results/${machineName()}.md`, `${text}\n`)
  }
  console.log(text)
} finally {
  await stage.close()
}
