import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import tap, { type Test, test } from 'tap'
import { ArgumentError, type Behaviour, collection, sqlite } from '../../lib/index.ts'
import { Artist, contents, ddl, shop, tables } from '../fixtures/shop.ts'
import { everySource, type World } from '../helpers/every-source.ts'
import {
  type Child, fileFor, openShop, openStore, serve, type Served, serveElsewhere, type Store, type StoreKind, storeKinds,
  times
} from '../helpers/on-socket.ts'
import { type Collections, sqliteDdl } from '../helpers/sources.ts'

// docs/http.md: Writing

type Own = Pick<Behaviour<typeof Artist>, 'hooks' | 'setters'>

const shopWith = (own: Own): Collections =>
  source => ({ ...shop()(source), artists: collection(Artist, { source: source('artists'), ...own }) })

const artist = (name: string, more: object = {}) => ({ name, email: null, ...more })

// Processes take seconds to start, so they do while other tests run.
const starting = Promise.all([startVictim(), startVictim()])

async function startVictim (): Promise<{ readonly file: string, readonly child: Child }> {
  const file = fileFor(tap)
  openShop(file).close()
  return { file, child: await serveElsewhere(file) }
}

/** What the application throws: nothing, but where it is called for the artist of that name. */
const trouble = { at: '', name: '', cause () {} }

const call = (at: string, name: unknown) => at === trouble.at && name === trouble.name ? trouble.cause() : undefined

const troubled: World = {
  tables,
  ddl,
  collections: shopWith({
    setters: {
      name (artist, name) {
        artist.name = name
        return call('setter', name)
      }
    },
    hooks: {
      creating: artist => call('creating', artist.name),
      updating: artist => call('updating', artist.name),
      deleting: artist => call('deleting', artist.name)
    }
  })
}

interface Fault { readonly error: unknown, readonly status: number, readonly body: object }

const unexpected = { error: 'internal', message: 'Something went wrong on the server.' }

const faults: Record<string, (pointer: object) => Fault> = {
  'an error': () => ({ error: new Error('the secret'), status: 500, body: unexpected }),
  'what is no error': () => ({ error: 'the secret', status: 500, body: unexpected }),
  'an error with a status of 5xx': () => ({
    error: Object.assign(new Error('Down.'), { statusCode: 502 }),
    status: 502,
    body: { error: 'rejected', message: 'Down.' }
  }),
  'an ArgumentError': pointer =>
    ({ error: new ArgumentError('Not so.'), status: 400, body: { error: 'argument', message: 'Not so.', ...pointer } }),
  'an error with a status of 4xx': () => ({
    error: Object.assign(new Error('Not you.'), { statusCode: 403 }),
    status: 403,
    body: { error: 'forbidden', message: 'Not you.' }
  })
}

const causes = {
  at_once: (error: unknown) => () => { throw error },
  // What was begun before has time to show.
  later: (error: unknown) => async () => {
    await sleep(1)
    throw error
  }
}

type Request = readonly [method: 'POST' | 'PUT' | 'PATCH' | 'DELETE', url: string, body?: unknown]

const three = (bad: string) =>
  [artist('one', { albums: [{ title: 'a', tracks: [{ title: 'b' }] }] }), artist(bad), artist('three')]

/** Where the application is called, for whom, in which requests, and where their body is told to be wrong. */
const places: ReadonlyArray<readonly [at: string, name: string, pointer: string, ...Request]> = [
  ['creating', 'bad', '/1', 'POST', '/artists', three('bad')],
  ['creating', 'bad', '', 'PUT', '/artists/by_name/bad', { email: null, albums: [{ title: 'a' }] }],
  ['creating', 'bad', '/artists/1', 'POST', '/labels', { code: 'NEW', artists: [artist('one'), artist('bad')] }],
  ['creating', 'bad', '/label/artists/0', 'PATCH', '/artists/3', {
    rating: 1, label: { code: 'NEW', artists: [artist('bad')] }
  }],
  ['updating', 'Noisia', '', 'PATCH', '/artists/1', { rating: 1, label: { code: 'NEW' }, albums: [{ title: 'a' }] }],
  ['updating', 'Can', '/artists/1', 'POST', '/labels', { code: 'NEW', artists: [artist('one'), { name: 'Can' }] }],
  ['deleting', '2', '', 'DELETE', '/artists/3'],
  ['setter', 'bad', '/1', 'POST', '/artists', three('bad')],
  ['setter', 'bad', '', 'PATCH', '/artists/1', { label: { code: 'NEW' }, name: 'bad', rating: 1 }],
  ['setter', 'bad', '', 'PUT', '/artists/1/name', 'bad']
]

