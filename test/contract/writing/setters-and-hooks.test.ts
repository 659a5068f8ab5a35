import { Type } from '@sinclair/typebox'
import Fastify from '../../helpers/fastify.ts'
import { test } from 'tap'
import dataApi, { collection } from '../../../lib/index.ts'
import { ddl, shop, tables } from '../../fixtures/shop.ts'
import { everySource } from '../../helpers/every-source.ts'
import { deletes, writes } from '../../helpers/shop-writes.ts'
import { openers } from '../../helpers/sources.ts'
import { ok } from '../../helpers/answers.ts'

// docs/http.md: Writing

writes('a setter may change other fields of the item, and may reject the value with 400 argument', async ({
  get, send, same
}) => {
  same(await send('PUT', '/artists/1/name', 'Vision'), 200, ok)
  same(await get('/artists/1?fields=name,old_name'), 200, { name: 'Vision', old_name: 'Noisia' })
  same(await send('PUT', '/artists/1/name', 'forbidden'), 400,
    { error: 'argument', message: 'An artist cannot be named so.' })
  same(await send('PATCH', '/artists/1', { rating: 1, name: 'forbidden' }), 400,
    { error: 'argument', message: 'An artist cannot be named so.' })
  same(await get('/artists/1?fields=name,rating'), 200, { name: 'Vision', rating: 5 })
})

test('hooks run in their order: setters, then creating, updating or deleting, then saved', async t => {
  const noted: string[] = []
  for (const open of Object.values(openers)) {
    const opened = await open(tables, ddl)
    const app = Fastify()
    await app.register(dataApi, { collections: shop(noted)(opened.source), ...deletes })
    const send = (method: 'POST' | 'PUT' | 'DELETE', url: string, payload?: object) =>
      app.inject({ method, url, ...payload && { payload } })
    await send('POST', '/artists', { name: 'A', email: null })
    await send('PUT', '/artists/A', { name: 'B' })
    await send('PUT', '/artists/B', { name: 'B', rating: 5 })
    await send('DELETE', '/artists/B')
    await send('PUT', '/labels/1', { artists: [{ id: 2 }] })
    t.strictSame(noted.splice(0), [
      'name A', 'creating A', 'saved created 4 A', 'name B', 'updating A B', 'saved updated 4 B', 'updating B B',
      'deleting B', 'saved deleted 4 B', 'updating Can Can', 'saved updated 2 Can'
    ])
    await app.close()
    await opened.close()
  }
})

const notes = [
  { id: 1, a: 0, b: 0, trace: '', at: null }, { id: 2, a: 1, b: 1, trace: 'x', at: '2026-01-02T03:04:05.006Z' }
]
const Note = Type.Object({
  id: Type.Integer({ identifier: true, readable: true }),
  a: Type.Optional(Type.Integer({ readable: true, writable: true })),
  b: Type.Optional(Type.Integer({ readable: true, writable: true })),
  trace: Type.Optional(Type.String({ readable: true })),
  at: Type.Optional(Type.String({ format: 'date-time', readable: true }))
})

everySource('setters run in the order of the body, may wait, and what they change is written together', async ({
  get, send, same
}) => {
  same(await send('PUT', '/notes/1', { b: 1, a: 2 }), 200, ok)
  same(await get('/notes/1'), 200, { id: 1, a: 2, b: 1, trace: 'b1a2!', at: '2026-01-02T03:04:05.006Z' })
  same(await send('PUT', '/notes/1', { a: null }), 200, ok)
  same(await get('/notes/1'), 200, { id: 1, a: null, b: 1, trace: 'b1a2!aundefined!', at: '2026-01-02T03:04:05.006Z' })
}, {}, {
  tables: { notes },
  collections: source => ({
    notes: collection(Note, {
      source: source('notes'),
      setters: {
        async a (note, value) {
          await new Promise(resolve => setTimeout(resolve, 2))
          note.trace = `${note.trace ?? ''}a${value}`
          note.a = value
        },
        b (note, value) { note.trace = `${note.trace ?? ''}b${value}`; note.b = value }
      },
      hooks: {
        async updating (note, before) {
          await Promise.resolve()
          note.trace = `${note.trace}!`
          // A Date is taken as its text.
          Object.assign(note, { at: new Date('2026-01-02T03:04:05.006Z') })
          if (before.id !== note.id) throw new Error('the item is another')
        }
      }
    })
  })
})

everySource('a value that no field takes is the application\'s own error', async ({ t, get, send }) => {
  const before = (await get('/notes')).body
  t.equal((await send('PUT', '/notes/1', { a: 1 })).statusCode, 500)
  t.equal((await get('/notes')).body, before)
}, {}, {
  tables: { notes },
  collections: source => ({
    notes: collection(Note, { source: source('notes'), setters: { a (note) { Object.assign(note, { trace: 5 }) } } })
  })
})
