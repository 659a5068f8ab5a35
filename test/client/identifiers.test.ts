import { Type } from '@sinclair/typebox'
import { test } from 'tap'
import { createClient } from '../../lib/clients/client/index.ts'
import dataApi, { collection, memory } from '../../lib/index.ts'
import fc, { runsOf } from '../helpers/fast-check.ts'
import Fastify from '../helpers/fastify.ts'

// docs/clients.md#the-typed-client: a client asks for what it was told to, or for nothing.

const texts = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 6 }),
  fc.string({ unit: fc.constantFrom('.', '/', '\\', '%', '2', 'e', '?', '#', ',', ' ', '\t', '@', ':'), maxLength: 6 }),
  fc.constantFrom('', '.', '..', '...', '%2e', '%2e%2e', './', '../', '..;', 'null', 'undefined')
)
const ids = fc.oneof(texts, fc.integer(), fc.array(texts, { maxLength: 3 }))

function encodable (text: string): string | undefined {
  try {
    return encodeURIComponent(text)
  } catch {
    return undefined
  }
}

/** Returns a client whose requests are kept, and not answered. */
function recording () {
  const paths: string[] = []
  const client = createClient('http://host/api', {
    fetch: async url => {
      paths.push(new URL(url).pathname)
      return new Response('{}')
    }
  })
  return { client, paths }
}

const ways = {
  'an item': (id: unknown) => client().resource('things').item(id as string).get(),
  'get()': (id: unknown) => client().resource('things').get(id as string),
  'update()': (id: unknown) => client().resource('things').update(id as string, {}),
  'delete()': (id: unknown) => client().resource('things').delete(id as string),
  'resource()': (id: unknown) => (client().resource('things').resource(id as 'by_x') as unknown as Gettable).get(),
  'a property': (id: unknown) => (client().resource('things') as unknown as Loose)[String(id)]?.get()
}
interface Gettable { get (): Promise<unknown> }
type Loose = Readonly<Record<string, Gettable>>
let recorded = recording()
const client = () => recorded.client

for (const [what, send] of Object.entries(ways)) {
  test(`any value in ${what} is one segment of the URL, or is refused`, async () => {
    await fc.assert(fc.asyncProperty(ids, async given => {
      recorded = recording()
      const id = what === 'resource()' || what === 'a property' ? String(given) : given
      try {
        await send(id)
      } catch (error) {
        if (recorded.paths.length === 0 && error instanceof Error) return
        throw error
      }
      const [path = ''] = recorded.paths
      const segment = path.startsWith('/api/things/') ? path.slice('/api/things/'.length) : '/'
      const values = typeof id === 'object' ? id : [String(id)]
      const parts = typeof id === 'object' ? segment.split(',') : [segment]
      if (segment.includes('/') || String(parts.map(decodeURIComponent)) !== String(values)) throw new Error(path)
    }), { numRuns: runsOf(300) })
  })
}

test('any text that is the key of an item reaches that item', async t => {
  const app = Fastify()
  const Thing = Type.Object({ id: Type.String({ identifier: true, readable: true }) })
  const rows: Array<{ id: string }> = []
  const things = collection(Thing, { source: memory(rows), requestStrategies: { create: false } })
  await app.register(dataApi, { collections: { things } })
  const client = createClient('http://host', {
    fetch: async url => {
      const { body, statusCode } = await app.inject(new URL(url).pathname)
      return new Response(body, { status: statusCode })
    }
  })
  await fc.assert(fc.asyncProperty(texts, async id => {
    rows.splice(0, rows.length, { id }, { id: `${id}x` }, { id: 'other' })
    const found = await client.resource('things').get(id).catch((error: unknown) => error)
    // No URL holds these, and half of a surrogate pair or a NUL is no text of a URL.
    if (/^\.{0,2}$/.test(id) || encodable(id) === undefined || id.includes('\0')) t.ok(found instanceof Error)
    else if ((found as { id: string }).id !== id) throw new Error(JSON.stringify([id, found]))
  }), { numRuns: runsOf(300) })
})

test('what was meant to name an item and is nothing is refused, and no request is sent', async t => {
  recorded = recording()
  const things = client().resource('things')
  const calls: ReadonlyArray<() => Promise<unknown>> = [
    async () => things.item(null as unknown as string),
    async () => things.item(undefined as unknown as string),
    async () => things.item({} as unknown as string),
    async () => things.item([1, undefined] as unknown as string),
    () => things.delete(undefined as unknown as string),
    () => things.delete(null as unknown as string),
    () => things.delete([]),
    () => things.get([]),
    () => things.item(1).resource('owner').delete(undefined as never),
    () => things.update(undefined as unknown as string, {}),
    () => things.upsert(undefined as unknown as string, {})
  ]
  for (const call of calls) await t.rejects(call(), { name: 'TypeError', message: /^identifier: / })
  await things.item(1).resource('parts').replace([])
  t.strictSame(recorded.paths, ['/api/things/1/parts'], 'an empty list is the body of a list')
})
