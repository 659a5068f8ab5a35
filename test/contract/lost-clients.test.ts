import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import tap, { test } from 'tap'
import { sqlite } from '../../lib/index.ts'
import { artist, everyKind, onEach, waiting } from '../helpers/on-each-store.ts'
import { type Child, fileFor, openShop, serveElsewhere, type Store, times } from '../helpers/on-socket.ts'

// docs/http.md: Writing. Clients that go away, and processes that are killed, leave all or nothing.

// Processes take seconds to start, so they do while other tests run.
const starting = Promise.all([startVictim(), startVictim()])

async function startVictim (): Promise<{ readonly file: string, readonly child: Child }> {
  const file = fileFor(tap)
  openShop(file).close()
  return { file, child: await serveElsewhere(file) }
}

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
