import { Type } from '@sinclair/typebox'
import { test } from 'tap'
import dataApi, { collection, type DataApiOptions, memory, SubCollection, SubItem } from '../../lib/index.ts'
import { library } from '../fixtures/library.ts'
import { compile } from '../helpers/compile.ts'
import Fastify from '../helpers/fastify.ts'

// docs/clients.md: Types

async function typesOf (options: DataApiOptions): Promise<string> {
  const app = Fastify()
  await app.register(dataApi, options)
  return app.dataApi.types()
}

const head = `
import { createClient, type Acknowledgement } from '../../lib/clients/client/index.ts'
import type { Api, Authors } from './api.ts'
const { authors, books } = createClient<Api>('http://host')
type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends (<T>() => T extends B ? 1 : 2) ? true : false
const equal = <A, B>(same: Equal<A, B>) => same
const id = '00000000-0000-4000-8000-000000000001'
`

/** Compiles a program that uses the client of the library. */
async function check (program: string, requestStrategies: DataApiOptions['requestStrategies'] = { upsert: true }) {
  const types = await typesOf({ collections: library(), requestStrategies })
  return compile({ 'api.ts': types, 'program.ts': `${head}\n${program}\nexport {}` }).errors
}

test('a result has the fields of its selection, at every depth', async t => {
  t.strictSame(await check(`
    const author = await authors.get(1)
    equal<typeof author.kind, 'poet' | 'novelist' | null>(true)
    equal<keyof typeof author, Exclude<keyof Authors, 'notes'> | 'books'>(true)
    equal<typeof author.books, Array<{ id: string, title: string }>>(true)
    const { items: [first] } = await authors.list()
    equal<keyof NonNullable<typeof first>, Exclude<keyof Authors, 'notes'>>(true)
    const { items } = await books.list({
      fields: ['title', { author: ['name', { books: { fields: ['pages'], limit: 2 } }] }]
    })
    type Author = { name: string, books: Array<{ pages: number }> }
    equal<typeof items, Array<{ title: string, author: Author | null }>>(true)
    const { notes } = await authors.get('Ada', { fields: ['notes'] })
    equal<typeof notes, string[] | null>(true)
    for await (const book of authors.item(1).books.stream({ fields: ['id'] })) equal<typeof book, { id: string }>(true)
    const writer = await authors.item(1).books.item(id).author.books.item(id).author.get({ fields: ['rating'] })
    equal<typeof writer, { rating: number | null } | null>(true)
    const byName = await authors.resource('by_name').item('Ada').get({ fields: ['id'] })
    equal<typeof byName, { id: number }>(true)
    const facets = await authors.resource('by_kind').get({ fields: ['count()'], where: { active: true } })
    equal<typeof facets, Readonly<Record<string, { readonly count: number }>>>(true)
    const groups = await authors.resource('by_kind').get()
    equal<NonNullable<(typeof groups)[string]>[number]['name'], string>(true)
    equal<typeof author.initial, string>(true)
    const [group] = await authors.groups({
      by: ['kind', { born: 'year' }], count: true, sum: ['rating'], max: ['name', 'born'], count_distinct: ['name'],
      where: { active: true }, having: { 'count()': { gt: 5 }, 'rating.avg()': { lt: 3 } }, sort: ['-count()', 'kind']
    })
    const { kind, count, rating, born, name } = group!
    equal<typeof kind, 'poet' | 'novelist' | null>(true)
    equal<[typeof count, typeof rating.sum, typeof name.count_distinct], [number, number | null, number]>(true)
    equal<[typeof born.year, typeof born.max], [string | null, string | null]>(true)
    const [written] = await books.groups({ by: [{ author: ['name'] }], avg: ['pages'] })
    equal<NonNullable<typeof written>['author'], { readonly name: unknown } | null>(true)
    // @ts-expect-error no number is asked for
    written?.count
    for await (const { items, changed } of authors.live({ fields: ['name'], sort: '-name', limit: 20 })) {
      equal<typeof items, ReadonlyArray<Readonly<{ name: string }>>>(true)
      equal<typeof changed, typeof items>(true)
      // @ts-expect-error values are frozen
      items[0]!.name = 'Ada'
    }
    for await (const book of books.item(id).live()) equal<typeof book.pages, number>(true)
    for await (const author of books.item(id).author.live({ fields: ['name'] })) {
      equal<typeof author, Readonly<{ name: string }> | null>(true)
    }
    for await (const named of authors.resource('by_name').live()) equal<(typeof named)[string]['name'], string>(true)
    // @ts-expect-error unknown field
    authors.live({ fields: ['nam'] })
    // @ts-expect-error a count is told where it stands in the body alone
    authors.live({ count: true })
    // @ts-expect-error hidden fields are shown only if they are selected
    author.notes
    // @ts-expect-error a field that was not selected
    items[0]?.pages
    // @ts-expect-error unknown field of a relation
    await books.get(id, { fields: [{ author: ['title'] }] })
    // @ts-expect-error a scalar has no fields
    await books.get(id, { fields: [{ title: ['name'] }] })
    // @ts-expect-error no such relation
    authors.item(1).author
    // @ts-expect-error no such collection
    createClient<Api>('http://host').writers
  `), [])
})