for (const [what, make] of Object.entries(faults)) {
  everySource(`${what} that the application throws while it is asked leaves nothing behind`, async ({
    t, opened, send, same
  }) => {
    const before = await contents(opened)
    for (const [at, name, pointer, ...request] of places) {
      const { error, status, body } = make(pointer === '' ? {} : { pointer })
      for (const cause of Object.values(causes)) {
        Object.assign(trouble, { at, name, cause: cause(error) })
        same(await send(...request), status, body)
        t.strictSame(await contents(opened), before, `${at} ${request.join(' ')}`)
      }
    }
    trouble.at = ''
    t.equal((await send('POST', '/artists', three('bad'))).statusCode, 201)
    t.strictNotSame(await contents(opened), before)
  }, { requestStrategies: { upsert: true, delete: true } }, troubled)
}

interface Stage {
  readonly t: Test
  readonly store: Store
  readonly logged: readonly string[]
  start (own: Own): Promise<Served>
}

/** Runs a test on a socket over each kind of store, none of which holds anything yet. */
function onEach (kinds: readonly StoreKind[], name: string, run: (stage: Stage) => Promise<void>): void {
  for (const kind of storeKinds(kinds)) {
    test(`${name} (${kind})`, async t => {
      const logged: string[] = []
      const store = await openStore(kind, t)
      let served: Served | undefined
      const start = async (own: Own) =>
        (served = await serve(shopWith(own), store, { requestStrategies: { upsert: true, delete: true } }, logged))
      try {
        await run({ t, store, logged, start })
      } finally {
        await served?.close()
      }
    })
  }
}

const everyKind = ['memory', 'sqlite file', 'sqlite :memory:', 'postgres'] as const

onEach(everyKind, 'what saved throws is logged, and the write has happened', async ({ t, store, logged, start }) => {
  const told: string[] = []
  const { send } = await start({
    hooks: {
      saved ({ kind, item }) {
        told.push(`${kind} ${item.name}`)
        if (item.name === 'b') return sleep(1).then(() => { throw new Error('later') })
        throw new Error('at once')
      }
    }
  })
  t.equal((await send('POST', '/artists', [artist('a'), artist('b'), artist('c')])).status, 201)
  t.equal((await send('PATCH', '/artists/1', { rating: 1 })).status, 200)
  t.equal((await send('PUT', '/artists/by_name/d', { email: null })).status, 201)
  t.equal((await send('DELETE', '/artists/2')).status, 200)
  t.strictSame(told, ['created a', 'created b', 'created c', 'updated a', 'created d', 'deleted b'])
  t.strictSame(logged.map(line => JSON.parse(line).err.message),
    ['at once', 'later', 'at once', 'at once', 'at once', 'later'])
  t.strictSame((await store.rows('artists')).map(({ name, rating }) => [name, rating]), [['a', 1], ['c', 5], ['d', 5]])
})

onEach([
  'sqlite file', 'sqlite :memory:'
], "a hook's own statements last as the request does", async ({ t, store, start }) => {
  const { send } = await start({
    hooks: {
      async creating ({ name }, { transaction }) {
        await transaction.query('insert into labels (code) values (?)', [name])
        await sleep(1)
        if (name === 'bad') throw new Error('refused')
        const [own] = await transaction.query('select code from labels where code = ?', [name])
        t.equal(own?.['code'], name)
      }
    }
  })
  const codes = async () => (await store.rows('labels')).map(({ code }) => code)
  t.equal((await send('POST', '/artists', [artist('one'), artist('bad')])).status, 500)
  t.strictSame([await codes(), (await store.rows('artists'))], [[], []])
  t.equal((await send('POST', '/artists', [artist('one'), artist('two')])).status, 201)
  t.strictSame(await codes(), ['one', 'two'])
})

