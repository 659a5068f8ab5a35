import { Type } from '@sinclair/typebox'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Test, test } from 'tap'
import dataApi, { collection, computed, type Database, memory, type Source, sqlite } from '../../lib/index.ts'
import type { DataSource } from '../../lib/core/sources/source.ts'
import Fastify from '../helpers/fastify.ts'
import { eventually, listen } from '../helpers/follow.ts'
import { holdTimers } from '../helpers/held-timers.ts'
import { everybody } from '../helpers/everybody.ts'
import { Thing } from '../fixtures/things.ts'

// docs/live.md: what is read when, and what a slow or lost client costs.

const Text = Type.String({ readable: true })

interface Row { id: number, name: string }

const rowsOf = (count: number, name = 'old'): Row[] => Array.from({ length: count }, (_, n) => ({ id: n + 1, name }))

/** Counts the reads and the watches of a source, and calls functions before and after each read. */
function counted (source: Source, before = () => {}, after = async () => {}) {
  const { database } = source as DataSource
  const counts = { reads: 0, watches: 0 }
  const { readJson: _readWritten, ...others } = database
  const counting: Database = {
    ...others,
    async read (plan, fresh) {
      counts.reads++
      before()
      const result = await database.read(plan, fresh)
      await after()
      return result
    },
    watch (tell) {
      counts.watches++
      const stop = database.watch?.(tell)
      return () => {
        counts.watches--
        stop?.()
      }
    }
  }
  return { counts, source: { ...source, database: counting } as Source }
}

async function serve (t: Test, options: {
  readonly rows?: Row[],
  readonly interval?: number,
  readonly buffer?: number,
  readonly recheck?: number
  readonly scoped?: boolean,
  readonly withComputed?: boolean,
  before? (): void,
  after? (): Promise<void>
}) {
  const { rows = rowsOf(3), interval = 1, buffer = 65_536, recheck = 3_600_000, scoped = false } = options
  const { counts, source } = counted(memory(rows), options.before, options.after)
  const app = Fastify({ forceCloseConnections: true })
  const shout = computed<Row, 'name', typeof Text>({ type: Text, from: ['name'], get: ({ name }) => `${name}!` })
  await app.register(dataApi, {
    rules: everybody,
    collections: {
      things: collection(Thing, {
        source,
        ...scoped && { scope: () => true },
        ...options.withComputed === true && { computed: { shout } }
      }),
      others: collection(Thing, { source: memory(rowsOf(2)) })
    },
    live: { interval, buffer, recheck }
  })
  t.teardown(() => app.close())
  const write = (url: string, name: string) => app.inject({ method: 'PATCH', url, payload: { name } })
  return { app, counts, follow: await listen(app), write }
}

test('clients share a read only where no rule, scope or computed field has a part in it', async t => {
  for (const [options, reads] of [[{}, 1], [{ scoped: true }, 5], [{ withComputed: true }, 5]] as const) {
    const { counts, follow, write } = await serve(t, { ...options, interval: 40 })
    const all = await Promise.all(rowsOf(5).map(() => follow('/things')))
    await sleep(120)
    const before = counts.reads
    await write('/things/1', 'new')
    for (const one of all) await eventually(() => one.events.some(({ event }) => event === 'patch'), () => one.text)
    await sleep(80)
    // The write itself reads the item.
    const own = await serve(t, options)
    const atRest = own.counts.reads
    await own.write('/things/1', 'new')
    t.equal(counts.reads - before, reads + own.counts.reads - atRest)
  }
})

test('a document is read once an interval, and only where a table of it may have changed', async t => {
  const { counts, follow, write } = await serve(t, { interval: 50 })
  const one = await follow('/things?fields=name')
  await sleep(120)
  const [before, start] = [counts.reads, performance.now()]
  t.equal((await write('/others/1', 'new')).statusCode, 200)
  await sleep(120)
  t.equal(counts.reads, before)
  for (let n = 0; n < 50; n++) {
    await write('/things/1', `name ${n}`)
    await sleep(4)
  }
  await eventually(() => JSON.stringify(one.document).includes('name 49'), () => one.text)
  const patches = one.events.filter(({ event }) => event === 'patch').length
  t.ok(patches <= (performance.now() - start) / 50 + 1, `${patches} patches`)
})