// one-language.test.ts has more mistakes, which compile in neither language.
test('filters and orders are typed by their fields', async t => {
  t.strictSame(await check(`
    await authors.list({ where: { kind: ['poet', null], rating: { gte: 5, ne: null }, born: { lt: new Date() } } })
    await authors.list({ where: { or: [{ name: { startsWith: 'A' } }, { not: { books: { pages: { gt: 3 } } } }] } })
    await books.count({ author: null, title: { containsIgnoreCase: 'x' } })
    await authors.list({ sort: ['name', '-rating', 'id desc'] })
    await books.list({ sort: ['author.name', '-author.rating', 'author.id desc'] })
    const { items: [called] } = await authors.list({
      fields: ['name', { books: { count: true, sum: ['pages'], max: ['title'] } }],
      sort: ['-books.pages.avg()', '-books.count()'], where: { 'books.count()': 2, 'books.pages.sum()': { gt: 100 } }
    })
    const { count, pages, title } = called!.books
    equal<[typeof count, typeof pages.sum, typeof title.max], [number, number | null, string | null]>(true)
    await authors.list({ where: { notes: null, books: { author: { notes: { ne: null } } } } })
    // @ts-expect-error a list is compared with null alone
    await authors.list({ where: { notes: ['a'] } })
    // @ts-expect-error a list is compared with null alone
    await authors.list({ where: { notes: { startsWith: 'a' } } })
    // @ts-expect-error unknown field of a sub-collection
    await authors.list({ sort: 'books.page.max()' })
    // @ts-expect-error a book has one author
    await books.list({ sort: 'author.count()' })
    // @ts-expect-error unknown field of a sub-item
    await books.list({ sort: 'author.nam' })
    // @ts-expect-error unknown field of a relation
    await authors.list({ where: { books: { nam: 'A' } } })
    // @ts-expect-error a computed field
    await authors.list({ where: { initial: 'A' } })
    // @ts-expect-error a computed field
    await authors.list({ sort: 'initial' })
    // @ts-expect-error a write-only field
    await authors.list({ where: { pin: '1' } })
  `), [])
})

test('bodies hold what may be written, and all that must be', async t => {
  t.strictSame(await check(`
    equal<Awaited<ReturnType<typeof made>>, { status: 'created', id: number }>(true)
    async function made () { return await authors.create({ name: 'Cy', rating: null, pin: '1' }) }
    const [one] = await authors.create([{ name: 'Cy', rating: 1 }], { returning: ['id'] })
    equal<typeof one, { id: number } | undefined>(true)
    const added = await authors.item(1).books.create({ title: 'Two', pages: 2 })
    equal<typeof added, Acknowledgement | { status: 'created', id: string }>(true)
    await authors.item(1).books.create({ id })
    await authors.item(1).books.replace([{ id }, { title: 'Two', pages: 2 }])
    await authors.update(1, { kind: 'poet', books: [{ id }] })
    const changed = await authors.item(1).update({ born: null }, { returning: true })
    equal<typeof changed.born, string | null>(true)
    await authors.delete(1)
    await books.upsert(id, { title: 'Two', pages: 2, author_id: 1 })
    // @ts-expect-error a required member is missing
    await authors.create({ name: 'Cy' })
    // @ts-expect-error a member that may not be written
    await authors.create({ name: 'Cy', rating: 1, id: 3 })
    // @ts-expect-error another type
    await authors.create({ name: 'Cy', rating: '1' })
    // @ts-expect-error not one of its values
    await authors.update(1, { kind: 'painter' })
    // @ts-expect-error a computed field
    await authors.update(1, { initial: 'A' })
    // @ts-expect-error an element that is neither a link nor whole
    await authors.update(1, { books: [{ pages: 3 }] })
  `), [])
})

test('what an API does not take does not compile', async t => {
  t.strictSame(await check(`
    await authors.delete(1)
    await authors.item(1).delete()
    await authors.item(1).books.delete(id)
    // @ts-expect-error no items are deleted
    await books.delete(id)
    // @ts-expect-error no items are deleted
    await books.item(id).delete()
    // @ts-expect-error no items are created by PUT
    await books.upsert(id, { pages: 2 })
    // @ts-expect-error no items are created by PUT
    await authors.item(1).upsert({ rating: 2 })
  `, {}), [])
  t.strictSame(await check(`
    await authors.upsert(1, { rating: 2 })
    // @ts-expect-error no PATCH
    await authors.update(1, { rating: 2 })
  `, { update: ['PUT'] }), [])
  const Shown = Type.Object({ id: Type.Integer({ identifier: true, readable: true }) })
  const types = await typesOf({ collections: { authors: collection(Shown, { source: memory([]) }) } })
  const program = `
    import { createClient } from '../../lib/clients/client/index.ts'
    import type { Api } from './api.ts'
    const { authors } = createClient<Api>('http://host')
    await authors.list()
    // @ts-expect-error nothing is created
    await authors.create({})
    // @ts-expect-error nothing is written
    await authors.update(1, {})
    export {}`
  t.strictSame(compile({ 'api.ts': types, 'program.ts': program }).errors, [])
})

