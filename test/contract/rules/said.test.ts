import { Type } from '@sinclair/typebox'
import { test } from 'tap'
import dataApi, {
  collection, type DataApiOptions, type Declared, memory, type OperationRules, SubCollection
} from '../../../lib/index.ts'
import { describeValue } from '../../../lib/core/errors/errors.ts'
import { mayNot } from '../../fixtures/company.ts'
import { everySource } from '../../helpers/every-source.ts'
import Fastify from '../../helpers/fastify.ts'

// docs/rules.md: Who may do what. A rule is a function, `true` for everybody or `false` for nobody; the option `rules`
// says what a collection does not say.

const denied = (operation: string) => mayNot(operation, 'things')
const shown = { readable: true, writable: true } as const
const Thing = Type.Object({
  id: Type.Integer({ identifier: true, readable: true }),
  name: Type.String(shown),
  parentId: Type.Optional(Type.Integer(shown)),
  parts: SubCollection('things', { foreignKey: 'parentId', ...shown })
})
const rows = () => [{ id: 1, name: 'a' }, { id: 2, name: 'b', parentId: 1 }]
const all = { read: true, create: true, update: true, delete: true } as const

const things = (behaviour: Partial<Declared>) =>
  collection(Thing, { source: memory(rows()), ...behaviour as object })

async function serve (behaviour: Partial<Declared>, options: Partial<DataApiOptions> = {}) {
  const app = Fastify()
  const collections = { things: things(behaviour) }
  await app.register(dataApi, {
    requestStrategies: { delete: true, upsert: true, bulk: ['PATCH', 'DELETE'] }, collections, ...options
  })
  return app
}

const named = { name: 'c' }
const requests = {
  read: [['GET', '/things'], ['GET', '/things/1'], ['GET', '/things/1/parts']],
  create: [['POST', '/things', named], ['POST', '/things/1/parts', named], ['PUT', '/things/9', named],
    ['PATCH', '/things/1', { parts: [named] }]],
  update: [['PATCH', '/things/1', named], ['PUT', '/things/1/name', 'c'], ['PATCH', '/things?id=1', named],
    ['PUT', '/things/1/parts', [{ id: 1 }]]],
  delete: [['DELETE', '/things/1'], ['DELETE', '/things?id=1']]
} as const

type Operation = keyof typeof requests
const operations = Object.keys(requests) as Operation[]

for (const operation of operations) {
  test(`'${operation}: false' is 403 for everybody, in no Allow and in no operation of the document`, async t => {
    for (const rules of [{ ...all, [operation]: false }, { ...all, [operation]: () => false }] as OperationRules[]) {
      const app = await serve({ rules })
      for (const [method, url, payload] of requests[operation]) {
        const json = { 'content-type': 'application/json' }
        const answer = await app.inject({
          method: method as 'GET', url, ...payload !== undefined && { headers: json, payload: JSON.stringify(payload) }
        })
        t.equal(answer.statusCode, 403, `${method} ${url}`)
        t.strictSame(answer.json(), denied(operation))
        const isSame = typeof rules[operation] === 'boolean'
        t.equal(answer.headers['cache-control'], isSame ? undefined : 'private', `${method} ${url}`)
      }
      t.strictSame((await app.inject('/things')).statusCode, operation === 'read' ? 403 : 200)
    }
    const constant = await serve({ rules: { ...all, [operation]: false } })
    const asked = await serve({ rules: { ...all, [operation]: () => false } })
    for (const url of ['/things', '/things/1', '/things/1/name', '/things/1/parts']) {
      const [one, other] = await Promise.all([constant, asked].map(app => app.inject({ method: 'OPTIONS', url })))
      t.equal(one?.headers.allow, other?.headers.allow, url)
    }
    const [one, other] = await Promise.all([constant, asked].map(app => app.inject('/openapi.json')))
    t.equal(one?.body, other?.body)
    t.strictSame(JSON.parse(JSON.stringify(constant.dataApi.openapi())), one?.json(), 'the whole document has no more')
    for (const app of [constant, asked]) await app.close()
  })
}

test("'true' and 'false' make no answer personal, and need no callers of keys", async t => {
  const app = await serve({ rules: { ...all, delete: false } }, { idempotency: {} })
  const answer = await app.inject('/things/1')
  t.strictSame([answer.headers['cache-control'], answer.headers.vary], [undefined, 'Accept'])
  t.equal((await app.inject('/openapi.json')).headers['cache-control'], undefined)
  t.equal((await app.inject('/nothing')).headers['cache-control'], undefined)
  await app.close()
})

test("the option 'rules' says what a collection and its scope leave out", async t => {
  const asked = (name: string) => () => { throw Object.assign(new Error(name), { statusCode: 403 }) }
  const api = { read: asked('read'), create: asked('create'), update: asked('update'), delete: asked('delete') }
  const messageOf = async (behaviour: Partial<Declared>, operation: Operation) => {
    const app = await serve(behaviour, { rules: operation === 'read' ? api : { ...api, read: true } })
    const [[method, url, payload]] = requests[operation] as unknown as [[string, string, object | undefined]]
    const answer = await app.inject({ method: method as 'GET', url, ...payload && { payload } })
    await app.close()
    return answer.statusCode === 403 ? answer.json<{ message: string }>().message : answer.statusCode
  }
  for (const operation of operations) {
    t.equal(await messageOf({}, operation), operation)
    t.equal(await messageOf({ rules: all }, operation), operation === 'create' ? 201 : 200)
    t.equal(await messageOf({ rules: { [operation]: false } }, operation), denied(operation).message)
    t.equal(await messageOf({ rules: { [operation]: () => true } }, operation), operation === 'create' ? 201 : 200)
  }
  t.equal(await messageOf({ scope: () => true }, 'read'), 200)
  t.equal(await messageOf({ scope: () => true }, 'delete'), 'delete')
  const scope = { update: () => true, delete: () => false }
  t.equal(await messageOf({ scope }, 'read'), 'read')
  t.equal(await messageOf({ scope }, 'create'), 'create')
  t.equal(await messageOf({ scope }, 'update'), 200)
  t.equal(await messageOf({ scope }, 'delete'), 'You are not allowed to do this.')
})

test("a mistake in the option 'rules' is an error at registration", async t => {
  const wrong = async (rules: unknown, message: string) => {
    await t.rejects(serve({}, { rules: rules as OperationRules }), { name: 'DeclarationError', message })
  }
  await wrong(() => true, "option 'rules': must be an object; found a function")
  await wrong({ remove: true },
    "option 'rules': 'remove' is not a rule. Use one of read, create, update, delete.")
  await wrong({ read: 'all' }, "option 'rules.read': expected a function, true or false; found the string 'all'")
  for (const other of [null, true, 1, 'all', []]) {
    await wrong(other, `option 'rules': must be an object; found ${describeValue(other)}`)
  }
  await wrong({ fields: {} }, "option 'rules': fields are of one collection; give 'fields' to its rules")
})

everySource('own code asks the same rules for a request, and none for the system', async ({ app, get, t, same }) => {
  same(await get('/albums'), 403, mayNot('read', 'albums'))
  const { albums, artists } = Object.fromEntries(['albums', 'artists'].map(name =>
    [name, app.dataApi.asSystem().collection(name)]))
  t.ok(albums !== undefined && (await albums.list()).items.length > 0)
  t.ok(artists !== undefined && (await artists.list()).items.length > 0)
}, { rules: { read: false, create: false, update: false, delete: false } })