test('what changes between a read and its answer is told', async t => {
  const rows = rowsOf(2)
  const source = memory(rows)
  let edits = false
  const { follow } = await serve(t, {
    rows,
    async after () {
      if (!edits) return
      edits = false
      for (const row of rows) row.name = 'edited'
      source.refresh()
    }
  })
  // While no document is open, nothing is noticed: the first one is read twice.
  const first = await follow('/things/1')
  await eventually(() => first.events.length === 1, () => first.text)
  await sleep(50)
  edits = true
  const one = await follow('/things')
  await eventually(() => one.events.length > 1, () => one.text)
  t.strictSame(one.document, rows)
})

test('what nobody tells of is seen at the next recheck', async t => {
  const rows = rowsOf(2)
  const { follow } = await serve(t, { rows, recheck: 20 })
  const one = await follow('/things')
  await eventually(() => one.events.length === 1, () => one.text)
  for (const row of rows) row.name = 'edited'
  await eventually(() => one.events.length > 1, () => one.text)
  t.strictSame(one.document, rows)
})

test('a client that reads slowly gets the whole document once it reads again', async t => {
  const { app, follow, write } = await serve(t, { buffer: 1000 })
  const [slow, quick] = [await follow('/things'), await follow('/things')]
  await eventually(() => quick.events.length > 0 && slow.events.length > 0, () => 'no snapshot')
  slow.response.pause()
  for (let n = 0; n < 150; n++) {
    await write('/things/1', String(n).repeat(60_000))
    await sleep(2)
    await write('/things/1', `short ${n}`)
  }
  const last = () => JSON.stringify(quick.document).includes('short 149')
  await eventually(last, () => 'the quick client')
  t.equal(app.dataApi.live()?.behind, 1)
  slow.response.resume()
  await eventually(() => JSON.stringify(slow.document).includes('short 149'), () => 'the slow client')
  t.strictSame(slow.document, quick.document)
  t.ok(slow.events.filter(({ event }) => event === 'snapshot').length > 1)
  t.ok(slow.text.length < quick.text.length * 0.9, `${slow.text.length} of ${quick.text.length} characters`)
})

test('a read that fails is tried again after 1, 2, 4 seconds and so on up to recheck, and tells nobody', async t => {
  const timers = holdTimers(t, 1000)
  const rows = rowsOf(1)
  let fails = false
  const { app, follow, write } = await serve(t, {
    rows, recheck: 10_000, before () { if (fails) throw new Error('no') }
  })
  const one = await follow('/things')
  const settled = async () => {
    await eventually(() => timers.delays().length > 0 && app.dataApi.live()?.waiting === 0, () => 'a read')
    return timers.delays()
  }
  const tryAgain = () => {
    timers.fire()
    return settled()
  }
  t.strictSame(await settled(), [10_000])
  fails = true
  const pauses: Array<readonly number[]> = []
  for (let tries = 0; tries < 6; tries++) pauses.push(await tryAgain())
  t.strictSame(pauses, [[1000], [2000], [4000], [8000], [10_000], [10_000]])
  t.strictSame([one.events.length, one.isClosed], [1, false])
  // What is told is a reason to look at once, and to begin anew.
  await eventually(async () => {
    await write('/things/1', 'new')
    return timers.delays().includes(1000)
  }, () => timers.delays().join())
  fails = false
  t.strictSame(await tryAgain(), [10_000])
  await eventually(() => one.events.length === 2, () => one.text)
  t.strictSame(one.document, rows)
  await one.leave()
  await eventually(() => timers.delays().length === 0, () => 'no timer is left of a document that nobody follows')
})

test('streams that are closed leave nothing behind', async t => {
  const { app, counts, follow } = await serve(t, {})
  const sockets = () => new Promise<number>(resolve => {
    app.server.getConnections((_error, count) => { resolve(count) })
  })
  for (let round = 0; round < 10; round++) {
    const all = await Promise.all(rowsOf(100).map((_, n) => follow(`/things?limit=${n + 1}`)))
    t.equal(counts.watches, 1)
    await Promise.all(all.map(one => one.leave()))
    await eventually(async () => await sockets() === 0, () => 'sockets')
    await eventually(() => counts.watches === 0, () => `${counts.watches} watches`)
  }
})

