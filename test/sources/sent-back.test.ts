import { Type } from '@sinclair/typebox'
import { collection, type PostgresDatabase } from '../../lib/index.ts'
import { onPostgres, open as rw } from '../helpers/checked-tables.ts'
import { serveMinimally as serve } from '../helpers/serve-minimally.ts'

// docs/http.md: Writing; docs/databases.md: Types of columns. An item that is read, edited and sent back whole.

const Thing = Type.Object({
  id: Type.Integer({ identifier: true, ...rw }),
  ratio: Type.Number(rw),
  digits: Type.Optional(Type.Number(rw)),
  wide: Type.Optional(Type.Integer(rw)),
  time: Type.Optional(Type.String({ format: 'time', ...rw })),
  day: Type.Optional(Type.String({ format: 'date', ...rw })),
  moment: Type.Optional(Type.String({ format: 'date-time', ...rw })),
  data: Type.Unknown(rw),
  sums: Type.Optional(Type.Array(Type.Number(), rw)),
  name: Type.Optional(Type.String(rw))
})

const ddl = `create table things (id int primary key, ratio float8 not null, digits numeric, wide bigint, time time,
    day date, moment timestamptz, data jsonb not null, sums numeric[], name text);
  insert into things values
    (1, 'NaN', 0.12345678901234567890123, 9007199254740993, '24:00', '0044-03-15 BC', '12024-01-01Z', 'null',
      '{1.23456789012345678901}', 'a'),
    (2, 1, 2, 1, '12:00', '2026-01-02', '2026-01-02 03:04:05.123456+00',
      '{"id": 12345678901234567890, "n": [0.12345678901234567890]}', null, 'b')`

const serveThings = (db: PostgresDatabase, hooks = {}) =>
  serve({ things: collection(Thing, { source: db.table('things'), hooks }) })

for (const [kind, hooks] of Object.entries({ 'one statement': {}, 'a transaction': { updating () {} } })) {
  onPostgres(`an item that is sent back as it was shown stays as it is stored, in ${kind}`, ddl, async (t, db) => {
    const { app, send } = await serveThings(db, hooks)
    const stored = async () => (await db.pool.query(`select id, ratio::text, digits::text, wide::text, time::text,
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
    const other = { moment: '2026-01-02T03:04:05.124Z', digits: 0.5, data: { id: 7 }, sums: [0.5] }
    t.strictSame(await send('PATCH', '/things/2', other), [204, undefined])
    t.strictSame(await send('GET', '/things/2?fields=moment,digits,data,sums'), [200, other])
    await app.close()
  })
}

onPostgres('a value that no client can write is 400 where the item has another', ddl, async (t, db) => {
  const { app, send } = await serveThings(db)
  const number = 'must be a number; found the string'
  const time = "must be a time such as 23:59:59 or null; found the string '24:00:00'"
  for (const [method, url, payload, pointer, message] of [
    ['PATCH', '/things/2', { ratio: 'NaN' }, '/ratio', `${number} 'NaN'`],
    ['PATCH', '/things/1', { ratio: 'Infinity', name: 'c' }, '/ratio', `${number} 'Infinity'`],
    ['PUT', '/things/2/ratio', 'NaN', '', `${number} 'NaN'`], ['PUT', '/things/2/time', '24:00:00', '', time],
    ['PATCH', '/things/2', { data: null }, '/data', /found null$/],
    ['POST', '/things', { id: 3, ratio: 'NaN', data: 1 }, '/ratio', `${number} 'NaN'`]
  ] as const) {
    t.match(await send(method, url, payload), [400, { error: 'validation', details: [{ pointer, message }] }])
  }
  t.match(await send('PATCH', '/things/9', { ratio: 'NaN' }), [404])
  t.match(await send('GET', '/things/1'), [200, { name: 'a', ratio: 'NaN' }])
  await app.close()
})
