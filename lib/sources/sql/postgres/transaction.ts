import { setTimeout } from 'node:timers/promises'
import { RefusedAtCommit } from '../../source.ts'
import type { Connection } from './wire/connection.ts'
import { faultOf, NotBegun, toFault, toWriteFault } from './faults.ts'
import { Owner } from './owner.ts'

/** The work of a transaction, under way. */
export interface RunningWork<T> {
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
