import { Type } from '@sinclair/typebox'
import { expectTypeOf } from 'expect-type'
import { test } from 'tap'
import { Type as Type1 } from 'typebox'
import { z } from 'zod'
import { compileModel } from '../../lib/core/model/compile.ts'
import dataApi, {
  collection, computed, type Declared, memory, standard, SubCollection, SubItem
} from '../../lib/index.ts'
import * as typebox from '../../lib/typebox.ts'
import Fastify from '../helpers/fastify.ts'
import { everybody } from '../helpers/everybody.ts'

// docs/declaring.md: Other schema libraries

const read = { readable: true }
const write = { readable: true, writable: true }
const relations = { books: SubCollection('books', { foreignKey: 'authorId', ...write }) }
const bookRelations = { author: SubItem('authors', { foreignKey: 'authorId', ...write }) }

const rows = () => ({
  authors: [{ id: 1, name: 'Ada', born: '1990-01-01', rating: null, kind: 'poet' as const, active: true }],
  books: [{ id: 1, title: 'One', authorId: 1 }]
})

const initial = {
  type: Type.String(read), from: ['name' as const], get: ({ name }: { readonly name: string }) => name.slice(0, 1)
}

/** Declares authors and books by a generation of TypeBox. */
function inTypebox (T: typeof Type, declare: typeof collection, compute: typeof computed): Record<string, Declared> {
  const Author = T.Object({
    id: T.Integer({ identifier: true, ...read }),
    name: T.String({ identifier: true, ...write, minLength: 1 }),
    born: T.Optional(T.String({ format: 'date', ...write })),
    rating: T.Union([T.Number({ minimum: 0 }), T.Null()], write),
    kind: T.Union([T.Literal('poet'), T.Literal('novelist')], write),
    active: T.Boolean({ ...write, default: true }),
    notes: T.Optional(T.Array(T.String(), { ...write, hidden: true })),
    ...relations
  })
  const Book = T.Object({
    id: T.Integer({ identifier: true, ...read }), title: T.String(write), authorId: T.Integer(), ...bookRelations
  })
  const { authors, books } = rows()
  return {
    authors: declare(Author, { source: memory(authors), computed: { getInitial: compute(initial) } }),
    books: declare(Book, { source: memory(books) })
  }
}

// The types of the newer generation have other names; what it makes of its own is typed below.
const newer = [Type1, typebox.collection, typebox.computed] as unknown as Parameters<typeof inTypebox>

function inZod (): Record<string, Declared> {
  const Author = standard(z.object({
    id: z.int().meta({ identifier: true, ...read }),
    name: z.string().min(1).meta({ identifier: true, ...write }),
    born: z.iso.date().optional().meta(write),
    rating: z.number().min(0).nullable().meta(write),
    kind: z.enum(['poet', 'novelist']).meta(write),
    active: z.boolean().default(true).meta(write),
    notes: z.array(z.string()).optional().meta({ ...write, hidden: true })
  }), { relations })
  const Book = standard(z.object({
    id: z.int().meta({ identifier: true, ...read }), title: z.string().meta(write), authorId: z.int()
  }), { relations: bookRelations })
  const { authors, books } = rows()
  return {
    authors: collection(Author, { source: memory(authors), computed: { getInitial: computed(initial) } }),
    books: collection(Book, { source: memory(books) })
  }
}

const spelled = [() => inTypebox(Type, collection, computed), () => inTypebox(...newer), inZod]

/** A compiled model as data: without schemas, which each library writes in its own way, and without functions. */
function modelOf (collections: Record<string, Declared>): unknown {
  const { collections: compiled } = compileModel(collections, {
    naming: 'snake_case',
    pages: { defaultSize: 100, maxSize: 1000 },
    requestStrategies: { update: ['PUT', 'PATCH'], upsert: false, delete: false },
    reserved: new Map()
  } as unknown as Parameters<typeof compileModel>[1])
  return [...compiled.values()].map(({ name, fields, key, identifiers, stored }) => ({
    name,
    fields: [...fields.values()].map(field => ({
      ...field,
      schema: undefined,
      holder: undefined,
      get: undefined,
      from: undefined,
      foreignKey: undefined,
      link: undefined,
      target: 'target' in field ? field.target.name : undefined,
      type: 'type' in field ? [field.type.kind, field.type.expected, [...field.type.operators]] : undefined
    })),
    key: key.map(one => one.name),
    identifiers: identifiers.map(one => one.name),
    stored: stored.map(one => one.name)
  }))
}

test('declarations in TypeBox of both generations and in zod give the same model', async t => {
  const [expected, ...others] = spelled.map(declare => modelOf(declare()))
  for (const other of others) t.strictSame(other, expected)
})

const requests = [
  ['GET', '/authors/Ada'], ['GET', '/authors?kind=poet&rating=null&fields=name,notes,books(title)'],
  ['GET', '/authors?kind=painter'], ['GET', '/authors?born>1980-01-01'], ['GET', '/books/1/author/initial'],
  ['POST', '/authors', { name: '', rating: -1, born: 'today', kind: 'painter', active: 1, notes: [1], x: 1 }],
  ['POST', '/authors', { name: 'Bo', rating: 2, kind: 'novelist', books: [{ title: 'Two' }] }],
  ['PATCH', '/authors/Bo', { born: '2000-01-01', notes: ['a'], rating: null }], ['GET', '/authors/Bo']
] as const

