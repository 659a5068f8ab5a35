import { setTimeout } from 'node:timers/promises'
import type pg from 'pg'
import { clientOf } from '../helpers/postgres-client.ts'
import { startLoad } from './load.ts'
import type { Effort, Outcome } from './outcome.ts'
import { backends, endBackends, startPostgres } from './postgres.ts'
import { servePostgres } from './postgres-api.ts'
import { untilHealed } from './postgres-kills.ts'

// Others have all connections that the server takes.

const supply = 20_000
const most = 12

/** Takes all connections of a server, then gives them back. */
export async function postgresConnections (effort: Effort): Promise<readonly Outcome[]> {
  const { random, quick } = effort
  const server = await startPostgres(supply, [`max_connections=${most}`, 'superuser_reserved_connections=0'])
  const served = await servePostgres({ effort, supply, options: { connectionString: server.url } })
  const rounds = quick ? 1 : 20
  const heals: number[] = []
  for (let round = 0; round < rounds; round++) {
    const giveBack = await takeAll(server.url)
    const load = startLoad(served.writer, { random, clients: 8 })
    await setTimeout(500)
    await giveBack()
    heals.push(await untilHealed(served.writer, performance.now()))
    await load.stop()
  }
  const outcome = await served.judge(server.url, { name: 'max_connections reached', struck: rounds, heals })
  await server.close()
  return [outcome]
}

/** Ends the connections of the API and opens as many as there may be. */
async function takeAll (url: string): Promise<() => Promise<void>> {
  await endBackends(url)
  // Until then they count.
  while ((await backends(url)).length > 0) await setTimeout(10)
  const clients: pg.Client[] = []
  for (;;) {
    const client = clientOf(url)
    try {
      await client.connect()
      clients.push(client)
    } catch {
      return async () => { await Promise.all(clients.map(client => client.end())) }
    }
  }
}
