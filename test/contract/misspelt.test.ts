import { Type } from '@sinclair/typebox'
import { fastify } from '../helpers/fastify.ts'
import { test } from 'tap'
import { Type as NewType } from 'typebox'
import dataApi, {
  collection, computed, DeclarationError, expression, input, lookup, memory, postgres, sqlite, SubCollection, SubItem
} from '../../lib/index.ts'

// docs/declaring.md: Declaring. Nothing misspelt is open: mistakes are errors at registration that name collection and
// field.

const id = Type.Integer({ identifier: true, readable: true })
const Thing = Type.Object({ id, name: Type.String({ readable: true, writable: true }) })
const source = memory([])

// These are JavaScript's mistakes: TypeScript does not compile them.
const declare = collection as unknown as (schema: unknown, behaviour?: unknown) => unknown

async function messageOf (things: unknown, more: Record<string, unknown> = {}): Promise<string> {
  const app = fastify()
  try {
    await app.register(dataApi, { collections: { things, ...more } as Parameters<typeof dataApi>[1]['collections'] })
    await app.ready()
    return ''
  } catch (error) {
    if (!(error instanceof DeclarationError)) throw error
    return error.message
  }
}

const refused = (cases: Record<string, readonly [declared: unknown, message: RegExp]>) => {
  for (const [what, [declared, message]] of Object.entries(cases)) {
    test(`${what} is an error at registration`, async t => { t.match(await messageOf(declared), message) })
  }
}

const behaving = (behaviour: object) => declare(Thing, { source, ...behaviour })
const field = (schema: unknown) =>
  declare(Type.Object({ id, extra: schema as typeof id }), { source, requestStrategies: { create: false } })

const filled = (more: Record<string, unknown>, behaviour: object = {}) => declare(Type.Object({
  id, name: Type.String({ readable: true, writable: true }), ...more as { rank: typeof id }
}), { source, ...behaviour })
const rank = { rank: Type.Integer({ readable: true }) }
const code = { code: Type.String({ identifier: true, readable: true }) }

