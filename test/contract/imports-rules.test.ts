import { Type } from '@sinclair/typebox'
import { collection, SubItem } from '../../lib/index.ts'
import { everySource, type Tools, type World } from '../helpers/every-source.ts'
import { dangling } from '../helpers/answers.ts'

// docs/http.md: Imports. Rules are checked for all items that are inserted together as for one.

const flags = { readable: true, writable: true }
const Team = Type.Object({ id: Type.Integer({ identifier: true, ...flags }), secret: Type.Boolean(flags) })
const Task = Type.Object({
  id: Type.Integer({ identifier: true, readable: true }),
  text: Type.String({ identifier: true, ...flags }),
  done: Type.Boolean({ default: false, ...flags }),
  teamId: Type.Integer(flags),
  team: SubItem('teams', { foreignKey: 'teamId', readable: true })
})
const world: World = {
  ddl: `create table teams (id integer primary key, secret boolean not null);
    create table tasks (id key, text text not null unique, done boolean not null,
      "teamId" integer not null references teams)`,
  tables: {
    teams: [{ id: 1, secret: false }, { id: 2, secret: true }],
    tasks: [{ id: 1, text: 'hidden', done: true, teamId: 1 }]
  },
  collections: source => ({
    teams: collection(Team, { source: source('teams'), scope: () => ({ secret: false }) }),
    tasks: collection(Task, { source: source('tasks'), scope: () => ({ done: false }) })
  })
}
const options = { naming: 'none', imports: { slice: 4 } } as const

const task = (text: string, more: object = {}) => ({ text, teamId: 1, ...more })
const three = [task('a'), task('b'), task('c')]

async function send ({ request }: Tools, items: readonly object[], type: string) {
  const payload = type === 'application/json' ? JSON.stringify(items) : items.map(one => JSON.stringify(one)).join('\n')
  const { statusCode, body } = await request({
    method: 'POST', url: '/tasks', payload, headers: { 'content-type': type }
  })
  return [statusCode, JSON.parse(body) as Record<string, unknown>] as const
}

everySource('a reference to a hidden item is one to none, and tells its line', async tools => {
  const { t, get } = tools
  const reference = dangling('teamId')
  for (const teamId of [2, 99]) {
    const items = [...three, task('d'), task('e'), task('f', { teamId })]
    t.strictSame(await send(tools, items, 'application/x-ndjson'), [409, { ...reference, line: 6 }])
    t.strictSame(await send(tools, items, 'application/json'), [409, { ...reference, pointer: '/5' }])
  }
  t.equal((await get('/tasks')).body, '[]')
  t.strictSame(await send(tools, three, 'application/x-ndjson'), [201, { status: 'created', count: 3 }])
}, options, world)

everySource('an item out of the scope ends the import, and a hidden duplicate has no name', async tools => {
  const { t, get } = tools
  for (const type of ['application/x-ndjson', 'application/json']) {
    const [status, { error }] = await send(tools, [...three, task('d', { done: true })], type)
    t.strictSame([status, error], [403, 'forbidden'])
    const hidden = [...three.slice(0, 2), task('hidden'), task('d')]
    const [refused, { error: code, fields, line, pointer }] = await send(tools, hidden, type)
    t.strictSame([refused, code, fields], [400, 'constraint', []])
    t.equal(line ?? pointer, type === 'application/json' ? '/2' : 3)
  }
  t.equal((await get('/tasks')).body, '[]')
  const [status, created] = await send(tools, three, 'application/json')
  t.equal(status, 201)
  t.match(created, three.map(() => ({ status: 'created', id: Number })))
  t.strictSame((await get('/tasks?fields=text')).json(), three.map(({ text }) => ({ text })))
}, options, world)
