import type { FastifyInstance } from 'fastify'
import { rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Test, test } from 'tap'
import type { SqliteDatabase } from '../../lib/index.ts'
import { programsIn, read, writeProgram } from '../helpers/documents.ts'
import { onDatabase } from '../helpers/on-database.ts'
import { test as testOnPostgres } from '../helpers/on-postgres.ts'
import { setVariable } from '../helpers/set-variable.ts'

const page = 'docs/databases.md#migrating'
const [, startOnSqlite = ''] = programsIn(read(page))

interface Served { serve (columns: Record<string, string>): Promise<FastifyInstance> }

testOnPostgres('the guide renames a column while two versions serve requests', async t => {
  const [table = '', expand = '', contract = '', ...others] = programsIn(read(page), 'sql')
  t.strictSame(others, [])
  const { serve } = await import(writeProgram('migrating.ts', programsIn(read(page))[0] ?? '').href) as Served
  await onDatabase(table, async (db, url) => {
    setVariable(t, 'DATABASE_URL', url)
    const before = await serve({})
    const after = await migrate(t, () => db.pool.query(expand), before, serve)
      .finally(() => before.close())
    await during(t, [after], () => db.pool.query(contract))
      .finally(() => after.close())
    const { rows } = await db.pool.query('select * from artists order by id limit 2')
    t.strictSame(rows, [{ id: 1, title: 'Can' }, { id: 2, title: 'Noisia' }])
  })
})

async function migrate (
  t: Test, expand: () => Promise<unknown>, before: FastifyInstance, serve: Served['serve']
): Promise<FastifyInstance> {
  await during(t, [before], expand)
  const after = await serve({ name: 'title' })
  try {
    await during(t, [before, after], async () => {})
    return after
  } catch (error) {
    await after.close()
    throw error
  }
}

let artists = 0

/** Has each version write items while the work is done and after it, and every version read and change them. */
async function during (t: Test, versions: readonly FastifyInstance[], work: () => Promise<unknown>): Promise<void> {
  await Promise.all([work(), ...versions.map(version => writeAndRead(t, version, versions))])
  await Promise.all(versions.map(version => writeAndRead(t, version, versions)))
}

async function writeAndRead (t: Test, writer: FastifyInstance, readers: readonly FastifyInstance[]): Promise<void> {
  const name = `artist ${artists++}`
  const created = await writer.inject({ method: 'POST', url: '/artists', payload: { name } })
  t.equal(created.statusCode, 201, created.body)
  for (const [index, reader] of readers.entries()) {
    const was = index === 0 ? name : `${name}, ${index - 1}`
    const payload = { name: `${name}, ${index}` }
    const changed = await reader.inject({ method: 'PATCH', url: `/artists/${encodeURIComponent(was)}`, payload })
    t.equal(changed.statusCode, 200, changed.body)
    t.equal((await writer.inject(`/artists?name=${encodeURIComponent(payload.name)}`)).json().length, 1)
  }
}

test('the guide migrates a SQLite file at the start, once', async t => {
  const { open } = await import(writeProgram('open.ts', startOnSqlite).href) as { open (file: string): SqliteDatabase }
  const file = join(tmpdir(), `migrating-${process.pid}.db`)
  t.teardown(() => { rmSync(file) })
  const first = open(file)
  first.exec("insert into artists (title) values ('Can')")
  first.close()
  const db = open(file)
  t.match(db.driver.prepare('select title from artists').get(), { title: 'Can' })
  db.close()
})
