import { Type } from '@sinclair/typebox'
import { expectTypeOf } from 'expect-type'
import { test } from 'tap'
import {
  type AnyContext, type Behaviour, type Caller, collection, type Context, type Draft, exactly, input, type Item, lookup,
  type WriteContext
} from '../lib/core/declare/collection.ts'
import { computed, expression } from '../lib/core/declare/computed.ts'
import { SubCollection, SubItem } from '../lib/core/declare/relations.ts'
import { type DataApi, type DataApiOptions, memory } from '../lib/index.ts'

// An application declares its facts about callers once: here examples/desk does.

// What is shown here is shown by tsc; that the file runs shows that the declarations also exist.

const Artist = Type.Object({
  id: Type.Integer({ identifier: true, readable: true }),
  name: Type.String({ identifier: true, readable: true, writable: true }),
  startDate: Type.Union([Type.String({ format: 'date' }), Type.Null()], { readable: true }),
  oldName: Type.Optional(Type.String()),
  managerId: Type.Integer(),
  manager: SubItem('managers', { foreignKey: 'managerId', readable: true }),
  albums: SubCollection('albums', { foreignKey: 'artistId', readable: true })
})

type Artist = Item<typeof Artist>
const source = memory([])

test('an item has the declared properties, relations aside', async () => {
  expectTypeOf<Artist>()
    .toEqualTypeOf<{ id: number, name: string, startDate: string | null, oldName?: string, managerId: number }>()
})

test('a getter sees the properties that it names, and no others', async () => {
  collection(Artist, {
    source,
    computed: {
      getYear: computed({
        type: Type.Union([Type.Integer(), Type.Null()]),
        from: ['startDate', 'name'],
        get: item => {
          expectTypeOf(item).toEqualTypeOf<Readonly<{ startDate: string | null, name: string }>>()
          // @ts-expect-error `id` is not among `from`
          return item.id
        }
      }),
      getLength: computed({
        type: Type.Integer(),
        from: ['name'],
        // @ts-expect-error the getter must give what its type says
        get: ({ name }) => name
      }),
      getNothing: computed({
        type: Type.Integer(),
        // @ts-expect-error `size` is no property
        from: ['size'],
        get: () => 1
      })
    }
  })
})

test('an input takes the item and a value of its type', async () => {
  collection(Artist, {
    source,
    inputs: {
      years: input({
        type: Type.Optional(Type.Union([Type.Integer(), Type.Null()])),
        async set (artist, years, context) {
          expectTypeOf(artist).toEqualTypeOf<Draft<Artist>>()
          expectTypeOf(years).toEqualTypeOf<number | null>()
          expectTypeOf(context).toEqualTypeOf<WriteContext>()
          artist.oldName = String(years)
          // @ts-expect-error `years` is no property of an artist
          artist.years = years
        }
      }),
      // @ts-expect-error the function must take what the type says
      name: input({ type: Type.Integer(), set (_artist, _name: string) {} })
    }
  })
})

test('a setter takes the item and a value of its property', async () => {
  collection(Artist, {
    source,
    setters: {
      name (artist, name, context) {
        expectTypeOf(artist).toEqualTypeOf<Draft<Artist>>()
        artist.oldName = undefined
        artist.oldName = null
        // @ts-expect-error `name` is neither optional nor null
        artist.name = null
        expectTypeOf(name).toEqualTypeOf<string>()
        expectTypeOf(context).toEqualTypeOf<WriteContext>()
        artist.oldName = artist.name
      },
      startDate (_artist, value) { expectTypeOf(value).toEqualTypeOf<string | null>() }
    }
  })
  const wrong: Behaviour<typeof Artist>['setters'] = {
    // @ts-expect-error `albums` is a relation
    albums () {}
  }
  expectTypeOf(wrong).not.toBeAny()
})

test('a lookup gets a value of its type and gives a match by declared properties', async () => {
  collection(Artist, {
    source,
    identifiers: {
      slug: lookup({
        type: Type.String(),
        find: (slug, context) => {
          expectTypeOf(slug).toEqualTypeOf<string>()
          expectTypeOf(context).toEqualTypeOf<Context>()
          return { name: slug.replaceAll('_', ' ') }
        }
      }),
      number: lookup({ type: Type.Integer(), find: async number => number > 0 ? { id: number } : undefined }),
      // @ts-expect-error `slug` is no property of an artist
      wrong: lookup({ type: Type.String(), find: slug => ({ slug }) }),
      me: exactly('me', ({ request }) => request.headers.host === '' ? { id: 1 } : undefined),
      // @ts-expect-error `id` is a number
      bad: exactly('bad', () => ({ id: '1' }))
    }
  })
})

test('an expression for memory sees the whole item', async () => {
  collection(Artist, {
    source,
    computed: {
      nameLength: expression({
        type: Type.Integer({ readable: true }),
        memory: artist => {
          expectTypeOf(artist).toEqualTypeOf<Readonly<Artist>>()
          return artist.name.length
        }
      })
    }
  })
})

test('a flag is checked', async () => {
  Type.String({ readable: true, filterable: false })
  // @ts-expect-error a flag is a boolean
  Type.String({ readable: 'yes' })
  // @ts-expect-error an identifier is a value, which a relation is not
  SubItem('artists', { foreignKey: 'artistId', identifier: true })
  // @ts-expect-error a join has two keys
  SubCollection('artists', { foreignKey: 'albumId', through: 'album_artists' })
})

