import { Type } from '@sinclair/typebox'
import { collection, SubCollection, SubItem } from '../../../lib/index.ts'
import { everySource } from '../../helpers/every-source.ts'
import type { Collections } from '../../helpers/sources.ts'
import { created, ok, validation } from '../../helpers/answers.ts'

// docs/http.md: Writing

const rw = { readable: true, writable: true }
const isWriter = ({ request }: { request: { headers: object } }) => !('x-reader' in request.headers)

const User = Type.Object({
  id: Type.Integer({ identifier: true, readable: true }),
  email: Type.String({ identifier: true, ...rw }),
  name: Type.Optional(Type.String(rw)),
  tasks: SubCollection('tasks', { foreignKey: 'assigneeId', ...rw })
})
const Tag = Type.Object({
  id: Type.Integer({ identifier: true, readable: true }),
  name: Type.String({ identifier: true, ...rw }),
  colour: Type.Optional(Type.String(rw))
})
const join = { through: 'task_tags', foreignKey: 'taskId', otherKey: 'tagId', ...rw } as const
const Task = Type.Object({
  id: Type.Integer({ identifier: true, readable: true }),
  title: Type.String({ identifier: true, ...rw }),
  assigneeId: Type.Optional(Type.Integer()),
  reporterId: Type.Optional(Type.Integer()),
  assignee: SubItem('users', { foreignKey: 'assigneeId', ...rw }),
  reporter: SubItem('users', { foreignKey: 'reporterId', creates: true, ...rw }),
  tags: SubCollection('tags', join),
  labels: SubCollection('tags', { ...join, through: 'task_labels', creates: true })
})

const world = {
  tables: {
    users: [{ id: 1, email: 'vera@acme.test', name: null }],
    tags: [{ id: 1, name: 'bug', colour: 'red' }],
    tasks: [{ id: 1, title: 'Mend', assigneeId: null, reporterId: null }],
    task_tags: [],
    task_labels: []
  },
  ddl: `
    create table users (id key, email text not null unique, name text);
    create table tags (id key, name text not null unique, colour text);
    create table tasks (id key, title text not null unique, "assigneeId" integer references users,
      "reporterId" integer references users);
    create table task_tags ("taskId" integer references tasks, "tagId" integer references tags,
      primary key ("taskId", "tagId"));
    create table task_labels ("taskId" integer references tasks, "tagId" integer references tags,
      primary key ("taskId", "tagId"))`,
  collections: (source => ({
    users: collection(User, { source: source('users'), rules: { create: isWriter } }),
    tags: collection(Tag, { source: source('tags') }),
    tasks: collection(Task, { source: source('tasks') })
  })) satisfies Collections
}

const missing = (message: string, field: string, pointer?: string) => ({
  status: 'conflict', error: 'reference', message, fields: [field], ...pointer !== undefined && { pointer }
})
const noVicky = "There is no user with the email 'vicky@acme.test'."

everySource('a sub-item that names no item is 409 reference, and creates none', async ({ get, send, same }) => {
  const assignee = { email: 'vicky@acme.test' }
  const refused = missing(`${noVicky} Create it first, in 'users'.`, 'assignee', '/assignee')
  same(await send('POST', '/tasks', { title: 'New', assignee }), 409, refused)
  same(await send('PATCH', '/tasks/1', { assignee }), 409, refused)
  same(await send('PATCH', '/tasks/1', { assignee: { ...assignee, name: 'Vicky' } }), 409, refused)
  same(await send('PATCH', '/users/1', { tasks: [{ title: 'New', assignee: { id: 1 } }] }), 200, ok)
  same(await send('PATCH', '/users/1', { tasks: [{ title: 'Newer', reporter: { email: 'x' }, tags: [{ id: 9 }] }] }),
    409, missing('There is no tag with the id 9.', 'tags', '/tasks/0/tags/0'))
  same(await send('PATCH', '/tasks/1', { assignee: { email: `${'v'.repeat(60)}@acme.test` } }), 409,
    missing("There is no user with this email. Create it first, in 'users'.", 'assignee', '/assignee'))
  same(await send('PATCH', '/tasks/1', { assignee: { name: 'Vicky' } }), 400,
    validation(['/assignee', "must name an existing item by 'id' or 'email'"]))
  same(await send('PATCH', '/tasks/1', { assignee: 1 }), 400,
    validation(['/assignee', 'must be an object such as {"id":1}; found the number 1']))
  same(await get('/users?fields=email'), 200, [{ email: 'vera@acme.test' }])
  same(await send('PATCH', '/tasks/1', { assignee: { email: 'vera@acme.test' } }), 200, ok)
  same(await get('/tasks?fields=title,assignee(id)&sort=id'), 200,
    [{ title: 'Mend', assignee: { id: 1 } }, { title: 'New', assignee: { id: 1 } }])
}, {}, world)

everySource('where a relation creates, an element that names no item is a new one', async ({ get, send, same }) => {
  same(await send('PATCH', '/tasks/1', { reporter: { email: 'vicky@acme.test' }, labels: [{ name: 'new' }] }), 200, ok)
  same(await get('/tasks/1?fields=reporter(id,email),labels(id,name)'), 200,
    { reporter: { id: 2, email: 'vicky@acme.test' }, labels: [{ id: 2, name: 'new' }] })
  same(await send('PUT', '/tasks/1/labels', [{ name: 'newer', colour: 'blue' }, { id: 1 }]), 200, ok)
  same(await get('/tasks/1/labels?fields=id&sort=id'), 200, [{ id: 1 }, { id: 3 }])
}, {}, world)

everySource('who may not create an item refers to those that exist alone', async ({ get, send, same }) => {
  const reader = { 'x-reader': '1' }
  same(await send('PATCH', '/tasks/1', { reporter: { email: 'vicky@acme.test' } }, reader), 409,
    missing(noVicky, 'reporter', '/reporter'))
  same(await send('PATCH', '/tasks/1', { reporter: { email: 'vera@acme.test' } }, reader), 200, ok)
  same(await get('/users?fields=id'), 200, [{ id: 1 }])
}, {}, world)

everySource('a list by a join table is linked by names, and a POST of more than a name creates', async ({
  get, send, same
}) => {
  const message = "There is no tag with the name 'bgu'. Create it first, in 'tags'."
  const refused = (pointer?: string) => missing(message, 'tags', pointer)
  same(await send('PATCH', '/tasks/1', { tags: [{ name: 'bug' }, { name: 'bgu' }] }), 409, refused('/tags/1'))
  same(await send('PUT', '/tasks/1/tags', [{ name: 'bgu', colour: 'red' }]), 409, refused('/0'))
  same(await send('PUT', '/tasks/1/tags', [{ colour: 'red' }]), 400,
    validation(['/0', "must name an existing item by 'id' or 'name'"]))
  same(await send('POST', '/tasks/1/tags', { name: 'bgu' }), 409, refused())
  same(await send('POST', '/tasks/1/tags', { name: 'bug' }), 200, ok)
  same(await get('/tags?fields=id'), 200, [{ id: 1 }])
  same(await send('POST', '/tasks/1/tags', { name: 'wish', colour: 'green' }), 201, created(2))
  same(await send('POST', '/tasks/1/tags', [{ name: 'bgu' }, { name: 'idea', colour: 'green' }]), 409, refused('/0'))
  same(await get('/tasks/1/tags?fields=name&sort=id'), 200, [{ name: 'bug' }, { name: 'wish' }])
}, {}, world)
