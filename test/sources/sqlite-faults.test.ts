import { Type } from '@sinclair/typebox'
import Fastify from 'fastify'
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import tap, { type Test, test } from 'tap'
import dataApi, {
  type Behaviour, collection, DeclarationError, sqlite, type SqliteDatabase, type SqliteOptions, SubCollection, SubItem
} from '../../lib/index.ts'
import type { SqliteDriver, SqliteDriverClass, SqliteDriverName } from '../../lib/sources/sql/sqlite/driver.ts'

// What SQLite does when it cannot write. Every test runs on each driver that is installed.

const require = createRequire(import.meta.url)

function loadDriver (name: SqliteDriverName): SqliteDriverClass | undefined {
  try {
    const module = require(name) as SqliteDriverClass | { readonly DatabaseSync: SqliteDriverClass }
    return 'DatabaseSync' in module ? module.DatabaseSync : module
  } catch {
    return undefined
  }
}

const installed = (['node:sqlite', 'better-sqlite3', '@photostructure/sqlite'] as const).flatMap(name => {
  const Driver = loadDriver(name)
  return Driver === undefined ? [] : [{ name, Driver }]
})

const [first] = installed
const drivers = [
  ...installed,
  ...first === undefined ? [] : [{ name: 'one that does not tell of transactions', Driver: untelling(first.Driver) }]
]

