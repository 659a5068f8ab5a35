import { setTimeout } from 'node:timers/promises'
import { RefusedAtCommit } from '../../source.ts'
import type { Connection } from './wire/connection.ts'
import { faultOf, NotBegun, toFault, toWriteFault } from './faults.ts'
import { transactionEnded } from '../../transaction-limit.ts'

/** The work of a transaction, under way. */
interface RunningWork<T> {
  readonly done: Promise<T>
  /**
   * Returns our error for a constraint or trigger that refused the commit, such as a deferred constraint; undefined for
   * any other error.
   */
  refusedAtCommit (error: unknown): Error | undefined
}

/**
 * Runs the work in a transaction and returns its result. Throws NotBegun if `begin` failed, RefusedAtCommit if the
 * server refused the data at the commit, the application's own errors as they are, and the driver's errors as ours.
 */
export async function inTransaction<T> (
  connection: Connection, work: (owner: Owner) => RunningWork<T>
): Promise<T> {
  await begin(connection)
  const owner = new Owner(connection)
  try {
    const { done, refusedAtCommit } = work(owner)
    const result = await done
    await commit(owner, refusedAtCommit)
    return result
  } catch (error) {
    await owner.rollback()
    // A refused commit has its own meaning, although the driver's error is its cause.
    if (error instanceof RefusedAtCommit) throw error
    // The application's errors stay as they are, but not the errors of its statements on this connection.
    throw connection.raised(error) ? toFault(error) : error
  }
}

async function begin (connection: Connection): Promise<void> {
  try {
    await connection.begin()
  } catch (error) {
    throw new NotBegun(error)
  }
}

async function commit (owner: Owner, refusedAtCommit: RunningWork<unknown>['refusedAtCommit']): Promise<void> {
  try {
    await owner.commit()
  } catch (error) {
    throw refusedAtCommit(error) ?? toWriteFault(error)
  }
}

/**
 * Runs the work again, at most six times in all, while it fails with a conflict or because its prepared statement was
 * lost or is stale. After a conflict it waits for a random time, longer with each try, so that two transactions do not
 * meet again; distributed databases ask for this.
 */
export async function retryRepeatable<T> (work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work()
    } catch (error) {
      const { repeat } = faultOf(error)
      if (repeat === undefined || tries === maxTries) throw error
      if (repeat === 'later') await setTimeout(Math.random() * 10 * 2 ** tries)
    }
  }
}

const maxTries = 6

/** Statements that belong together, such as a savepoint and a statement after it. */
type Job<T> = (connection: Connection) => Promise<T>

/**
 * The owner of a connection during a transaction. Every statement of the transaction is sent by one of its jobs, one
 * job after the other, because a hook may send statements without waiting for them. `commit` and `rollback` are the
 * last job: once their promise is settled, nothing is under way on the connection, and nothing of the owner follows.
 */
export class Owner {
  readonly #connection: Connection
  #last: Promise<unknown> = Promise.resolve()
  #ended = false

  constructor (connection: Connection) {
    this.#connection = connection
  }

  /** Runs the job after those before it. Rejects with a TypeError if the transaction has ended by then. */
  run<T> (job: Job<T>): Promise<T> {
    return this.#queue(() => {
      if (this.#ended) throw transactionEnded()
      return job(this.#connection)
    })
  }

  /** Commits after the jobs before it. */
  commit (): Promise<void> {
    return this.run(connection => {
      this.#ended = true
      return connection.commit()
    })
  }

  /** Rolls back after the job that is running; those that wait are not run any more. */
  async rollback (): Promise<void> {
    this.#ended = true
    await this.#queue(async () => {
      if (!this.#connection.isGone()) await this.#connection.run('rollback')
    }).catch(() => {
      // The server rolls back when a connection ends. If a rollback fails, connection and transaction are both gone.
    })
  }

  #queue<T> (job: () => Promise<T>): Promise<T> {
    const done = this.#last.then(job, job)
    this.#last = done
    return done
  }
}
