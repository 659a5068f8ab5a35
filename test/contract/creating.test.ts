import { Type } from '@sinclair/typebox'
import { ArgumentError, collection, SubCollection, SubItem } from '../../lib/index.ts'
import { everySource } from '../helpers/every-source.ts'
import { constraint, created, dangling, duplicate, validation } from '../helpers/answers.ts'

// docs/http.md: Writing

const flags = { readable: true, writable: true }
const Note = Type.Object({
  id: Type.Integer({ identifier: true, readable: true }),
  text: Type.Optional(Type.String(flags)),
  mood: Type.Optional(Type.Union([Type.String(), Type.Null()], flags)),
  state: Type.String({ ...flags, default: 'draft' }),
  log: Type.Optional(Type.String({ readable: true })),
  parentId: Type.Optional(Type.Integer()),
  replies: SubCollection('notes', { foreignKey: 'parentId', ...flags })
})

const world = {
  tables: { notes: [{ id: 1, text: null, mood: null, state: 'live', log: null, parentId: null }] },
  ddl: `create table notes (id key, text text default 'from the table', mood text default 'sunny',
    state text not null, log text, "parentId" integer references notes)`
}

everySource('null is stored as null, and a missing member gets the default of the database', async ({
  opened, get, send, same
}) => {
  const values = '?fields=text,mood'
  same(await send('POST', '/notes', { text: null, mood: null }), 201, created(2))
  same(await get(`/notes/2${values}`), 200, { text: null, mood: null })
  same(await send(
    'POST', '/notes/1/replies', [{ text: null }, { mood: null, replies: [{ text: null, mood: null }] }, {}]
  ), 201, [3, 4, 6].map(id => ({ status: 'created', id })))
  const isMemory = opened.kind === 'memory'
  const [text, mood] = isMemory ? [null, null] : ['from the table', 'sunny']
  same(await get(`/notes${values.replace('=', '=id,')}&id>2`), 200, [
    { id: 3, text: null, mood }, { id: 4, text, mood: null }, { id: 5, text: null, mood: null }, { id: 6, text, mood }
  ])
}, {}, { ...world, collections: source => ({ notes: collection(Note, { source: source('notes') }) }) })

everySource('a hook or setter that sets undefined stores null', async ({ get, send, same }) => {
  same(await send('POST', '/notes', { text: 'mine' }), 201, created(2))
  same(await get('/notes/2?fields=text,mood'), 200, { text: null, mood: null })
}, {}, {
  ...world,
  collections: source => ({
    notes: collection(Note, {
      source: source('notes'),
      setters: { text (note) { note.text = undefined } },
      hooks: { creating (note) { note.mood = undefined } }
    })
  })
})

everySource('a setter is called for each value of a new item, also for one that equals its default', async ({
  get, send, same
}) => {
  same(await send('POST', '/notes', [{ state: 'live' }, { state: 'draft' }, {}]), 201,
    [2, 3, 4].map(id => ({ status: 'created', id })))
  same(await get('/notes?fields=state,log&id>1'), 200,
    [{ state: 'live', log: 'set live' }, { state: 'draft', log: 'set draft' }, { state: 'draft', log: null }])
  same(await send('POST', '/notes', { state: 'locked' }), 400,
    { error: 'argument', message: 'Locked notes are made by hand.' })
  same(await send('POST', '/notes/by_state/open', { state: 'open' }), 201, created(5))
  same(await get('/notes/5/log'), 200, 'set open')
  same(await send('PATCH', '/notes/5', { state: 'open' }), 200, { status: 'ok' })
  same(await get('/notes/5/log'), 200, 'set open')
  same(await send('POST', '/notes/by_state/shut', {}), 201, created(6))
  same(await send('POST', '/notes/by_state/shut', [{}]), 201, [created(7)])
  same(await get('/notes/by_state/shut?fields=log'), 200, [{ log: 'set shut' }, { log: 'set shut' }])
}, {}, {
  ...world,
  collections: source => ({
    notes: collection(Note, {
      source: source('notes'),
      setters: {
        state (note, state) {
          if (state === 'locked') throw new ArgumentError('Locked notes are made by hand.')
          note.log = note.log === undefined ? `set ${state}` : `${note.log}, again`
          note.state = state
        }
      }
    })
  })
})

