import { test } from 'tap'
import { itemBody, type Name, print } from '../helpers/arbitrary-bodies.ts'
import fc, { runsOf } from '../helpers/fast-check.ts'
import { held, inWorlds, sameOrThrow, send } from '../helpers/write-worlds.ts'

// docs/http.md: Arrays of changes. The items are written each as by a request of its own, or none is.

const names: readonly Name[] = ['labels', 'artists', 'albums', 'tracks']
const drawn = fc.constantFrom(...names).chain(name => fc.record({
  name: fc.constant(name),
  bodies: fc.array(itemBody(name, 0).map(print), { minLength: 1, maxLength: 2 })
}))

/** A write that shows nothing may increase the version of an item that stays as it is. */
const shown = { prefer: 'return=representation' }

test('an array of changes does what single writes do, or nothing, and answers with their status', async t => {
  const seen = new Set<boolean>()
  await fc.assert(fc.asyncProperty(drawn, ({ name, bodies }) => inWorlds(ones => inWorlds(async others => {
    for (const [index, world] of ones.entries()) {
      const { app, opened: { kind } } = world
      const found = await app.inject(`/${name}?fields=id&sort=id&size=${bodies.length}`)
      const keys = found.json<ReadonlyArray<{ readonly id: string | number }>>().map(({ id }) => JSON.stringify(id))
      const changes = bodies.slice(0, keys.length).flatMap((body, at) => {
        const key = keys[at]
        return body.startsWith('{') && key !== undefined ? [{ key, body }] : []
      })
      const elements = changes.map(({ key, body }) =>
        body === '{}' ? `{"id":${key}}` : `${body.slice(0, -1)},"id":${key}}`)
      const sent = { method: 'PATCH', url: `/${name}`, body: `[${elements.join(',')}]`, headers: {} } as const
      const before = await held(world)
      const { status } = await send(world, sent)
      const other = others[index]
      if (other === undefined) throw new TypeError('each source has two worlds')
      const statuses: number[] = []
      for (const { key, body } of changes) {
        const url = `/${name}/by_id/${encodeURIComponent(String(JSON.parse(key)))}`
        const single = body.includes('"id":') ? elements[statuses.length] ?? body : body
        statuses.push((await send(other, { method: 'PATCH', url, body: single, headers: shown })).status)
      }
      const isDone = statuses.every(one => one === 200)
      sameOrThrow(kind, sent, 'is told otherwise', status === 200, isDone)
      sameOrThrow(kind, sent, 'was written', await held(world), isDone ? await held(other) : before)
      seen.add(isDone)
    }
  }, { update: ['PATCH'] }), { update: ['PATCH'] })), { numRuns: runsOf(40) })
  t.strictSame([...seen].sort(), [false, true])
})