onEach([
  'sqlite file'
], "a hook's own statement that fails fails the request, unless the hook sees to it", async ({ t, store, start }) => {
  const { send } = await start({
    hooks: {
      async creating ({ name }, { transaction }) {
        await transaction.query('insert into labels (code) values (?)', [name])
        const again = transaction.query('insert into labels (code) values (?)', [name])
        await (name === 'careful' ? t.rejects(again, { message: /UNIQUE/ }) : again)
      }
    }
  })
  const { status, body } = await send('POST', '/artists', [artist('careful'), artist('careless')])
  t.strictSame([status, body], [500, unexpected])
  t.strictSame([(await store.rows('labels')), (await store.rows('artists'))], [[], []])
  t.equal((await send('POST', '/artists', artist('careful'))).status, 201)
  t.equal((await store.rows('labels')).length, 1)
})

/** A door that is closed until it is opened. */
function door () {
  let open = () => {}
  const opened = new Promise<void>(resolve => { open = resolve })
  return { open, opened }
}

/** Hooks in which the creation of one artist waits at a door. */
function waiting (name: string, then: () => void = () => {}) {
  const [reached, exit] = [door(), door()]
  const creating = async (artist: { name?: string }) => {
    if (artist.name !== name) return
    reached.open()
    await exit.opened
    then()
  }
  return { reached: reached.opened, leave: exit.open, own: { hooks: { creating } } }
}

const views: ReadonlyArray<readonly [path: string, accept: string]> = [
  ...[
    '/labels/1', '/labels/1/city', '/labels/1/artists', '/artists', '/artists/by_name', '/artists/by_name/first',
    '/artists?name=first', '/labels?artists.name=first'
  ].map(path => [path, 'application/json'] as const),
  ['/labels', 'application/x-ndjson'],
  ['/artists', 'application/x-ndjson']
]

const look = ({ send }: Served) => Promise.all(views.map(async ([path, accept]) => {
  const { status, body } = await send('GET', path, undefined, { accept })
  return { path, status, body }
}))

for (const fails of [true, false]) {
  onEach(everyKind, `while a hook waits others see nothing of its transaction, which then ${fails
    ? 'fails'
    : 'lasts'}`, async ({ t, store, start }) => {
    const { own, reached, leave } = waiting('waits', () => { if (fails) throw new Error('refused') })
    const served = await start(own)
    const { send } = served
    await send('POST', '/labels', { code: 'VSN', city: 'before' })
    const before = await look(served)
    const written = send('PATCH', '/labels/1', { city: 'after', artists: [artist('first'), artist('waits')] })
    await reached
    const looked = look(served)
    const beside = await Promise.race([looked, sleep(300)])
    // Another's write is after it, so that neither undoes the other.
    const other = send('PUT', '/labels/by_code/SPOON', { city: 'other' })
    if (beside !== undefined) t.strictSame(beside, before)
    leave()
    t.equal((await written).status, fails ? 500 : 200)
    t.equal((await other).status, 201)
    t.strictSame((await store.rows('labels')).map(({ city }) => city), [fails ? 'before' : 'after', 'other'])
    t.equal((await store.rows('artists')).length, fails ? 0 : 2)
    if (beside === undefined && fails) t.strictSame(await looked, before)
    if (beside === undefined && !fails) t.match(await looked, views.map(() => ({ status: 200 })))
  })
}

onEach([
  'sqlite file', 'postgres'
], 'over a file or a server others are answered while a hook waits', async ({ t, start }) => {
  const { own, reached, leave } = waiting('waits')
  const served = await start(own)
  const written = served.send('POST', '/artists', artist('waits'))
  await reached
  t.strictSame((await served.send('GET', '/artists')).body, [])
  leave()
  t.equal((await written).status, 201)
})

