import { setTimeout } from 'node:timers/promises'
import { type Pair, startPair } from '../helpers/streaming-replica.ts'
import { startLoad } from './load.ts'
import { type Effort, merge, type Outcome } from './outcome.ts'
import { ask, askPatiently } from './postgres.ts'
import { servePostgres } from './postgres-api.ts'
import { untilHealed } from './postgres-kills.ts'
import { type Proxy, startProxy } from './proxy.ts'
import { postgresScript } from './world.ts'

// A primary with a synchronous replica, behind an address that can lead to either.

const supply = 20_000

interface Move {
  readonly name: string
  readonly rounds: number
  /** Makes the replica the primary, and has the address lead to it. */
  move (pair: Pair, proxy: Proxy): Promise<void>
}

const moves: readonly Move[] = [
  { name: 'primary killed, synchronous replica promoted', rounds: 10, move: failOver },
  { name: 'switchover, connections to the old primary stay open', rounds: 5, move: switchOver }
]

/** Promotes a synchronous replica, after the primary was killed and in good order. */
export async function failover (effort: Effort): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = []
  for (const { name, rounds, move } of moves) {
    const made: Outcome[] = []
    for (let round = 0; round < (effort.quick ? 1 : rounds); round++) made.push(await once(effort, move))
    outcomes.push(merge(name, made))
  }
  return outcomes
}

async function once (effort: Effort, move: Move['move']): Promise<Outcome> {
  const { random } = effort
  const pair = await startPair()
  await ask(pair.primary, postgresScript(supply))
  await makeSynchronous(pair)
  const proxy = await startProxy(portOf(pair.primary))
  const served = await servePostgres({ effort, supply, options: { connectionString: proxy.url } })
  const load = startLoad(served.writer, { random, clients: 10 })
  await setTimeout(random.between(300, 800))
  await move(pair, proxy)
  const heals = [await untilHealed(served.writer, performance.now())]
  await load.stop()
  const outcome = await served.judge(pair.replica, { name: '', struck: 1, heals })
  await proxy.close()
  await pair.stop()
  return outcome
}

/** What is acknowledged from now on is on the replica too. */
async function makeSynchronous (pair: Pair): Promise<void> {
  await askPatiently(pair.primary, "alter system set synchronous_standby_names = '*'")
  await askPatiently(pair.primary, 'select pg_reload_conf()')
  await untilSome(pair.primary, "select 1 from pg_stat_replication where sync_state = 'sync'")
}

async function failOver (pair: Pair, proxy: Proxy): Promise<void> {
  await pair.killPrimary()
  await promote(pair, proxy)
}

/** The old primary stays, and takes no writes. */
async function switchOver (pair: Pair, proxy: Proxy): Promise<void> {
  await askPatiently(pair.primary, 'alter system set default_transaction_read_only = on')
  await askPatiently(pair.primary, 'select pg_reload_conf()')
  // Transactions that began before may still write.
  await untilSome(pair.primary, `select 1 where not exists (
    select from pg_stat_activity where backend_xid is not null and xact_start < now() - interval '0.3 s')`)
  await setTimeout(300)
  const [position] = await askPatiently(pair.primary, 'select pg_current_wal_lsn() as lsn')
  await untilSome(pair.replica, `select 1 where pg_last_wal_replay_lsn() >= '${String(position?.['lsn'])}'`)
  await promote(pair, proxy)
}

async function promote (pair: Pair, proxy: Proxy): Promise<void> {
  await ask(pair.replica, 'select pg_promote()')
  proxy.lead(portOf(pair.replica))
}

async function untilSome (url: string, query: string): Promise<void> {
  while ((await askPatiently(url, query)).length === 0) await setTimeout(20)
}

const portOf = (url: string) => Number(new URL(url).port)
