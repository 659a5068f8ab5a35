import { setTimeout as sleep } from 'node:timers/promises'
import { test } from 'tap'
import { collection, DataApiError, sqlite } from '../../lib/index.ts'
import { Artist, ddl, shop } from '../fixtures/shop.ts'
import { artist, everyKind, onEach, type Own, unexpected, waiting } from '../helpers/on-each-store.ts'
import { fileFor, serve, type Served, times } from '../helpers/on-socket.ts'
import { sqliteDdl } from '../helpers/sources.ts'

// docs/http.md: Writing. What a transaction holds, and what others see of it.

onEach([
  'sqlite file', 'sqlite :memory:'
], "a hook's own statements last as the request does", async ({ t, store, start }) => {
  const { send } = await start({
    hooks: {
      async creating ({ name }, { transaction }) {
        await transaction.query('insert into labels (code) values (?)', [name])
        await sleep(1)
        if (name === 'bad') throw new DataApiError('forbidden', 'Not this one.')
        const [own] = await transaction.query('select code from labels where code = ?', [name])
        t.equal(own?.['code'], name)
      }
    }
  })
  const codes = async () => (await store.rows('labels')).map(({ code }) => code)
  const refused = await send('POST', '/artists', [artist('one'), artist('bad')])
  t.match([refused.status, refused.body], [403, { error: 'forbidden', message: 'Not this one.' }])
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
    : 'lasts'}`, async ({ t, kind, store, start }) => {
    const { own, reached, leave } = waiting('waits', () => { if (fails) throw new Error('refused') })
    const served = await start(own)
    const { send } = served
    await send('POST', '/labels', { code: 'VSN', city: 'before' })
    const before = await look(served)
    const written = send('PATCH', '/labels/1', { city: 'after', artists: [artist('first'), artist('waits')] })
    await reached
    const looked = look(served)
    // Over a file or a server readers do not wait for the transaction; elsewhere they are answered after it.
    const waits = kind === 'memory' || kind === 'sqlite :memory:'
    if (!waits) t.strictSame(await looked, before)
    // Another's write is after it, so that neither undoes the other.
    const other = send('PUT', '/labels/by_code/SPOON', { city: 'other' })
    leave()
    t.equal((await written).status, fails ? 500 : 200)
    t.equal((await other).status, 201)
    t.strictSame((await store.rows('labels')).map(({ city }) => city), [fails ? 'before' : 'after', 'other'])
    t.equal((await store.rows('artists')).length, fails ? 0 : 2)
    // The labels may be read after the other's write.
    const others = ({ path }: { path: string }) => path !== '/labels'
    if (waits && fails) t.strictSame((await looked).filter(others), before.filter(others))
    if (waits && !fails) t.match(await looked, views.map(() => ({ status: 200 })))
  })
}

onEach([
  'memory', 'sqlite file', 'sqlite :memory:', 'postgres'
], 'a hook that writes through the API to its own database gets an error and does not hang', async ({
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
  const answer = await send('POST', '/artists', artist('out'))
  t.equal(answer.status, 201)
  t.strictSame(inner, times(4, () => [500, unexpected]))
  t.match(logged.map(line => JSON.parse(line).err.message), times(4, () => /use its context.transaction instead/))
  t.strictSame([(await store.rows('labels')), (await store.rows('artists')).length], [[], 1])
})

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
