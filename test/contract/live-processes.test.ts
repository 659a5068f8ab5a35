import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { get } from 'node:http'
import { isDeepStrictEqual } from 'node:util'
import t, { test } from 'tap'
import { openDriver } from '../../lib/core/sources/sql/sqlite/driver.ts'
import { eventually, Follower } from '../helpers/follow.ts'
import { newFile } from '../helpers/on-sqlite.ts'
import { withoutRunner } from '../helpers/on-socket.ts'

// docs/live.md: a stream resumes on any process. Clients hop between two processes over one file, which are killed.

const file = newFile()
const driver = openDriver(file, undefined)
driver.exec('pragma journal_mode = wal; create table notes (id integer primary key, text text not null) strict')
driver.close()

interface Served { readonly process: ChildProcess, readonly port: number }

const running = new Set<ChildProcess>()
t.teardown(() => { for (const one of running) one.kill('SIGKILL') })

async function start (): Promise<Served> {
  const child = fork(new URL('../helpers/live-child.ts', import.meta.url), [file], withoutRunner)
  running.add(child)
  child.once('exit', () => { running.delete(child) })
  const [port] = await once(child, 'message') as [number]
  return { process: child, port }
}

async function kill ({ process }: Served): Promise<void> {
  const exit = once(process, 'exit')
  process.kill('SIGKILL')
  await exit
}

const follow = ({ port }: Served, path: string, before?: Follower, tag = before?.tag) =>
  new Promise<Follower>((resolve, reject) => {
    const headers = { accept: 'text/event-stream', ...tag !== undefined && { 'last-event-id': tag } }
    get(`http://127.0.0.1:${port}${path}`, { agent: false, headers }, response => {
      resolve(new Follower(response, tag === before?.tag ? before : {}))
    }).on('error', reject)
  })

async function write ({ port }: Served, method: string, path: string, text?: string): Promise<void> {
  await fetch(`http://127.0.0.1:${port}${path}`, {
    method, ...text !== undefined && { body: JSON.stringify({ text }), headers: { 'content-type': 'application/json' } }
  }).catch(() => {})
}

const paths = ['/notes?sort=-id&limit=5', '/notes?text^=a', '/notes/by_id', '/notes?sort=text,id']

test('clients that hop between processes, also killed ones, end with what GET gives', async t => {
  const servers = [await start(), await start()]
  const serverAt = (n: number) => servers[n % 2] as Served
  const followers = await Promise.all(paths.map((path, n) => follow(serverAt(n), path)))
  let told = 0
  for (let n = 1; n <= 60; n++) {
    await write(serverAt(n), 'POST', '/notes', `${'ab'[n % 2]}${n}`)
    if (n % 3 === 0) await write(serverAt(n + 1), 'PATCH', `/notes/${n - 1}`, `a changed ${n}`)
    if (n % 7 === 0) await write(serverAt(n), 'DELETE', `/notes/${n - 3}`)
    const at = n % paths.length
    const one = followers[at]
    if (n % 5 === 0) {
      told += one?.events.length ?? 0
      await one?.leave()
      followers[at] = await follow(serverAt(n + 1), paths[at] ?? '', one, n % 2 === 0 ? one?.tag : '"false"')
    }
    if (n % 20 === 10) {
      // In the middle of a write.
      const lost = write(serverAt(n), 'POST', '/notes', `a lost ${n}`)
      await kill(serverAt(n))
      await lost
      servers[n % 2] = await start()
    }
    for (const [at, one] of followers.entries()) {
      if (!one.isClosed) continue
      followers[at] = await follow(serverAt(at), paths[at] ?? '', one)
    }
  }
  t.ok(told > 0)
  for (const [at, path] of paths.entries()) {
    const isRight = async () => {
      if (followers[at]?.isClosed === true) followers[at] = await follow(serverAt(at), path, followers[at])
      const response = await fetch(`http://127.0.0.1:${serverAt(at + 1).port}${path}`)
      const got: unknown = await response.json()
      return isDeepStrictEqual(followers[at]?.document, got) && followers[at]?.tag === response.headers.get('etag')
    }
    await eventually(isRight, () => `${path}: ${followers[at]?.text}`)
  }
  for (const one of followers) await one.leave()
  for (const one of servers) await kill(one)
})
