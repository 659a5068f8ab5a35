import {
  and, BasicIndex, createCollection, createLiveQueryCollection, eq, gt, gte, ilike, inArray, isNull, like, lt, lte, not,
  or, upper
} from '@tanstack/db'
import { expectTypeOf } from 'expect-type'
import { deepStrictEqual } from 'node:assert'
import { test } from 'tap'
import { type DataApiCollectionConfig, dataApiCollectionOptions } from '../../lib/clients/tanstack-db/index.ts'
import fc, { runsOf } from '../helpers/fast-check.ts'
import { maybe, odd, paths, serveThings, things } from '../helpers/tanstack-db.ts'

// docs/clients.md: Reading in TanStack DB

const fields = ['id', 'text', 'title', 'size', 'weight', 'done', { group: ['id', 'name', 'rank'] }] as const

/** A condition of a query, of a row or of the reference to one. */
type Build = (row: unknown) => never
const at = (row: unknown, path: readonly string[]): never =>
  path.reduce<unknown>((one, name) => (one as Readonly<Record<string, unknown>>)[name], row) as never

const nullable = ['title', 'weight', 'done']
const pattern = fc.array(fc.constantFrom('%', '_', 'a', 'B', 'é', 'null'), { maxLength: 3 })
  .map(parts => parts.join(''))

const comparison: fc.Arbitrary<Build> = fc.constantFrom(...paths).chain(([path, value]) => {
  const [name = '', member] = path
  const compare = name === 'done' ? fc.constant(eq) : fc.constantFrom(eq, gt, gte, lt, lte)
  const builds: Array<fc.Arbitrary<(ref: never) => unknown>> = [
    fc.tuple(compare, value).map(([compare, one]) => ref => compare(ref, one as never)),
    fc.tuple(compare, value).map(([compare, one]) => ref => compare(one as never, ref)),
    fc.array(maybe(value), { maxLength: 3 }).map(list => ref => inArray(ref, list)),
    fc.constant(ref => eq(ref, null as never))
  ]
  if (member !== undefined || nullable.includes(name)) builds.push(fc.constant(ref => isNull(ref)))
  if (value === odd) {
    builds.push(fc.tuple(fc.constantFrom(like, ilike), pattern).map(([test, text]) => ref => test(ref, text)))
  }
  return fc.oneof(...builds).map(build => (row => build(at(row, path))) as Build)
})

const { expression } = fc.letrec<{ expression: Build }>(tie => ({
  expression: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    comparison,
    tie('expression').map(one => (row => not(one(row))) as Build),
    fc.tuple(fc.constantFrom(and, or), tie('expression'), tie('expression'))
      .map(([join, left, right]) => (row => join(left(row), right(row))) as Build)
  )
}))

const order = fc.record({
  by: fc.constantFrom(...paths.map(([path]) => path)),
  then: fc.constantFrom(...paths.map(([path]) => path)),
  direction: fc.constantFrom('asc', 'desc'),
  nulls: fc.constantFrom('first', 'last'),
  limit: fc.option(fc.integer({ min: 1, max: 12 })),
  offset: fc.integer({ min: 0, max: 4 })
})

test('a query has the same result on demand as over all rows', async t => {
  t.capture(console, 'warn')
  await fc.assert(fc.asyncProperty(
    things, fc.option(expression), fc.option(order), fc.boolean(), async (things, where, order, isIndexed) => {
      const { app, client } = await serveThings(things)
      const index = isIndexed ? { autoIndex: 'eager', defaultIndexType: BasicIndex } as const : {}
      const resultOf = async (syncMode: 'on-demand' | 'eager') => {
        const options = dataApiCollectionOptions(client.things, { fields, live: false, syncMode })
        const source = createCollection({ ...options, ...index })
        const results = createLiveQueryCollection(query => {
          const all = query.from({ thing: source })
          const some = where ? all.where(({ thing }) => where(thing)) : all
          if (!order) return some
          const { by, then, limit, offset, ...placed } = order
          const sorted = some.orderBy(({ thing }) => at(thing, by), placed as never)
            .orderBy(({ thing }) => at(thing, then), 'desc').orderBy(({ thing }) => thing.id)
          return limit === null ? sorted : sorted.limit(limit).offset(offset)
        })
        const ids = (await results.toArrayWhenReady()).map(({ id }) => id)
        await results.cleanup()
        return order ? ids : ids.sort((one, other) => one - other)
      }
      deepStrictEqual(await resultOf('on-demand'), await resultOf('eager'))
      await app.close()
    }
  ), { numRuns: runsOf(60) })
})

