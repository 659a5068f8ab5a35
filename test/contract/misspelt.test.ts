import { Type } from '@sinclair/typebox'
import { fastify } from '../helpers/fastify.ts'
import { test } from 'tap'
import { Type as NewType } from 'typebox'
import dataApi, {
  collection, computed, DeclarationError, exactly, expression, input, lookup, memory, postgres, sqlite,
  SubCollection, SubItem
} from '../../lib/index.ts'
import { wrongDeclarations } from '../fixtures/wrong-declarations.ts'
import {
  behaving, code, declare, field, filled, id, messageOf, rank, source, Thing
} from '../helpers/declare-wrongly.ts'

// docs/declaring.md: Declaring. Nothing misspelt is open: mistakes are errors at registration that name collection and
// field.

for (const [what, [declared, message]] of Object.entries(wrongDeclarations)) {
  test(`${what} is an error at registration`, async t => { t.match(await messageOf(declared), message) })
}

test('a wrong value in a declaration is an error that names its place, and never one of JavaScript', async t => {
  const values = [undefined, null, true, 1, 'x', [], ['x'], [1], {}, () => 1]
  const type = Type.Integer({ readable: true })
  const find = () => undefined
  const parts: ReadonlyArray<readonly [good: Readonly<Record<string, unknown>>, make: (members: never) => unknown]> = [
    [{ type, from: ['id'], get: () => 1 }, members => behaving({ computed: { extra: computed(members) } })],
    [{ type, memory: () => 1 }, members => behaving({ computed: { extra: expression(members) } })],
    [{ type, set () {} }, members => behaving({ inputs: { extra: input(members) } })],
    [{ type, find }, members => behaving({ identifiers: { extra: lookup(members) } })],
    [{ segment: 'me', find }, ({ segment, find }) => behaving({ identifiers: { extra: exactly(segment, find) } })],
    [{ foreignKey: 'id', readable: true }, members => field(SubCollection('things', members))],
    [{ foreignKey: 'id', readable: true }, members => field(SubItem('things', members))],
    [{ foreignKey: 'a', through: 'b', otherKey: 'c' }, members => field(SubCollection('things', members))]
  ]
  for (const [good, make] of parts) {
    for (const member of Object.keys(good)) {
      for (const value of values) {
        // messageOf() rejects with any other error.
        const message = await messageOf(make({ ...good, [member]: value } as never))
        t.match(message, /^(?:collection 'things'|$)/, `${member}: ${String(value)}`)
      }
    }
  }
  t.match(await messageOf(field(SubItem('things', undefined as never))),
    /field 'extra': must be an object; found undefined/)
  t.match(await messageOf(behaving({ identifiers: { me: exactly(find as never, find) } })),
    /^collection 'things', identifiers\.me\.segment: expected a text; found a function$/)
  t.match(await messageOf(declare({ '~standard': {} }, { source })), /standard\(schema\) for a schema of another lib/)
})

