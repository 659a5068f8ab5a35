import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { test } from 'tap'
import { contents, uuid } from '../fixtures/shop.ts'
import type { Name } from '../helpers/arbitrary-bodies.ts'
import { examples, requests, type Sent } from '../helpers/arbitrary-writes.ts'
import fc, { runsOf } from '../helpers/fast-check.ts'
import { changes, type Held, held, inWorlds, sameOrThrow, send, tell, type World } from '../helpers/write-worlds.ts'

// docs/http.md: Writing. Generated requests that write, sent to a fresh world of each source.

const runs = runsOf(12)

// Keys that are drawn must be the same on every source.
let drawn = 100
Object.assign(crypto, { randomUUID: () => uuid(++drawn) })
syncBuiltinESMExports()

test('no request that writes is answered with a fault, and one that is refused changes nothing', async t => {
  await fc.assert(fc.asyncProperty(requests, sent => inWorlds(async worlds => {
    for (const one of sent) for (const world of worlds) await sendSoundly(world, one)
  })), { numRuns: runs, examples })
  t.pass(`${runs} sequences of requests`)
})

async function sendSoundly (world: World, sent: Sent): Promise<void> {
  const before = await held(world)
  const answer = await send(world, sent)
  if (answer.status >= 500) throw tell(world.opened.kind, sent, 'a fault', answer)
  if (answer.status >= 400) {
    sameOrThrow(world.opened.kind, sent, 'refused, but changed', {}, changes(before, await held(world)))
  }
}

test('requests that write are answered alike on every source, and leave the same data', async t => {
  await fc.assert(fc.asyncProperty(requests, sent => inWorlds(async ([memory, ...others]) => {
    if (memory === undefined) return
    for (const one of sent) {
      const before = drawn
      const expected = await send(memory, one)
      for (const other of others) {
        drawn = before
        sameOrThrow(other.opened.kind, one, 'answered unlike memory', expected, await send(other, one))
        sameOrThrow(other.opened.kind, one, 'holds what memory does not', {},
          changes(await held(memory), await held(other)))
      }
    }
  })), { numRuns: runs, examples })
  t.pass(`${runs} sequences of requests`)
})

test('whatever was written before, an item can be sent back as it is got, and then nothing changes', async t => {
  await fc.assert(fc.asyncProperty(requests, sent => inWorlds(async worlds => {
    for (const world of worlds) {
      for (const one of sent) await send(world, one)
      for (const url of await urlsOf(world)) await sendBack(world, url, sent)
    }
  })), { numRuns: Math.ceil(runs / 3), examples })
  t.pass(`${runs} sequences of requests`)
})

/** Where the items are: in their collections, and below those that they belong to. */
async function urlsOf ({ opened }: World): Promise<readonly string[]> {
  const rows = await contents(opened)
  const ids = (table: Name) => (rows[table] ?? []).map(row => `/${table}/by_id/${String(row['id'])}`)
  const nested = (rows['artists'] ?? []).flatMap(({ id, labelId }) => labelId === null || labelId === undefined
    ? []
    : [`/labels/by_id/${String(labelId)}/artists/by_id/${String(id)}`, `/artists/by_id/${String(id)}/label`])
  const joined = (rows['album_tracks'] ??
    []).map(({ albumId, trackId }) => `/albums/${String(albumId)}/tracks/by_id/${String(trackId)}`)
  return [...ids('labels'), ...ids('artists'), ...ids('albums'), ...ids('tracks'), ...nested, ...joined]
}

async function sendBack (world: World, url: string, earlier: readonly Sent[]): Promise<void> {
  const got = await world.app.inject(url)
  const sent: Sent = { method: 'PUT', url, body: got.body, headers: {} }
  const before = await held(world)
  const answer = await send(world, sent)
  if (got.statusCode !== 200 || answer.status !== 200) {
    throw tell(world.opened.kind, sent, 'not taken back', answer, earlier)
  }
  sameOrThrow(world.opened.kind, sent, 'changed by what it was', {},
    changes(unversioned(before), unversioned(await held(world))))
}

/** A version counts writes, whether or not they change anything. */
const unversioned = (all: Held): Held =>
  ({ ...all, albums: (all['albums'] ?? []).map(({ version: _version, ...row }) => row) })
