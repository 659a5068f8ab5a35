import pg from 'pg'
import { fileURLToPath } from 'node:url'
import { test } from 'tap'
import { CaseArbitrary } from '../../lib/tools/testing/conformance/case.ts'
import { declare, type Sources } from '../../lib/tools/testing/world/declare.ts'
import { makeWorld } from '../../lib/tools/testing/world/world.ts'
import { sqlite } from '../../lib/index.ts'
import { compileModel } from '../../lib/core/model/compile.ts'
import { type DesignedTable, designTables } from '../../lib/core/sources/sql/design/design.ts'
import { printDesign } from '../../lib/core/sources/sql/design/print.ts'
import { keyOfTable } from '../../lib/core/sources/sql/table-name.ts'
import type { Engine } from '../../lib/core/sources/sql/catalog.ts'
import { openPostgres, openSqlite } from '../../lib/core/sources/sql/tables.ts'
import { root, writeProgram } from '../helpers/documents.ts'
import fc, { runsOf } from '../helpers/fast-check.ts'
import { onDatabase } from '../helpers/on-database.ts'
import { test as postgresTest } from '../helpers/on-postgres.ts'
import { makeFile, newPath, runLine } from './helpers.ts'

// docs/databases.md: Tables from declarations, What a database lacks.

const pages = { defaultSize: 1, maxSize: 1 }
const compiling = { naming: 'none', pages, reserved: new Map<string, string>() } as const

/** Returns tables without some of them, and without some columns, indexes and constraints. */
function reduce (designs: readonly DesignedTable[], draws: readonly number[]): readonly DesignedTable[] {
  let at = 0
  const stays = () => (draws[at++ % draws.length] ?? 0) > 0
  const kept = designs.filter(stays)
  return kept.map(design => {
    const { table } = design
    const columns = table.columns.filter(({ name }) => table.primaryKey.includes(name) || stays())
    const has = (names: readonly string[]) => names.every(name => columns.some(column => column.name === name))
    return {
      ...design,
      table: {
        ...table,
        columns,
        unique: table.unique.filter(names => has(names) && stays()),
        // SQLite adds none to a table that has the column.
        foreignKeys: table.foreignKeys.filter(one => has(one.columns) &&
          kept.some(other => keyOfTable(other.table) === keyOfTable(one.target)))
      },
      indexes: design.indexes.filter(index => has(index.columns) && stays())
    }
  })
}

const cases = fc.tuple(new CaseArbitrary(), fc.oneof(
  fc.constant([1]), fc.array(fc.nat({ max: 3 }), { minLength: 5, maxLength: 40 })
))

type Drawn = typeof cases extends fc.Arbitrary<infer C> ? C : never

/** A database for one case: how its sources are made, and what is run, checked and missed there. */
interface Opened {
  readonly engine: Engine
  readonly source: (name: string, columns: Naming) => ReturnType<Sources>
  run (script: string): unknown
  check (declared: Declarations): Promise<readonly string[]>
  difference (collections: readonly Collection[]): string | Promise<string>
}
type Naming = 'none' | 'snake_case'
type Declarations = ReturnType<typeof declare>
type Collection = Parameters<typeof designTables>[0][number]

/** Makes the tables of a case, or some, and adds what lacks. Throws where the start or another look finds more. */
async function holds ([choices, draws]: Drawn, { engine, source, run, check, difference }: Opened): Promise<void> {
  const world = makeWorld(choices)
  const declared = declare(world, name =>
    source(name, world.tables.find(table => table.name === name)?.naming as Naming | undefined ?? 'none'))
  const collections = [...compileModel(declared, compiling).collections.values()]
  const whole = designTables(collections, engine)
  const isWhole = draws.every(draw => draw > 0)
  await run(printDesign(reduce(whole, draws), engine))
  await run(await difference(collections))
  const warnings = await check(declared)
  const rest = await difference(collections)
  const isLacking = isWhole ? rest !== '' || warnings.length > 0 : /^(?!--|$)/m.test(rest)
  if (isLacking) throw new Error([rest, ...warnings].join('\n'))
}

test('the start accepts the tables that are printed, and what is added is all that lacks (sqlite)', t =>
  fc.assert(fc.asyncProperty(cases, async drawn => {
    const file = newPath()
    const db = sqlite(file)
    try {
      await holds(drawn, {
        engine: 'sqlite',
        source: (name, columns) => db.table(name, { columns }),
        run: script => { db.exec(script) },
        check: declared => db.check(declared),
        difference (collections) {
          const opened = openSqlite(file, { readOnly: true })
          const script = opened.printMissing(collections)
          opened.db.close()
          return script
        }
      })
    } finally {
      db.close()
    }
  }), { numRuns: runsOf(100) }).then(() => { t.pass() }))

