import { Type } from '@sinclair/typebox'
import { expectTypeOf } from 'expect-type'
import { test } from 'tap'
import type { NumberNames } from '../../lib/clients/client/index.ts'
import {
  collection, type CollectionData, computed, type Data, expression, input, memory, type ShapeIn, SubCollection,
  SubItem
} from '../../lib/index.ts'

// What is shown here is shown by tsc (docs/own-code.md: Types).

const Artist = Type.Object({
  id: Type.Integer({ identifier: true, readable: true }),
  name: Type.String({ identifier: true, readable: true }),
  startDate: Type.Union([Type.String({ format: 'date' }), Type.Null()]),
  oldName: Type.Optional(Type.String()),
  managerId: Type.Integer(),
  manager: SubItem('managers', { foreignKey: 'managerId', readable: true }),
  albums: SubCollection('albums', { foreignKey: 'artistId', readable: true })
})

const artists = collection(Artist, {
  source: memory([]),
  computed: {
    getYear: computed({ type: Type.Integer(), from: ['startDate'], get: item => Number(item.startDate) }),
    albumCount: expression({ type: Type.Integer(), memory: ({ id }) => id > 0 ? id : null }),
    songCount: expression({ type: Type.Integer(), nullable: false, memory: ({ id }) => id }),
    // @ts-expect-error an expression that says it is never null returns none
    labelCount: expression({ type: Type.Integer(), nullable: false, memory: ({ id }) => id > 0 ? id : null })
  },
  inputs: { motto: input({ type: Type.Optional(Type.String()), set (artist, motto) { artist.oldName = motto } }) },
  setters: {
    name (artist, name, { data }) {
      expectTypeOf(artist.oldName).toEqualTypeOf<string | null | undefined>()
      expectTypeOf(name).toEqualTypeOf<string>()
      expectTypeOf(data.collection('others').count).toBeFunction()
    }
  }
})

interface Stored { id: number, name: string, startDate: string | null, oldName?: string, managerId: number }
type Artists = ShapeIn<typeof artists>

/** Checks types alone: the functions are never called. */
const neverCalled = (_check: (data: Data) => Promise<void>) => {}

test('a declaration carries the types of its items', async () => {
  expectTypeOf<Artists['stored']>().toEqualTypeOf<Stored>()
  expectTypeOf<Artists['computed']>().toEqualTypeOf<{
    readonly getYear: number
    readonly albumCount: number | null
    readonly songCount: number
    readonly labelCount: number
  }>()
  expectTypeOf<Artists['relations']>().toEqualTypeOf<{ readonly manager: 'one', readonly albums: 'many' }>()
})

test('values to write have the types of fields and inputs', async () => {
  expectTypeOf<Artists['inputs']>().toEqualTypeOf<{ readonly motto: string }>()
  neverCalled(async data => {
    const all = data.collection(artists).asSystem()
    const created = await all.create({ name: 'Can', motto: 'Tago Mago' })
    // @ts-expect-error no item has an input
    expectTypeOf(created.motto).toBeString()
    // @ts-expect-error the input takes strings
    await all.update(1, { motto: 1 })
    // @ts-expect-error an input cannot be selected
    await all.list({ fields: ['motto'] })
    // @ts-expect-error nor filtered by
    await all.list({ where: { motto: 'x' } })
  })
})

test('the result of a query follows its fields', async () => {
  neverCalled(async data => {
    const all = data.collection(artists).asSystem()
    const { items, next } = await all.list({ fields: ['name', 'getYear', { albums: ['title'] }, 'manager'] })
    expectTypeOf(items[0]?.name).toEqualTypeOf<string | undefined>()
    expectTypeOf(items[0]?.getYear).toEqualTypeOf<number | undefined>()
    expectTypeOf(items[0]?.albums).toEqualTypeOf<Array<{ title: unknown }> | undefined>()
    expectTypeOf(items[0]?.manager).toEqualTypeOf<Record<string, unknown> | null | undefined>()
    // @ts-expect-error `id` is not selected
    expectTypeOf(items[0]?.id).toBeNumber()
    if (next !== undefined) await all.list({ fields: ['name'], ...next })
    expectTypeOf(await all.get(1)).toEqualTypeOf<Readonly<Artists['stored'] & Artists['computed']>>()
    expectTypeOf(await all.find(1, { fields: ['id'] })).toMatchTypeOf<{ readonly id: number } | undefined>()
  })
})

test('without a selection, a caller may not see every field', async () => {
  neverCalled(async data => {
    const some: CollectionData<Artists, Readonly<Partial<Artists['stored'] & Artists['computed']>>> =
      data.collection(artists).as({} as never)
    expectTypeOf((await some.get(1)).name).toEqualTypeOf<string | undefined>()
    expectTypeOf((await some.get(1, { fields: ['name'] })).name).toEqualTypeOf<string>()
  })
})

// test/client/one-language.test.ts compiles conditions, orders and selections, and their mistakes, of both.
test('values are those of the fields', async () => {
  neverCalled(async data => {
    const all = data.collection(artists).asSystem()
    await all.list({ where: { manager: null, albumCount: [1, null], startDate: { gt: new Date() }, oldName: null } })
    await all.create([{ name: 'Can', manager: { name: 'Abi' } }, { startDate: new Date(), albums: [{}] }])
    await all.update({ name: 'Can' }, { oldName: undefined })
    await all.update({ name: 'Can' }, { oldName: null, startDate: null })
    expectTypeOf(await all.add(1, 'managerId', 1)).toEqualTypeOf<number>()
    // So does the client.
    expectTypeOf<NumberNames<Artists['stored']>>().toEqualTypeOf<'id' | 'managerId'>()
    expectTypeOf<NumberNames<{ rating: number | null, name: string }>>().toEqualTypeOf<'rating'>()
    // @ts-expect-error `name` is never null
    await all.update(1, { name: null })
    // @ts-expect-error there is no field `nam`
    await all.create({ nam: 'Can' })
    // @ts-expect-error for whom? as(request) or asSystem()
    await data.collection(artists).list()
  })
})
