import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { findDeepPage } from '../deep.ts'
import { describeMachine, pinSelf, shareCores } from '../machine.ts'
import { type Scenario, scenarios } from '../scenarios.ts'
import { type SourceName, sources } from '../servers/setting.ts'
import { textOf } from '../sockets.ts'
import { openStage, type Stage } from '../stage.ts'
import { formatNumber, formatTable } from '../table.ts'
import { quickSizes } from '../world.ts'
import { type Profile, sharesOf, stages } from './stages.ts'

// npm run bench:profile -- 'item by id' [--source memory] [--connections 10] [--seconds 3]
// Each server sends the requests to itself over connections in memory, so that the kernel takes no part.

const { values: { source, connections, seconds }, positionals: [wanted = 'item by id'] } = parseArgs({
  allowPositionals: true,
  options: {
    source: { type: 'string', default: 'sqlite' },
    connections: { type: 'string', default: '10' },
    seconds: { type: 'string', default: '3' }
  }
})
const name = sources.find(one => one === source)
if (name === undefined) throw new TypeError(`--source: expected ${sources.join(', ')}; found '${source}'`)
const pressure = { connections: Number(connections), seconds: Number(seconds) }
const cores = shareCores()
const folder = mkdtempSync(join(tmpdir(), 'data-api-profile-'))
// process.ts starts servers with these options. A profiler that samples each 100 µs costs some percent itself.
process.env['DATA_API_BENCH_NODE'] = `--cpu-prof --cpu-prof-interval=100 --cpu-prof-dir=${folder}`

async function findScenario (stage: Stage): Promise<Scenario> {
  const deep = await findDeepPage((await stage.server('plugin', 'sqlite')).url, 1_000)
  await stage.clear()
  const all = scenarios({ sizes: quickSizes, deep })
  const found = all.find(one => one.name.startsWith(wanted))
  if (found !== undefined) return found
  throw new TypeError(`no scenario '${wanted}'; there are: ${all.map(one => one.name).join('; ')}`)
}

/** Returns the CPU time a request of a server in microseconds, and of each stage by its profile. */
async function profile (
  subject: 'plugin' | 'floor', source: SourceName, requests: Scenario['requests'], stage: Stage
): Promise<{ readonly cpu: number, readonly shares: ReadonlyMap<string, number> }> {
  for (const file of readdirSync(folder)) rmSync(join(folder, file))
  const server = await stage.server(subject, source)
  const load = { ...pressure, texts: requests.map(textOf) }
  const before = await server.ask(load)
  const after = await server.ask(load)
  await stage.clear()
  // Each thread writes its profile when it ends; the largest is that of the main thread.
  const texts = readdirSync(folder).map(file => readFileSync(join(folder, file), 'utf8'))
  const [text = '{}'] = texts.toSorted((one, other) => other.length - one.length)
  const cpu = (after.cpu - before.cpu) / after.answers
  return { cpu, shares: sharesOf(JSON.parse(text) as Profile, pressure.seconds * 1e6) }
}

async function describe (stage: Stage, source: SourceName): Promise<string> {
  const scenario = await findScenario(stage)
  const plugin = await profile('plugin', source, scenario.requests, stage)
  const floor = await profile('floor', source, scenario.requests.map(one => ({ ...one, path: '/200/200' })), stage)
  const rows = stages.map(one => [one, formatNumber(plugin.cpu * (plugin.shares.get(one) ?? 0))])
  return [
    `# ${scenario.name} on ${source}, ${pressure.connections} connections`,
    describeMachine(cores).map(line => `- ${line}`).join('\n'),
    formatTable(['stage', 'CPU µs a request'], [
      ...rows, ['all', formatNumber(plugin.cpu)], ["Fastify's floor: a constant string", formatNumber(floor.cpu)]
    ])
  ].join('\n\n')
}

pinSelf(cores.client)
const stage = await openStage(quickSizes, [...new Set<SourceName>(['sqlite', name])], cores)
try {
  console.log(await describe(stage, name))
} finally {
  await stage.close()
  rmSync(folder, { recursive: true, force: true })
}
