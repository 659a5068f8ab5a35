import { Type } from '@sinclair/typebox'
import { test } from 'tap'
import dataApi, { collection, memory, SubCollection, SubItem } from '../../../lib/index.ts'
import { everySource } from '../../helpers/every-source.ts'
import Fastify from '../../helpers/fastify.ts'
import type { Collections } from '../../helpers/sources.ts'
import { ok, reference, validation } from '../../helpers/answers.ts'

// docs/writing.md: names that are unique within a team.

const rw = { readable: true, writable: true }
const id = Type.Integer({ identifier: true, readable: true })

const Team = Type.Object({ id, labels: SubCollection('labels', { foreignKey: 'teamId', ...rw }) })
const Label = Type.Object({
  id, teamId: Type.Integer(rw), name: Type.String(rw), colour: Type.Optional(Type.String(rw))
})
const Task = Type.Object({
  id,
  mainId: Type.Optional(Type.Integer()),
  main: SubItem('labels', { foreignKey: 'mainId', ...rw }),
  labels: SubCollection('labels', { through: 'task_labels', foreignKey: 'taskId', otherKey: 'labelId', ...rw })
})

const world = {
  tables: {
    teams: [{ id: 1 }, { id: 2 }],
    labels: [
      { id: 1, teamId: 1, name: 'bug', colour: null }, { id: 2, teamId: 2, name: 'bug', colour: 'red' },
      { id: 3, teamId: 2, name: 'idea', colour: null }
    ],
    tasks: [{ id: 1, mainId: null }],
    task_labels: []
  },
  ddl: `
    create table teams (id key);
    create table labels (id key, "teamId" integer not null references teams, name text not null, colour text,
      unique ("teamId", name));
    create table tasks (id key, "mainId" integer references labels);
    create table task_labels ("taskId" integer references tasks, "labelId" integer references labels,
      primary key ("taskId", "labelId"))`,
  collections: (source => ({
    teams: collection(Team, { source: source('teams') }),
    labels: collection(Label, { source: source('labels'), unique: [['teamId', 'name']] }),
    tasks: collection(Task, { source: source('tasks') })
  })) satisfies Collections
}

everySource('the fields that are unique together name an item in a sub-item and in a list', async tools => {
  const { get, send, same } = tools
  same(await send('PATCH', '/tasks/1', {
    main: { team_id: 2, name: 'bug' }, labels: [{ name: 'bug', team_id: 1 }, { team_id: 2, name: 'idea' }]
  }), 200, ok)
  same(await get('/tasks/1?fields=main(id),labels(id)'), 200, { main: { id: 2 }, labels: [{ id: 1 }, { id: 3 }] })
}, {}, world)

everySource('where none has these values, or one has another colour, nothing is written', async tools => {
  const { get, send, same } = tools
  same(await send('PATCH', '/tasks/1', { main: { team_id: 1, name: 'idea' } }), 409,
    reference("There is no label with the team_id 1 and the name 'idea'. Create it first, in 'labels'.", ['main'],
      '/main'))
  same(await send('PATCH', '/tasks/1', { main: { name: 'bug' } }), 400,
    validation(['/main', "must name an existing item by 'id' or 'team_id' and 'name'"]))
  same(await send('PATCH', '/tasks/1', { main: { team_id: 2, name: 'bug', colour: 'blue' } }), 400,
    validation(['/main/colour', 'cannot be written, and differs from the current value']))
  same(await get('/tasks/1?fields=main(id)'), 200, { main: null })
}, {}, world)

everySource('within its parent, the name alone names an element', async tools => {
  const { get, send, same } = tools
  same(await send('PATCH', '/teams/2', { labels: [{ name: 'idea' }, { name: 'new' }] }), 200, ok)
  same(await get('/teams/2?fields=labels(id,name)'), 200, {
    labels: [{ id: 2, name: 'bug' }, { id: 3, name: 'idea' }, { id: 4, name: 'new' }]
  })
}, {}, world)

everySource('a second item with these values is a duplicate, whichever of them changes', async tools => {
  const { send, same } = tools
  const duplicate = (message: string, status = 'conflict') =>
    ({ status, error: 'duplicate', message, fields: ['team_id', 'name'] })
  const message = "An item with the same 'team_id' and 'name' already exists."
  same(await send('POST', '/labels', { team_id: 1, name: 'bug' }), 409, duplicate(message))
  same(await send('PATCH', '/labels/3', { name: 'bug' }), 409, duplicate(message))
  same(await send('PATCH', '/labels/2', { team_id: 1 }), 409, duplicate(message))
  same(await send('PATCH', '/labels/3', { team_id: 1 }), 200, ok)
}, {}, world)

test('the OpenAPI document says so, and no URL takes the values', async t => {
  const app = Fastify()
  const source = (name: keyof typeof world.tables) => memory(world.tables[name], { joins: world.tables })
  await app.register(dataApi, { collections: world.collections(source as never) })
  const { paths } = app.dataApi.openapi()
  t.match(JSON.stringify(paths), '"required":["team_id","name"]')
  t.equal((await app.inject('/labels/1,bug')).statusCode, 404)
})

test('a list in unique names two or more stored fields', async t => {
  const register = (unique: unknown) => async () => {
    const labels = collection(Label, { source: memory([]), unique: unique as never })
    await Fastify().register(dataApi, { collections: { labels } })
  }
  const lists = "collection 'labels': 'unique' must be a list of lists of two or more fields"
  for (const wrong of [[['name']], [['name', 'name']]]) await t.rejects(register(wrong), { message: lists })
  await t.rejects(register('name'), {
    message: "collection 'labels', unique: must be an array; found the string 'name'"
  })
  await t.rejects(register(['name', 'teamId']), {
    message: "collection 'labels', unique.0: expected a list of names; found the string 'name'"
  })
  await t.rejects(register([['teamId', 'title']]), {
    message: "collection 'labels', field 'title': is named in 'unique', but is not a stored field of the collection"
  })
})
