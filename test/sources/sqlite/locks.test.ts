import { setTimeout as sleep } from 'node:timers/promises'
import { holdTimers, hour } from '../../helpers/held-timers.ts'
import { newFile, serve, rowsOf, loggedIn, each } from '../../helpers/on-sqlite.ts'

// Writes on SQLite that wait: for a transaction, a hook, or another process.

each('a transaction that the application left open holds up writes, and has none of them', async (t, driver) => {
  const served = await serve(t, { driver, busyTimeout: 50 })
  const { db, send } = served
  db.driver.exec('begin')
  for (const url of ['/kids', '/hooked']) {
    t.equal((await send('POST', url, { name: 'x' })).status, 503)
    t.strictSame(rowsOf(db, 'select name from kids'), [])
  }
  t.match(loggedIn(served), [/application began on db\.driver/, /application began on db\.driver/])
  const waiting = send('POST', '/kids', { name: 'y' })
  db.driver.exec('rollback')
  t.equal((await waiting).status, 201)
  t.strictSame(rowsOf(db, 'select name from kids'), ['y'])
})

each('while another process holds the lock, reads are answered, and writes wait for it', async (t, Driver) => {
  const file = newFile()
  const { send } = await serve(t, { driver: Driver, busyTimeout: hour }, {}, file)
  const other = new Driver(file)
  other.exec('begin immediate')
  const writes = Promise.all(['/kids', '/hooked'].map((url, n) => send('POST', url, { name: `kid${n}` })))
  for (let reads = 0; reads < 5; reads++) t.equal((await send('GET', '/kids')).status, 200)
  other.exec('rollback')
  t.match(await writes, [{ status: 201 }, { status: 201 }])
  other.close()
})

each('what a trigger refuses is told, whatever another process does just then', async (t, Driver) => {
  const file = newFile()
  const { db, send } = await serve(t, { driver: Driver, busyTimeout: hour }, {}, file)
  db.exec(`create trigger refusing before insert on kids when new.name = 'no' begin
    select raise(abort, 'not this one'); end`)
  const other = new Driver(file)
  const exec = db.driver.exec.bind(db.driver)
  let meddle = { before: () => {}, after: () => {} }
  const meddled = (text: string) => {
    const { before, after } = meddle
    // Where a driver gives errors without their codes, the statement fails once more in a transaction.
    if (text !== 'begin immediate') return exec(text)
    meddle = { before: () => {}, after: () => {} }
    before()
    try {
      return exec(text)
    } finally {
      after()
    }
  }
  Object.defineProperty(db.driver, 'exec', { value: meddled })
  meddle = { before: () => { other.exec('begin immediate') }, after: () => { other.exec('rollback') } }
  t.equal((await send('POST', '/kids', { name: 'no' })).status, 400)
  let isDropped = false
  const before = () => {
    isDropped = true
    other.exec('drop trigger refusing')
  }
  meddle = { before, after: () => {} }
  const { status } = await send('POST', '/kids', { name: 'no' })
  t.equal(status, isDropped ? 201 : 400)
  other.close()
})

each('while another process holds the lock, all writes are refused in time', async (t, Driver) => {
  const file = newFile()
  const served = await serve(t, { driver: Driver, busyTimeout: 1000 }, {}, file)
  const { send } = served
  const other = new Driver(file)
  other.exec('begin immediate')
  const began = performance.now()
  const urls = Array.from({ length: 60 }, (_, n) => n % 2 === 0 ? '/kids' : '/hooked')
  const writes = await Promise.all(urls.map((url, n) => send('POST', url, { name: `kid${n}` })))
  t.match(writes, urls.map(() => ({ status: 503, retryAfter: '1' })))
  // One after the other they would take a minute. The limit is no measure of speed: they take a second.
  t.ok(performance.now() - began < 50_000)
  t.match(loggedIn(served), urls.map(() => /another process holds the lock of the database/))
  other.exec('rollback')
  t.equal((await send('POST', '/kids', { name: 'next' })).status, 201)
  other.close()
})

