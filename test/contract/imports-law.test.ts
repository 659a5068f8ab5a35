import { test } from 'tap'
import { uuid } from '../fixtures/shop.ts'
import { examples, requests, type Sent } from '../helpers/arbitrary-writes.ts'
import fc, { runsOf } from '../helpers/fast-check.ts'
import { held, type Held, inWorlds, sameOrThrow, send } from '../helpers/write-worlds.ts'

// docs/http.md: Imports. A line is what the body of a POST is.

const known = new Set([1, 2, 3, 4].map(uuid))
const anyUuid = /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/g

/** What is held, without the keys that were made at random. */
const plain = (tables: Held) => Object.fromEntries(Object.entries(tables).map(([table, rows]) =>
  [table, rows.map(row => JSON.stringify(row).replaceAll(anyUuid, id => known.has(id) ? id : '*')).sort()]))

/** The body of an error without the line. */
const lineless = (body: string) => body.replaceAll(/"line":1,|,"line":1(?=[,}])/g, '')

const isLine = ({ method, body }: Sent) => {
  if (method !== 'POST' || body === undefined || body.trim() === '' || /[\r\n\0]/.test(body)) return false
  try {
    return !Array.isArray(JSON.parse(body))
  } catch {
    return true
  }
}

const strategies = { upsert: true, delete: true }
const stream = { 'content-type': 'application/x-ndjson' }

test('a line of an import is written, or refused, as the body of a POST alone', async t => {
  let lines = 0
  await fc.assert(fc.asyncProperty(requests, all => inWorlds(posting => inWorlds(async importing => {
    for (const one of all) {
      for (const [index, world] of importing.entries()) {
        const alone = posting[index]
        if (alone === undefined) continue
        const { kind } = world.opened
        if (!isLine(one)) {
          await Promise.all([send(alone, one), send(world, one)])
          continue
        }
        const line = { ...one, headers: { ...one.headers, ...stream } }
        const [answer, told] = [await send(alone, one), await send(world, line)]
        if (answer.status < 300) {
          sameOrThrow(kind, one, 'is told otherwise', [told.status, told.body], [201, '{"status":"created","count":1}'])
        } else {
          sameOrThrow(kind, one, 'is told otherwise', [told.status, lineless(told.body)], [answer.status, answer.body])
        }
        sameOrThrow(kind, one, 'holds otherwise', plain(await held(world)), plain(await held(alone)))
        lines++
      }
    }
  }, strategies, true), strategies)), { numRuns: runsOf(30), examples })
  t.ok(lines > 0)
})
