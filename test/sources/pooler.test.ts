import { Type } from '@sinclair/typebox'
import Fastify from '../helpers/fastify.ts'
import type { Test } from 'tap'
import dataApi, { collection, postgres, type PostgresOptions } from '../../lib/index.ts'
import { test } from '../helpers/on-postgres.ts'
import { makePooler } from '../helpers/pooler.ts'
import { connectionTimeout, serverUrl } from '../helpers/sources.ts'

// docs/databases.md: Poolers. The pooler of these tests gives each transaction another connection, and loses prepared
// statements.

const Word = Type.Object({
  id: Type.Integer({ identifier: true, readable: true }),
  text: Type.String({ identifier: true, readable: true, writable: true }),
  count: Type.Integer({ readable: true, writable: true, default: 0 })
})

let tables = 0

async function serve (t: Test, options: PostgresOptions) {
  const table = `words_${process.pid}_${tables++}`
  const owner = postgres({ connectionString: serverUrl(), max: 1 })
  await owner.pool.query(`create table ${table} (id integer generated always as identity primary key,
    text text not null unique, count integer not null);
    insert into ${table} (text, count) select 'word ' || n, 0 from generate_series(1, 40) n`)
  const db = postgres({ connectionTimeout, ...options })
  const app = Fastify()
  await app.register(dataApi, {
    collections: {
      words: collection(Word, {
        source: db.table(table), hooks: { creating () {}, updating (word, before) { word.count = before.count + 1 } }
      })
    }
  })
  t.teardown(async () => {
    await app.close()
    await db.close()
    await owner.pool.query(`drop table ${table}`)
    await owner.close()
  })
  return {
    rows: async () =>
      (await owner.pool.query<{ text: string, count: number }>(`select text, count from ${table} order by id`)).rows,
    db,
    send: (method: 'GET' | 'POST' | 'PUT', url: string, body?: unknown) => app.inject({
      method,
      url,
      ...body !== undefined && { headers: { 'content-type': 'application/json' }, payload: JSON.stringify(body) }
    })
  }
}

/** The warnings of this library while something is done. */
async function warningsOf (work: () => Promise<void>): Promise<readonly string[]> {
  const warnings: string[] = []
  const note = (warning: Error) => { if (warning.name === 'DataApiWarning') warnings.push(warning.message) }
  process.on('warning', note)
  await work()
  await new Promise(resolve => setImmediate(resolve))
  process.off('warning', note)
  return warnings
}

test('behind a pooler every answer is right, and each thing it cannot do is said once', async t => {
  const { send, rows } = await serve(t, { connectionString: await makePooler(t, 3), max: 20 })
  const warnings = await warningsOf(async () => {
    for (let round = 0; round < 5; round++) {
      const answers = await Promise.all(Array.from({ length: 30 }, async (_, n) => {
        if (n % 3 === 0) return [201, (await send('POST', '/words', { text: `new ${round} ${n}` })).statusCode]
        if (n % 3 === 1) return [200, (await send('PUT', `/words/${n}`, { text: `word ${n} ${round}` })).statusCode]
        return [`"${n}"`, JSON.stringify((await send('GET', `/words/${n}/id`)).body)]
      }))
      t.ok(answers.every(([expected, got]) => got === expected), JSON.stringify(answers))
    }
  })
  const found = await rows()
  t.equal(found.length, 40 + 50)
  t.strictSame(found.filter(({ text }) => / 4$/.test(text) && text.startsWith('word')).map(({ count }) => count),
    Array(10).fill(5))
  t.equal(warnings.filter(text => text.includes('loses prepared statements')).length, 1)
  t.equal(warnings.filter(text => text.includes('statement_timeout')).length, 1)
  t.equal(warnings.length, 2)
})

test('where the application says so, nothing is prepared and nothing is warned of', async t => {
  const { send } = await serve(t,
    { connectionString: await makePooler(t, 2), max: 4, prepare: false, statementTimeout: 0 })
  const warnings = await warningsOf(async () => {
    const answers = await Promise.all(Array.from({ length: 20 },
      (_, n) => send('PUT', `/words/${n + 1}`, { text: `again ${n}` })))
    t.ok(answers.every(answer => answer.statusCode === 200))
  })
  t.strictSame(warnings, [])
})

test('a statement that is lost inside a transaction is done again with the whole of it', async t => {
  const { send, db } = await serve(t, { connectionString: serverUrl(), max: 1 })
  t.equal((await send('POST', '/words', { text: 'one' })).statusCode, 201)
  await db.pool.query('deallocate all')
  t.equal((await send('POST', '/words', { text: 'two' })).statusCode, 201)
  t.equal((await send('PUT', '/words/two', { text: 'three' })).statusCode, 200)
  t.strictSame((await send('GET', '/words/three?fields=count')).json(), { count: 1 })
})
