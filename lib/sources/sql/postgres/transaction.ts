import { setTimeout } from 'node:timers/promises'
import type { Connection } from './connection.ts'
import { isConflict, isRepeatable, NotBegun, toFault, toWriteFault } from './faults.ts'

/** What is done in a transaction. */
export interface Doing<T> {
  readonly done: Promise<T>
  /** What the server refused at the commit, such as a deferred constraint, as an error of ours; undefined for another error. */
  refusedAtCommit (error: unknown): Error | undefined
}

/** Does the work in a transaction. Throws NotBegun, or an error of ours for whatever the database did. */
export async function inTransaction<T> (connection: Connection, work: () => Doing<T>): Promise<T> {
  await begin(connection)
  try {
    const { done, refusedAtCommit } = work()
    const result = await done
    await commit(connection, refusedAtCommit)
    return result
  } catch (error) {
    // With the connection goes the transaction; and where even this fails, both are gone.
    if (!connection.isGone()) await connection.run('rollback').catch(() => {})
    // Errors of the application are its own, but for those of its statements here.
    throw connection.raised(error) ? toFault(error) : error
  }
}

async function begin (connection: Connection): Promise<void> {
  try {
    await connection.run('begin')
  } catch (error) {
    throw new NotBegun(error)
  }
}

async function commit (connection: Connection, refusedAtCommit: Doing<unknown>['refusedAtCommit']): Promise<void> {
  try {
    await connection.commit()
  } catch (error) {
    throw refusedAtCommit(error) ?? toWriteFault(error)
  }
}

/** Does again what met the work of others, a few times and not in step, as distributed databases ask for; and what was prepared and is no more. */
export async function retrying<T> (work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work()
    } catch (error) {
      if (!isRepeatable(error) || tries === mostTries) throw error
      if (isConflict(error)) await setTimeout(Math.random() * 10 * 2 ** tries)
    }
  }
}

const mostTries = 6
