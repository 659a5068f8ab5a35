import { type TSchema, Type } from '@sinclair/typebox'
import { everybody } from '../helpers/everybody.ts'
import fc from '../helpers/fast-check.ts'
import { Validator } from '@seriousme/openapi-schema-validator'
import Fastify from '../helpers/fastify.ts'
import { test } from 'tap'
import { CaseArbitrary } from '../../lib/tools/testing/conformance/case.ts'
import { openMemory, serve } from '../../lib/tools/testing/serving/serve.ts'
import { makeWorld } from '../../lib/tools/testing/world/world.ts'
import dataApi, {
  collection, type DataApiOptions, memory, type OpenApiDocument, SubCollection, SubItem
} from '../../lib/index.ts'
import { Author, Book, library, rows } from '../fixtures/library.ts'
import { readDocument, resolved } from '../helpers/openapi.ts'

// docs/clients.md: OpenAPI

async function serveLibrary (options: Partial<DataApiOptions> = {}) {
  const app = Fastify()
  await app.register(dataApi, { rules: everybody, collections: library(), ...options })
  return app
}

const queries = ['docs', 'types', 'tools'].flatMap(profile =>
  ['3.1', '3.2'].map(version => `profile=${profile}&version=${version}`))

type Operation = NonNullable<OpenApiDocument['paths'][string]['get']>

const operationsOf = ({ paths }: OpenApiDocument): readonly Operation[] =>
  Object.values(paths).flatMap(path => Object.values(path) as Operation[]).filter(one => 'operationId' in one)

test('the document of any API is valid OpenAPI in every profile and version', async t => {
  const validator = new Validator()
  for (const choices of fc.sample(new CaseArbitrary(), { numRuns: 12 })) {
    const world = makeWorld(choices)
    const served = await serve('memory()', openMemory(world.tables), world, false)
    for (const query of queries) {
      const { body } = await served.send({
        method: 'GET', url: `${world.options.prefix ?? ''}/openapi.json?${query}`, headers: {}
      })
      const document = JSON.parse(body) as OpenApiDocument
      const { valid, errors } = await validator.validate(JSON.parse(body) as Record<string, unknown>)
      t.ok(valid, `${query}: ${JSON.stringify(errors)}`)
      const names = operationsOf(document).map(({ operationId }) => operationId)
      t.equal(new Set(names).size, names.length)
      t.ok(names.every(name => /^[A-Za-z0-9_-]{1,64}$/.test(name)), names.join(' '))
    }
    await served.close()
  }
})

test('names in the profile of tools are names that interfaces of language models take', async t => {
  const app = await serveLibrary()
  const document = app.dataApi.openapi({ profile: 'tools' })
  const parameters = operationsOf(document).flatMap(operation =>
    resolved(operation.parameters, document).map(({ name }) => name))
  const members = Object.entries(document.components.schemas)
    .flatMap(([, schema]) => Object.keys(schema['properties'] ?? {}))
  for (const name of [...parameters, ...members]) t.match(name, /^[a-zA-Z0-9_.-]{1,64}$/)
  t.strictSame(operationsOf(document).map(({ operationId }) => operationId), [
    'list_authors', 'create_authors', 'get_authors_item', 'update_authors_item', 'delete_authors_item',
    'list_books', 'create_books', 'get_books_item', 'update_books_item'
  ])
})

test('a wrong option of openapi() is an error that names it', async t => {
  const { dataApi: { openapi } } = await serveLibrary()
  const wrong = (options: object, message: string) => {
    t.throws(() => openapi(options), { name: 'DeclarationError', message })
  }
  const found = 'must be one of "docs", "types", "tools"; found the string \'type\''
  wrong({ profile: 'type' }, `openapi(), option 'profile': ${found}`)
  wrong({ versions: '3.1' }, "openapi(), option 'versions': there is no such option; did you mean 'version'?")
  wrong({ collections: ['bookss'] },
    "openapi(), option 'collections': there is no collection 'bookss'; did you mean 'books'?")
})

test('GET of openapi.json answers with the document, a tag, and 304 to that tag', async t => {
  const app = await serveLibrary({ prefix: '/api', openapi: { info: { title: 'Library', version: '2.0.0' } } })
  const response = await app.inject('/api/openapi.json')
  t.equal(response.statusCode, 200)
  t.equal(response.headers['content-type'], 'application/json; charset=utf-8')
  t.match(response.json(),
    { openapi: '3.1.1', info: { title: 'Library', version: '2.0.0' }, servers: [{ url: '/api' }] })
  t.same(response.json(), app.dataApi.openapi())
  const again = await app.inject({
    url: '/api/openapi.json', headers: { 'if-none-match': String(response.headers.etag) }
  })
  t.strictSame([again.statusCode, again.body], [304, ''])
  t.equal((await app.inject({ method: 'HEAD', url: '/api/openapi.json' })).statusCode, 200)
  t.equal((await app.inject({ method: 'POST', url: '/api/openapi.json' })).statusCode, 405)
  t.equal((await app.inject('/api')).headers.link, '<http://localhost/api/openapi.json>; rel="service-desc"')
})

