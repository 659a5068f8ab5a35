import { Type } from '@sinclair/typebox'
import { collection, SubCollection } from '../../lib/index.ts'
import { everySource, type World } from '../helpers/every-source.ts'

// docs/http.md: Writing

const Task = Type.Object({
  id: Type.Integer({ identifier: true, readable: true }),
  title: Type.String({ readable: true, writable: true }),
  parentId: Type.Union([Type.Integer(), Type.Null()]),
  parts: SubCollection('tasks', { foreignKey: 'parentId', readable: true, writable: true, hidden: true })
})

const calls: unknown[] = []

const watched: World = {
  ddl: 'create table tasks (id key, title text not null, "parentId" integer) strict;',
  tables: { tasks: [{ id: 1, title: 'first', parentId: null }] },
  collections: source => ({
    tasks: collection(Task, {
      source: source('tasks'),
      requestStrategies: { delete: true },
      hooks: {
        created: ({ id, title }) => {
          calls.push(['created', typeof id, title])
          if (title === 'refused') throw new Error('not this one')
        },
        updated: (item, before, { transaction }) => {
          calls.push(['updated', item.id, before.title, item.title, transaction.kind !== ''])
        },
        deleted: ({ id }) => { calls.push(['deleted', id]) }
      }
    })
  })
}

everySource('created, updated and deleted run inside the transaction, after the change, with the key known', async ({
  t, send, get
}) => {
  calls.length = 0
  t.equal((await send('POST', '/tasks', { title: 'second', parts: [{ title: 'part' }] })).statusCode, 201)
  t.strictSame(calls.splice(0), [['created', 'number', 'part'], ['created', 'number', 'second']])
  t.equal((await send('PATCH', '/tasks/1', { title: 'changed' })).statusCode, 200)
  t.strictSame(calls.splice(0), [['updated', 1, 'first', 'changed', true]])
  t.equal((await send('PATCH', '/tasks/1', { title: 'changed' })).statusCode, 200)
  t.strictSame(calls.splice(0), [], 'nothing changed')
  t.equal((await send('DELETE', '/tasks/1')).statusCode, 200)
  t.strictSame(calls.splice(0), [['deleted', 1]])
  t.equal((await get('/tasks/1')).statusCode, 404)
}, {}, watched)

everySource('an error of the hook created rolls the creation back', async ({ t, send, get }) => {
  t.equal((await send('POST', '/tasks', { title: 'refused' })).statusCode, 500)
  t.equal((await get('/tasks?fields=title&title=refused')).body, '[]')
}, {}, watched)
