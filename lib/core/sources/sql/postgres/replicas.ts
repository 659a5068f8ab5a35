import type { PoolServer } from './database.ts'
import { faultOf } from './faults.ts'

/** The replicas of a primary. */
export interface Replicas {
  /**
   * Runs a read on a replica that has replayed every write of this process. Runs it on the primary if there is no such
   * replica, or if the replica is lost during the read.
   */
  read<T> (work: (server: PoolServer) => Promise<T>): Promise<T>
  /** Records that this process has written, or may have: each replica must show that it has replayed the write. */
  recordWrite (): void
}

/**
 * `replayed`: how many of this process's writes the replica is known to have. `connections`: how many have begun; what
 * is known ends with each new one, because the server may have been replaced by an older copy. `restsUntil`: the end of
 * the cooldown after a failure, in which the replica is not used. `checking`: a check of its progress is under way.
 */
interface Replica {
  readonly server: PoolServer
  replayed: number
  connections: number
  restsUntil: number
  checking: boolean
}

/**
 * Returns the replicas of a primary. A client that wrote through this process reads its own writes, because a replica
 * that has not replayed them is passed over (docs/databases.md: Replicas). A write waits for no check of the replicas:
 * reads start the checks, and go to the primary meanwhile.
 */
export function makeReplicas (primary: PoolServer, servers: readonly PoolServer[]): Replicas {
  const replicas = servers.map(makeReplica)
  let writes = 0
  let next = 0

  const choose = (): Replica | undefined => {
    const now = performance.now()
    for (let tries = 0; tries < replicas.length; tries++) {
      const replica = replicas[next++ % replicas.length]
      if (replica === undefined || replica.restsUntil > now) continue
      if (replica.replayed === writes) return replica
      checkProgress(replica, primary, writes)
    }
    return undefined
  }

  return {
    recordWrite () { writes++ },
    async read (work) {
      const replica = choose()
      if (replica === undefined) return work(primary)
      const { connections, replayed } = replica
      try {
        const result = await work(replica.server)
        if (replayed === 0 || replica.connections === connections) return result
      } catch (error) {
        // A replica that is gone or starting, or that cancels the read because of what it replays, is passed by.
        const { passing, cancelled } = faultOf(error)
        if (passing !== true || cancelled === true) throw error
        coolDown(replica)
      }
      return work(primary)
    }
  }
}

function makeReplica (server: PoolServer): Replica {
  const replica = { server, replayed: 0, connections: 0, restsUntil: 0, checking: false }
  server.onConnect?.(() => {
    replica.connections++
    replica.replayed = 0
  })
  return replica
}

/** Finds out in the background whether the replica has replayed that many writes. */
function checkProgress (replica: Replica, primary: PoolServer, writes: number): void {
  if (replica.checking) return
  replica.checking = true
  const { connections } = replica
  positionOf(primary)
    // A failure of the primary is no fault of the replica and starts no cooldown.
    .then(position => hasReplayed(replica.server, position).catch(() => { coolDown(replica) }), () => false)
    .then(replayed => {
      if (replayed === true && replica.connections === connections) replica.replayed = writes
      replica.checking = false
    }, () => {})
}

function coolDown (replica: Replica): void {
  replica.restsUntil = performance.now() + cooldown
  replica.replayed = 0
}

// In milliseconds.
const cooldown = 5000

/** Returns the position in the write-ahead log up to which the primary has written. */
async function positionOf (primary: PoolServer): Promise<unknown> {
  return primary.use(async connection => {
    const rows = await connection.query('select pg_current_wal_lsn()::text as position')
    return rows[0]?.['position']
  })
}

/**
 * Returns true if the replica has replayed the log up to the position; false for a server that replays nothing, such as
 * a replica that was promoted.
 */
async function hasReplayed (replica: PoolServer, position: unknown): Promise<boolean> {
  return replica.use(async connection => {
    const rows = await connection.query(replayedQuery, [position])
    return rows[0]?.['abreast'] === true
  })
}

const replayedQuery = 'select pg_is_in_recovery() and pg_last_wal_replay_lsn() >= $1::text::pg_lsn as abreast'