refused({
  'a required field that nothing fills': [filled(rank), new RegExp(
    "^collection 'things', field 'rank': is required, no client may write it, and nothing fills it, so no item can " +
    "be created; flag it 'writable', give it a default, fill it in the hook 'creating', or set " +
    'requestStrategies: { create: false }$'
  )],
  'a key of text that nothing fills': [
    declare(Type.Object({ ...code, name: Type.String({ writable: true }) }), { source }),
    /field 'code': is required, .*nothing fills it/
  ],
  'a strategy that is no object': [
    behaving({ requestStrategies: true }),
    /^collection 'things', requestStrategies: must be an object; found true$/
  ],
  'a misspelt strategy': [
    behaving({ requestStrategies: { deletes: true } }),
    /^collection 'things', requestStrategies\.deletes: there is no such option; did you mean 'delete'\?$/
  ],
  'a misspelt scope': [
    behaving({ scpoe: () => false }),
    /^collection 'things': 'scpoe' is not a member of a behaviour\. Did you mean 'scope'\?/
  ],
  'a scope in the plural': [behaving({ scopes: () => false }), /Did you mean 'scope'/],
  'a rule in the singular': [behaving({ rule: {} }), /Did you mean 'rules'/],
  'a member of another name': [
    behaving({ permissions: {} }), /'permissions' is not a member of a behaviour\. Use one of source, /
  ],
  'a misspelt hook': [
    behaving({ hooks: { createing () {} } }),
    /^collection 'things', hooks: 'createing' is not a hook\. Did you mean 'creating'/
  ],
  'a hook that is no function': [
    behaving({ hooks: { saved: true } }), /^collection 'things', hooks\.saved: expected a function; found true/
  ],
  'an input that input() has not made': [
    behaving({ inputs: { password: { type: Type.String() } } }),
    /^collection 'things', inputs\.password: expected what input\(\) returns; found an object/
  ],
  'a misspelt member of an input': [
    behaving({ inputs: { password: input({ type: Type.String(), sett () {} } as never) } }),
    /inputs\.password: 'sett' is not a member of input\(\)\. Did you mean 'set'/
  ],
  'an input without a function': [
    behaving({ inputs: { password: input({ type: Type.String() } as never) } }),
    /^collection 'things', field 'password': expected a function as 'set'; found undefined/
  ],
  'an input that is shown': [
    behaving({ inputs: { password: input({ type: Type.String({ readable: true }), set () {} }) } }),
    /field 'password': is an input, which no item has; remove the flag 'readable'/
  ],
  'an input that is not writable': [
    behaving({ inputs: { password: input({ type: Type.String({ writable: false }), set () {} }) } }),
    /field 'password': is an input, and so is always writable; remove the flag 'writable'/
  ],
  'an input with a default': [
    behaving({ inputs: { password: input({ type: Type.String({ default: 'x' }), set () {} }) } }),
    /field 'password': is an input, which has no default; make its type optional/
  ],
  'an input of the name of a field': [
    behaving({ inputs: { name: input({ type: Type.String(), set () {} }) } }),
    /field 'name': is declared both in the schema and under 'inputs'/
  ],
  'a rule that reads an input': [
    behaving({
      inputs: { password: input({ type: Type.String(), set () {} }) },
      rules: { fields: { password: { read: () => true } } }
    }),
    /rules\.fields\.password\.read: nobody reads an input; its only rule is 'write'/
  ],
  'a setter that is no function': [
    behaving({ setters: { name: {} } }), /^collection 'things', setters\.name: expected a function/
  ],
  'a size of pages that is none': [
    behaving({ pages: { max: 3 } }),
    /^collection 'things', pages: 'max' is not a size of pages\. Use one of defaultSize, maxSize/
  ],
  'a computed field without computed()': [
    behaving({ computed: { age: { get: () => 1 } } }),
    /^collection 'things', computed\.age: expected what computed\(\) or expression\(\) returns/
  ],
  'an identifier without lookup()': [
    behaving({ identifiers: { slug: () => 1 } }),
    /^collection 'things', identifiers\.slug: expected what lookup\(\) or exactly\(\) returns; found a function/
  ],
  'no source': [declare(Thing, {}), /^collection 'things', source: it is missing; write memory\(rows\)/],
  'no behaviour': [declare(Thing), /^collection 'things', source: it is missing/],
  'an array as source': [
    declare(Thing, { source: [{ id: 1 }] }), /^collection 'things', source: it holds rows; write memory\(rows\)/
  ],
  'text as source': [
    declare(Thing, { source: 'things' }),
    /^collection 'things', source: expected memory\(rows\) or db\.table\('name'\); found the string 'things'/
  ],
  'an undefined collection': [
    undefined, /^collection 'things': expected the result of collection\(schema, behaviour\); found undefined/
  ],
  'null as collection': [null, /found null/],
  'a schema as collection': [Thing, /^collection 'things': expected the result of collection\(.*found a schema/],
  'a schema that is an intersection': [
    declare(Type.Intersect([Thing, Type.Object({ more: id })]), { source }),
    /^collection 'things': its schema must be a Type\.Object.*use Type\.Composite/
  ],
  'a schema that is an array': [
    declare(Type.Array(Thing), { source }), /^collection 'things': its schema must be a Type\.Object/
  ],
  'a schema that is undefined': [
    declare(undefined, { source }), /^collection 'things': its schema must be a Type\.Object/
  ],
  'a misspelt flag': [
    field(Type.String({ readble: true })),
    /^collection 'things', field 'extra': 'readble' is not a flag\. Did you mean 'readable'/
  ],
  'a misspelt filterable': [field(Type.String({ readable: true, filterble: false })), /Did you mean 'filterable'/],
  'a misspelt hidden': [field(Type.String({ readable: true, hiden: true })), /Did you mean 'hidden'/],
  'a flag in the wrong case': [field(Type.String({ Readable: true })), /Did you mean 'readable'/],
  'a flag that is text': [
    field(Type.String({ readable: 'no' as unknown as boolean })),
    /^collection 'things', field 'extra': the flag 'readable' must be true or false; found the string 'no'/
  ],
  'a flag that is a number': [field(Type.String({ writable: 1 as unknown as boolean })), /found the number 1/],
  'filterable without readable': [
    field(Type.String({ filterable: true })), /is flagged 'filterable' but not 'readable'/
  ],
  'sortable without readable': [field(Type.String({ sortable: true })), /is flagged 'sortable' but not 'readable'/],
  'hidden without readable': [field(Type.String({ hidden: true })), /is flagged 'hidden' but not 'readable'/],
  'hidden and listed': [
    field(Type.String({ readable: true, hidden: true, listed: true })), /is flagged both 'listed' and 'hidden'/
  ],
  'a field without a schema': [
    field('text'), /^collection 'things', field 'extra': expected a schema; found the string 'text'/
  ],
  'a reference to another schema': [
    field(Type.Ref('Nowhere', { writable: true })),
    /^collection 'things', field 'extra': its schema refers to 'Nowhere'/
  ],
  'a misspelt flag of a relation': [
    field(SubItem('things', { foreignKey: 'id', readible: true } as never)),
    /^collection 'things', field 'extra': 'readible' is not an option of a relation\. Did you mean 'readable'/
  ],
  'a misspelt foreign key': [
    field(SubCollection('things', { foreignKeys: 'id', readable: true } as never)), /Did you mean 'foreignKey'/
  ],
  'a misspelt flag of a computed field': [behaving({
    computed: {
      age: computed<{ id: number }, 'id', typeof id>({
        type: Type.Integer({ raedable: true }), from: ['id'], get: () => 1
      })
    }
  }), /^collection 'things', field 'age': 'raedable' is not a flag/],
  'a computed identifier': [behaving({
    computed: { age: computed<{ id: number }, 'id', typeof id>({ type: id, from: ['id'], get: () => 1 }) }
  }), /^collection 'things', field 'age': is computed, and so cannot be flagged 'identifier'/]
})

test('a misspelt or wrong option of a source is an error where the source is made', async t => {
  const db = sqlite(':memory:')
  t.teardown(() => { db.close() })
  const wrong: Record<string, readonly [make: () => unknown, message: RegExp]> = {
    'sqlite(file, options)': [
      () => sqlite(':memory:', { readonly: true } as object), /'readonly' is not an option\. Did you mean 'readOnly'\?/
    ],
    'sqlite(file)': [() => sqlite(undefined as never), /expected a path or ':memory:'; found undefined/],
    'postgres(options)': [
      () => postgres({ conectionString: '' } as object), /'conectionString' is not an option\. Did you mean/
    ],
    'postgres(), option \'max\'': [() => postgres({ max: 0 }), /expected a whole number from 1; found 0/],
    'postgres(), option \'statementTimeout\'': [
      () => postgres({ statementTimeout: '5 s' as never }), /expected whole milliseconds .* found the string '5 s'/
    ],
    'memory(rows, options)': [
      () => memory([], { join: {} } as object), /'join' is not an option\. Did you mean 'joins'\?/
    ],
    'table(name, options)': [
      () => db.table('things', { column: {} } as object), /'column' is not an option\. Did you mean 'columns'\?/
    ],
    'table(definition)': [() => db.table({ nme: 'things' } as never), /'nme' is not an option\. Did you mean 'name'\?/],
    'table(name)': [() => db.table(undefined as never), /expected a name or a definition; found undefined/]
  }
  for (const [place, [make, message]] of Object.entries(wrong)) {
    t.throws(make, DeclarationError)
    t.throws(make, { message: new RegExp(`^${place.replaceAll(/[()]/g, '\\$&')}: ${message.source}`) })
  }
})

test('the address of a server is an option of its own, or the only one', async t => {
  const db = postgres('postgres://someone@db.example:5433/music')
  t.match(db.pool, { options: { connectionString: 'postgres://someone@db.example:5433/music' } })
  await db.close()
})

test('a database where a table is due is an error at registration', async t => {
  const db = sqlite(':memory:')
  t.match(await messageOf(declare(Thing, { source: db })),
    /^collection 'things', source: it is a database; write db\.table\('name'\)/)
  await db.close()
})

test("options that are neither flags nor near one are the application's own", async t => {
  const options = {
    title: 'T',
    description: 'D',
    examples: ['a'],
    default: 'a',
    readOnly: true,
    writeOnly: false,
    deprecated: true,
    $comment: 'c',
    $id: 'x',
    label: 'L',
    unit: 'm',
    contentMediaType: 'text/plain',
    minLength: 1,
    'x-column': 'c'
  }
  t.equal(await messageOf(declare(Type.Object({ id, name: Type.String({ ...options, readable: true }) }), { source })),
    '')
  t.equal(await messageOf(behaving({
    hooks: { saved: undefined },
    scope: undefined,
    identifiers: { slug: lookup({ type: Type.String(), find: () => undefined }) }
  })), '')
})

test('a schema made by typebox 1.x is accepted, its optional fields too', async t => {
  const key = NewType.Integer({ identifier: true, readable: true })
  const flags = { readable: true, writable: true }
  const Artist = NewType.Object({
    id: key,
    name: NewType.String(flags),
    note: NewType.Optional(NewType.String(flags)),
    genre: NewType.Enum(['rock', 'jazz'], flags),
    rank: NewType.Union([NewType.Integer(), NewType.Null()], flags),
    albums: SubCollection('albums', { foreignKey: 'artistId', readable: true }) as never
  })
  const Album = NewType.Object({ id: key, artistId: NewType.Integer(), title: NewType.String(flags) })
  const app = fastify()
  const rows = [{ id: 1, name: 'a', genre: 'rock', rank: 3 }]
  await app.register(dataApi, {
    collections: {
      artists: declare(Artist, { source: memory(rows) }),
      albums: declare(
        Album, { source: memory([{ id: 7, artistId: 1, title: 'x' }]), requestStrategies: { create: false } }
      )
    } as never
  })
  t.strictSame((await app.inject('/artists/1?fields=name,albums(title)')).json(),
    { name: 'a', albums: [{ title: 'x' }] })
  await app.close()
  const own = fastify()
  const { albums: _albums, ...properties } = Artist.properties
  await own.register(dataApi,
    { collections: { artists: declare(NewType.Object(properties), { source: memory(rows) }) } as never })
  t.strictSame((await own.inject('/artists?genre=rock&rank>2')).json(),
    [{ id: 1, name: 'a', note: null, genre: 'rock', rank: 3 }])
  t.equal((await own.inject({
    method: 'POST', url: '/artists', payload: { name: 'b', genre: 'jazz', rank: null }
  })).statusCode, 201)
  t.match((await own.inject({ method: 'POST', url: '/artists', payload: { genre: 'jazz', rank: null } })).json(),
    { error: 'validation', details: [{ pointer: '/name' }] })
  t.match((await own.inject({ method: 'PATCH', url: '/artists/1', payload: { genre: 'pop' } })).json(),
    { error: 'validation' })
  await own.close()
})

test('members of computed(), expression() and lookup() are known', async t => {
  const type = Type.Integer({ readable: true })
  const refused = (behaviour: object, message: string) =>
    t.rejects(async () => {
      const things = collection(Type.Object({ id: type }), { source: memory([]), key: ['id'], ...behaviour })
      await fastify().register(dataApi, { collections: { things } })
    }, { message: `collection 'things', ${message}` })
  const get = () => 1
  await refused({ computed: { a: computed({ type, form: [], from: [], get } as never) } },
    "computed.a: 'form' is not a member of computed(). Did you mean 'from'?")
  await refused({ computed: { a: expression({ type, memroy: get, memory: get } as never) } },
    "computed.a: 'memroy' is not a member of expression(). Did you mean 'memory'?")
  await refused({ identifiers: { a: lookup({ type, fnd: get, find: () => null } as never) } },
    "identifiers.a: 'fnd' is not a member of lookup(). Did you mean 'find'?")
  await refused({ delete: 1 }, 'delete: expected a function; found the number 1')
})

test('a field is filled by whatever may fill it, and need not be where no item is created', async t => {
  const nothing = () => {}
  const cases: Record<string, unknown> = {
    optional: filled({ rank: Type.Optional(Type.Integer()) }),
    nullable: filled({ rank: Type.Union([Type.Integer(), Type.Null()]) }),
    writable: filled({ rank: Type.Integer({ writable: true }) }),
    default: filled({ rank: Type.Integer({ default: 0 }) }),
    version: filled({ rank: Type.Integer({ readable: true, version: true }) }),
    hook: filled(rank, { hooks: { creating: nothing } }),
    setter: filled(rank, { setters: { name: nothing } }),
    input: filled(rank, { inputs: { rating: input({ type: Type.Integer(), set: nothing }) } }),
    computed: filled({}, { computed: { rank: computed({ type: Type.Integer(), from: [], get: () => 1 }) } }),
    parent: filled({ ...rank, under: SubItem('things', { foreignKey: 'rank', readable: true, writable: true }) }),
    list: filled({ ...rank, below: SubCollection('things', { foreignKey: 'rank', readable: true }) }),
    uuid: declare(Type.Object({
      id: Type.String({ format: 'uuid', identifier: true }), name: Type.String({ writable: true })
    }), { source }),
    upsert: declare(Type.Object({ ...code, name: Type.String({ writable: true }) }), {
      source, requestStrategies: { upsert: true }
    }),
    'no creation': filled(rank, { requestStrategies: { create: false } }),
    'nothing writable': declare(Type.Object({ id, ...rank }), { source })
  }
  for (const [what, declared] of Object.entries(cases)) t.equal(await messageOf(declared), '', what)
})