test('without the option there is no document and no link to it', async t => {
  const app = await serveLibrary({ openapi: false })
  t.equal((await app.inject('/openapi.json')).statusCode, 404)
  t.equal((await app.inject('/')).headers.link, undefined)
})

test('a document is cut to a profile, a version and collections; anything else is 400 with a near name', async t => {
  const app = await serveLibrary()
  const authors = (await app.inject('/openapi.json?collections=authors&version=3.2')).json<OpenApiDocument>()
  t.equal(authors.openapi, '3.2.0')
  t.ok(Object.keys(authors.paths).every(path => path === '/' || path.startsWith('/authors')))
  t.ok('Books' in authors.components.schemas, 'items of authors refer to it')
  t.ok(authors.paths['/authors']?.query)
  for (const [query, suggestion] of [
    ['profile=tool', 'tools'], ['version=3.0', '3.2'], ['collections=author', 'authors'], ['profil=docs', 'profile']
  ] as const) {
    const response = await app.inject(`/openapi.json?${query}`)
    t.equal(response.statusCode, 400)
    t.match(response.json(), { error: 'invalid_parameter', ...query === 'version=3.0' ? {} : { suggestion } })
  }
})

test('the document is that of the caller, byte for byte', async t => {
  const deny = () => false
  const { authors, books } = rows()
  const Hidden = {
    ...Author, properties: { ...Author.properties, shoeSize: { type: 'integer', readable: true, writable: true } }
  } as unknown as typeof Author
  const withRules = await serveLibrary({
    collections: {
      authors: collection(Hidden, {
        source: memory(authors),
        rules: { delete: deny, fields: { shoeSize: { read: deny, write: deny } } as never },
        requestStrategies: { delete: true }
      }),
      books: collection(Book, { source: memory(books), rules: { create: deny, read: deny, update: deny } })
    }
  })
  const { books: _, ...properties } = Author.properties
  const withoutThem = await serveLibrary({
    collections: {
      authors: collection({ ...Author, properties } as unknown as typeof Author, { source: memory(authors) })
    }
  })
  for (const query of queries) {
    const answer = await withRules.inject(`/openapi.json?${query}`)
    t.equal(answer.body, (await withoutThem.inject(`/openapi.json?${query}`)).body)
    t.equal(answer.headers['cache-control'], 'private')
    t.match(answer.headers.vary, /Authorization, Cookie/)
  }
  t.equal((await withRules.inject('/openapi.json?collections=books')).statusCode, 400)
})

test('a relation shows new items where it creates, and this caller may create them', async t => {
  const flags = { readable: true, writable: true }
  const User = Type.Object({
    id: Type.Integer({ identifier: true, readable: true }),
    email: Type.String({ identifier: true, ...flags })
  })
  const Task = Type.Object({
    id: Type.Integer({ identifier: true, readable: true }),
    userId: Type.Integer(),
    assignee: SubItem('users', { foreignKey: 'userId', ...flags }),
    reporter: SubItem('users', { foreignKey: 'userId', creates: true, ...flags }),
    tags: SubCollection('users', { through: 'tags', foreignKey: 'a', otherKey: 'b', ...flags })
  })
  const app = Fastify()
  const collections = {
    users: collection(User, { source: memory([]), rules: { create: ({ request }) => 'x-admin' in request.headers } }),
    tasks: collection(Task, { source: memory([], { joins: { tags: [] } }) })
  }
  await app.register(dataApi, { rules: everybody, collections })
  const namesIn = async (headers: Record<string, string>) => {
    const { components, paths } = (await app.inject({ url: '/openapi.json', headers })).json<OpenApiDocument>()
    interface Element { anyOf?: Array<Element & { required?: unknown }>, items?: Element }
    const { assignee, reporter, tags } = components.schemas['TasksCreate']?.['properties'] as Record<string, Element>
    const schemaAt = (method: 'post' | 'put') =>
      paths['/tasks/{identifier}/tags']?.[method]?.requestBody?.content['application/json']?.schema as Element
    const namesOf = ({ anyOf = [] }: Element = {}) =>
      anyOf.map(one => Array.isArray(one.required) ? one.required.join() : Object.values(one).join())
    return [assignee, reporter, tags?.items, schemaAt('post').anyOf?.[0], schemaAt('put').items].map(namesOf)
  }
  const linked = ['id', 'email']
  const created = [...linked, '#/components/schemas/UsersCreate']
  t.strictSame(await namesIn({ 'x-admin': '1' }), [linked, created, linked, created, linked])
  t.strictSame(await namesIn({}), [linked, linked, linked, linked, linked])
  t.match(app.dataApi.types(), /\bassignee: \{ id: number \} \| \{ email: string \}, reporter: [^,]+ \| UsersCreate\b/)
})

