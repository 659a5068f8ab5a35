import { type TInteger, Type } from '@sinclair/typebox'
import { setTimeout as sleep } from 'node:timers/promises'
import { test } from 'tap'
import dataApi, { collection, expression, sqlite } from '../../lib/index.ts'
import Fastify from '../helpers/fastify.ts'
import { eventually, listen } from '../helpers/follow.ts'

// docs/live.md: How a source knows.

const Thing = Type.Object({
  id: Type.Integer({ identifier: true, readable: true }),
  name: Type.String({ readable: true, writable: true })
})

test('an expression that names its tables counts their changes alone', async t => {
  const db = sqlite(':memory:')
  db.exec(`
    create table parents (id integer primary key, name text not null) strict;
    create table kids (id integer primary key, name text not null, parent integer) strict;
    create table others (id integer primary key, name text not null) strict;
    insert into parents values (1, 'a'); insert into kids values (1, 'b', 1); insert into others values (1, 'c');
  `)
  const app = Fastify({ forceCloseConnections: true })
  const kidCount = (from?: readonly string[]) => expression<{ id: number, name: string }, TInteger>({
    type: Type.Integer({ readable: true }),
    sql: eb => eb.selectFrom('kids').select(eb.fn.countAll().as('n')).whereRef('kids.parent', '=', 'parents.id'),
    ...from && { from }
  })
  const parents = (from?: readonly string[]) =>
    collection(Thing, { source: db.table('parents'), computed: { kids: kidCount(from) } })
  const plain = (table: string) => collection(Thing, { source: db.table(table) })
  const options = { requestStrategies: { delete: true }, live: { interval: 1, recheck: 3_600_000 } }
  await app.register(dataApi, {
    collections: { parents: parents(['kids']), kids: plain('kids'), others: plain('others') }, ...options
  })
  await app.register(dataApi, { collections: { parents: parents() }, prefix: '/any', ...options })
  t.teardown(async () => {
    await app.close()
    db.close()
  })
  const follow = await listen(app)
  const [named, any] = [await follow('/parents'), await follow('/any/parents')]
  await eventually(() => named.events.length + any.events.length === 2, () => named.text)
  await sleep(100)
  const reads = () => ['', '/any'].map(prefix => app.dataApi.registrations.get(prefix)?.live()?.reads ?? 0)
  const before = reads()
  await app.inject({ method: 'PATCH', url: '/others/1', payload: { name: 'd' } })
  await eventually(() => (reads()[1] ?? 0) > (before[1] ?? 0), () => String(reads()))
  t.equal(reads()[0], before[0])
  await app.inject({ method: 'DELETE', url: '/kids/1' })
  await eventually(() => named.events.length === 2, () => named.text)
  t.strictSame(named.document, [{ id: 1, name: 'a', kids: 0 }])
})
