import { Type } from '@sinclair/typebox'
import { setTimeout as sleep } from 'node:timers/promises'
import dataApi, { collection, SubItem } from '../../lib/index.ts'
import { validation } from '../helpers/answers.ts'
import { everySource, type Tools, type World } from '../helpers/every-source.ts'
import Fastify from '../helpers/fastify.ts'
import { onDatabase } from '../helpers/on-database.ts'
import { test as onPostgres } from '../helpers/on-postgres.ts'

// docs/http.md: Imports. Lines that may name existing items are written in the order of their identifiers.

const flags = { readable: true, writable: true }
const Word = Type.Object({
  id: Type.Integer({ identifier: true, ...flags }),
  text: Type.Optional(Type.String({ maxLength: 5, ...flags }))
})
const Person = Type.Object({
  id: Type.Integer({ identifier: true, ...flags }),
  bossId: Type.Optional(Type.Integer()),
  boss: Type.Optional(SubItem('people', { foreignKey: 'bossId', ...flags }))
})

const written: unknown[] = []
const note = ({ id }: { id?: number }) => { written.push(id) }
const world: World = {
  ddl: `create table words (id integer primary key, text text);
    create table people (id integer primary key, "bossId" integer references people)`,
  tables: { words: [], people: [] },
  collections: source => ({
    words: collection(Word, { source: source('words'), hooks: { creating: note, updating: note } }),
    people: collection(Person, { source: source('people') })
  })
}

const post = ({ request }: Tools, url: string, values: readonly unknown[], resolution = 'merge') => request({
  method: 'POST',
  url,
  payload: values.map(value => `${JSON.stringify(value)}\n`).join(''),
  headers: { 'content-type': 'application/x-ndjson', prefer: `resolution=${resolution}` }
})

everySource('a slice is written in the order of identifiers, of equal ones in that of the file', async tools => {
  const { same, get, t } = tools
  written.length = 0
  same(await post(tools, '/words', [{ id: 3 }, { id: 1, text: 'a' }, { id: 2 }, { id: 1, text: 'b' }]), 200,
    { status: 'ok', created: 3, updated: 1 })
  t.strictSame(written, [1, 1, 2, 3])
  same(await post(tools, '/words', [{ id: 4, text: 'x' }, { id: 1 }, { id: 4, text: 'y' }], 'ignore'), 200,
    { status: 'ok', created: 1, ignored: 2 })
  same(await get('/words?fields=id,text&text!=null'), 200, [{ id: 1, text: 'b' }, { id: 4, text: 'x' }])
  const wrong = { ...validation(['/text', 'must have at most 5 characters']), line: 2 }
  same(await post(tools, '/words', [{ id: 9 }, { id: 8, text: 'too long' }, { id: 7 }]), 400, wrong)
  same(await post(tools, '/people', [{ id: 2 }, { id: 1, boss: { id: 2 } }, { id: 0, boss: { id: 1 } }]), 200,
    { status: 'ok', created: 3, updated: 0 })
}, { imports: true, requestStrategies: { upsert: true } }, world)

onPostgres('imports in opposite orders do not wait for each other in a circle', t => onDatabase(
  'create table words (id integer primary key, text text)', async db => {
    const hook = async (word: { id?: number }) => {
      note(word)
      // The other import has its first lock by then.
      await sleep(300)
    }
    const app = Fastify()
    await app.register(dataApi, {
      collections: {
        words: collection(Word, { source: db.table('words'), hooks: { creating: hook, updating: hook } })
      },
      imports: true,
      requestStrategies: { upsert: true }
    })
    const send = (ids: readonly number[]) => app.inject({
      method: 'POST',
      url: '/words',
      payload: ids.map(id => `{"id":${id},"text":"${ids[0]}"}\n`).join(''),
      headers: { 'content-type': 'application/x-ndjson', prefer: 'resolution=merge' }
    })
    for (const [all, hooks] of [[2, 5], [0, 4]] as const) {
      written.length = 0
      const answers = await Promise.all([send([1, 2]), send([2, 1])])
      t.strictSame(answers.map(({ statusCode }) => statusCode), [200, 200])
      t.equal(answers.reduce((sum, one) => sum + one.json<{ created: number }>().created, 0), all)
      // Of an import that was repeated, hooks run once more.
      t.equal(written.length, hooks, written.join())
    }
    await app.close()
  }))