test('schemas that refer to themselves are written, and described as they are checked', async t => {
  const flags = { readable: true, writable: true }
  // TypeBox writes the $id of the first tree into the flags, and so into all other fields.
  const treeOf = (name: TSchema) => Type.Recursive(This => Type.Object({ name, nodes: Type.Array(This) }), flags)
  const Thing = Type.Object({
    id: Type.Integer({ identifier: true, readable: true }),
    tree: treeOf(Type.String()),
    numbered: Type.Union([treeOf(Type.Integer(flags)), Type.Null()], flags),
    label: Type.String(flags)
  })
  const app = Fastify()
  const collections = ['things', 'others'].map(name => [name, collection(Thing, { source: memory([]) })] as const)
  await app.register(dataApi, { collections: Object.fromEntries(collections) })
  const allowed = readDocument(app.dataApi.openapi({ profile: 'types' }))
    .validatorAt('paths', '/things', 'post', 'requestBody', 'content', 'application/json', 'schema')
  const body = {
    tree: { name: 'a', nodes: [{ name: 'b', nodes: [] }] }, numbered: { name: 1, nodes: [] }, label: 'c'
  }
  const payloads: ReadonlyArray<readonly [object, string?]> = [
    [body],
    [{ ...body, numbered: null }],
    [{ ...body, tree: { name: 'a', nodes: [{ name: 1, nodes: [] }] } }, '/tree/nodes/0/name'],
    [{ ...body, numbered: { name: 1, nodes: [{ name: 'b', nodes: [] }] } }, '/numbered/nodes/0/name']
  ]
  for (const [payload, pointer] of payloads) {
    const { statusCode, body: answer } = await app.inject({ method: 'POST', url: '/things', payload })
    t.equal(statusCode, pointer === undefined ? 201 : 400, answer)
    t.equal(allowed(payload), pointer === undefined)
    if (pointer !== undefined) t.match(JSON.parse(answer), { details: [{ pointer }] })
  }
})

test('tuples, and schemas that refer to themselves, are described as OpenAPI takes them', async t => {
  const flags = { readable: true, writable: true }
  const tree = Type.Recursive(This => Type.Object({ name: Type.String(), nodes: Type.Array(This) }), { readable: true })
  const Thing = Type.Object({
    id: Type.Integer({ identifier: true, readable: true }),
    tree: Type.Optional(tree),
    pair: Type.Tuple([Type.String(), Type.Integer()], flags),
    both: Type.Union([Type.Intersect([Type.Object({ a: Type.String() }), Type.Object({ b: Type.Integer() })]),
      Type.Null()], flags)
  })
  const app = Fastify()
  const things = [{ id: 1, tree: { name: 'a', nodes: [{ name: 'b', nodes: [] }] }, pair: ['a', 1], both: null }]
  await app.register(dataApi, { collections: { things: collection(Thing, { source: memory(things) }) } })
  const document = app.dataApi.openapi()
  const plain = JSON.parse(JSON.stringify(document)) as Record<string, unknown>
  const { valid, errors } = await new Validator().validate(plain)
  t.ok(valid, JSON.stringify(errors))
  t.strictSame(document.components.schemas['Type_1'], {
    type: 'object',
    properties: {
      name: { type: 'string' }, nodes: { type: 'array', items: { $ref: '#/components/schemas/Type_1' } }
    },
    required: ['name', 'nodes']
  })
  t.notMatch(JSON.stringify(document), /\$id|"T\d/)
  const reader = readDocument(document)
  const body = { pair: ['b', 2], both: { a: 'x', b: 1 } }
  t.equal((await app.inject({ method: 'POST', url: '/things', payload: body })).statusCode, 201)
  for (const url of ['/things/1', '/things/2']) {
    const found = reader.find('GET', url)
    const response = await app.inject(url)
    t.strictSame(found && reader.wrong(found, 200, 'application/json', response.body), undefined, response.body)
  }
  const allowed = reader.validatorAt(
    'paths', '/things', 'post', 'requestBody', 'content', 'application/json', 'schema'
  )
  t.ok(allowed(body))
  for (const wrong of [{ pair: ['b', 2, 3] }, { pair: ['b', 'c'] }, { both: { a: 'x' } }]) {
    t.notOk(allowed({ ...body, ...wrong }))
    t.equal((await app.inject({ method: 'POST', url: '/things', payload: { ...body, ...wrong } })).statusCode, 400)
  }
})
