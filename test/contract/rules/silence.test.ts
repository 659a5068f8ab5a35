import { Type } from '@sinclair/typebox'
import { test } from 'tap'
import dataApi, { collection, memory, postgres, type RequestStrategies, SubCollection } from '../../../lib/index.ts'
import { everybody } from '../../helpers/everybody.ts'
import Fastify from '../../helpers/fastify.ts'
import { id, noteId, reads, shown, silenceOf, start, text, things } from '../../helpers/silence.ts'

// docs/rules.md: Silence. In an API with rules, each collection says who may do what can be done to it.

const parts = SubCollection('parts', { foreignKey: 'noteId', ...shown })

test('silence is one error, with all collections and the lines to write', async t => {
  const Note = Type.Object({ id, text, parts })
  const Part = Type.Object({ id, noteId })
  const requestStrategies = { delete: true }
  const collections = {
    notes: collection(Note, { source: memory([]), rules: { read: true, create: false } }),
    parts: collection(Part, { source: memory([]) })
  }
  const two = "2 collections do not say who may do what; the option 'rules' says it for all of them:"
  await t.rejects(start(collections, { requestStrategies }), {
    name: 'DeclarationError',
    message: [
      two,
      "- collection 'notes' says nothing of 'update', which requestStrategies.update switches on, nor of 'delete', " +
        'which requestStrategies.delete switches on: add rules: { update: false, delete: false }, or true for ' +
        'everybody',
      "- collection 'parts' says nothing of 'read', nor of 'create', which the relation 'parts' of 'notes' switches " +
        "on, nor of 'update', which the relation 'parts' of 'notes' switches on, nor of 'delete', which " +
        'requestStrategies.delete switches on: add rules: { read: false, create: false, update: false, delete: ' +
        'false }, or true for everybody'
    ].join('\n')
  })
  await t.rejects(start(collections, { requestStrategies, rules: { ...everybody, delete: undefined } as never }), {
    name: 'DeclarationError',
    message: [
      two, ...['notes', 'parts'].map(name => `- collection '${name}' says nothing of 'delete', which ` +
        'requestStrategies.delete switches on: add rules: { delete: false }, or true for everybody')
    ].join('\n')
  })
  const rules = { read: true, create: true, update: false } as const
  await t.rejects(start({ users: things({ text }, { delete: true }, { rules }) }), {
    name: 'DeclarationError',
    message: "collection 'users' says nothing of 'delete', which requestStrategies.delete switches on: " +
      'add rules: { delete: false }, or true for everybody'
  })
})

const open: RequestStrategies = { create: true, update: ['PUT', 'PATCH'], delete: true }
const everything = {
  read: '',
  create: 'requestStrategies.create',
  update: 'requestStrategies.update',
  delete: 'requestStrategies.delete'
}

test('an API has rules by a rule, a scope, the option rules or facts about callers, and each alone', async t => {
  const note = (behaviour: object = {}) => ({ notes: things({ text }, open, behaviour) })
  const { read: _read, ...writes } = everything
  const { update: _update, ...changes } = everything
  const { delete: _delete, ...kept } = everything
  const agents = { requestStrategies: { batch: true }, mcp: { collections: ['notes'], write: ['notes'] } }
  type Row = readonly [behaviour: object, options: Parameters<typeof silenceOf>[1], silent: object]
  const rows: readonly Row[] = [
    [{}, {}, {}],
    [{ rules: {} }, {}, {}],
    [{}, agents, {}],
    [{}, { caller: () => undefined }, { notes: everything }],
    [{}, { rules: {} }, { notes: everything }],
    [{}, { rules: { delete: false } }, { notes: kept }],
    [{ rules: { update: () => true } }, {}, { notes: changes }],
    [{ rules: { fields: { text: { write: () => true } } } }, {}, { notes: everything }],
    [{ scope: () => true }, {}, { notes: writes }],
    [{ scope: { update: () => true } }, {}, { notes: changes }],
    [{ scope: { delete: () => true } }, {}, { notes: kept }],
    [{ scope: { read: () => true } }, {}, { notes: writes }]
  ]
  for (const [behaviour, options, silent] of rows) t.strictSame(await silenceOf(note(behaviour), options), silent)
  const others = things({}, {}, { rules: { read: false } })
  t.strictSame(await silenceOf({ ...note(), others }), { notes: everything })
  const db = postgres({
    connectionString: 'postgres://nobody@127.0.0.1:1/none', session: () => ({ role: 'nobody' }), check: 'off'
  })
  t.strictSame(await silenceOf({ notes: things({ text }, open, { source: db.table('notes') }) }), {})
  await db.close()
  const app = Fastify()
  await app.register(dataApi, { prefix: '/guarded', collections: note(), rules: everybody })
  await app.register(dataApi, { prefix: '/open', collections: note() })
  t.equal((await app.inject({ method: 'DELETE', url: '/open/notes/1' })).statusCode, 200)
  await app.close()
})

test('what is not said, because no request can do it, is for nobody in own code, and open to the system', async t => {
  const app = Fastify()
  const notes = things({ text }, {}, { rules: reads })
  await app.register(dataApi, { collections: { notes } })
  app.post('/own/:operation', async request => {
    const own = app.dataApi.as(request).collection('notes')
    const { operation } = request.params as { readonly operation: string }
    if (operation === 'create') return own.create({ text: 'b' })
    return operation === 'update' ? own.update(1, { text: 'b' }) : own.delete(1)
  })
  for (const operation of ['create', 'update', 'delete']) {
    const answer = await app.inject({ method: 'POST', url: `/own/${operation}` })
    t.strictSame([answer.statusCode, answer.json().message], [403, `You may not ${operation} 'notes'.`])
  }
  for (const [method, url] of [['POST', '/notes'], ['PATCH', '/notes/1'], ['DELETE', '/notes/1']] as const) {
    t.equal((await app.inject({ method, url, payload: {} })).statusCode, 405)
  }
  t.strictSame((await app.inject('/notes')).json(), [{ id: 1, text: 'a' }])
  const system = app.dataApi.asSystem().collection('notes')
  await system?.update(1, { text: 'b' })
  t.strictSame((await app.inject('/notes/1')).json(), { id: 1, text: 'b' })
})