test('a key is a list of properties of the schema, and a foreign key is one name or a list', async () => {
  const Line = Type.Object({
    orderId: Type.Integer(),
    productId: Type.String(),
    parcels: SubCollection('parcels', { foreignKey: ['orderId', 'productId'] }),
    labels: SubCollection('labels', { through: 'joins', foreignKey: ['orderId', 'productId'], otherKey: 'label' }),
    order: SubItem('orders', { foreignKey: 'orderId' })
  })
  collection(Line, {
    source,
    key: ['orderId', 'productId'],
    identifiers: { last: exactly('last', () => ({ orderId: 1, productId: 'a' })) },
    scope: (_context, where) => where.equals('productId', 'a'),
    hooks: { creating: line => { expectTypeOf(line.productId).toEqualTypeOf<string | undefined>() } }
  })
  // @ts-expect-error there is no property 'tow'
  collection(Line, { source, key: ['orderId', 'tow'] })
  // @ts-expect-error a relation is no part of a key
  collection(Line, { source, key: ['orderId', 'order'] })
})

test('a scope and its conditions are typed by the schema, rules by its fields', async () => {
  collection(Artist, {
    source,
    scope: (context, where) => {
      expectTypeOf(context).toEqualTypeOf<Context>()
      // @ts-expect-error `name` is text
      where.equals('name', 1)
      // @ts-expect-error nothing is less than null
      where.less('name', null)
      // @ts-expect-error `nam` is no property
      where.oneOf('nam', [])
      return where.all(where.equals('name', 'a'), where.not(where.greater('id', 3)))
    },
    rules: { read: async () => true, fields: { name: { read: ({ request }) => request.headers.host === '' } } }
  })
  // A property that is optional or that may be null.
  collection(Artist, { source, scope: () => ({ oldName: null, startDate: null }) })
  // @ts-expect-error `name` is neither
  collection(Artist, { source, scope: () => ({ name: null }) })
  // @ts-expect-error `id` is a number
  collection(Artist, { source, scope: () => ({ id: 'x' }) })
  // @ts-expect-error a scope that gives nothing is a mistake
  collection(Artist, { source, scope: () => undefined })
  // @ts-expect-error there is no such rule; use 'read', 'create', 'update', 'delete' or 'fields'
  collection(Artist, { source, rules: { reed: () => true } })
})

test('null is a value of optional and of nullable properties wherever a match or a draft is taken', async () => {
  const Note = Type.Object({
    id: Type.Integer({ identifier: true, readable: true }),
    text: Type.String(),
    deletedAt: Type.Optional(Type.String()),
    readAt: Type.Union([Type.String(), Type.Null()]),
    sentAt: Type.Optional(Type.Union([Type.String(), Type.Null()]))
  })
  const none = { deletedAt: null, readAt: null, sentAt: null }
  const notes = collection(Note, {
    source,
    scope: {
      read: ({ caller }) => caller !== undefined && none,
      update: async () => none,
      delete: (_context, where) =>
        where.all(where.equals('deletedAt', null), where.equals('readAt', null), where.oneOf('sentAt', [null]))
    },
    delete: note => { note.deletedAt = null; note.readAt = null; note.sentAt = null },
    setters: { text (note) { note.deletedAt = null; note.readAt = null; note.sentAt = null } },
    hooks: { updating (note) { note.deletedAt = null; note.readAt = null; note.sentAt = null } },
    identifiers: {
      fresh: exactly('fresh', () => none), slug: lookup({ type: Type.String(), find: () => ({ ...none, text: 'a' }) })
    }
  })
  collection(Note, {
    source,
    // @ts-expect-error `text` is neither optional nor nullable
    delete: note => { note.text = null }
  })
  const read = (api: DataApi) => api.asSystem().collection(notes).list({ where: none })
  expectTypeOf(read).toBeFunction()
})

test('the context has the facts about the caller that the application declares', async () => {
  collection(Artist, {
    source,
    scope: ({ caller }) => caller !== undefined && { managerId: caller.tenant },
    rules: {
      update ({ caller }) {
        expectTypeOf(caller).toEqualTypeOf<Caller | undefined>()
        // @ts-expect-error the caller may be unknown
        return caller.role === 'lead'
      }
    },
    hooks: {
      creating (artist, { caller }) {
        if (caller !== undefined) artist.managerId = caller.tenant
        // @ts-expect-error there is no such fact
        artist.oldName = caller?.nick
      }
    }
  })
  expectTypeOf<AnyContext['caller']>().toEqualTypeOf<Caller | undefined>()
  expectTypeOf<Extract<WriteContext, { system: true }>['caller']>().toEqualTypeOf<undefined>()
  const facts: DataApiOptions['caller'] = ({ id }) => id === '' ? null : { id: 1, name: 'Ada', tenant: 1, role: 'lead' }
  // @ts-expect-error all facts must be there
  const wrong: DataApiOptions['caller'] = () => ({ tenant: 1 })
  // @ts-expect-error the facts must be known already
  const late: DataApiOptions['caller'] = async () => ({ id: 1, name: 'Ada', tenant: 1, role: 'lead' })
  expectTypeOf([facts, wrong, late]).toBeArray()
})