const hostile = 'a\'b"c\\d`${e}*/ \u2028\u202e\n' // eslint-disable-line no-template-curly-in-string

test('names, values and descriptions of any kind make a module that compiles', async t => {
  const fields = Object.fromEntries(['class', 'constructor', 'toString', '1a', 'naïve', '名前', 'a-b', 'then', 'list']
    .map(name => [name, Type.String({ readable: true, writable: true, description: `*/ ${hostile}` })]))
  const item = Type.Object({
    id: Type.Integer({ identifier: true, readable: true }),
    choice: Type.Union([Type.Literal(hostile), Type.Literal(-1), Type.Null()], { readable: true, writable: true }),
    pair: Type.Tuple([Type.String(), Type.Integer()], { readable: true, writable: true }),
    counts: Type.Record(Type.String(), Type.Integer(), { readable: true, writable: true }),
    some: Type.Unknown({ readable: true, writable: true }),
    ...fields
  })
  const names = ['Api', 'array', 'string', 'interface', '1st', 'Record', '名前', 'a-b', 'default', 'item']
  const collections = Object.fromEntries(names.map(name => [name, collection(item, { source: memory([]) })]))
  const types = await typesOf({ naming: 'none', collections })
  const { errors } = compile({
    'api.ts': types,
    'program.ts': `
      import { createClient } from '../../lib/clients/client/index.ts'
      import type { Api } from './api.ts'
      const client = createClient<Api>('http://host')
      for (const name of ${JSON.stringify(names)} as const) {
        const item = await client.resource(name).get(1)
        const choice: ${JSON.stringify(hostile)} | -1 | null = item.choice
        const pair: [string, number] = item.pair
        const count: number | undefined = item.counts['x']
        const texts: string[] = [item.class, item['1a'], item['名前'], item['a-b'], item.then]
        // @ts-expect-error it is a text
        item.constructor.name
      }
    `
  })
  t.strictSame(errors, [])
})

test('a batch knows the types of bodies and results', async t => {
  t.strictSame(await check(`
    const client = createClient<Api>('http://host')
    const [ada, book] = await client.batch(b => {
      const ada = b.authors.create({ name: 'Ada', rating: 1 }, { returning: ['name'] })
      b.books.create({ title: 'x', pages: 1, author: ada })
      b.books.create({ title: 'x', pages: 1, author_id: ada })
      b.authors.item(ada).books.create({ title: 'x', pages: 1 })
      b.authors.update(ada, { books: [{ title: 'y', pages: 2 }] })
      b.authors.item(1).books.replace([b.books.create({ title: 'z', pages: 1, author: ada })])
      // @ts-expect-error unknown field
      b.authors.create({ name: 'Ada', rating: 1, nam: 'x' })
      // @ts-expect-error a text is no boolean
      b.authors.update(ada, { active: 'x' })
      // @ts-expect-error a batch does not read
      b.authors.get(1)
      return [ada, b.books.update('x', { pages: 2 })]
    })
    equal<typeof ada, { name: string }>(true)
    equal<typeof book, Acknowledgement>(true)
    const all: unknown[] = await client.batch(b => { b.authors.delete(1) })
    all.at(0)
  `), [])
})

test('types of a hundred collections stay cheap', async t => {
  const at = (index: number) => `table${index % 100}`
  const collections = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [at(index), collection(Type.Object({
    id: Type.Integer({ identifier: true, readable: true }),
    ...Object.fromEntries(Array.from({ length: 20 }, (_, field) =>
      [`field${field}`, Type.String({ readable: true, writable: true })])),
    parentId: Type.Integer(),
    parent: SubItem(at(index + 1), { foreignKey: 'parentId', readable: true, writable: true }),
    children: SubCollection(at(index + 99), { foreignKey: 'parentId', readable: true, hidden: true })
  }), { source: memory([]) })]))
  const queries = Array.from({ length: 50 }, (_, index) => `
    const { items: [item${index}] } = await client.${at(index)}.list({
      where: { field1: 'a', parent: { field2: { startsWith: 'b' } }, children: { id: [1, 2] } },
      fields: ['id', { parent: ['field3', { children: { fields: ['field4'], sort: '-field5', limit: 2 } }] }]
    })
    const text${index}: string | undefined = item${index}?.parent?.children[0]?.field4`)
  const { errors, instantiations } = compile({
    'api.ts': await typesOf({ collections }),
    'program.ts': `
      import { createClient } from '../../lib/clients/client/index.ts'
      import type { Api } from './api.ts'
      const client = createClient<Api>('http://host')
      ${queries.join('')}`
  })
  t.strictSame(errors, [])
  // The compiler counts the same on every machine.
  t.ok(instantiations < 60_000, `${instantiations} instantiations`)
})