const rows = [1, 2, 3].map(id => ({
  id, text: `t${id}`, title: id === 2 ? null : 'x', size: id, weight: null, done: id > 1, groupId: id === 3 ? null : id
}))

test('a query requests the rows that it asks for', async t => {
  t.capture(console, 'warn')
  const { client, sent } = await serveThings(rows)
  const options = dataApiCollectionOptions(client.things, { fields, live: false })
  const requestsOf = async (build: (query: Query) => unknown) => {
    const results = createLiveQueryCollection(query => {
      const all = query.from({ thing: createCollection(options) })
      return build(all as never) as typeof all
    })
    sent.length = 0
    await results.preload()
    await results.cleanup()
    return sent.map(one => one.replace('GET /things?.fields=id,text,title,size,weight,done,group(id,name,rank)&', ''))
  }
  const where = (build: (thing: Ref) => unknown) => requestsOf(query => query.where(({ thing }) => build(thing)))
  const all = ['.size=1000']
  t.strictSame(await where(thing => and(gt(thing.size, 1), not(eq(thing.done, true)), not(lt(2, thing.size)))), [
    '.where=size>1&.where=done=false&.where=size<=2&.size=1000'
  ])
  t.strictSame(await where(thing => or(like(thing.text, 'a%'), ilike(thing.text, '%"'))), [
    '.where=(text^="a"|text$~="\\"")&.size=1000'
  ])
  t.strictSame(await where(thing => eq(thing.group.name, 'a')), ['.where=group(name="a")&.size=1000'])
  t.strictSame(
    await where(thing => and(like(thing.text, 'a_%'), isNull(thing.title))), ['.where=title=null&.size=1000']
  )
  t.strictSame(await where(thing => or(like(thing.text, 'a_%'), isNull(thing.title))), all)
  t.strictSame(await where(thing => eq(upper(thing.text), 'A')), all)
  t.strictSame(await where(thing => inArray(thing.size, Array(1001).fill(1))), all)
  t.strictSame(await where(thing => eq(thing.size, null)), ['.where=!()&.size=1000'])
  const first = (direction: 'asc' | 'desc', nulls: 'first' | 'last', isSure = true) => requestsOf(query => {
    const some = isSure ? query : query.where(({ thing }) => not(eq(thing.size, 5)))
    return some.orderBy(({ thing }) => thing.title, { direction, nulls }).limit(2)
  })
  t.strictSame(await first('asc', 'last'), ['.sort=title&.size=2', '.where=title="x"&.size=1000'])
  t.strictSame(await first('asc', 'first'), [
    '.sort=title&.size=2', '.sort=-title&.size=1', '.sort=-title&.size=2', '.where=title="x"&.size=1000'
  ])
  t.strictSame(await first('desc', 'first'), ['.sort=-title&.size=2', '.where=title="x"&.size=1000'])
  t.strictSame(await first('desc', 'last'), [
    '.sort=-title&.size=2', '.where=title!=null&.sort=-title&.size=2', '.where=title="x"&.size=1000'
  ])
  t.match(await first('desc', 'last', false), ['.where=size!=5&.size=1000'], 'null is not different in TanStack DB')
})

