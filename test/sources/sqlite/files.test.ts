import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'tap'
import { Type } from '@sinclair/typebox'
import dataApi, { collection, DeclarationError, sqlite, type SqliteDatabase } from '../../../lib/index.ts'
import Fastify from '../../helpers/fastify.ts'
import { newFile, ddl, serve, rowsOf, each } from '../../helpers/on-sqlite.ts'

// The files of a SQLite database: replaced, read-only, and read by other processes.

each('the main file is whole once the database is closed, also where another process reads', async (t, Driver) => {
  for (const reads of [false, true]) {
    const file = newFile()
    const { db, send } = await serve(t, { driver: Driver }, {}, file)
    t.equal((await send('POST', '/kids', { name: 'kept' })).status, 201)
    const other = new Driver(file)
    if (reads) other.exec('begin; select * from kids')
    db.close()
    const copy = newFile()
    writeFileSync(copy, readFileSync(file))
    const copied = new Driver(copy)
    t.strictSame(rowsOf({ driver: copied }, 'select name from kids'), ['kept'])
    copied.close()
    other.close()
  }
})

each('a connection is synchronous in full, unless the option or the given database says otherwise', async (
  t, Driver
) => {
  const synchronous = (db: SqliteDatabase) => rowsOf(db, 'pragma synchronous')[0]
  for (const [option, level] of [[{}, 2], [{ synchronous: 'full' }, 2], [{ synchronous: 'normal' }, 1]] as const) {
    const db = sqlite(newFile(), { driver: Driver, ...option })
    t.equal(synchronous(db), level)
    db.close()
  }
  const given = new Driver(newFile())
  given.exec('pragma synchronous = off')
  t.equal(synchronous(sqlite('', { driver: given })), 0)
  t.equal(synchronous(sqlite('', { driver: given, synchronous: 'normal' })), 1)
  given.close()
})

each('a file that is replaced while it is served is read from one database', async (t, Driver) => {
  const place = newFile()
  mkdirSync(place)
  const file = join(place, 'a.db')
  let reach = () => {}
  let leave = () => {}
  const reached = new Promise<void>(resolve => { reach = resolve })
  const left = new Promise<void>(resolve => { leave = resolve })
  const creating = () => {
    reach()
    return left
  }
  const { db, send } = await serve(t, { driver: Driver }, { hooks: { creating } }, file)
  db.exec("insert into parents values (1, 'of the first')")
  for (const suffix of ['', '-wal', '-shm']) renameSync(`${file}${suffix}`, `${file}.old${suffix}`)
  const other = new Driver(file)
  other.exec(`pragma journal_mode = wal; ${ddl}; insert into parents values (1, 'of the second')`)
  const written = send('POST', '/kids', { name: 'x' })
  await reached
  t.match((await send('GET', '/parents/1')).body, { name: 'of the first' })
  leave()
  t.equal((await written).status, 201)
  other.close()
})

each('a database that may not be written answers reads, and writes with 503', async (t, Driver) => {
  const own = new Driver(newFile())
  const { db, send } = await serve(t, { driver: own })
  db.exec('pragma query_only = on')
  const refused = { status: 503, retryAfter: '1' }
  for (const url of ['/kids', '/hooked']) t.match(await send('POST', url, { name: 'x' }), refused)
  t.match(await send('PUT', '/kids/by_name/x', {}), refused)
  t.strictSame((await send('GET', '/kids')).body, [])
})

test('an option that is wrong is told at once', async t => {
  for (const value of [-1, 1.5, NaN, Infinity, 2 ** 31]) {
    t.throws(() => sqlite(':memory:', { busyTimeout: value }), DeclarationError)
    t.throws(() => sqlite(':memory:', { transactionTimeout: value }), DeclarationError)
  }
  t.throws(() => sqlite(':memory:', { synchronous: 'off' as 'full' }), DeclarationError)
})

each('requests to a database that is closed before the application are 503, whatever they ask', async (t, Driver) => {
  for (const driver of [Driver, new Driver(newFile())]) {
    let reach = () => {}
    let leave = () => {}
    const reached = new Promise<void>(resolve => { reach = resolve })
    const left = new Promise<void>(resolve => { leave = resolve })
    let isSlow = false
    const creating = async () => {
      if (!isSlow) return
      reach()
      await left
    }
    const { db, send } = await serve(t, { driver, busyTimeout: 50 }, { hooks: { creating } }, newFile())
    const requests: ReadonlyArray<Parameters<typeof send>> = [
      ['GET', '/kids'], ['GET', '/kids?size=1&sort=name'], ['GET', '/kids/1'], ['GET', '/kids/1/name'],
      ['POST', '/kids', { name: 'x' }], ['POST', '/parents', { name: 'x' }], ['PATCH', '/kids/1', { name: 'y' }],
      ['DELETE', '/kids/1'], ['PATCH', '/parents/1', { kids: [{ name: 'z' }] }]
    ]
    for (const request of requests) await send(...request)
    isSlow = true
    const running = send('POST', '/kids', { name: 'running' })
    await reached
    const waiting = send('POST', '/parents', { name: 'waiting' })
    db.close()
    leave()
    isSlow = false
    for (const { status, retryAfter } of [await running, await waiting]) t.strictSame([status, retryAfter], [503, '1'])
    for (const request of requests) {
      const { status, retryAfter } = await send(...request)
      t.strictSame([status, retryAfter], [503, '1'], request.slice(0, 2).join(' '))
    }
  }
})

test('those who watch hear of each of a thousand changes, and of more that anything may have changed', async t => {
  const db = sqlite(newFile())
  db.exec('create table things (id integer primary key, name text not null) strict')
  const Thing = Type.Object({
    id: Type.Integer({ identifier: true, readable: true }), name: Type.String({ readable: true, writable: true })
  })
  const app = Fastify()
  t.teardown(() => app.close())
  const things = collection(Thing, { source: db.table('things'), hooks: { creating: () => {} } })
  await app.register(dataApi, { collections: { things }, bodies: { items: 2000 } })
  const heard: Array<number | undefined> = []
  const unwatch = db.watch?.(tables => { heard.push([...tables?.values() ?? []][0]?.length) })
  for (const length of [1000, 1001]) {
    const payload = Array.from({ length }, () => ({ name: 'one' }))
    t.equal((await app.inject({ method: 'POST', url: '/things', payload })).statusCode, 201)
  }
  unwatch?.()
  t.strictSame(heard, [1000, undefined])
  db.close()
})
