import type { Test } from 'tap'
import { postgres, type PostgresOptions } from '../../lib/index.ts'
import { connectionTimeout, serverUrl } from './sources.ts'

let schemas = 0

/** Opens a schema of its own, made by a script. */
export async function open (t: Test, ddl: string, options: PostgresOptions = {}) {
  const schema = `postgres_${process.pid}_${schemas++}`
  const db = postgres({
    connectionString: serverUrl(), connectionTimeout, ...options, driver: { options: `-c search_path=${schema}` }
  })
  const owner = postgres({ connectionString: serverUrl(), max: 1, driver: { options: `-c search_path=${schema}` } })
  await owner.pool.query(`create schema ${schema}; ${ddl}`)
  t.teardown(async () => {
    await db.close()
    await owner.pool.query(`drop schema ${schema} cascade`)
    await owner.close()
  })
  return db
}