test('declarations in TypeBox of both generations and in zod answer alike', async t => {
  const answers = await Promise.all(spelled.map(async declare => {
    const app = Fastify()
    await app.register(dataApi, { rules: everybody, collections: declare() })
    const told = []
    for (const [method, url, payload] of requests) {
      const response = await app.inject({ method, url, ...payload && { payload } })
      told.push([url, response.statusCode, response.json<unknown>()])
    }
    return told
  }))
  t.strictSame(answers[0]?.map(([, status]) => status), [200, 200, 400, 200, 200, 400, 201, 200, 200])
  t.strictSame(answers[1], answers[0])
  t.strictSame(answers[2], answers[0])
})

test('a schema that refers to itself is written alike in each of the libraries', async t => {
  const flags = { readable: true, writable: true }
  const key = { identifier: true, readable: true }
  const Tree = z.object({ name: z.string(), get nodes () { return z.array(Tree) } }).meta(flags)
  const Node = Type1.Object({ name: Type1.String(), nodes: Type1.Array(Type1.Ref('Node')) })
  const declared: readonly Declared[] = [
    collection(Type.Object({
      id: Type.Integer(key),
      tree: Type.Recursive(This => Type.Object({ name: Type.String(), nodes: Type.Array(This) }), { ...flags })
    }), { source: memory([]) }),
    typebox.collection(Type1.Object({ id: Type1.Integer(key), tree: Type1.Cyclic({ Node }, 'Node', flags) }),
      { source: memory([]) }),
    collection(standard(z.object({ id: z.int().meta(key), tree: Tree })), { source: memory([]) })
  ]
  const bodies = [{ name: 'a', nodes: [{ name: 'b', nodes: [] }] }, { name: 'a', nodes: [{ name: 1, nodes: [] }] }]
  for (const things of declared) {
    const app = Fastify()
    await app.register(dataApi, { rules: everybody, collections: { things } })
    const create = (tree: object) => app.inject({ method: 'POST', url: '/things', payload: { tree } })
    t.strictSame((await Promise.all(bodies.map(create))).map(({ statusCode }) => statusCode), [201, 400])
    t.strictSame((await app.inject('/things/1')).json(), { id: 1, tree: bodies[0] })
  }
})

test('a schema that changes values, or is no object, is refused', async t => {
  t.throws(() => standard(z.object({ id: z.int(), name: z.string().transform(text => text.length) })),
    { name: 'DeclarationError', message: /a schema of zod has no JSON Schema: Transforms/ })
  t.throws(() => standard(z.object({ at: z.codec(z.string(), z.number(), { decode: Number, encode: String }) })),
    { name: 'DeclarationError', message: /a schema of zod changes values/ })
  t.throws(() => standard(z.string()), { name: 'DeclarationError', message: /must be an object/ })
})

test('a behaviour is typed by the schema, whatever library it is of', async t => {
  const One = Type1.Object({
    id: Type1.Integer({ identifier: true }), name: Type1.Optional(Type1.String()), ...bookRelations
  })
  expectTypeOf<typebox.Item<typeof One>>().toEqualTypeOf<{ id: number, name?: string }>()
  const Other = standard(z.object({ id: z.int().meta({ identifier: true }), name: z.string().optional() }), {
    relations: bookRelations
  })
  const source = memory([])
  interface Expected { id: number, name?: string | undefined }
  const one = typebox.collection(One, {
    source,
    key: ['id'],
    setters: {
      name: (item, name) => { expectTypeOf([item.id, name]).toEqualTypeOf<Array<string | number | undefined>>() }
    },
    scope: () => ({ name: 'x' }),
    hooks: { saved: ({ item }) => { expectTypeOf(item.id).toEqualTypeOf<number>() } },
    computed: {
      getTwice: typebox.computed({
        type: Type1.Integer(),
        from: ['id'],
        get: item => {
          expectTypeOf(item).toEqualTypeOf<Readonly<{ id: number }>>()
          return item.id * 2
        }
      })
    }
  })
  const other = collection(Other, {
    source,
    hooks: { saved: ({ item }) => { expectTypeOf<Expected>(item) } },
    scope: () => ({ id: 1 }),
    computed: {
      getTwice: computed({
        type: Type.Integer(),
        from: ['id'],
        get: item => {
          expectTypeOf(item).toEqualTypeOf<Readonly<{ id: number }>>()
          return item.id * 2
        }
      })
    }
  })
  // @ts-expect-error `nam` is no property
  typebox.collection(One, { source, key: ['nam'] })
  // @ts-expect-error a relation is no property
  typebox.collection(One, { source, setters: { author () {} } })
  // @ts-expect-error another type
  typebox.collection(One, { source, scope: () => ({ id: 'x' }) })
  // @ts-expect-error `nam` is no property
  collection(Other, { source, key: ['nam'] })
  // @ts-expect-error another type
  collection(Other, { source, scope: () => ({ id: 'x' }) })
  t.strictSame([one.key, other.key], [['id'], undefined])
})
