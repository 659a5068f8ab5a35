import pg from 'pg'
import { driverConnection } from '../../lib/core/sources/sql/postgres/wire/connection.ts'
import { PreparedStatements } from '../../lib/core/sources/sql/postgres/wire/prepared.ts'
import { test } from '../helpers/on-postgres.ts'
import { open } from '../helpers/postgres-notes.ts'
import { serverUrl } from '../helpers/sources.ts'

// docs/databases.md: postgres(options), Poolers, What makes reads cheaper. How statements reach PostgreSQL.

type Database = Awaited<ReturnType<typeof open>>['db']

interface Prepared { readonly name: string, readonly statement: string, readonly generic_plans: string }

/** Returns the statements that a connection has prepared. */
const preparedIn = async (db: Database) =>
  (await db.pool.query<Prepared>("select * from pg_prepared_statements where name like 'data_api_%'")).rows

const charactersOf = (statements: readonly Prepared[]) =>
  statements.reduce((sum, { statement }) => sum + statement.length, 0)

test('statements are prepared by name, unless the application says otherwise or a pooler loses them', async t => {
  const { send, db } = await open(t, { max: 1 })
  const ask = async () => { for (let n = 0; n < 2; n++) t.strictSame(await send('GET', '/notes/1/text'), [200, 'one']) }
  await ask()
  t.equal((await preparedIn(db)).length, 1)
  // What a pooler does that hands on the connection to somebody else.
  await db.pool.query('deallocate all')
  const warnings: string[] = []
  process.once('warning', warning => warnings.push(warning.name))
  await ask()
  await new Promise(resolve => setImmediate(resolve))
  t.strictSame([await preparedIn(db), warnings], [[], ['DataApiWarning']])
  const unnamed = await open(t, { max: 1, prepare: false })
  for (let n = 0; n < 2; n++) t.strictSame(await unnamed.send('GET', '/notes/1/text'), [200, 'one'])
  t.strictSame(await preparedIn(unnamed.db), [])
})

test('a page of a round limit is planned once for all values, not anew for each', async t => {
  const { send, db, owner } = await open(t, { max: 1 })
  await owner.query(`insert into notes (text, weight) select n, mod(n, 100) from generate_series(1, 10000) as n;
    create index on notes (weight, id); analyze notes`)
  const isGeneric = async (text: string) => (await preparedIn(db)).filter(({ statement }) => statement.includes(text))
    .map(({ generic_plans: often }) => Number(often) > 0)
  for (let n = 0; n < 12; n++) {
    t.equal((await send('GET', `/notes?weight=${n}&sort=id&limit=20&fields=id`))[0], 200)
  }
  t.strictSame(await isGeneric('limit 21'), [true])
  for (let n = 0; n < 12; n++) {
    t.equal((await send('GET', `/notes?weight=${n}&sort=id&limit=${n + 1}&fields=id`))[0], 200)
  }
  t.strictSame([await isGeneric('limit $2 + 1'), await isGeneric('limit 13')], [[false], []])
})

test('statement names are a cache: what was used last stays, what is evicted is closed on the server', async t => {
  const { send, db } = await open(t, { max: 1 })
  const shape = (n: number) => `/notes?where=(${Array.from({ length: 40 },
    (_, bit) => `${n >> bit % 10 & 1 ? 'text' : 'weight'}=${bit}`).join('|')})`
  for (let n = 0; n < 150; n++) {
    for (let round = 0; round < (n === 0 ? 3 : 2); round++) t.equal((await send('GET', shape(n)))[0], 200)
  }
  for (let round = 0; round < 2; round++) t.equal((await send('GET', shape(0)))[0], 200, 'evicted, and prepared anew')
  const before = await preparedIn(db)
  t.ok(before.length > 10 && before.length < 150)
  t.ok(charactersOf(before) <= 250_000)
  for (let round = 0; round < 3; round++) await send('GET', '/notes/1/text')
  const fresh = (await preparedIn(db)).filter(({ name }) => !before.some(one => one.name === name))
  t.equal(fresh.length, 1, 'what comes after a thousand others is prepared as well')
})

test('the option statementCache bounds the statements of a connection', async t => {
  for (const [statementCache, most] of [[8000, 2000], [0, 0]] as const) {
    const { send, db } = await open(t, { max: 1, statementCache })
    for (const [index, letter] of [...'abcdefghij'].entries()) {
      const shape = `/notes?text=${letter}&fields=${'text,weight,'.repeat(3)}id&limit=${index + 1}`
      for (let round = 0; round < 3; round++) t.equal((await send('GET', shape))[0], 200)
    }
    t.ok(charactersOf(await preparedIn(db)) <= most)
  }
})

test('a text is prepared at its second use, evicted when others were used later, and never if very long', async t => {
  const statements = new PreparedStatements(250_000)
  const text = (n: number) => `select ${n} ${'x'.repeat(9_990)}`
  t.equal(statements.nameOf(text(0)), '')
  const name = statements.nameOf(text(0))
  t.match(name, /^data_api_[0-9a-f]{20}$/)
  t.equal(statements.nameOf(text(0)), name)
  for (let n = 1; n < 24; n++) for (let use = 0; use < 2; use++) statements.nameOf(text(n))
  t.strictSame(statements.takeClosing(), [])
  t.equal(statements.nameOf(text(0)), name, 'used last')
  const second = statements.nameOf(text(1))
  statements.nameOf(text(0))
  for (let n = 24; n < 48; n++) for (let use = 0; use < 2; use++) statements.nameOf(text(n))
  const closed = statements.takeClosing()
  t.ok(closed.includes(second))
  t.notOk(closed.includes(name))
  t.strictSame(statements.takeClosing(), [])
  for (let use = 0; use < 3; use++) t.equal(statements.nameOf('x'.repeat(25_001)), '')
  statements.forget(text(0))
  t.strictSame(statements.takeClosing(), [name])
})

test('a commit that the server answers with ROLLBACK is none', async t => {
  const client = new pg.Client(serverUrl())
  await client.connect()
  t.teardown(() => client.end())
  const connection = driverConnection(client,
    { naming: { on: true }, prepareValue: String, responseTimeout: undefined, preparedCharacters: 250_000 })
  await connection.run('begin')
  await t.rejects(connection.query('select 1 / 0'))
  await t.rejects(connection.commit(), { message: /answered 'commit' with ROLLBACK/ })
  await connection.run('begin')
  await t.resolves(connection.commit())
})

test('an item that a setter or hook sees is locked, so that no change of it is lost', async t => {
  const { send } = await open(t, {
    hooks: {
      async updating (note) {
        await new Promise(resolve => setTimeout(resolve, 1))
        note.weight = (note.weight ?? 0) + 1
      }
    }
  })
  const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => send('PUT', '/notes/1', { text: `${n}` })))
  t.ok(answers.every(([status]) => status === 200))
  t.strictSame(await send('GET', '/notes/1/weight'), [200, 21])
})