type Ref = Readonly<Record<'text' | 'title' | 'size' | 'done', never>> & { readonly group: { readonly name: never } }
interface Query {
  where (build: (from: { thing: Ref }) => unknown): Query
  orderBy (build: (from: { thing: Ref }) => unknown, options: object): Query
  limit (count: number): Query
}

test('queries of the same rows share one request, which the last of them gives up', async t => {
  const { client, sent } = await serveThings(rows)
  const source = createCollection(dataApiCollectionOptions(client.things, { live: false }))
  const open = () => createLiveQueryCollection(
    query => query.from({ thing: source }).where(({ thing }) => gt(thing.size, 1))
  )
  const [one, other] = [open(), open()]
  await Promise.all([one.preload(), other.preload()])
  t.strictSame(sent, ['GET /things?.where=size>1&.size=1000'])
  t.equal(source.size, 2)
  await one.cleanup()
  t.equal(source.size, 2)
  await other.cleanup()
  t.equal(source.size, 0, 'what no query asks for is not kept')
  await open().preload()
  t.equal(sent.length, 2)
})

test('a subset that the API refuses is an error of its query', async t => {
  const { client } = await serveThings(rows)
  const source = createCollection(dataApiCollectionOptions(client.things, { live: false }))
  const refused = createLiveQueryCollection(
    query => query.from({ thing: source }).where(({ thing }) => gt(thing.size, 1.5))
  )
  await t.rejects(refused.preload(), { name: 'ApiError', code: 'invalid_filter' })
  const eager = createCollection(
    dataApiCollectionOptions(client.resource('nothing' as 'things'), { live: false, syncMode: 'eager' })
  )
  await t.rejects(eager.preload(), { name: 'ApiError', status: 404 })
})

test('a row has the key of its path, and the members of sub-items where it is flat', async t => {
  const { client, sent } = await serveThings(rows)
  const flat = createCollection(dataApiCollectionOptions(client.things, {
    fields: ['text', { group: ['id', 'name'] }],
    flatten: true,
    live: false,
    key: ['id', 'text'],
    syncMode: 'eager',
    base: { where: { size: { gte: 2 } } }
  }))
  await flat.preload()
  t.strictSame([...flat.entries()].map(([key, { text, group_id: id, group_name: name }]) => [key, text, id, name]), [
    ['2,t2', 't2', 2, 'null'], ['3,t3', 't3', null, null]
  ])
  const query = createLiveQueryCollection(query => query.from({
    flat: createCollection(dataApiCollectionOptions(client.things, {
      fields: ['id', { group: ['id'] }], flatten: true, live: false, base: { where: { size: { gte: 1 } } }
    }))
  }).where(({ flat }) => eq(flat.group_id, 2)))
  t.strictSame((await query.toArrayWhenReady()).map(({ id }) => id), [2])
  t.equal(sent.at(-1), 'GET /things?.fields=id,group(id)&.where=size>=1&.where=group(id=2)&.size=1000')
})

test('rows have the types of the Api, of the selection, and of its members where they are flat', async t => {
  const { client } = await serveThings([])
  const rowOf = <R extends object>(options: DataApiCollectionConfig<R>) =>
    createCollection<R, string | number>(options).toArray[0] as R | undefined
  expectTypeOf(rowOf(dataApiCollectionOptions(client.folders)))
    .toEqualTypeOf<{ id: number, name: string, rank: number | null } | undefined>()
  expectTypeOf(rowOf(dataApiCollectionOptions(client.things, { fields: ['id', 'title', { group: ['rank'] }] })))
    .toEqualTypeOf<{ id: number, title: string | null, group: { rank: number | null } | null } | undefined>()
  const flat = rowOf(dataApiCollectionOptions(client.things, { fields: ['id', { group: ['rank'] }], flatten: true }))
  expectTypeOf(flat).toEqualTypeOf<{ id: number, group_rank: number | null } | undefined>()
  // @ts-expect-error there is no such field
  t.ok(dataApiCollectionOptions(client.things, { fields: ['nothing'] }))
})
