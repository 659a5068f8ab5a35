import pg from 'pg'
import { postgres, type PostgresDatabase, type PostgresOptions } from '../../lib/index.ts'
import { serverUrl } from './sources.ts'

let databases = 0

/**
 * Runs work on a new PostgreSQL database, in which a script of statements has run. Whatever fails, no connection stays
 * open: one would keep the file of tests from ending.
 */
export async function onDatabase (
  ddl: string, work: (db: PostgresDatabase, url: string) => Promise<void>, options: PostgresOptions = {}
): Promise<void> {
  const name = `own_${process.pid}_${databases++}`
  await asClient(serverUrl(), admin => admin.query(`create database ${name}`))
  const url = new URL(serverUrl())
  url.pathname = name
  try {
    await asClient(url.href, owner => owner.query(ddl))
    const db = postgres({ connectionString: url.href, ...options })
    try {
      await work(db, url.href)
    } catch (error) {
      // Shown at once: a client that the test left open fails below, and then the process ends.
      console.error(error)
      throw error
    } finally {
      await db.close()
    }
  } finally {
    // By force: a test that failed may have left clients of its own open.
    await asClient(serverUrl(), admin => admin.query(`drop database ${name} with (force)`))
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