test('a client that joins others between two reads is not told what it has already', async t => {
  const { app, follow, write } = await serve(t, { interval: 300 })
  const first = await follow('/things')
  await eventually(() => first.events.length === 1, () => first.text)
  await sleep(400)
  await write('/things/1', 'one')
  await eventually(() => first.events.length === 2, () => first.text)
  await write('/things/2', 'two')
  await app.dataApi.asSystem().collection('things').create({ id: 9, name: 'nine' })
  const second = await follow('/things')
  await eventually(() => first.events.length === 3 && second.events.length > 0, () => first.text)
  await sleep(50)
  const got = (await app.inject('/things')).json()
  t.strictSame([first.document, second.document], [got, got])
})

test('SQLite tells of what a write cascades to, and of what its triggers write', async t => {
  const db = sqlite(':memory:')
  db.exec(`
    create table parents (id integer primary key, name text not null) strict;
    create table kids (id integer primary key, name text not null, parent integer references parents on delete cascade)
      strict;
    create trigger kid after update on parents begin update kids set name = new.name where parent = new.id; end;
    insert into parents values (1, 'a'); insert into kids values (1, 'b', 1);
  `)
  const app = Fastify({ forceCloseConnections: true })
  const [parents, kids] = ['parents', 'kids'].map(name => collection(Thing, { source: db.table(name) }))
  if (parents === undefined || kids === undefined) throw new Error('two collections')
  await app.register(dataApi, {
    rules: everybody,
    collections: { parents, kids },
    requestStrategies: { delete: true },
    live: { interval: 1, recheck: 3_600_000 }
  })
  t.teardown(async () => {
    await app.close()
    db.close()
  })
  const one = await (await listen(app))('/kids')
  await eventually(() => one.events.length === 1, () => one.text)
  await sleep(100)
  const begun = performance.now()
  await app.inject({ method: 'PATCH', url: '/parents/1', payload: { name: 'c' } })
  await eventually(() => one.events.length === 2, () => one.text)
  t.strictSame(one.document, [{ id: 1, name: 'c' }])
  await app.inject({ method: 'DELETE', url: '/parents/1' })
  await eventually(() => one.events.length === 3, () => one.text)
  t.strictSame(one.document, [])
  db.exec("insert into kids values (2, 'd', null)")
  await eventually(() => one.events.length === 4, () => one.text)
  t.strictSame(one.document, [{ id: 2, name: 'd' }])
  t.ok(performance.now() - begun < 5000)
})

test('the numbers of live documents are those of streams and reads', async t => {
  const { app, follow, write } = await serve(t, {})
  const numbers = () => app.dataApi.live()
  t.strictSame(numbers(), { streams: 0, behind: 0, waiting: 0, reads: 0, unchanged: 0 })
  const [one, other] = [await follow('/things?limit=1'), await follow('/things/2')]
  await eventually(() => one.events.length + other.events.length === 2, () => one.text)
  await eventually(() => numbers()?.reads === numbers()?.unchanged, () => JSON.stringify(numbers()))
  const before = numbers()
  await write('/things/2', 'new')
  await eventually(() => other.events.length === 2, () => other.text)
  const after = { reads: (before?.reads ?? 0) + 2, unchanged: (before?.unchanged ?? 0) + 1 }
  await eventually(() => numbers()?.unchanged === after.unchanged, () => JSON.stringify(numbers()))
  t.strictSame(numbers(), { streams: 2, behind: 0, waiting: 0, ...after })
  await one.leave()
  await other.leave()
  await eventually(() => numbers()?.streams === 0, () => JSON.stringify(numbers()))
  const still = Fastify()
  await still.register(dataApi, {
    rules: everybody, collections: { things: collection(Thing, { source: memory(rowsOf(1)) }) }
  })
  t.equal(still.dataApi.live(), undefined)
})