onEach([
  'memory', 'sqlite file', 'sqlite :memory:'
], 'where there is one transaction at a time, a hook that writes through the API to its own database gets an error ' +
  'and does not hang', async ({
  t, store, logged, start
}) => {
  const inner: unknown[] = []
  const { send } = await start({
    hooks: {
      async creating (_artist, { request }) {
        if (request === undefined) throw new TypeError('a request has a context with it')
        const { server } = request
        for (const [method, url, payload] of [['POST', '/labels', { code: 'IN' }], [
          'PUT', '/labels/by_code/IN', {}
        ], ['POST', '/artists', artist('in')], ['DELETE', '/labels/1', undefined]] as const) {
          const { statusCode, body } = await server.inject({ method, url, ...payload && { payload } })
          inner.push([statusCode, JSON.parse(body)])
        }
      }
    }
  })
  const answer = await Promise.race([send('POST', '/artists', artist('out')), sleep(3000)])
  t.equal(answer?.status, 201)
  t.strictSame(inner, times(4, () => [500, unexpected]))
  t.match(logged.map(line => JSON.parse(line).err.message), times(4, () => /use its context.transaction instead/))
  t.strictSame([(await store.rows('labels')), (await store.rows('artists')).length], [[], 1])
})

/** Three artists, each with an album, that are to be there all or not at all. */
const group = (name: string) =>
  times(3, n => artist(`${name}-${n}`, { albums: [{ title: `${name}-${n}`, tracks: [{ title: `${name}-${n}` }] }] }))

/** How much of each group is there: `3 3 3 3` of one that is whole. */
async function parts (rows: Store['rows']): Promise<Map<string, string>> {
  const [artists, albums, tracks] = [await rows('artists'), await rows('albums'), await rows('tracks')]
  const names = [
    ...artists.map(({ name }) => name), ...albums.map(({ title }) => title), ...tracks.map(({ title }) => title)
  ]
  const joined = new Set(
    (await rows('album_tracks')).map(({ albumId, trackId }) => `${String(albumId)} ${String(trackId)}`)
  )
  const linked = albums.filter(({ id, title }) =>
    tracks.some(track => track['title'] === title && joined.has(`${String(id)} ${String(track['id'])}`)))
  const count = (values: readonly unknown[], name: string) =>
    values.filter(value => String(value).startsWith(`${name}-`)).length
  return new Map([...new Set(names.map(name => String(name).split('-')[0] ?? ''))].map(name => [name, [
    count(artists.map(one => one['name']), name), count(albums.map(one => one['title']), name),
    count(tracks.map(one => one['title']), name), count(linked.map(one => one['title']), name)
  ].join(' ')]))
}

const isWhole = (part: string | undefined) => part === '3 3 3 3'

/**
 * What there is once nothing is under way any more: tables are read one after the other, and a server commits
 * meanwhile.
 */
async function settled (look: () => Promise<Map<string, string>>): Promise<Map<string, string>> {
  for (let before = await look(); ;) {
    await sleep(200)
    const now = await look()
    if (isDeepStrictEqual([...now], [...before])) return now
    before = now
  }
}

onEach(everyKind, 'a client that goes away midway leaves all or nothing', async ({ t, store, start }) => {
  const { port, send } = await start({ hooks: { creating: () => sleep(1) } })
  const post = async (n: number) => {
    const signal = AbortSignal.timeout(1 + n * 3)
    const sent = fetch(`http://127.0.0.1:${port}/artists`, {
      method: 'POST', body: JSON.stringify(group(`group${n}`)), headers: { 'content-type': 'application/json' }, signal
    })
    return sent.then(({ status }) => status, () => 'gone')
  }
  const statuses = await Promise.all(times(40, post))
  // What was received before this is written before it.
  await sleep(20)
  t.equal((await send('POST', '/artists', group('last'))).status, 201)
  const there = await settled(() => parts(store.rows))
  t.ok(statuses.includes('gone'))
  t.strictSame([...there.values()].filter(part => !isWhole(part)), [])
  for (const [n, status] of statuses.entries()) if (status === 201) t.ok(there.has(`group${n}`), `group ${n}`)
})

