import { Type } from '@sinclair/typebox'
import { test } from 'tap'
import dataApi, {
  collection, type DataApiOptions, memory, type OpenApiDocument, SubCollection, SubItem
} from '../../lib/index.ts'
import { Author, library, rows } from '../fixtures/library.ts'
import Fastify from '../helpers/fastify.ts'

// Names of collections and fields in the document (docs/clients.md: OpenAPI).

type Operation = NonNullable<OpenApiDocument['paths'][string]['get']>

test('no operation and no component depends on what a field or collection is called', async t => {
  const flags = { readable: true, writable: true }
  const id = Type.Integer({ identifier: true, ...flags })
  // The names of the two lists of things, with those of their holders, are the same words.
  const Holder = (list: string, foreignKey: string) =>
    Type.Object({ id, [list]: SubCollection('things', { foreignKey, ...flags }) })
  const Thing = (part: string) => Type.Object({
    id,
    name: Type.String(flags),
    first: Type.Integer(flags),
    second: Type.Integer(flags),
    [part]: SubItem('things', { foreignKey: 'first', ...flags })
  })
  const documentWith = async (part: string, holder: string, list: string) => {
    const app = Fastify()
    const requestStrategies = { upsert: true, delete: true }
    await app.register(dataApi, {
      collections: {
        things: collection(Thing(part), { source: memory([]), requestStrategies }),
        a: collection(Holder('b_c', 'first'), { source: memory([]) }),
        [holder]: collection(Holder(list, 'second'), { source: memory([]) })
      }
    } as DataApiOptions)
    return app.dataApi.openapi()
  }
  const document = await documentWith('item', 'a_b', 'c')
  const plain = await documentWith('whole', 'd', 'e')
  const describe = ({ paths }: OpenApiDocument, path: string) => Object.entries(paths[path] ?? {})
    .filter(([method]) => method !== 'parameters').map(([method, operation]) => {
      const { summary, responses } = operation as Operation
      return [method, summary, Object.keys(responses)]
    })
  t.strictSame(describe(document, '/things/{identifier}/item'), describe(plain, '/things/{identifier}/whole')
    .map(([method, summary, codes]) => [method, String(summary).replace('whole', 'item'), codes]))
  const { schemas } = document.components
  const bodyAt = (path: string) => JSON.stringify(document.paths[path]?.post?.requestBody?.content['application/json'])
  const own = [bodyAt('/a/{identifier}/b_c'), bodyAt('/a_b/{identifier}/c')]
    .map(text => Object.keys(schemas).filter(name => text.includes(`"#/components/schemas/${name}"`)))
    .map(names => names.flatMap(name => Object.keys(schemas[name]?.['properties'] ?? {})))
  t.strictSame(own, [['id', 'name', 'second'], ['id', 'name', 'first', 'item']])
})

test('a collection can be called as a schema of the whole API is', async t => {
  const names = ['affected', 'done', 'error', 'event', 'group', 'imported']
  const { authors } = rows()
  const Plain = Type.Omit(Author, ['books'])
  const app = Fastify()
  await app.register(dataApi, {
    collections: Object.fromEntries(names.map(name => [name, collection(Plain, { source: memory(authors) })])),
    requestStrategies: { bulk: ['PATCH'] },
    imports: true,
    live: true
  })
  const { schemas } = app.dataApi.openapi({ version: '3.2' }).components
  const described = Object.entries(schemas).filter(([, schema]) => 'x-data-api' in schema)
  t.strictSame(described.map(([, schema]) => (schema['x-data-api'] as { collection: string }).collection), names)
  for (const name of names) {
    const shared = schemas[name.slice(0, 1).toUpperCase() + name.slice(1)]
    t.ok(shared && !('x-data-api' in shared), name)
  }
})

test('the texts of operations are filled in, and their members have one order', async t => {
  const app = Fastify()
  await app.register(dataApi, {
    collections: library(), requestStrategies: { bulk: ['PATCH', 'DELETE'], delete: true, upsert: true, batch: true }
  })
  for (const profile of ['docs', 'types', 'tools'] as const) {
    const { paths } = app.dataApi.openapi({ profile, version: '3.2' })
    const found = Object.values(paths).flatMap(({ parameters: _, ...path }) => Object.values(path) as Operation[])
    t.ok(found.length > 10)
    for (const operation of found) {
      const { operationId, summary, description } = operation
      t.notMatch(`${operationId} ${summary} ${description}`, /[{}]|undefined|_$/)
      t.strictSame(Object.keys(operation), membersOfOperations.filter(member => member in operation))
    }
  }
})

const membersOfOperations = ['operationId', 'summary', 'description', 'tags', 'parameters', 'requestBody', 'responses']
