import pg from 'pg'
import { postgres, type PostgresDatabase, type PostgresOptions } from '../../lib/index.ts'
import { connectionTimeout, runOnServer, serverUrl } from './sources.ts'

let databases = 0

/**
 * Runs work on a new PostgreSQL database, in which a script of statements has run. Whatever fails, no connection stays
 * open: one would keep the file of tests from ending.
 */
export async function onDatabase (
  ddl: string, work: (db: PostgresDatabase, url: string) => Promise<void>, options: PostgresOptions = {}
): Promise<void> {
  const name = `own_${process.pid}_${databases++}`
  // The work may give the process another server's address.
  const server = serverUrl()
  await runOnServer('public', `create database ${name}`)
  const url = new URL(server)
  url.pathname = name
  // Without force PostgreSQL waits for connections that are being closed. A failed test may have left clients open.
  let drop = `drop database ${name} with (force)`
  try {
    await asClient(url.href, owner => owner.query(ddl))
    const db = postgres({ connectionString: url.href, connectionTimeout, ...options })
    try {
      await work(db, url.href)
      drop = `drop database ${name}`
    } catch (error) {
      // Shown at once: a client that the test left open fails below, and then the process ends.
      console.error(error)
      throw error
    } finally {
      await db.close()
    }
  } finally {
    await runOnServer('public', drop, [], server)
  }
}

async function asClient (url: string, work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    await work(client)
  } finally {
    await client.end()
  }
}