each('journal keep: a read of a new table waits for a file that is locked, or is 503', async (t, Driver) => {
  for (const [busyTimeout, status] of [[hour, 200], [50, 503]] as const) {
    const file = newFile()
    const { send } = await serve(t, { driver: Driver, journal: 'keep', busyTimeout }, {}, file)
    // The check of declarations, too, is over then.
    t.equal((await send('GET', '/kids')).status, 200)
    const other = new Driver(file)
    other.exec('begin exclusive')
    const answer = send('GET', '/kids')
    await sleep(status === 503 ? 0 : 20)
    if (status === 200) other.exec('rollback')
    t.equal((await answer).status, status)
    other.close()
  }
})

each('nothing of SQLite waits in operation, as that would hold up the event loop', async (t, driver) => {
  const { db } = await serve(t, { driver, busyTimeout: 4000 })
  t.strictSame(rowsOf(db, 'pragma busy_timeout'), [0])
  t.throws(() => { db.exec('not a statement') })
  t.strictSame(rowsOf(db, 'pragma busy_timeout'), [0])
})

each('a hook that never returns is given up with its transaction, and named meanwhile', async (t, driver) => {
  const timers = holdTimers(t)
  let late: () => Promise<unknown> = async () => undefined
  const served = await serve(t, { driver, busyTimeout: 100, transactionTimeout: hour }, {
    hooks: {
      creating (_kid, { transaction }) {
        late = () => transaction.query("insert into audit values ('late')")
        return transaction.query("insert into audit values ('early')").then(() => new Promise<void>(() => {}))
      }
    }
  })
  const { db, send } = served
  const stuck = send('POST', '/kids', { name: 'stuck' })
  while (rowsOf(db, 'select line from audit').length === 0) await sleep(1)
  t.equal((await send('POST', '/parents', { name: 'impatient' })).status, 503)
  timers.fire(hour)
  t.equal((await stuck).status, 503)
  t.match(loggedIn(served), [
    /^waited \d+ ms for the write lock: it is held by a transaction that has been running for \d+ ms and waits for/,
    `a transaction was rolled back after ${hour} ms; it was waiting for the hook 'creating' of collection 'kids'`
  ])
  await t.rejects(late(), TypeError)
  t.equal((await send('POST', '/parents', { name: 'next' })).status, 201)
  t.strictSame([rowsOf(db, 'select name from parents'), rowsOf(db, 'select line from audit')], [['next'], []])
})

each('with a limit of 0 a transaction lasts as long as its hook', async (t, driver) => {
  const { send } = await serve(t, { driver, transactionTimeout: 0 }, { hooks: { creating: () => sleep(50) } })
  t.equal((await send('POST', '/kids', { name: 'slow' })).status, 201)
})

each('a commit waits for the readers of another process', async (t, Driver) => {
  let meet = () => {}
  const waits = new Promise<void>(resolve => { meet = resolve })
  class Watched extends Driver {
    override exec (script: string): void {
      try {
        super.exec(script)
      } catch (error) {
        if (script === 'commit') meet()
        throw error
      }
    }
  }
  const file = newFile()
  const { db, send } = await serve(t, { driver: new Watched(file), busyTimeout: hour }, {}, file)
  db.exec('pragma journal_mode = delete')
  const other = new Driver(file)
  other.exec('begin; select * from kids')
  const patient = send('POST', '/hooked', { name: 'y' })
  await waits
  other.exec('commit')
  t.equal((await patient).status, 201)
  other.close()
})

each('a commit is undone when the time for the readers of another process is over', async (t, Driver) => {
  const file = newFile()
  const { db, send } = await serve(t, { driver: new Driver(file), busyTimeout: 100 }, {}, file)
  db.exec('pragma journal_mode = delete')
  const other = new Driver(file)
  other.exec('begin; select * from kids')
  for (const url of ['/kids', '/hooked']) {
    t.equal((await send('POST', url, { name: 'x' })).status, 503)
    t.strictSame(rowsOf(db, 'select name from kids'), [])
  }
  other.exec('commit')
  t.equal((await send('POST', '/hooked', { name: 'y' })).status, 201)
  other.close()
})
