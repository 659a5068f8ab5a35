import pg from 'pg'
import tap from 'tap'
import { postgres } from '../../lib/index.ts'
import { changeLogScript } from '../../lib/sources/sql/postgres/change-log-sql.ts'
import { connectionTimeout, postgresDdl, serverUrl, type Tables } from './sources.ts'

const database = `logged_${process.pid}`
let schemas = 0
let migrating: Promise<unknown> = Promise.resolve()

/**
 * Opens tables of PostgreSQL whose changes are logged, in a schema of a database that all cases share. `second`: as
 * another process has them; `other`: connections that the plugin knows nothing of.
 */
export async function openLogged (tables: Tables, ddl: string) {
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
  for (const [table, rows] of Object.entries(tables)) {
    const into = `insert into ${table} select * from json_populate_recordset(null::${table}, $1)`
    await other.query(into, [JSON.stringify(rows)])
  }
  const open = () => postgres({ connectionString: url.href, max: 4, connectionTimeout, driver, changes: { poll: 1 } })
  const [db, second] = [open(), open()]
  return {
    db,
    second,
    other,
    async close () {
      await Promise.all([db.close(), second.close(), other.end()])
    }
  }
}

async function onServer (text: string): Promise<void> {
  const client = new pg.Client(serverUrl())
  await client.connect()
  await client.query(text)
  await client.end()
}
