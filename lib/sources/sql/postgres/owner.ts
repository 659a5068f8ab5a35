import { transactionEnded } from '../../transaction-limit.ts'
import type { Connection } from './wire/connection.ts'

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
