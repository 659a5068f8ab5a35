import { type TProperties, type TString, Type } from '@sinclair/typebox'
import { test } from 'tap'
import {
  collection, type Declared, input, type OperationRules, postgres, type RequestStrategies, sqlite, SubCollection,
  SubItem
} from '../../../lib/index.ts'
import { everybody } from '../../helpers/everybody.ts'
import {
  type Collections, id, noteId, nothing, reads, saying, shown, silenceOf, start, text, things
} from '../../helpers/silence.ts'

// docs/rules.md: Silence. What requests can do, each of which a collection must say something of, and what they cannot.

const parts = SubCollection('parts', { foreignKey: 'noteId', ...shown })
const tags = SubCollection('tags', { through: 'links', foreignKey: 'noteId', otherKey: 'tagId', ...shown })

const update: NonNullable<RequestStrategies['update']> = ['PUT', 'PATCH']
const byUpdate = { update: 'requestStrategies.update' }

interface Way {
  readonly collections: () => Collections
  readonly request: readonly [method: 'POST' | 'PUT' | 'PATCH' | 'DELETE', url: string, body?: unknown, type?: string]
  /** What is silent where all collections say who may read. */
  readonly silent: Readonly<Record<string, Readonly<Record<string, string>>>>
}

const byParts = "the relation 'parts' of 'notes'"
const byTags = "the relation 'tags' of 'notes'"
const count = Type.Integer(shown)
const secret = input<{ text: string }, TString>({ type: Type.String(), set (note, value) { note.text = value } })
const ndjson = 'application/x-ndjson'

const ways: Readonly<Record<string, Way>> = {
  'POST creates': {
    collections: () => ({ notes: things({ text }, { create: true }) }),
    request: ['POST', '/notes', { text: 'b' }],
    silent: { notes: { create: 'requestStrategies.create' } }
  },
  'an import creates': {
    collections: () => ({ notes: things({ text }, { create: true }) }),
    request: ['POST', '/notes', '{"text":"b"}\n', ndjson],
    silent: { notes: { create: 'requestStrategies.create' } }
  },
  'an upsert creates': {
    collections: () => ({ notes: things({ text }, { update: ['PUT'], upsert: true }) }),
    request: ['PUT', '/notes/9', { text: 'b' }],
    silent: { notes: { create: 'requestStrategies.upsert', ...byUpdate } }
  },
  'the body of another item creates, whatever the strategies of the collection': {
    collections: () => ({ notes: things({ parts }, { update }), parts: things({ text, noteId }) }),
    request: ['PATCH', '/notes/1', { parts: [{ text: 'b' }] }],
    silent: { notes: byUpdate, parts: { create: byParts, update: byParts } }
  },
  'the body of a new item within a body creates': {
    collections: () => ({
      notes: things({ parts }, { update }),
      parts: things({ text, noteId, bits: SubCollection('bits', { foreignKey: 'noteId', ...shown }) }),
      bits: things({ text, noteId })
    }),
    request: ['PATCH', '/notes/1', { parts: [{ text: 'b', bits: [{ text: 'c' }] }] }],
    silent: {
      notes: byUpdate,
      parts: { create: byParts, update: byParts },
      bits: { create: "the relation 'bits' of 'parts'", update: "the relation 'bits' of 'parts'" }
    }
  },
  'a sub-item that creates is a new item': {
    collections: () => ({
      notes: things({ text }),
      parts: things({ noteId, note: SubItem('notes', { foreignKey: 'noteId', creates: true, ...shown }) }, { update })
    }),
    request: ['PATCH', '/parts/1', { note: { text: 'b' } }],
    silent: { notes: { create: "the relation 'note' of 'parts'" }, parts: byUpdate }
  },
  'a field is updated': {
    collections: () => ({ notes: things({ text }, { update }) }),
    request: ['PATCH', '/notes/1', { text: 'b' }],
    silent: { notes: byUpdate }
  },
  'an input updates': {
    collections: () => ({
      notes: things({ text: Type.String({ readable: true }) }, { update }, { inputs: { secret } })
    }),
    request: ['PATCH', '/notes/1', { secret: 'b' }],
    silent: { notes: byUpdate }
  },
  'a relation is updated': {
    collections: () => ({
      notes: things({ text }),
      parts: things({ noteId, note: SubItem('notes', { foreignKey: 'noteId', ...shown }) }, { update })
    }),
    request: ['PATCH', '/parts/1', { note: { id: 1 } }],
    silent: { parts: byUpdate }
  },
  'a value is changed by POST': {
    collections: () => ({ notes: things({ count }, { update: ['PATCH'] }) }),
    request: ['POST', '/notes/1/count', { add: 1 }],
    silent: { notes: byUpdate }
  },
  'a link by a foreign key updates the item that holds the key': {
    collections: () => ({ notes: things({ parts }, { update }), parts: things({ text, noteId }) }),
    request: ['POST', '/notes/1/parts', { id: 1 }],
    silent: { notes: byUpdate, parts: { create: byParts, update: byParts } }
  },
  'a link in a join table updates both items': {
    collections: () => ({ notes: things({ tags }, { update }), tags: things({ text }) }),
    request: ['POST', '/notes/1/tags', { id: 1 }],
    silent: { notes: byUpdate, tags: { update: byTags } }
  },
  'a link of a new item in a join table updates the other item': {
    collections: () => ({ notes: things({ tags }, { create: true }), tags: things({ text }) }),
    request: ['POST', '/notes', { tags: [{ id: 1 }] }],
    silent: { notes: { create: 'requestStrategies.create' }, tags: { update: byTags } }
  },
  'an item is deleted at its own URL': {
    collections: () => ({ notes: things({ text }, { delete: true }) }),
    request: ['DELETE', '/notes/1'],
    silent: { notes: { delete: 'requestStrategies.delete' } }
  },
  'an item is deleted behind a relation': {
    collections: () => ({
      notes: things({ parts: SubCollection('parts', { foreignKey: 'count', readable: true }) }),
      parts: things({ count: Type.Integer({ readable: true }) }, { delete: true })
    }),
    request: ['DELETE', '/notes/1/parts/1'],
    silent: { parts: { delete: 'requestStrategies.delete' } }
  }
}

