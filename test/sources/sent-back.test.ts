import { Type } from '@sinclair/typebox'
import { collection, type PostgresDatabase } from '../../lib/index.ts'
import { onDatabase } from '../helpers/on-database.ts'
import { test } from '../helpers/on-postgres.ts'
import { serveMinimally as serve } from '../helpers/serve-minimally.ts'

// docs/http.md: Writing; docs/databases.md: Types of columns. An item that is read, edited and sent back whole.

const rw = { readable: true, writable: true } as const
const Thing = Type.Object({
  id: Type.Integer({ identifier: true, ...rw }),
  ratio: Type.Number(rw),
  wide: Type.Optional(Type.Integer(rw)),
  time: Type.Optional(Type.String({ format: 'time', ...rw })),
  day: Type.Optional(Type.String({ format: 'date', ...rw })),
  moment: Type.Optional(Type.String({ format: 'date-time', ...rw })),
  data: Type.Unknown(rw),
  sums: Type.Optional(Type.Array(Type.Number(), rw)),
  name: Type.Optional(Type.String(rw))
})

const ddl = `create table things (id int primary key, ratio float8 not null, wide bigint, time time, day date,
    moment timestamptz, data jsonb not null, sums numeric[], name text);
  insert into things values
    (1, 'NaN', 9007199254740993, '24:00', '0044-03-15 BC', '12024-01-01Z', 'null', '{1.23456789012345678901}', 'a'),
    (2, 1, 1, '12:00', '2026-01-02', null, '{"id": 12345678901234567890, "n": [0.12345678901234567890]}', null, 'b')`

const serveThings = (db: PostgresDatabase) => serve({ things: collection(Thing, { source: db.table('things') }) })

test('an item that is sent back as it was shown stays as it is stored, whatever it holds', t =>
  onDatabase(ddl, async db => {
    const { app, send } = await serveThings(db)
    const stored = async () => (await db.pool.query(`select id, ratio::text, wide::text, time::text,
      to_char(day, 'YYYY-MM-DD BC') as day, extract(epoch from moment)::text as moment, data::text, sums::text
      from things order by id`)).rows
    const before = await stored()
    for (const path of ['/things/1', '/things/2']) {
      const [, item] = await send('GET', path)
      t.strictSame(await send('PUT', path, { ...item as object, name: 'c' }), [204, undefined])
      for (const [name, value] of Object.entries(item as object)) {
        t.strictSame(await send('PUT', `${path}/${name}`, value), [204, undefined], `${path}/${name}`)
      }
    }
    t.strictSame(await stored(), before)
    t.strictSame(await send('PATCH', '/things/2', { data: { id: 7 }, sums: [0.5] }), [204, undefined])
    t.strictSame(await send('GET', '/things/2?fields=data,sums'), [200, { data: { id: 7 }, sums: [0.5] }])
    await app.close()
  }))

test('a value that no client can write is 400 where the item has another', t => onDatabase(ddl, async db => {
  const { app, send } = await serveThings(db)
  const number = 'must be a number; found the string'
  const refused = (pointer: string, message: string) => [400, { error: 'validation', details: [{ pointer, message }] }]
  const time = "must be a time such as 23:59:59 or null; found the string '24:00:00'"
  t.match(await send('PATCH', '/things/2', { ratio: 'NaN' }), refused('/ratio', `${number} 'NaN'`))
  t.match(await send('PATCH', '/things/1', { ratio: 'Infinity', name: 'c' }), refused('/ratio', `${number} 'Infinity'`))
  t.match(await send('PUT', '/things/2/ratio', 'NaN'), refused('', `${number} 'NaN'`))
  t.match(await send('PUT', '/things/2/time', '24:00:00'), refused('', time))
  t.match(await send('PATCH', '/things/2', { data: null }), [400, { details: [{ pointer: '/data' }] }])
  t.match(await send('PATCH', '/things/9', { ratio: 'NaN' }), [404])
  t.match(await send('POST', '/things', { id: 3, ratio: 'NaN', data: 1 }), refused('/ratio', `${number} 'NaN'`))
  t.match(await send('GET', '/things/1'), [200, { name: 'a', ratio: 'NaN' }])
  await app.close()
}))
