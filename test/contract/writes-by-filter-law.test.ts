import { test } from 'tap'
import { itemBody, type Name, print } from '../helpers/arbitrary-bodies.ts'
import type { Sent } from '../helpers/arbitrary-writes.ts'
import fc, { runsOf } from '../helpers/fast-check.ts'
import { held, inWorlds, sameOrThrow, send, type World } from '../helpers/write-worlds.ts'

// docs/http.md: Writes by a filter. All items are written each as by a request of its own, or none is.

const filters: Readonly<Record<Name, readonly string[]>> = {
  labels: ['id>0', 'city=Groningen', 'code!=VSN', 'artists.name=Noisia'],
  artists: ['id>0', 'name^=N', 'rating>5', 'albums()', 'label=null'],
  albums: ['id>0', 'year<2000', 'artist.name=Can', 'tracks.count()>0'],
  tracks: ['title!=x', 'seconds>60']
}

const names: readonly Name[] = ['labels', 'artists', 'albums', 'tracks']
const drawn = fc.constantFrom(...names).chain(name => fc.record({
  name: fc.constant(name),
  filter: fc.constantFrom(...filters[name]),
  body: fc.option(itemBody(name, 1).map(print), { freq: 4, nil: undefined })
}))

const strategies = { delete: true, bulk: ['PATCH' as const, 'DELETE' as const] }

/** Returns a write of what a URL names: a deletion without a body. */
const write = (url: string, body: string | undefined): Sent =>
  ({ method: body === undefined ? 'DELETE' : 'PATCH', url, body, headers: {} })

/** Writes the items one after the other. Returns the first error, or how many were written. */
async function writeEach (world: World, name: Name, keys: readonly string[], body: string | undefined) {
  let affected = 0
  for (const key of keys) {
    const { status, body: told } = await send(world, write(`/${name}/by_id/${key}`, body))
    // A deletion before it has taken it along.
    if (status === 404 && body === undefined) continue
    if (status >= 300) return { status, body: told }
    affected++
  }
  return { status: 200, body: JSON.stringify({ status: 'ok', affected }) }
}

test('a write by a filter does what single writes do, or nothing, and answers with their error', async t => {
  const seen = new Map<string, number>()
  const count = (what: string) => { seen.set(what, (seen.get(what) ?? 0) + 1) }
  await fc.assert(fc.asyncProperty(drawn, ({ name, filter, body }) => inWorlds(ones => inWorlds(async others => {
    for (const [index, world] of ones.entries()) {
      const { app, opened: { kind } } = world
      const sent = write(`/${name}?${filter}`, body)
      const found = await app.inject(`/${name}?${filter}&fields=id&sort=id`)
      const keys = found.json<ReadonlyArray<{ readonly id: string | number }>>().map(({ id }) => String(id))
      const before = await held(world)
      const { status, body: told } = await send(world, sent)
      if (keys.length === 0 || told.includes('in many items at once')) continue
      const other = others[index]
      if (other === undefined) throw new TypeError('each source has two worlds')
      const single = await writeEach(other, name, keys, body)
      sameOrThrow(kind, sent, 'is told otherwise', { status, body: told }, single)
      sameOrThrow(kind, sent, 'was written', await held(world), status === 200 ? await held(other) : before)
      count(`${sent.method} ${status === 200}`)
    }
  }, strategies), strategies)), { numRuns: runsOf(120) })
  t.strictSame([...seen.keys()].sort(), ['DELETE false', 'DELETE true', 'PATCH false', 'PATCH true'])
})
