import { Type } from '@sinclair/typebox'
import { collection, SubItem } from '../../lib/index.ts'
import { everySource, type World } from '../helpers/every-source.ts'
import { forbidden } from '../helpers/answers.ts'

// docs/http.md: Batches. Each operation may do what it might do alone: no state in between opens what is hidden.

const flags = { readable: true, writable: true }
const id = Type.Integer({ identifier: true, readable: true })
const Case = Type.Object({ id, state: Type.String(flags) })
const Report = Type.Object({
  id,
  text: Type.String(flags),
  caseId: Type.Integer(flags),
  case: SubItem('cases', { foreignKey: 'caseId' })
})
const Item = Type.Object({ id, teamId: Type.Integer(flags), name: Type.String(flags) })

/** Open cases are seen, and reports of closed ones; the items of team 1. Names are unique within their team. */
const worldOf = (hiddenName: string): World => ({
  ddl: `
create table cases (id key, state text not null) strict;
create table reports (id key, text text not null, "caseId" integer not null references cases) strict;
create table items (id key, "teamId" integer not null, name text not null, unique ("teamId", name)) strict;`,
  tables: {
    cases: [{ id: 1, state: 'open' }],
    reports: [{ id: 9, text: 'secret', caseId: 1 }],
    items: [{ id: 1, teamId: 1, name: 'mine' }, { id: 2, teamId: 2, name: hiddenName }]
  },
  collections: source => ({
    cases: collection(Case, { source: source('cases'), scope: (_context, where) => where.equals('state', 'open') }),
    reports: collection(Report, {
      source: source('reports'), scope: (_context, where) => where.some('case', of => of.equals('state', 'closed'))
    }),
    items: collection(Item, { source: source('items'), scope: () => ({ teamId: 1 }) })
  })
})

const options = { requestStrategies: { batch: true, delete: true } } as const
const update = (path: string, body: object) => ({ method: 'PATCH', path, body })
const denied = { ...forbidden, operation: 0 }
const secret = worldOf('secret')

everySource('an item that leaves its scope ends the batch, and shows nothing in between', async ({
  send, get, same
}) => {
  const read = { ...update('/reports/9', {}), return: 'representation' }
  const inBetween = [read, { method: 'DELETE', path: '/reports/9' }]
  for (const operation of inBetween) {
    const [out, back] = [update('/cases/1', { state: 'closed' }), update('/cases/1', { state: 'open' })]
    same(await send('POST', '/', [out, operation, back]), 403, denied)
  }
  same(await get('/cases/1/state'), 200, 'open')
}, options, secret)

for (const name of ['secret', 'other']) {
  everySource(`no batch tells of a hidden duplicate: ${name}`, async ({ send, get, same }) => {
    const out = { team_id: 2, name: 'secret' }
    const back = { team_id: 1, name: 'back' }
    same(await send('POST', '/', [update('/items/1', out), update('/items/1', back)]), 403, denied)
    const creation = { method: 'POST', path: '/items', body: out, as: 'it' }
    same(await send('POST', '/', [creation, update('/$it', back)]), 403, denied)
    same(await get('/items?fields=name'), 200, [{ name: 'mine' }])
  }, options, worldOf(name))
}

everySource('an item that is written may be deleted by the same batch', async ({ t, send, get, same }) => {
  const { statusCode } = await send('POST', '/', [
    update('/items/1', { name: 'x' }), { method: 'DELETE', path: '/items/1' },
    { method: 'POST', path: '/items', body: { team_id: 1, name: 'y' }, as: 'it' }, { method: 'DELETE', path: '/$it' }
  ])
  t.equal(statusCode, 200)
  same(await get('/items'), 200, [])
}, options, secret)

everySource('answers that are too long together roll the batch back', async ({ send, get, same }) => {
  const operations = Array.from({ length: 5 }, () =>
    ({ ...update('/items/1', { name: 'x'.repeat(40) }), return: 'representation' }))
  same(await send('POST', '/', operations), 400, {
    error: 'answer_too_large',
    message: "This answer is longer than the limit 'length' of 300 characters. Ask for fewer items or fields.",
    operation: 2
  })
  same(await get('/items/1/name'), 200, 'mine')
}, { ...options, limits: { length: 300 } }, secret)
