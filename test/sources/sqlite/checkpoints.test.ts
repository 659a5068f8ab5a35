import { readFileSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Test, test } from 'tap'
import dataApi, { collection, sqlite } from '../../../lib/index.ts'
import type { SqliteDriver } from '../../../lib/core/sources/sql/sqlite/driver.ts'
import { checkpointAfter } from '../../../lib/core/sources/sql/sqlite/checkpoints.ts'
import { Type } from '@sinclair/typebox'
import Fastify from 'fastify'
import { newFile, rowsOf } from '../../helpers/on-sqlite.ts'

/** A driver that notes its statements, of a connection that writes its log from 500 pages on. */
function noting (notes: string[]): SqliteDriver {
  return {
    exec: (text: string) => { notes.push(text) },
    prepare: () => ({ get: () => ({ wal_autocheckpoint: 500 }) })
  } as unknown as SqliteDriver
}

test('a large transaction is committed without a checkpoint, which a thread makes', async t => {
  const notes: string[] = []
  const ends: Array<() => void> = []
  const commit = checkpointAfter(noting(notes), () => {
    notes.push('checkpoint')
    return new Promise<void>(resolve => { ends.push(resolve) })
  })
  commit(4999, () => { notes.push('small') })
  commit(5000, () => { notes.push('large') })
  commit(5000, () => { notes.push('another') })
  const none = 'pragma wal_autocheckpoint = 0'
  t.strictSame(notes.splice(0), ['small', none, 'large', 'checkpoint', none, 'another', 'checkpoint'])
  ends[0]?.()
  await sleep(0)
  t.strictSame(notes, [], 'the setting stays while another checkpoint runs')
  ends[1]?.()
  await sleep(0)
  t.strictSame(notes, ['pragma wal_autocheckpoint = 500'])
})

test('a commit that fails leaves the setting as it was, and so does a checkpoint', async t => {
  const notes: string[] = []
  const commit = checkpointAfter(noting(notes), () => Promise.reject(new Error('no thread')))
  t.throws(() => { commit(5000, () => { throw new Error('busy') }) }, /busy/)
  t.strictSame(notes.splice(0), ['pragma wal_autocheckpoint = 0', 'pragma wal_autocheckpoint = 500'])
  commit(5000, () => {})
  await sleep(0)
  t.strictSame(notes, ['pragma wal_autocheckpoint = 0', 'pragma wal_autocheckpoint = 500'])
})

/** Serves a new file, and imports 5,000 things into it. */
async function importMany (t: Test) {
  const file = newFile()
  const db = sqlite(file)
  db.exec('create table things (id integer primary key, name text not null) strict; pragma wal_autocheckpoint = 7')
  const app = Fastify()
  t.teardown(() => app.close())
  const collections = { things: collection(Thing, { source: db.table('things') }) }
  await app.register(dataApi, { collections, imports: true })
  const payload = '{"name":"one of many"}\n'.repeat(5000)
  const headers = { 'content-type': 'application/x-ndjson' }
  t.equal((await app.inject({ method: 'POST', url: '/things', headers, payload })).statusCode, 201)
  return { file, db }
}

const Thing = Type.Object({
  id: Type.Integer({ identifier: true, readable: true }), name: Type.String({ readable: true, writable: true })
})

/** Returns the number of things in a copy of the main file alone. */
function countIn (file: string): unknown {
  const copy = newFile()
  writeFileSync(copy, readFileSync(file))
  const copied = sqlite(copy)
  const [count] = rowsOf(copied, 'select count(*) from things')
  copied.close()
  return count
}

test('the main file has an import once the thread has written it', async t => {
  const { file, db } = await importMany(t)
  while (Number(rowsOf(db, 'pragma wal_autocheckpoint')[0]) === 0) await sleep(5)
  t.strictSame(rowsOf(db, 'pragma wal_autocheckpoint'), [7])
  t.equal(countIn(file), 5000)
})

test('the main file has an import once the database is closed, though a thread was about to write it', async t => {
  const { file, db } = await importMany(t)
  db.close()
  t.equal(countIn(file), 5000)
})
