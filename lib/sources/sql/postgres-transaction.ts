import { setTimeout } from 'node:timers/promises'
import { deferredReference } from '../../errors.ts'
import type { Connection } from './postgres-connection.ts'
import { causeOf, isBroken, isRepeatable, sqlState, toFault } from './postgres-faults.ts'

/** Does the work in a transaction, and again where it must be. */
export function inTransaction<T> (connection: Connection, work: () => Promise<T>): Promise<T> {
  return retrying(async () => {
    await begin(connection)
    try {
      const result = await work()
      await commit(connection)
      return result
    } catch (error) {
      // With the connection goes the transaction; and where even this fails, both are gone.
      if (!isBroken(causeOf(error))) await connection.query('rollback').catch(() => {})
      throw error
    }
  })
}

async function begin (connection: Connection): Promise<void> {
  try {
    await connection.query('begin')
  } catch (error) {
    throw toFault(error)
  }
}

async function commit (connection: Connection): Promise<void> {
  try {
    await connection.query('commit')
  } catch (error) {
    throw sqlState(error) === '23503' ? deferredReference(error) : toFault(error)
  }
}

/** Does again what got in the way of another's work: a few times and not in step, as distributed databases ask for. */
export async function retrying<T> (work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work()
    } catch (error) {
      if (!isRepeatable(causeOf(error)) || tries === mostTries) throw error
      await setTimeout(Math.random() * 10 * 2 ** tries)
    }
  }
}

const mostTries = 6
