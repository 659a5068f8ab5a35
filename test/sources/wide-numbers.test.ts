import { Type } from '@sinclair/typebox'
import { test, type Test } from 'tap'
import { collection, type PostgresDatabase, sqlite, type SqliteDatabase } from '../../lib/index.ts'
import { onDatabase } from '../helpers/on-database.ts'
import { test as postgresTest } from '../helpers/on-postgres.ts'
import { serveMinimally as serve } from '../helpers/serve-minimally.ts'

// docs/databases.md: Types of columns. Numbers of columns of integers, beyond what a double holds exactly.

const Thing = Type.Object({
  id: Type.Integer({ identifier: true, readable: true }),
  n: Type.Number({ readable: true }),
  half: Type.Number({ readable: true })
})

// JavaScript writes the double that is nearest to the third, fourth and fifth as the fourth.
const whole = [
  '9007199254740992', '9007199254740993', '1152921504606846976', '1152921504606847000', '1152921504606847001',
  '-1152921504606847000', '1234567890123456700', '1234567890123456789', '9223372036854775807', '-9223372036854775808'
]

async function findsEach (t: Test, db: SqliteDatabase | PostgresDatabase): Promise<void> {
  const { app, send } = await serve({ things: collection(Thing, { source: db.table('things') }) })
  const [, rows] = await send('GET', '/things?size=100')
  t.strictSame((rows as Array<{ n: unknown }>).map(row => String(row.n)).toSorted(), whole.toSorted())
  for (const row of rows as Array<{ n: unknown }>) {
    const n = String(row.n)
    for (const query of [`n=${n}`, `n=*${n},0.5`, `n>=${n}&n<=${n}`]) {
      t.strictSame(await send('GET', `/things?${query}`), [200, [row]], query)
    }
    const others = whole.filter(one => one !== n)
    t.strictSame(await send('GET', `/things?n!=*${others.join()}`), [200, [row]], `not the others than ${n}`)
    t.strictSame(await send('GET', `/things/by_n/${n}`), [200, [row]])
  }
  const [, doubles] = await send('GET', '/things?half=1152921504606847000')
  t.equal((doubles as unknown[]).length, 2, 'doubles are found by what JavaScript writes of them')
  const [, listed] = await send('GET', '/things?half=*1152921504606847000,1')
  t.equal((listed as unknown[]).length, 2, 'also in a list')
  await app.close()
}

const ddl = (integer: string, double: string) => `
  create table things (id integer primary key, n ${integer} not null, half ${double} not null);
  insert into things values ${whole.map((n, index) =>
    `(${index}, ${n}, ${index < 2 ? '1152921504606847000' : String(index)})`).join()}`

for (const type of ['integer', 'bigint', 'numeric', 'decimal(20)']) {
  test(`a number beyond 2^53 is found by its digits: ${type} (sqlite)`, async t => {
    const db = sqlite(':memory:')
    db.exec(ddl(type, 'real'))
    await findsEach(t, db)
    db.close()
  })
}

postgresTest('a number beyond 2^53 is found by its digits: bigint (postgres)', t =>
  onDatabase(ddl('bigint', 'double precision'), db => findsEach(t, db)))