/** As the first versions of node:sqlite are. */
function untelling (Driver: SqliteDriverClass): SqliteDriverClass {
  return class implements SqliteDriver {
    readonly #driver: SqliteDriver
    constructor (file: string) { this.#driver = new Driver(file) }
    prepare (text: string) { return this.#driver.prepare(text) }
    exec (script: string) { this.#driver.exec(script) }
    function (...parameters: Parameters<SqliteDriver['function']>) { this.#driver.function(...parameters) }
    close () { this.#driver.close() }
  }
}

const folder = mkdtempSync(join(tmpdir(), 'data-api-'))
tap.teardown(() => { rmSync(folder, { recursive: true }) })
let files = 0
const newFile = () => join(folder, `${files++}.db`)

const Parent = Type.Object({
  id: Type.Integer({ identifier: true, readable: true }),
  name: Type.String({ identifier: true, readable: true, writable: true }),
  kids: SubCollection('kids', { foreignKey: 'parentId', readable: true, writable: true })
})

const Kid = Type.Object({
  id: Type.Integer({ identifier: true, readable: true }),
  name: Type.String({ identifier: true, readable: true, writable: true }),
  note: Type.Optional(Type.String({ readable: true, writable: true })),
  parentId: Type.Optional(Type.Integer({ readable: true, writable: true })),
  parent: SubItem('parents', { foreignKey: 'parentId', readable: true }),
  tags: SubCollection('tags', {
    through: 'kid_tags', foreignKey: 'kidId', otherKey: 'tagId', readable: true, writable: true
  })
})

const Tag = Type.Object({ id: Type.Integer({ identifier: true, readable: true, writable: true }) })

const ddl = `
create table parents (id integer primary key, name text not null unique);
create table kids (
  id integer primary key, name text not null unique, note text,
  "parentId" integer references parents deferrable initially deferred
);
create table tags (id integer primary key);
create table kid_tags (
  "kidId" integer references kids on delete cascade, "tagId" integer references tags, primary key ("kidId", "tagId")
);
create table audit (line text not null unique);
create trigger refuse before insert on kids when new.name like 'refuse%' begin
  select raise(abort, 'the words of a trigger');
end;
create trigger undo before insert on kids when new.name like 'undo%' begin
  select raise(rollback, 'the words of a trigger');
end;
create trigger undo_audit before insert on audit when new.line like 'undo%' begin
  select raise(rollback, 'the words of a trigger');
end;
`

type Own = Pick<Behaviour<typeof Kid>, 'hooks'>

interface Answer { readonly status: number, readonly body: unknown, readonly retryAfter: unknown }

interface Served {
  readonly db: SqliteDatabase
  readonly logged: string[]
  send (method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', url: string, payload?: unknown): Promise<Answer>
}

/** Serves a new database. Hooks are the kids'; `hooked` are the same kids with a hook that only waits. */
async function serve (t: Test, options: SqliteOptions = {}, own: Own = {}, file = newFile()): Promise<Served> {
  const db = sqlite(file, options)
  db.exec(ddl)
  const logged: string[] = []
  const app = Fastify({ logger: { level: 'error', stream: { write (line: string) { logged.push(line) } } } })
  t.teardown(() => app.close())
  const kids = (own: Own) => collection(Kid, { source: db.table('kids'), ...own })
  const collections = {
    parents: collection(Parent, { source: db.table('parents') }),
    kids: kids(own),
    hooked: kids({ hooks: { creating: () => sleep(0), updating: () => sleep(0), deleting: () => sleep(0) } }),
    tags: collection(Tag, { source: db.table('tags') })
  }
  await app.register(dataApi, { collections, requestStrategies: { upsert: true, delete: true } })
  return {
    db,
    logged,
    async send (method, url, payload) {
      const json = { 'content-type': 'application/json' }
      const content = payload !== undefined && { payload: payload as object, headers: json }
      const { statusCode, body, headers } = await app.inject({ method, url, ...content })
      return { status: statusCode, body: JSON.parse(body), retryAfter: headers['retry-after'] }
    }
  }
}

/** The first column of what the statement gives. */
const rowsOf = ({ driver }: { readonly driver: SqliteDriver }, text: string) =>
  driver.prepare(text).all().map(row => Object.values(row as object)[0])

const loggedIn = ({ logged }: Served) => logged.map(line => JSON.parse(line).err.message as string)

const error = ({ body }: Answer) => (body as { readonly error?: unknown }).error

const each = (name: string, run: (t: Test, Driver: SqliteDriverClass) => Promise<void>) => {
  for (const { name: driver, Driver } of drivers) test(`${name} (${driver})`, t => run(t, Driver))
}

const long = (name: string) => `${name} ${'x'.repeat(3000)}`

type Write = readonly [method: 'POST' | 'PUT' | 'PATCH' | 'DELETE', url: string, body: unknown, done: string]

const named = (name: string) => `select 1 from kids where name = '${name}'`
const noted = (name: string) => `select 1 from kids where note = '${long(name)}'`
const linked = (name: string) => `select 1 from kids join kid_tags on "kidId" = id where note = '${long(name)}'`
const gone = (id: number) => `select 1 where not exists (select 1 from kids where id = ${id})`

/** Each kind of write, for a name and an item of its own, and a statement that gives a row once it is done. */
const writes: Readonly<Record<string, (name: string, id: number) => Write>> = {
  'a single create': name => ['POST', '/kids', { name, note: long(name) }, named(name)],
  'an array': name => ['POST', '/kids', [{ name, note: long(name) }, { name: `${name} too` }], named(`${name} too`)],
  'a create with a hook': name => ['POST', '/hooked', { name, note: long(name) }, named(name)],
  'an upsert': name => ['PUT', `/kids/by_name/${name}`, { note: long(name) }, named(name)],
  'an update': (name, id) => ['PATCH', `/kids/${id}`, { note: long(name) }, noted(name)],
  'an update with a hook': (name, id) => ['PATCH', `/hooked/${id}`, { note: long(name) }, noted(name)],
  'a write of a field': (name, id) => ['PUT', `/kids/${id}/note`, JSON.stringify(long(name)), noted(name)],
  'a link': (name, id) => ['PATCH', `/kids/${id}`, { note: long(name), tags: [{ id: 1 }] }, linked(name)],
  'a deletion': (_name, id) => ['DELETE', `/kids/${id}`, undefined, gone(id)]
}

/** Serves 60 kids from a database that has room for 8 pages more. */
async function serveFull (t: Test, options: SqliteOptions, file: string): Promise<Served> {
  const served = await serve(t, options, {}, file)
  const { db } = served
  db.exec('insert into tags values (1)')
  for (let n = 0; n < 60; n++) db.exec(`insert into kids (name) values ('kid${n}')`)
  limitPages(db)
  return served
}

const limitPages = (db: SqliteDatabase) => {
  db.exec(`pragma max_page_count = ${Number(rowsOf(db, 'pragma page_count')[0]) + 8}`)
}

/** Creates until there is no room. */
async function fill (send: Served['send']): Promise<void> {
  for (let n = 0; n < 60; n++) await send('POST', '/kids', { name: `full${n}`, note: long('') })
}

for (const [kind, make] of Object.entries(writes)) {
  each(`on a full disk, ${kind} that is acknowledged is done, and any other is 503 and not`, async (t, Driver) => {
    const file = newFile()
    for (const [driver, path] of [[Driver, newFile()], [new Driver(file), file]] as const) {
      const { db, send } = await serveFull(t, { driver }, path)
      if (kind === 'a deletion') await fill(send)
      const statuses = new Set<number>()
      for (let n = 0; n < 60; n++) {
        const [method, url, body, done] = make(`name${n}`, n + 1)
        const { status, retryAfter } = await send(method, url, body)
        statuses.add(status)
        t.equal(rowsOf(db, done).length > 0, status < 300, `${kind} ${n} was ${status}`)
        t.equal(retryAfter, status === 503 ? '1' : undefined)
      }
      t.ok(statuses.has(503) || kind === 'a deletion')
      t.strictSame([...statuses].filter(status => ![200, 201, 503].includes(status)), [])
      t.strictSame(rowsOf(db, 'pragma foreign_key_check'), [])
      t.equal((await send('GET', '/kids')).status, 200)
      db.close()
    }
  })
}

each('a foreign key that is checked at the commit is 409, whatever the write, and nothing is written', async (
  t, driver
) => {
  const { db, send } = await serve(t, { driver })
  db.exec("insert into parents values (1, 'p'); insert into kids values (1, 'k', null, 1)")
  const bad = { name: 'new', parent_id: 99 }
  for (const [method, url, body] of [
    ['POST', '/kids', bad],
    ['POST', '/hooked', bad],
    ['POST', '/kids', [{ name: 'first' }, bad]],
    ['PUT', '/kids/by_name/new', { parent_id: 99 }],
    ['PATCH', '/kids/1', { parent_id: 99 }],
    ['PATCH', '/hooked/1', { parent_id: 99 }],
    ['PUT', '/kids/1/parent_id', '99'],
    ['DELETE', '/parents/1', undefined]
  ] as const) {
    const answer = await send(method, url, body)
    t.strictSame([answer.status, error(answer)], [409, 'reference'], `${method} ${url}`)
    t.strictSame(rowsOf(db, 'select name || "parentId" from kids'), ['k1'])
    t.strictSame(rowsOf(db, 'select id from parents'), [1])
  }
})

each('each constraint is told alike, by a single create and by one with a hook', async (t, driver) => {
  const { db, send } = await serve(t, { driver })
  db.exec("insert into kids (name) values ('taken')")
  for (const url of ['/kids', '/hooked']) {
    const refusals = [['taken', 409, 'duplicate'], ['refuse', 400, 'constraint'], ['undo', 400, 'constraint']] as const
    for (const [name, status, code] of refusals) {
      const answer = await send('POST', url, { name })
      t.strictSame([answer.status, error(answer)], [status, code], `${url} ${name}`)
    }
    t.equal((await send('POST', url, { name: `good ${url}` })).status, 201)
  }
  t.strictSame(rowsOf(db, 'select name from kids order by id'), ['taken', 'good /kids', 'good /hooked'])
})

each('a hook that catches an error goes on with its transaction, without which nothing lasts', async (t, driver) => {
  const caught: unknown[] = []
  const served = await serve(t, { driver }, {
    hooks: {
      async creating ({ name }, { transaction }) {
        const log = (line: string) => transaction.query('insert into audit values (?)', [line])
        await log(`${name} before`)
        await log(name === 'good' ? 'good before' : `undo ${name}`).catch((error: unknown) => { caught.push(error) })
        await log(`${name} after`).catch((error: unknown) => { caught.push(error) })
      },
      async updating (kid, _before, { transaction }) {
        await transaction.query('insert into audit values (?)', ['undo']).catch(() => {})
        delete kid.note
      }
    }
  })
  const { db, send } = served
  t.equal((await send('POST', '/kids', { name: 'good' })).status, 201)
  t.strictSame(rowsOf(db, 'select line from audit'), ['good before', 'good after'])
  const answer = await send('POST', '/kids', [{ name: 'first' }, { name: 'second' }])
  t.match(answer, { status: 503, retryAfter: '1', body: { error: 'unavailable' } })
  t.match(caught, [{ message: /UNIQUE/ }, { message: 'the words of a trigger' }, { code: 'unavailable' }])
  t.strictSame(loggedIn(served), ['the words of a trigger'])
  // Here no statement of ours follows.
  t.equal((await send('PATCH', '/kids/1', { note: 'x' })).status, 503)
  t.strictSame(rowsOf(db, 'select line from audit'), ['good before', 'good after'])
  t.strictSame(rowsOf(db, 'select name from kids'), ['good'])
  t.equal((await send('POST', '/hooked', { name: 'next' })).status, 201)
})

each('a hook that catches a full disk leaves all of the request or nothing', async (t, driver) => {
  const { db, send } = await serve(t, { driver }, {
    hooks: {
      async creating ({ name }, { transaction }) {
        await transaction.query('insert into audit values (?)', [long(`${name} one`)]).catch(() => {})
        await transaction.query('insert into audit values (?)', [long(`${name} two`)]).catch(() => {})
      }
    }
  })
  limitPages(db)
  const statuses: number[] = []
  for (let n = 0; n < 20; n++) {
    const { status } = await send('POST', '/kids', [{ name: `a${n}` }, { name: `b${n}` }])
    statuses.push(status)
    const there = rowsOf(db, `select name from kids where name in ('a${n}', 'b${n}')`)
    t.strictSame(there, status === 201 ? [`a${n}`, `b${n}`] : [])
    const lines = rowsOf(db, `select line from audit where line like 'a${n} %' or line like 'b${n} %'`)
    if (status !== 201) t.strictSame(lines, [])
  }
  t.ok(statuses.includes(201))
})

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

each('while another process holds the lock, reads are answered and all writes refused in time', async (t, Driver) => {
  const file = newFile()
  const served = await serve(t, { driver: Driver, busyTimeout: 300 }, {}, file)
  const { send } = served
  const other = new Driver(file)
  other.exec('begin immediate')
  const began = performance.now()
  const urls = ['/kids', '/hooked', '/kids', '/hooked', '/kids', '/hooked']
  const writes = Promise.all(urls.map((url, n) => send('POST', url, { name: `kid${n}` })))
  let reads = 0
  while (await Promise.race([writes, send('GET', '/kids').then(({ status }) => status)]) === 200) reads++
  t.match(await writes, urls.map(() => ({ status: 503, retryAfter: '1' })))
  // One after the other they would take 1.8 seconds.
  t.ok(performance.now() - began < 1500)
  t.ok(reads > 10)
  t.match(loggedIn(served), urls.map(() => /another process holds the lock of the database/))
  const patient = send('POST', '/kids', { name: 'patient' })
  other.exec('rollback')
  t.equal((await patient).status, 201)
  other.close()
})

each('nothing of SQLite waits in operation, as that would hold up the event loop', async (t, driver) => {
  const { db } = await serve(t, { driver, busyTimeout: 4000 })
  t.strictSame(rowsOf(db, 'pragma busy_timeout'), [0])
  t.throws(() => { db.exec('not a statement') })
  t.strictSame(rowsOf(db, 'pragma busy_timeout'), [0])
})

each('a hook that never returns is given up with its transaction, and named meanwhile', async (t, driver) => {
  let late: () => Promise<unknown> = async () => undefined
  const served = await serve(t, { driver, busyTimeout: 100, transactionTimeout: 400 }, {
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
  t.equal((await stuck).status, 503)
  t.match(loggedIn(served), [
    /^waited \d+ ms for the write lock: it is held by a transaction that has been running for \d+ ms and waits for/,
    "a transaction was rolled back after 400 ms; it was waiting for the hook 'creating' of collection 'kids'"
  ])
  await t.rejects(late(), TypeError)
  t.equal((await send('POST', '/parents', { name: 'next' })).status, 201)
  t.strictSame([rowsOf(db, 'select name from parents'), rowsOf(db, 'select line from audit')], [['next'], []])
})

each('with a limit of 0 a transaction lasts as long as its hook', async (t, driver) => {
  const { send } = await serve(t, { driver, transactionTimeout: 0 }, { hooks: { creating: () => sleep(50) } })
  t.equal((await send('POST', '/kids', { name: 'slow' })).status, 201)
})

each('a commit waits for the readers of another process, and is undone when the time is over', async (t, Driver) => {
  const file = newFile()
  const own = new Driver(file)
  const { db, send } = await serve(t, { driver: own, busyTimeout: 100 }, {}, file)
  db.exec('pragma journal_mode = delete')
  const other = new Driver(file)
  other.exec('begin; select * from kids')
  for (const url of ['/kids', '/hooked']) {
    t.equal((await send('POST', url, { name: 'x' })).status, 503)
    t.strictSame(rowsOf(db, 'select name from kids'), [])
  }
  const patient = send('POST', '/hooked', { name: 'y' })
  await sleep(20)
  other.exec('commit')
  t.equal((await patient).status, 201)
  other.close()
})

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
  const place = join(folder, `place${files++}`)
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

// In a process of its own, from the built package: what compiles tests writes files that are larger than the limit.
const fillDisk = `
import { Type } from '@sinclair/typebox'
import Fastify from 'fastify'
import dataApi, { collection, sqlite } from 'fastify-data-api'
const db = sqlite(process.argv[1])
db.exec('create table kids (id integer primary key, name text not null unique, note text)')
const Name = Type.String({ identifier: true, readable: true, writable: true })
const Id = Type.Integer({ identifier: true, readable: true })
const Kid = Type.Object({ id: Id, name: Name, note: Type.String({ writable: true }) })
const kids = hooks => collection(Kid, { source: db.table('kids'), hooks })
const app = Fastify()
const collections = { kids: kids({}), hooked: kids({ creating: async () => {} }) }
await app.register(dataApi, { collections, requestStrategies: { upsert: true } })
const answers = []
for (let n = 0; n < 40; n++) {
  const writes = [['POST', '/kids', 'a' + n], ['POST', '/hooked', 'b' + n], ['PUT', '/kids/by_name/c' + n, 'c' + n]]
  for (const [method, url, name] of writes) {
    const payload = { ...method === 'POST' && { name }, note: 'x'.repeat(3000) }
    const { statusCode } = await app.inject({ method, url, payload })
    answers.push([name, statusCode])
  }
}
const { statusCode } = await app.inject('/kids/1')
console.log(JSON.stringify({ answers, read: statusCode }))
db.close()
`

interface Output { readonly answers: ReadonlyArray<readonly [name: string, status: number]>, readonly read: number }

// A limit on the size of files stands for a full disk: the log grows until there is no room for the commit of a write.
test('on a disk that is full at the commit, creates that are acknowledged are there, and no others', t => {
  const file = newFile()
  const run = 'unset NODE_OPTIONS; ulimit -f 500; exec "$0" --input-type=module -e "$1" "$2"'
  const output = execFileSync('/bin/sh', ['-c', run, process.execPath, fillDisk, file], { encoding: 'utf8' })
  const { answers, read } = JSON.parse(output) as Output
  const db = sqlite(file)
  const acknowledged = answers.flatMap(([name, status]) => status === 201 ? [name] : [])
  t.strictSame(rowsOf(db, 'select name from kids order by id'), acknowledged)
  t.strictSame([...new Set(answers.map(([, status]) => status))], [201, 503])
  t.equal(read, 200)
  t.strictSame(rowsOf(db, 'pragma integrity_check'), ['ok'])
  db.close()
  t.end()
})

test('an option that is wrong is told at once', async t => {
  for (const value of [-1, 1.5, NaN, Infinity, 2 ** 31]) {
    t.throws(() => sqlite(':memory:', { busyTimeout: value }), DeclarationError)
    t.throws(() => sqlite(':memory:', { transactionTimeout: value }), DeclarationError)
  }
  t.throws(() => sqlite(':memory:', { synchronous: 'off' as 'full' }), DeclarationError)
})