postgresTest('the start accepts the tables that are printed, and what is added is all that lacks (postgres)', t =>
  onDatabase('', async (db, url) => {
    const { db: other, printMissing } = openPostgres(url, { readOnly: true })
    let schemas = 0
    await fc.assert(fc.asyncProperty(cases, async drawn => {
      const schema = `s${schemas++}`
      await db.pool.query(`create schema ${schema}`)
      await holds(drawn, {
        engine: 'postgres',
        source: (name, columns) => db.table({ name, schema, columns }),
        run: script => db.pool.query(script),
        check: declared => db.check(declared),
        difference: printMissing
      })
    }), { numRuns: runsOf(60) })
    await other.close()
    t.pass()
  }))

const module = fileURLToPath(writeProgram('diff.mjs', `import { Type } from '@sinclair/typebox'
  import { collection, sqlite, SubItem } from '${fileURLToPath(new URL('lib/index.ts', root))}'
  const key = { identifier: true, readable: true }
  const shown = { readable: true, writable: true }
  const db = sqlite(':memory:')
  export const collections = {
    artists: collection(Type.Object({ id: Type.Integer(key), name: Type.String({ ...key, ...shown }) }), {
      source: db.table('artists') }),
    albums: collection(Type.Object({
      id: Type.Integer(key), title: Type.String(shown), year: Type.Integer({ ...shown, indexed: true }),
      form: Type.String({ ...shown, default: 'studio' }), size: Type.Integer(shown), artistId: Type.Integer(),
      at: Type.String({ format: 'date-time', readable: true }),
      artist: SubItem('artists', { foreignKey: 'artistId', ...shown })
    }), { source: db.table('albums') })
  }`))

test('additions are statements, and what is left is said in comments', async t => {
  const file = makeFile(
    'create table albums (id integer primary key, title text, size blob not null, "artistId" integer) strict')
  t.strictSame(await runLine('sql', 'tables', module, '--diff', file), {
    code: 0,
    error: '',
    out: `alter table "albums" add column "year" integer;
alter table "albums" add column "form" text not null default 'studio';
alter table "albums" add column "at" text;
create index "albums_by_artistId" on "albums" ("artistId");
create index "albums_by_year" on "albums" ("year");

create table "artists" (
  "id" integer primary key,
  "name" text not null unique
) strict;

-- SQLite adds no foreign key to a table: alter table "albums" add foreign key ("artistId") references "artists" ("id");

-- collection 'albums', field 'size': the column 'albums.size' is BLOB, but the field is an integer; declare \
Type.String({ format: 'byte' }), or change the column's type
${['title', 'year', 'artistId', 'at'].map(nullable).join('\n')}
`
  })
})

const nullable = (field: string) => `-- collection 'albums', field '${field}': may not be null, but the column \
'albums.${field}' may be, and pages lose rows with null; declare Type.Optional(...) or a union with Type.Null(), or \
make the column not null`

test('a database that has all makes no line; views are left alone; wrong databases are told', async t => {
  const { out } = await runLine('sql', 'tables', module)
  const file = makeFile(out)
  t.strictSame(await runLine('sql', 'tables', module, '--diff', file), { code: 0, out: '', error: '' })
  const view = makeFile(`${out}; drop table albums; create view albums as select 1 as id`)
  const { out: told } = await runLine('sql', 'tables', module, '--diff', view)
  t.match(told, /^-- collection 'albums': 'albums' is a view/)
  t.notMatch(told, /^(?!--|$)/m)
  t.match(await runLine('sql', 'tables', module, '--diff', 'none.db'), { code: 1, error: /there is no file/ })
  t.match(await runLine('sql', 'tables', module, '--diff', module), { code: 1, error: /is not a SQLite database/ })
})

postgresTest('PostgreSQL gets its foreign keys by alter table, and an unknown server is told', t =>
  onDatabase('create table artists (id bigint primary key, name text); create table albums (id bigint primary key)',
    async (_db, url) => {
      const { code, out } = await runLine('sql', 'tables', module, '--diff', url)
      t.equal(code, 0)
      t.match(out, 'create unique index "artists_name_key" on "artists" ("name");')
      t.match(out, 'alter table "albums" add column "artistId" bigint;')
      const client = new pg.Client(url)
      await client.connect()
      await client.query(out)
      await client.query('alter table albums drop constraint "albums_artistId_fkey"')
      const again = await runLine('sql', 'tables', module, '--diff', url)
      t.match(again.out, /^alter table "albums" add foreign key \("artistId"\) references "artists" \("id"\);\n\n--/)
      await client.end()
      const unknown = url.replace(/@[^/]*\/.*$/, '@127.0.0.1:1/none')
      const failed = await runLine('sql', 'tables', module, '--diff', unknown)
      t.match(failed, { code: 1, error: /PostgreSQL/ })
    }))
