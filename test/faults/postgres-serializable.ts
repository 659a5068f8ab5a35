import { setTimeout } from 'node:timers/promises'
import { type Kind, startLoad } from './load.ts'
import type { Effort, Outcome } from './outcome.ts'
import { startPostgres } from './postgres.ts'
import { servePostgres } from './postgres-api.ts'

// Transactions are serializable, and ten clients change the same few rows: the server refuses some of their commits.
// The marks tell whether what was acknowledged was done; counters hold as much as they were counted up; and the
// server's log tells how many commits it has refused.

const supply = 1

interface Mix { readonly name: string, readonly kinds: readonly Kind[] }

const single = ['update', 'scalar PUT'] as const
const transactions = ['update with setter', 'update with hook'] as const

const mixes: readonly Mix[] = [
  { name: 'serializable, single updates', kinds: single },
  { name: 'serializable, setters and hooks', kinds: transactions },
  { name: 'serializable, all of them and upserts', kinds: [...single, ...transactions, 'upsert'] }
]

/** Has clients change the same rows in serializable transactions. */
export async function postgresSerializable (effort: Effort): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = []
  // The last has what the others have.
  for (const mix of effort.quick ? mixes.slice(-1) : mixes) outcomes.push(await conflict(effort, mix))
  return outcomes
}

async function conflict (effort: Effort, { name, kinds }: Mix): Promise<Outcome> {
  const server = await startPostgres(supply, ['default_transaction_isolation=serializable'])
  const served = await servePostgres({ effort, supply, options: { connectionString: server.url } })
  const load = startLoad(served.writer, { random: effort.random, clients: 10, of: kinds })
  await setTimeout(effort.quick ? 1000 : 20_000)
  await load.stop()
  const atCommit = server.log().match(/(during|on) commit attempt/g)?.length ?? 0
  const refused = server.log().match(/could not serialize access/g)?.length ?? 0
  const notes = [`the server refused ${refused} transactions, ${atCommit} of them at the commit`]
  const outcome = await served.judge(server.url, { name, struck: refused, heals: [], notes })
  await server.close()
  return outcome
}
