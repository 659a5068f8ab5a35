import { Type } from '@sinclair/typebox'
import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely'
import tap, { test } from 'tap'
import { collection, kysely, postgres, SubCollection, sqlite } from '../../lib/index.ts'
import { messageOf } from '../helpers/declare-wrongly.ts'
import fc, { runsOf } from '../helpers/fast-check.ts'

// docs/databases.md: Names of tables and columns. These databases are never asked.

const lite = sqlite(':memory:', { check: 'off' })
const server = postgres({ connectionString: 'postgres://nobody@127.0.0.1:1/none', check: 'off' })
const instance = new Kysely<object>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: database => new PostgresIntrospector(database),
    createQueryCompiler: () => new PostgresQueryCompiler()
  }
})
const databases = Object.entries({ sqlite: lite, postgres: server, kysely: kysely(instance, { check: 'off' }) })

test('two fields of one column have the same functions as rules', async t => {
  const text = Type.Optional(Type.String({ readable: true, writable: true }))
  const names = ['salary', 'pay', 'wage']
  const rule = fc.constantFrom(undefined, () => true, () => false)
  const field = fc.record({ column: fc.constantFrom('a', 'b', 'A'), read: rule, write: rule, writeItem: rule })
  const fields = fc.tuple(field, field, field)
  await fc.assert(fc.asyncProperty(fc.constantFrom(...databases), fields, async ([kind, db], drawn) => {
    const columns = Object.fromEntries(drawn.map(({ column }, index) => [names[index], column]))
    const rules = Object.fromEntries(drawn.map(({ column, ...rules }, index) => [names[index], rules]))
    const schema = Type.Object({ id: Type.Integer({ identifier: true }), salary: text, pay: text, wage: text })
    const message = await messageOf(collection(schema, {
      source: db.table('things', { columns: columns as Record<string, string> }), rules: { fields: rules } as object
    }))
    const columnOf = (name: string) => kind === 'sqlite' ? name.toLowerCase() : name
    const isWrong = drawn.some((one, index) => drawn.slice(index).some(other =>
      columnOf(one.column) === columnOf(other.column) &&
      (['read', 'write', 'writeItem'] as const).some(name => one[name] !== other[name])))
    if (isWrong) t.match(message, /^collection 'things', field '\w+': it has other rules than '\w+', but both are sto/)
    else t.equal(message, '')
  }), { numRuns: runsOf(300) })
})

test('a name in columns that is no stored field is an error at registration', async t => {
  const schema = Type.Object({
    id: Type.Integer({ identifier: true }),
    createdAt: Type.Optional(Type.String()),
    friends: SubCollection('things', { through: 'friends', foreignKey: 'ownId', otherKey: 'friendId', readable: true })
  })
  for (const [kind, db] of databases) {
    const fault = (columns: Record<string, string>) =>
      messageOf(collection(schema, { source: db.table('things', { columns }) }))
    t.equal(await fault({ createdAt: 'created_at', ownId: 'own_id', friendId: 'friend_id' }), '', kind)
    t.equal(await fault({ convention: 'snake_case', id: 'thing_id' }), '', kind)
    t.equal(await fault({ createdAtt: 'created_at' }),
      "collection 'things', columns: there is no stored field 'createdAtt'; did you mean 'createdAt'?", kind)
    t.equal(await fault({ convention: 'snake_case', friends: 'x' }),
      "collection 'things', columns: there is no stored field 'friends'; did you mean 'friendId'?", kind)
    t.equal(await fault({ zzz: 'created_at' }),
      "collection 'things', columns: there is no stored field 'zzz'; remove it, or declare the field", kind)
  }
})

test('collections that share a source may each have some of the named fields', async t => {
  const source = lite.table('things', { columns: { name: 'title', rank: 'position' } })
  const id = Type.Integer({ identifier: true })
  const named = collection(Type.Object({ id, name: Type.Optional(Type.String()) }), { source })
  const ranked = collection(Type.Object({ id, rank: Type.Optional(Type.Integer()) }), { source })
  t.equal(await messageOf(named, { ranked }), '')
  t.match(await messageOf(named), /there is no stored field 'rank'/)
})

tap.teardown(async () => {
  lite.close()
  await server.close()
  await instance.destroy()
})
