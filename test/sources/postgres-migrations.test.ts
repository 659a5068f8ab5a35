import { Type } from '@sinclair/typebox'
import Fastify from '../helpers/fastify.ts'
import pg from 'pg'
import dataApi, { collection, SubCollection } from '../../lib/index.ts'
import { Id as id, shown as R } from '../helpers/checked-tables.ts'
import { onDatabase } from '../helpers/on-database.ts'
import { test } from '../helpers/on-postgres.ts'
import { open } from '../helpers/postgres-notes.ts'
import { everybody } from '../helpers/everybody.ts'

// docs/databases.md: Faults. What a migration does to an API that goes on.

test('a migration under a running API is answered as before it: what was prepared is prepared anew', async t => {
  const { send, owner, logged } = await open(t, { max: 2, hooks: { updating () {} } })
  const requests = () => Promise.all([
    send('GET', '/notes/1'), send('GET', '/notes'), send('GET', '/notes?sort=weight&limit=1'),
    send('GET', '/notes/by_text/two'), send('GET', '/notes/1/weight'),
    send('PUT', '/notes/1/weight', Math.random()), send('POST', '/notes', { text: `note ${Math.random()}` }),
    send('PUT', `/notes/${Math.trunc(Math.random() * 1e6)}`, { text: `upsert ${Math.random()}` })
  ])
  const migrations = [
    'alter column id type bigint', 'alter column weight type numeric', 'alter column text type varchar(100)',
    'add column more text', 'drop column more',
    'alter column weight type double precision', 'alter column text type text', 'alter column id type integer'
  ]
  for (let warm = 0; warm < 4; warm++) await requests()
  for (const migration of migrations) {
    await owner.query(`alter table notes ${migration}`)
    for (let round = 0; round < 3; round++) {
      t.strictSame([...(await requests()).map(([status]) => status), logged],
        [200, 200, 200, 200, 200, 200, 201, 201, []], migration)
    }
  }
})

test('what a migration made of a column is shown as it is from the next answer on', async t => {
  const { send, owner } = await open(t, { max: 1 })
  for (let warm = 0; warm < 3; warm++) {
    t.strictSame((await send('GET', '/notes?fields=id,text'))[1], [{ id: 1, text: 'one' }, { id: 2, text: 'two' }])
  }
  await owner.query('alter table notes alter column text type integer using id; insert into notes (text) values (7)')
  for (let round = 0; round < 2; round++) {
    t.strictSame(await send('GET', '/notes?fields=text'), [200, [{ text: '1' }, { text: '2' }, { text: '7' }]])
  }
})

for (const [type, schema] of [['integer', Type.Integer(R)], ['double precision', Type.Number(R)]] as const) {
  test(`a column of ${type} that a migration makes a text is shown alike by every statement`, t => {
    const ddl = `create table things (id integer primary key, parent integer, v ${type});
      insert into things values (1, 1, 1), (2, 1, null), (3, 1, 3)`
    return onDatabase(ddl, async (db, url) => {
      const owner = new pg.Client(url)
      await owner.connect()
      const children = SubCollection('things', { foreignKey: 'parent', ...R })
      const parent = Type.Optional(Type.Integer(R))
      const Thing = Type.Object({ id, parent, v: Type.Optional(schema), children })
      const app = Fastify()
      await app.register(dataApi, {
        rules: everybody, collections: { things: collection(Thing, { source: db.table('things') }) }
      })
      const ways = async () => {
        const read = async (url: string, headers = {}) => (await app.inject({ url, headers })).json<unknown>()
        return [
          await read('/things?fields=id,v'), await read('/things?fields=id,v', { prefer: 'count=exact' }),
          (await read('/things/1?fields=children(id,v)') as { children: unknown }).children,
          (await read('/things?id=1&fields=children(id,v)') as Array<{ children: unknown }>)[0]?.children
        ]
      }
      const all = (...values: unknown[]) => Array(4).fill(values.map((v, index) => ({ id: index + 1, v })))
      t.strictSame(await ways(), all(1, null, 3))
      await owner.query(`alter table things alter column v type text;
        insert into things values (4, 1, 'i5'), (5, 1, 'a "b"'), (6, 1, ''), (7, 1, '1e3'), (8, 1, '9007199254740993')`)
      for (let n = 0; n < 3; n++) {
        t.strictSame(await ways(), all(1, null, 3, 'i5', 'a "b"', '', 1000, '9007199254740993'))
      }
      await app.close()
      await owner.end()
    })
  })
}

test('what no longer fits the columns is made anew, also where the server knows no plan of it', async t => {
  const { send, owner, logged } = await open(t, { max: 1 })
  const weights = async () => [await send('GET', '/notes?fields=id'), await send('GET', '/notes/2?fields=id')]
  await owner.query('alter table notes alter column id drop identity if exists, alter column id drop default')
  for (const type of ['bigint', 'numeric(10, 2)', 'real', 'integer']) {
    await owner.query(`alter table notes alter column id type ${type}`)
    for (let round = 0; round < 3; round++) {
      t.strictSame([await weights(), logged], [[[200, [{ id: 1 }, { id: 2 }]], [200, { id: 2 }]], []], type)
    }
  }
})
