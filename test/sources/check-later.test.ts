import { Type } from '@sinclair/typebox'
import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import dataApi, { collection, DeclarationError, postgres } from '../../lib/index.ts'
import { makeFaultyProxy } from '../helpers/faulty-proxy.ts'
import Fastify from '../helpers/fastify.ts'
import { onDatabase } from '../helpers/on-database.ts'
import { test } from '../helpers/on-postgres.ts'

// docs/databases.md: Declarations and tables

const Thing = Type.Object({
  id: Type.Integer({ identifier: true, readable: true }), name: Type.String({ readable: true })
})

/** Registers things of a database. Returns the application, and the lines of its log. */
async function serve (connectionString: string) {
  const db = postgres({ connectionString })
  const lines: string[] = []
  const app = Fastify({ logger: { level: 'warn', stream: { write (line: string) { lines.push(line) } } } })
  await app.register(dataApi, { collections: { things: collection(Thing, { source: db.table('things') }) } })
  const close = async () => {
    await app.close()
    await db.close()
  }
  return { app, lines, close }
}

test('an application starts before its database, and answers 503 until its declarations are known to fit', async t => {
  await onDatabase('create table things (id integer primary key, nom text not null)', async (_db, url) => {
    const proxy = await makeFaultyProxy(t, url)
    await proxy.close()
    const { app, lines, close } = await serve(proxy.url)
    await app.ready()
    t.match(lines.join(''), /a database cannot be reached, so its declarations are checked later/)
    const status = async () => (await app.inject('/things')).statusCode
    t.equal(await status(), 503)
    t.equal((await app.inject('/')).statusCode, 200)
    await proxy.reopen()
    while (!lines.join('').includes("has no column 'name'")) t.equal(await status(), 503)
    const owner = new pg.Client(url)
    await owner.connect()
    await owner.query('alter table things rename nom to name')
    await owner.end()
    while (await status() !== 200) await setTimeout(50)
    t.strictSame((await app.inject('/things')).json(), [])
    await close()
  })
})

test('a database that does not exist is an error at the start', t => onDatabase('', async (_db, url) => {
  const { app, close } = await serve(`${url}_missing`)
  const error = await Promise.resolve(app.ready()).then(() => undefined, (reason: unknown) => reason)
  t.ok(error instanceof DeclarationError)
  t.match(String(error), /the declarations cannot be compared with the tables: database ".*_missing" does not exist/)
  await close()
}))