const Word = Type.Object({ text: Type.String({ identifier: true, ...flags }) })

everySource('a key that no URL can name is refused', async ({ get, send, same, t }) => {
  for (const text of ['', '.', '..']) {
    same(await send('POST', '/words', { text }), 400,
      constraint('text'))
  }
  t.equal((await send('POST', '/words', { text: '...' })).statusCode, 201)
  same(await get('/words'), 200, [{ text: '...' }, { text: 'a' }])
}, {}, {
  tables: { words: [{ text: 'a' }] },
  ddl: 'create table words (text text primary key) strict;',
  collections: source => ({ words: collection(Word, { source: source('words') }) })
})

const Node = Type.Object({
  id: Type.Integer({ identifier: true, ...flags }),
  parentId: Type.Optional(Type.Union([Type.Integer(), Type.Null()], flags)),
  parent: SubItem('nodes', { foreignKey: 'parentId', readable: true }),
  tags: SubCollection('tags', {
    through: 'node_tags', foreignKey: 'nodeId', otherKey: 'tagId', creates: true, ...flags
  }),
  marks: SubCollection('marks', { foreignKey: 'nodeId', ...flags })
})
const Mark = Type.Object({
  id: Type.Integer({ identifier: true, ...flags }),
  nodeId: Type.Integer(flags),
  text: Type.Optional(Type.String(flags))
})
const Tag = Type.Object({ id: Type.Integer({ identifier: true, readable: true }), name: Type.String(flags) })

const saved: object[] = []

everySource('items of an array are created in their order, each with its links', async ({
  get, send, request, same, t
}) => {
  saved.length = 0
  const mark = (id: number, more: object = {}) => ({ id, node_id: 1, ...more })
  same(await send('POST', '/nodes', [{ id: 2, parent_id: 3 }, { id: 3, parent_id: 1 }]), 409,
    dangling('parent_id', '/0'))
  same(await send('POST', '/nodes', [{ id: 3, parent_id: 1 }, { id: 2, parent_id: 3 }]), 201, [3, 2].map(created))
  same(await send('POST', '/nodes/1/tags', [{ name: 'one' }, { name: 'two' }]), 201, [1, 2].map(created))
  same(await get('/nodes/1/tags'), 200, [{ id: 1, name: 'one' }, { id: 2, name: 'two' }])
  const lines = '{"id":8,"node_id":1}\n{"id":9,"node_id":1}\n'
  const headers = { 'content-type': 'application/x-ndjson' }
  same(await request({ method: 'POST', url: '/marks', headers, payload: lines }), 201, { status: 'created', count: 2 })
  same(await send('POST', '/nodes/1/marks', [mark(1), mark(2, { node_id: 2 })]), 400,
    validation(['/1/node_id', 'contradicts the URL']))
  same(await send('POST', '/marks', [mark(1), mark(2 ** 53 - 1)]), 400, constraint('id', '/1'))
  same(await send('POST', '/marks', [mark(1), mark(2), mark(1, { text: 'a' }), mark(3, { text: 'b' })]), 409,
    duplicate('id', '/2'))
  same(await send('POST', '/marks', [mark(1), mark(2)]), 201, [1, 2].map(created))
  same(await get('/marks?fields=id,node_id'), 200, [1, 2, 8, 9].map(id => mark(id)))
  t.strictSame(saved, [{ id: 1, nodeId: 1 }, { id: 2, nodeId: 1 }])
}, { imports: true }, {
  tables: { nodes: [{ id: 1, parentId: null }], tags: [], node_tags: [], marks: [] },
  ddl: `create table nodes (id key, "parentId" integer references nodes);
    create table tags (id key, name text not null);
    create table node_tags ("nodeId" integer references nodes, "tagId" integer references tags,
      primary key ("nodeId", "tagId"));
    create table marks (id key, "nodeId" integer not null references nodes, text text)`,
  collections: source => ({
    nodes: collection(Node, { source: source('nodes') }),
    tags: collection(Tag, { source: source('tags') }),
    marks: collection(Mark, { source: source('marks'), hooks: { saved ({ item }) { saved.push(item) } } })
  })
})
