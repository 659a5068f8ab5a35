import pg from 'pg'
import { postgres, type PostgresDatabase, type PostgresOptions } from '../../lib/index.ts'
import { serverUrl } from './sources.ts'

let databases = 0

/** Runs work on a new PostgreSQL database, in which a script of statements has run. */
export async function onDatabase (
  ddl: string, work: (db: PostgresDatabase, url: string) => Promise<void>, options: PostgresOptions = {}
): Promise<void> {
  const name = `own_${process.pid}_${databases++}`
  const admin = new pg.Client(serverUrl())
  await admin.connect()
  await admin.query(`create database ${name}`)
  const url = new URL(serverUrl())
  url.pathname = name
  try {
    const owner = new pg.Client(url.href)
    await owner.connect()
    await owner.query(ddl)
    await owner.end()
    const db = postgres({ connectionString: url.href, ...options })
    try {
      await work(db, url.href)
    } finally {
      await db.close()
    }
  } finally {
    await admin.query(`drop database ${name}`)
    await admin.end()
  }
}
