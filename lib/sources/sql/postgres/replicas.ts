import type { Server } from './database.ts'
import { isLost } from './faults.ts'

/** The replicas of a primary, and which of them a read may go to. */
export interface Replicas {
  /** Reads on a replica that has all that this process has written; where there is none, or it fails, on the primary. */
  read<T> (work: (server: Server) => Promise<T>): Promise<T>
  /** Something was written, or may have been: replicas are asked anew what they have. */
  written (): void
}

/** `has`: how many of this process's writes it is known to have. `restsUntil`: it has failed, and is left alone until then. */
interface Replica { readonly server: Server, has: number, restsUntil: number, asking: boolean }

/**
 * So that whoever wrote through this process reads what was written, a replica that has not replayed it is passed over (docs/databases.md: Replicas).
 * Asking it costs a write nothing: reads do, while they go to the primary.
 */
export function makeReplicas (primary: Server, servers: readonly Server[]): Replicas {
  const replicas = servers.map((server): Replica => ({ server, has: 0, restsUntil: 0, asking: false }))
  let writes = 0
  let turn = 0
  const choose = (): Replica | undefined => {
    const now = performance.now()
    for (let tries = 0; tries < replicas.length; tries++) {
      const replica = replicas[turn++ % replicas.length]
      if (replica === undefined || replica.restsUntil > now) continue
      if (replica.has === writes) return replica
      ask(replica)
    }
    return undefined
  }
  const ask = (replica: Replica) => {
    if (replica.asking) return
    replica.asking = true
    const asked = writes
    positionOf(primary)
      // A primary that is gone is no fault of the replica's.
      .then(position => isCaughtUp(replica.server, position).catch(() => { coolDown(replica) }), () => false)
      .then(abreast => {
        if (abreast === true) replica.has = asked
        replica.asking = false
      }, () => {})
  }
  return {
    written () { writes++ },
    async read (work) {
      const replica = choose()
      if (replica === undefined) return work(primary)
      try {
        return await work(replica.server)
      } catch (error) {
        if (!isLost(error)) throw error
        coolDown(replica)
        return work(primary)
      }
    }
  }
}

const coolDown = (replica: Replica) => { replica.restsUntil = performance.now() + longRest }

// In milliseconds.
const longRest = 5000

/** How far the primary has written. */
async function positionOf (primary: Server): Promise<unknown> {
  return primary.use(async connection => (await connection.query('select pg_current_wal_lsn()::text as position'))[0]?.['position'])
}

/** Whether a replica has replayed everything up to there. A server that replays nothing, such as one that was promoted, never has. */
async function isCaughtUp (replica: Server, position: unknown): Promise<boolean> {
  return replica.use(async connection => {
    const rows = await connection.query('select pg_is_in_recovery() and pg_last_wal_replay_lsn() >= $1::text::pg_lsn as abreast', [position])
    return rows[0]?.['abreast'] === true
  })
}
