import pg from 'pg'
import tap from 'tap'
import { setTimeout } from 'node:timers/promises'
import { postgres, type PostgresDatabase, type PostgresOptions } from '../../lib/index.ts'
import { connectionTimeout, runOnServer, serverUrl } from './sources.ts'

let databases = 0

// The addresses of databases that are empty again. To create one takes a tenth of a second of CPU time on the server.
const empty: string[] = []

tap.teardown(async () => { for (const url of empty) await drop(url) })

/**
 * Runs work on an empty PostgreSQL database, in which a script of statements has run. Whatever fails, no connection
 * stays open: one would keep the file of tests from ending.
 */
export async function onDatabase (
  ddl: string, work: (db: PostgresDatabase, url: string) => Promise<void>, options: PostgresOptions = {}
): Promise<void> {
  // The work may give the process another server's address.
  const url = takeEmpty(serverUrl()) ?? await create()
  let isDone = false
  try {
    await asClient(url, owner => owner.query(ddl))
    const db = postgres({ connectionString: url, connectionTimeout, ...options })
    try {
      await work(db, url)
      isDone = true
    } catch (error) {
      // Shown at once: a client that the test left open fails below, and then the process ends.
      console.error(error)
      throw error
    } finally {
      await db.close()
    }
    await giveBack(url)
  } finally {
    // A failed test may have left clients open.
    if (!isDone) await drop(url)
  }
}

function takeEmpty (server: string): string | undefined {
  const at = empty.findIndex(url => new URL(url).host === new URL(server).host)
  return at < 0 ? undefined : empty.splice(at, 1)[0]
}

async function create (): Promise<string> {
  const name = `own_${process.pid}_${databases++}`
  const url = new URL(serverUrl())
  await runOnServer('public', `create database ${name}`)
  url.pathname = name
  return url.href
}

async function giveBack (url: string): Promise<void> {
  await asClient(url, async owner => {
    await awaitOthers(owner)
    await owner.query(emptying)
  })
  empty.push(url)
}

/** The server takes a moment to end the connections that were closed. */
async function awaitOthers (owner: pg.Client): Promise<void> {
  for (let tries = 0; tries < 500; tries++) {
    const { rowCount } = await owner.query(`select from pg_stat_activity
      where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()`)
    if (rowCount === 0) return
    await setTimeout(10)
  }
  throw new Error('The test has left connections to its database open')
}

// Whatever the tests create is in a schema, or belongs to an extension that is.
const emptying = `do $$ declare name text; begin
  for name in select nspname from pg_namespace where nspname !~ '^pg_' and nspname <> 'information_schema' loop
    execute format('drop schema %I cascade', name);
  end loop;
end $$;
create schema public authorization pg_database_owner;
grant usage on schema public to public`

/** Drops a database with the connections to it, without which PostgreSQL waits for those that are being closed. */
async function drop (url: string): Promise<void> {
  const server = new URL(url)
  const name = server.pathname.slice(1)
  server.pathname = 'postgres'
  await asClient(server.href, client => client.query(`drop database ${name} with (force)`))
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
