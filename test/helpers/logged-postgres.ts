import pg from 'pg'
import tap from 'tap'
import { postgres, type PostgresDatabase, type PostgresOptions } from '../../lib/index.ts'
import { changeLogScript } from '../../lib/core/sources/sql/postgres/change-log-sql.ts'
import type { World } from './every-source.ts'
import { connectionTimeout, postgresDdl, serverUrl, type Tables } from './sources.ts'

const database = `logged_${process.pid}`
let schemas = 0
let migrating: Promise<unknown> = Promise.resolve()

/**
 * Opens tables of PostgreSQL whose changes are logged, in a schema of a database that all tests of a file share.
 * `open` connects as a process does; `other`: connections that the plugin knows nothing of.
 */
export async function openLogged ({ tables, ddl = '' }: World) {
  const url = new URL(serverUrl())
  if (schemas++ === 0) {
    migrating = onServer(`create database ${database}`)
    tap.teardown(() => onServer(`drop database ${database} with (force)`))
  }
  url.pathname = database
  const schema = `logged_${schemas}`
  const driver = { options: `-c search_path=${schema}` }
  const other = new pg.Pool({ connectionString: url.href, max: 2, ...driver })
  const logging = changeLogScript(Object.keys(tables).map(name => ({ schema: undefined, name })))
  // Two scripts at once would change the same functions.
  migrating = migrating.then(() => other.query(`create schema ${schema}; ${postgresDdl(ddl)}; ${logging}`))
  await migrating
  const opened: PostgresDatabase[] = []
  return {
    open (options: Pick<PostgresOptions, 'changes'>) {
      const db = postgres({ connectionString: url.href, max: 4, connectionTimeout, driver, ...options })
      opened.push(db)
      return db
    },
    other,
    /** Replaces all rows. */
    fill: (rows: Tables) => other.query(filling(rows)),
    async close () {
      await Promise.all([...opened.map(db => db.close()), other.end()])
    }
  }
}

function filling (tables: Tables): string {
  const names = Object.keys(tables)
  return [
    ...[...names].reverse().map(name => `delete from ${name}`),
    ...names.map(name => {
      const rows = pg.escapeLiteral(JSON.stringify(tables[name]))
      return `insert into ${name} select * from json_populate_recordset(null::${name}, ${rows})`
    })
  ].join('; ')
}

async function onServer (text: string): Promise<void> {
  const client = new pg.Client(serverUrl())
  await client.connect()
  await client.query(text)
  await client.end()
}
