import { setTimeout } from 'node:timers/promises'
import { startLoad } from './load.ts'
import { type Effort, merge, type Outcome } from './outcome.ts'
import { startPostgres } from './postgres.ts'
import { servePostgres } from './postgres-api.ts'
import { untilHealed } from './postgres-kills.ts'
import { type Fate, passAll, startProxy } from './proxy.ts'

// A network that loses connections: of all frames between the API and the server, in both directions, 4 in 1,000 are
// cut or held for up to two seconds.

const probability = 0.004
// In milliseconds.
const longest = 2000
const supply = 20_000

/** Strikes frames at random under mixed writes. */
export async function postgresChaos (effort: Effort): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = []
  const [runs, seconds] = effort.quick ? [1, 2] : [3, 20]
  for (let run = 0; run < runs; run++) outcomes.push(await strikeAtRandom(effort, seconds))
  return [merge('chaos: 0.4 % of frames cut or held', outcomes)]
}

async function strikeAtRandom (effort: Effort, seconds: number): Promise<Outcome> {
  const { random } = effort
  const server = await startPostgres(supply)
  const proxy = await startProxy(server.port)
  const options = { connectionString: proxy.url, statementTimeout: 500 }
  const served = await servePostgres({ effort, supply, options })
  let struck = 0
  const load = startLoad(served.writer, { random, clients: 10 })
  proxy.decide((): Fate => {
    if (!random.chance(probability)) return 'pass'
    struck++
    return random.of<Fate>(['cut before', 'cut after', { until: setTimeout(random.between(50, longest)) }])
  })
  await setTimeout(seconds * 1000)
  proxy.decide(passAll)
  // Until then frames are held.
  await setTimeout(longest)
  const heals = [await untilHealed(served.writer, performance.now())]
  await load.stop()
  const outcome = await served.judge(server.url, { name: 'chaos', struck, heals })
  await proxy.close()
  await server.close()
  return outcome
}