test('a misspelt or wrong option of a source is an error where the source is made', async t => {
  const db = sqlite(':memory:')
  t.teardown(() => { db.close() })
  const noOption = (other: string) => new RegExp(`there is no such option; did you mean '${other}'\\?`)
  const wrong: ReadonlyArray<readonly [place: string, make: () => unknown, message: RegExp]> = [
    ["sqlite(file), option 'readonly'", () => sqlite(':memory:', { readonly: true } as object), noOption('readOnly')],
    ["sqlite(file), option 'journal'", () => sqlite(':memory:', { journal: 'off' as never }),
      /must be one of "wal", "keep"; found the string 'off'/],
    ['sqlite(file), options', () => sqlite(':memory:', null as never), /must be an object; found null/],
    ['sqlite(file)', () => sqlite(undefined as never), /expected a path or ':memory:'; found undefined/],
    ["sqlite('/nowhere/x.db')", () => sqlite('/nowhere/x.db'), /there is no folder '\/nowhere'/],
    ["sqlite('test')", () => sqlite('test'), /this is a folder; name a file in it/],
    ["sqlite('postgres://host/x')", () => sqlite('postgres://host/x'), /expected a path; write postgres\(url\) for/],
    ["sqlite('test/no.db')", () => sqlite('test/no.db', { readOnly: true }), /there is no such file, and none is made/],
    ["postgres(), option 'conectionString'", () => postgres({ conectionString: '' } as object),
      noOption('connectionString')],
    ["postgres(), option 'max'", () => postgres({ max: 0 }), /must be at least 1; found the number 0/],
    ["postgres(), option 'statementCache'", () => postgres({ statementCache: -1 }),
      /must be at least 0, in characters; found the number -1/],
    ["sqlite(file), option 'statementCache'", () => sqlite(':memory:', { statementCache: '1 MB' as never }),
      /must be an integer, in characters; found the string '1 MB'/],
    ["postgres(), option 'statementTimeout'", () => postgres({ statementTimeout: '5 s' as never }),
      /must be an integer, in milliseconds; found the string '5 s'/],
    ["memory(rows), option 'join'", () => memory([], { join: {} } as object), noOption('joins')],
    ["table(name), option 'column'", () => db.table('things', { column: {} } as object), noOption('columns')],
    ['table(name, { columns })', () => db.table('things', { columns: 'snakecase' as never }),
      /expected none, snake_case, PascalCase, or an object of names; found the string 'snakecase'; did you mean '/],
    ["table(definition), option 'nme'", () => db.table({ nme: 'things' } as never), noOption('name')],
    ['table(name)', () => db.table(undefined as never), /expected a name or a definition; found undefined/]
  ]
  for (const [place, make, message] of wrong) {
    t.throws(make, DeclarationError)
    t.throws(make, { message: new RegExp(`^${place.replaceAll(/[(){}]/g, '\\$&')}: ${message.source}`) })
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
  const options = { title: 'T', $comment: 'c', examples: ['a'], readOnly: true, label: 'L', 'x-column': 'c' }
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
  const artist = {
    id: key,
    name: NewType.String(flags),
    note: NewType.Optional(NewType.String(flags)),
    genre: NewType.Enum(['rock', 'jazz'], flags),
    rank: NewType.Union([NewType.Integer(), NewType.Null()], flags)
  }
  const albums = SubCollection('albums', { foreignKey: 'artistId', readable: true }) as never
  const Album = NewType.Object({ id: key, artistId: NewType.Integer(), title: NewType.String(flags) })
  const app = fastify()
  const requestStrategies = { create: false }
  await app.register(dataApi, {
    collections: {
      artists: declare(NewType.Object(artist), { source: memory([{ id: 1, name: 'a', genre: 'rock', rank: 3 }]) }),
      owners: declare(NewType.Object({ id: key, albums }), { source: memory([{ id: 1 }]), requestStrategies }),
      albums: declare(Album, { source: memory([{ id: 7, artistId: 1, title: 'x' }]), requestStrategies })
    } as never
  })
  t.strictSame((await app.inject('/owners/1?fields=id,albums(title)')).json(), { id: 1, albums: [{ title: 'x' }] })
  t.strictSame((await app.inject('/artists?genre=rock&rank>2')).json(),
    [{ id: 1, name: 'a', note: null, genre: 'rock', rank: 3 }])
  const send = async (method: 'POST' | 'PATCH', url: string, payload: object) => {
    const { statusCode, body } = await app.inject({ method, url, payload })
    return [statusCode, JSON.parse(body)]
  }
  t.match(await send('POST', '/artists', { name: 'b', genre: 'jazz', rank: null }), [201])
  t.match(await send('POST', '/artists', { genre: 'jazz', rank: null }), [400, { details: [{ pointer: '/name' }] }])
  t.match(await send('PATCH', '/artists/1', { genre: 'pop' }), [400, { error: 'validation' }])
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
