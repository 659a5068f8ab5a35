import { Type } from '@sinclair/typebox'
import { test } from 'tap'
import dataApi, { collection, memory, SubCollection } from '../../lib/index.ts'
import { countPassed } from '../helpers/count-steps.ts'
import Fastify from '../helpers/fastify.ts'

// docs/http.md: Writing. A body with thousands of mistakes: a hundred are listed, in steps linear in its length.

const flags = { readable: true, writable: true }
const Thing = Type.Object({
  id: Type.Integer({ identifier: true, ...flags }),
  text: Type.String({ ...flags, default: '' }),
  parts: SubCollection('parts', { foreignKey: 'thingId', ...flags })
})
const Part = Type.Object({
  id: Type.Integer({ identifier: true, ...flags }),
  thingId: Type.Integer({ readable: true }),
  list: Type.Array(Type.Integer(), { ...flags, default: [] }),
  sizes: Type.Optional(Type.Union([Type.Array(Type.Integer({ minimum: 3 })), Type.Null()], flags))
})

async function serve () {
  const app = Fastify({ bodyLimit: 2 ** 24 })
  await app.register(dataApi, {
    collections: {
      things: collection(Thing, { source: memory([{ id: 1, text: '' }]) }),
      parts: collection(Part, { source: memory([]) })
    },
    imports: { slice: 10_000 },
    bodies: { items: 100_000 },
    requestStrategies: { batch: true, upsert: true },
    mcp: { write: true },
    explorer: true
  })
  return app
}

type App = Awaited<ReturnType<typeof serve>>
interface Told { readonly statusCode: number, readonly body: string }

const names = (n: number) => Array.from({ length: n }, (_, at) => `txt${at}`)
const unknown = (n: number) => Object.fromEntries(names(n).map(name => [name, 0]))
const json = (app: App, method: 'POST' | 'PATCH', url: string, payload: object): Promise<Told> =>
  app.inject({ method, url, payload })
const lines = (app: App, type: string, payload: string): Promise<Told> =>
  app.inject({ method: 'POST', url: '/things', headers: { 'content-type': type }, payload })

/** Requests with so many mistakes, by the door that they come through. */
const doors: Readonly<Record<string, (app: App, n: number) => Promise<Told>>> = {
  'members of a body': (app, n) => json(app, 'POST', '/things', { id: 2, ...unknown(n) }),
  'members of an upsert': (app, n) => json(app, 'PATCH', '/things/2', unknown(n)),
  'items of an array': (app, n) => json(app, 'POST', '/things', names(n).map((name, id) => ({ id, [name]: 0 }))),
  'an array of changes': (app, n) => json(app, 'PATCH', '/things', names(n).map((name, id) => ({ id, [name]: 0 }))),
  'items of a relation': (app, n) =>
    json(app, 'POST', '/things', { id: 2, parts: names(n).map(name => ({ [name]: 0 })) }),
  'members of an item of a relation': (app, n) => json(app, 'POST', '/things', { id: 2, parts: [unknown(n)] }),
  'values of a list': (app, n) => json(app, 'POST', '/parts', { id: 1, list: names(n) }),
  'members of an operation': (app, n) => json(app, 'POST', '/', [unknown(n)]),
  'members of a body of an operation': (app, n) =>
    json(app, 'POST', '/', [{ method: 'POST', path: '/things', body: { id: 2, ...unknown(n) } }]),
  'lines of NDJSON': (app, n) =>
    lines(app, 'application/x-ndjson', names(n).map((name, id) => `{"id":${id},"${name}":0}`).join('\n')),
  'members of a line': (app, n) => lines(app, 'application/x-ndjson', JSON.stringify({ id: 2, ...unknown(n) })),
  'columns of CSV': (app, n) => lines(app, 'text/csv', `id,${names(n).join(',')}\r\n`),
  'columns that are named twice': (app, n) => lines(app, 'text/csv', `id${',id'.repeat(n)}\r\n`)
}

/** The mistakes that an answer lists, and the work that it was. */
async function work (app: App, door: (app: App, n: number) => Promise<Told>, n: number) {
  const passed = countPassed()
  try {
    const { statusCode, body } = await door(app, n)
    const { details = [] } = JSON.parse(body) as { readonly details?: readonly unknown[] }
    return { statusCode, listed: details.length, length: passed.length, lowered: passed.lowered }
  } finally {
    passed.stop()
  }
}

for (const [name, door] of Object.entries(doors)) {
  test(`of many mistakes in ${name}, a hundred are listed and described`, async t => {
    const app = await serve()
    const few = await work(app, door, 500)
    const many = await work(app, door, 4000)
    t.strictSame([few.statusCode, many.statusCode], [400, 400])
    t.strictSame([few.listed, many.listed], [100, 100])
    t.ok(many.lowered < few.lowered + 100, `${many.lowered} names are compared, of which ${few.lowered} for a few`)
    t.ok(many.length < few.length * 8 * 2, `${many.length} characters and elements, ${few.length} for an eighth`)
  })
}

test('the lines of a CSV are counted in steps linear in its length, whatever ends them', async t => {
  const app = await serve()
  for (const end of ['\r', '\n', '\r\n']) {
    const send = (_app: App, n: number) => lines(app, 'text/csv', ['id', ...Array(n).fill('1'), 'x'].join(end))
    const few = await work(app, send, 500)
    const many = await work(app, send, 4000)
    t.ok(many.length < few.length * 8 * 2, `${many.length} characters and elements, ${few.length} for an eighth`)
    t.match(JSON.parse((await send(app, 20)).body), { error: 'validation', line: 22 })
  }
})

test('more mistakes than a function takes arguments are 400', async t => {
  const { statusCode, body } = await json(await serve(), 'POST', '/things', { id: 2, parts: [unknown(200_000)] })
  t.equal(statusCode, 400)
  t.match(JSON.parse(body), { message: /the first 100 of 20000\d problems/ })
  const sizes = Array(200_000).fill(1)
  const inForms = await json(await serve(), 'POST', '/things', { id: 2, parts: [{ id: 1, sizes }] })
  t.equal(inForms.statusCode, 400)
  t.match(JSON.parse(inForms.body), { message: /the first 100 of 20000\d problems/ })
})