onEach(everyKind, 'a client that goes away while a hook waits has written all', async ({ t, store, start }) => {
  const { own, reached, leave } = waiting('gone-2')
  const { port, send } = await start(own)
  const leaving = new AbortController()
  const sent = fetch(`http://127.0.0.1:${port}/artists`, {
    method: 'POST',
    body: JSON.stringify(group('gone')),
    headers: { 'content-type': 'application/json' },
    signal: leaving.signal
  })
  await reached
  leaving.abort()
  await t.rejects(sent)
  leave()
  t.equal((await send('POST', '/artists', group('last'))).status, 201)
  t.strictSame([...await parts(store.rows)], [['gone', '3 3 3 3'], ['last', '3 3 3 3']])
})

onEach(everyKind, 'a client that goes away before its body is whole has written nothing', async ({
  t, store, start
}) => {
  const { port, send } = await start({})
  const body = JSON.stringify(group('half'))
  for (const length of [0, 1, body.length >> 1, body.length - 1]) {
    const socket = connect(port, '127.0.0.1')
    socket.write(
      'POST /artists HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n' +
        `content-length: ${body.length}\r\n\r\n${body.slice(0,
        length)}`
    )
    await sleep(10)
    socket.destroy()
    await once(socket, 'close')
  }
  t.equal((await send('POST', '/artists', group('last'))).status, 201)
  t.strictSame([...(await parts(store.rows)).keys()], ['last'])
})

test('after a process is killed what was acknowledged is there, and nothing is half there', async t => {
  for (const { file, child } of await starting) {
    const acknowledged = await writeUntilKilled(child)
    const db = sqlite(file)
    const there = await parts(async table =>
      db.driver.prepare(`select * from ${table}`).all() as Awaited<ReturnType<Store['rows']>>)
    t.ok(acknowledged.length > 10)
    t.strictSame(acknowledged.filter(name => !isWhole(there.get(name))), [])
    t.strictSame([...there].filter(([, part]) => !isWhole(part)), [])
    t.match(db.driver.prepare('pragma integrity_check').all(), [{ integrity_check: 'ok' }])
    t.strictSame(db.driver.prepare('pragma foreign_key_check').all(), [])
    db.close()
  }
})

/** Gives the groups that were acknowledged before the process was killed in the middle of others. */
async function writeUntilKilled ({ process, send }: Child): Promise<readonly string[]> {
  const acknowledged: string[] = []
  const write = async (worker: number) => {
    for (let n = 0; ; n++) {
      const name = `worker${worker}group${n}`
      const answer = await send('POST', '/artists', group(name)).catch(() => undefined)
      if (answer === undefined) return
      if (answer.status === 201) acknowledged.push(name)
    }
  }
  const writing = Promise.all(times(8, write))
  while (acknowledged.length < 40) await sleep(5)
  await sleep(Math.random() * 20)
  process.kill('SIGKILL')
  await writing
  return acknowledged
}
async function startOwn (file: string, script: string, own: Own) {
  const db = sqlite(file)
  db.exec(script)
  const store = { source: (table: string) => db.table(table), rows: async () => [], close () { db.close() } }
  const served = await serve(source => ({
    ...shop()(source), artists: collection(Artist, { source: source('artists'), ...own })
  }), store, { requestStrategies: { upsert: true, delete: true } })
  return { db, ...served }
}

test('a transaction that is over takes no statements', async t => {
  let late: () => Promise<unknown> = async () => undefined
  const { db, send, close } = await startOwn(fileFor(t), sqliteDdl(ddl), {
    hooks: {
      creating (_artist, { transaction }) {
        late = () => transaction.query("insert into labels (code) values ('LATE')")
      }
    }
  })
  t.equal((await send('POST', '/artists', { name: 'x', email: null })).status, 201)
  await t.rejects(late())
  t.strictSame(db.driver.prepare('select * from labels').all(), [])
  await close()
})

test('a foreign key that the database checks at the commit is a reference like any other', async t => {
  const { send, close } = await startOwn(fileFor(t), sqliteDdl(ddl).replace('not null references artists)',
    'not null references artists deferrable initially deferred)'), { hooks: { deleting () {} } })
  await send('PUT', '/artists/by_name/x', { email: null, albums: [{ title: 'y' }] })
  const { status, body } = await send('DELETE', '/artists/by_name/x')
  t.strictSame([status, (body as { error?: unknown }).error], [409, 'reference'])
  await close()
})
