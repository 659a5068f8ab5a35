import { setTimeout } from 'node:timers/promises'
import { everyKind, type Kind, startLoad, type Writer } from './load.ts'
import { type Effort, healedIn, type Outcome } from './outcome.ts'
import { backends, endBackends, type Postgres, signal, startPostgres } from './postgres.ts'
import { servePostgres } from './postgres-api.ts'
import type { Random } from './random.ts'

// A server is struck while clients write through an API that goes on running. One fault a row: what strikes, how often
// and when it is over. The short form strikes once, and one of each sort.

interface Fault {
  readonly name: string
  readonly rounds: number
  readonly isOfShortForm?: boolean
  readonly statementTimeout?: number
  readonly kinds?: readonly Kind[]
  /** Strikes, and resolves with the moment at which the server could serve again. */
  strike (server: Postgres, random: Random): Promise<number>
}

const listFaults = (): readonly Fault[] => [
  { name: 'backend killed, PostgreSQL', rounds: 40, isOfShortForm: true, strike: killBackend },
  { name: 'backend killed, single creates', rounds: 40, kinds: ['single create'], strike: killBackend },
  { name: 'server stopped at once and started', rounds: 40, isOfShortForm: true, strike: restartAtOnce },
  { name: 'the same, single creates', rounds: 40, kinds: ['single create'], strike: restartAtOnce },
  { name: 'server restarted (fast)', rounds: 40, strike: restartFast },
  // Longer than a statement may take, and the second that the API waits beyond that.
  { name: 'server held for 2 s', rounds: 30, isOfShortForm: true, statementTimeout: 500, strike: hold },
  { name: 'all backends ended, again and again for 2 s', rounds: 10, strike: storm }
]

/** Kills backends, stops and restarts servers, holds them, and ends all backends again and again. */
export async function postgresKills (effort: Effort): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = []
  for (const fault of listFaults()) {
    if (!effort.quick || fault.isOfShortForm === true) outcomes.push(await strikeOften(effort, fault))
  }
  return outcomes
}

const supply = 20_000

async function strikeOften (effort: Effort, fault: Fault): Promise<Outcome> {
  const { random, quick } = effort
  const server = await startPostgres(supply)
  const { statementTimeout = 10_000, kinds = everyKind } = fault
  const served = await servePostgres({ effort, supply, options: { connectionString: server.url, statementTimeout } })
  const rounds = quick ? 1 : fault.rounds
  const heals: number[] = []
  for (let round = 0; round < rounds; round++) {
    const load = startLoad(served.writer, { random, clients: 10, of: kinds })
    await setTimeout(random.between(100, 400))
    const over = await fault.strike(server, random)
    heals.push(await untilHealed(served.writer, over))
    await load.stop()
  }
  const outcome = await served.judge(server.url, { name: fault.name, struck: rounds, heals })
  await server.close()
  return outcome
}

/** Waits until writes are acknowledged again, at most for 15 seconds, and gives the seconds that it took (healedIn). */
export async function untilHealed (writer: Writer, over: number): Promise<number> {
  const end = performance.now() + 15_000
  for (;;) {
    // A failure that is still on its way counts too.
    await setTimeout(100)
    const seconds = healedIn(writer.writes, over)
    await setTimeout(50)
    if (seconds === healedIn(writer.writes, over) && seconds !== Infinity) return seconds
    if (performance.now() > end) return Infinity
  }
}

/** As the kernel does where memory is short: the server then ends all its connections, and recovers. */
async function killBackend (server: Postgres, random: Random): Promise<number> {
  // None is there while the API connects again.
  let found = await backends(server.url)
  for (; found.length === 0; found = await backends(server.url)) await setTimeout(10)
  signal(random.of(found), 'SIGKILL')
  return performance.now()
}

const restartAtOnce = (server: Postgres) => restart(server, 'SIGQUIT')
const restartFast = (server: Postgres) => restart(server, 'SIGINT')

async function restart (server: Postgres, by: 'SIGQUIT' | 'SIGINT'): Promise<number> {
  await server.stop(by)
  await server.start()
  return performance.now()
}

async function hold (server: Postgres): Promise<number> {
  const release = await server.freeze()
  await setTimeout(2000)
  release()
  return performance.now()
}

async function storm (server: Postgres): Promise<number> {
  const end = performance.now() + 2000
  while (performance.now() < end) {
    await endBackends(server.url)
    await setTimeout(10)
  }
  return performance.now()
}