for (const [name, { collections, request: [method, url, body, type = 'application/json'], silent }] of
  Object.entries(ways)) {
  test(`${name}, so silence about it is refused`, async t => {
    const payload = typeof body === 'string' ? body : JSON.stringify(body)
    const send = async (app: Awaited<ReturnType<typeof start>>) => {
      const { statusCode } = await app.inject({
        method, url, ...body !== undefined && { payload, headers: { 'content-type': type } }
      })
      await app.close()
      return statusCode
    }
    t.match(String(await send(await start(collections()))), /^20[01]$/, 'it can be done')
    t.strictSame(await silenceOf(saying(collections(), reads)), silent)
    const allowed = (operations: object) => Object.fromEntries(Object.keys(operations).map(one => [one, true]))
    const said = Object.entries(collections()).map(([collection, one]) =>
      [collection, { ...one, rules: { ...reads, ...allowed(silent[collection] ?? {}) } }] as const)
    const allowing = await start(Object.fromEntries(said))
    t.match(String(await send(allowing)), /^20[01]$/, 'what is demanded is enough to do it')
  })
}

test('nothing but reading is demanded where nothing else can be done', async t => {
  const relation = { readable: true } as const
  for (const collections of [
    { notes: things({ text }) },
    { notes: things({ text: Type.String({ readable: true }) }, { update }) },
    // The items of a relation that only reads.
    {
      notes: things({ parts: SubCollection('parts', { foreignKey: 'noteId', ...relation }) }, { update }),
      parts: things({ text, noteId })
    },
    // Nobody can send a body of the holder.
    { notes: things({ parts }), parts: things({ text, noteId }) }
  ]) t.strictSame(await silenceOf(saying(collections, reads)), {})
})

test('nothing is demanded of what a table refuses, and reading alone where the database only reads', async t => {
  const file = `${t.testdir()}/notes.db`
  const db = sqlite(file)
  db.exec(`
    create table notes (id integer primary key, text text not null);
    create view shown as select * from notes;
    create view kept as select * from notes;
    create trigger removed instead of delete on kept begin delete from notes where id = old.id; end;
    create table parts (id integer primary key, text text, note_id integer);
    create view shown_parts as select * from parts;
    create view shown_links as select 1 as note_id, 1 as tag_id where false`)
  const every: RequestStrategies = { create: true, update, upsert: true, delete: true }
  const over = (source: Declared['source'], fields: TProperties = { text }, requestStrategies = every) =>
    collection(Type.Object({ id, ...fields }), { source, requestStrategies, rules: reads }) as Declared
  t.strictSame(await silenceOf({ notes: over(db.table('shown')) }), {})
  t.strictSame(await silenceOf({ notes: over(db.table('kept')) }), { notes: { delete: 'requestStrategies.delete' } })
  const related = (relations: TProperties): Declared =>
    ({ ...over(db.table('notes'), { text, ...relations }), rules: everybody })
  const partsOver = (table: string) => ({
    notes: related({ parts: SubCollection('parts', { foreignKey: 'note_id', ...shown }) }),
    parts: over(db.table(table), { text: Type.Optional(text), note_id: noteId }, nothing)
  })
  t.strictSame(await silenceOf(partsOver('parts')), { parts: { create: byParts, update: byParts } })
  t.strictSame(await silenceOf(partsOver('shown_parts')), {})
  const through = { through: 'shown_links', foreignKey: 'note_id', otherKey: 'tag_id', ...shown }
  const linked = {
    notes: related({ tags: SubCollection('tags', through) }),
    tags: over(db.table('parts'), { text: Type.Optional(text) }, nothing)
  }
  t.strictSame(await silenceOf(linked), {})
  db.close()
  const reading = sqlite(file, { readOnly: true })
  t.strictSame(await silenceOf({ notes: over(reading.table('notes')) }), {})
  reading.close()
})

test('a database that cannot be reached demands reading alone: what its tables refuse is not known', async t => {
  const db = postgres({ connectionString: 'postgres://nobody@127.0.0.1:1/none' })
  const note = (rules: OperationRules) => ({
    notes: collection(Type.Object({ id, text }), { source: db.table('notes'), rules }) as Declared
  })
  t.strictSame(await silenceOf(note({ read: true })), {})
  t.strictSame(await silenceOf(note({ create: false })), { notes: { read: '' } })
  await db.close()
})
