import { test } from 'tap'
import { Type } from '@sinclair/typebox'
import { collection, type Source, sqlite, SubCollection, SubItem } from '../../lib/index.ts'
import { compileModel } from '../../lib/core/model/compile.ts'
import type { ColumnNames } from '../../lib/core/sources/sql/column-names.ts'
import { quoteText } from '../../lib/core/sources/sql/design/values.ts'
import { quoteName } from '../../lib/core/sources/sql/table-name.ts'
import { openPostgres, openSqlite, printChangeLog, printTables } from '../../lib/core/sources/sql/tables.ts'
import fc, { runsOf } from '../helpers/fast-check.ts'
import { onDatabase } from '../helpers/on-database.ts'
import { test as postgresTest } from '../helpers/on-postgres.ts'
import { newPath } from './helpers.ts'

// docs/databases.md#tables-from-declarations: what is printed runs nothing that a name or a value says.

const canary = 'create table canary(x int)'
const parts = fc.constantFrom("'", '"', '$$', '$a$', '\r', '\n', '\r\n', '--', '/*', '*/', '\\', '\\!', ';', ')',
  '\u0085', '\u2028', '\v', '\f', 'a', ':x')
const hostile = fc.tuple(fc.array(parts, { maxLength: 4 }), fc.array(parts, { maxLength: 3 }))
  .map(([before, after]) => `${before.join('')};${canary};${after.join('')}`)
const words = fc.record({
  tables: fc.uniqueArray(hostile, { minLength: 3, maxLength: 3, selector: name => name.toLowerCase() }),
  columns: fc.uniqueArray(hostile, { minLength: 3, maxLength: 3, selector: name => name.toLowerCase() }),
  declared: fc.uniqueArray(hostile, { minLength: 2, maxLength: 2 }),
  stored: fc.uniqueArray(hostile, { minLength: 2, maxLength: 2 })
})
type Words = typeof words extends fc.Arbitrary<infer W> ? W : never

/** Declares three tables that refer to each other, whose names and values are hostile. */
function declare ({ tables, columns, declared }: Words, source: (name: string, columns: ColumnNames) => Source) {
  const [posts = '', photos = '', comments = ''] = tables
  const [text = '', of = '', firstId = ''] = columns
  const key = { identifier: true, readable: true }
  const listed = () => SubCollection('comments', { foreignKey: 'of' })
  const collections = {
    posts: collection(Type.Object({ id: Type.Integer(key), comments: listed() }), { source: source(posts, {}) }),
    photos: collection(Type.Object({ id: Type.Integer(key), comments: listed() }), { source: source(photos, {}) }),
    comments: collection(Type.Object({
      id: Type.Integer(key),
      of: Type.Integer(),
      firstId: Type.Optional(Type.Integer()),
      first: SubItem('posts', { foreignKey: 'firstId' }),
      text: Type.Union(declared.map(value => Type.Literal(value)), { identifier: true, default: declared[0] })
    }), { source: source(comments, { text, of, firstId }) })
  }
  const pages = { defaultSize: 1, maxSize: 1 }
  const compiling = { naming: 'none', pages, reserved: new Map<string, string>() } as const
  return [...compileModel(collections, compiling).collections.values()]
}

/** Returns the statements of a script as psql reads it. Throws for a command of psql itself. */
function statementsOf (script: string): readonly string[] {
  const token = /--[^\n\r]*|\/\*[^]*?\*\/|'(?:[^']|'')*'|"(?:[^"]|"")*"|(\$\w*\$)[^]*?\1|[^]/g
  let statement = ''
  const statements: string[] = []
  for (const [text] of script.matchAll(token)) {
    if (text.startsWith('\\')) throw new Error(`psql takes a command: ${script}`)
    if (text !== ';') statement += text.startsWith('--') ? ' ' : text
    else {
      statements.push(statement)
      statement = ''
    }
  }
  if (statement.trim() !== '') throw new Error(`left: ${statement}`)
  return statements
}

/** Returns the tables as another has made them: one of them, with other values and without most columns. */
const storedTable = ({ tables: [, , comments = ''], columns: [text = ''], stored }: Words) =>
  `create table ${quoteName(comments)} (id integer primary key, ${quoteName(text)} text not null
    check (${quoteName(text)} in (${stored.map(quoteText).join(', ')})))`

type Run = (statement: string) => unknown

/** Runs whatever statements of the scripts run, and returns how many do. */
async function runAll (scripts: readonly string[], run: Run): Promise<number> {
  let ran = 0
  for (const statement of scripts.flatMap(statementsOf)) {
    try {
      await run(statement)
      ran += 1
    } catch {
      // Hostile names can be too much alike for the names of two indexes.
    }
  }
  return ran
}

test('no name and no value becomes a statement of what is printed (sqlite)', async t => {
  let ran = 0
  await fc.assert(fc.asyncProperty(words, async drawn => {
    const file = newPath()
    const db = sqlite(file)
    try {
      const collections = declare(drawn, (name, columns) => db.table({ name, columns }))
      db.exec(storedTable(drawn))
      const opened = openSqlite(file, { readOnly: true })
      const printed = [opened.printMissing(collections), printTables(collections, 'sqlite')]
      opened.db.close()
      ran += await runAll(printed, statement => { db.exec(statement) })
      return db.driver.prepare("select 1 from sqlite_master where name = 'canary'").all().length === 0
    } finally {
      db.close()
    }
  }), { numRuns: runsOf(150) })
  t.ok(ran > 0, `${ran} statements`)
})

postgresTest('no name and no value becomes a statement of what is printed (postgres)', async t => {
  await onDatabase('', async (db, url) => {
    const { db: other, printMissing } = openPostgres(url, { readOnly: true })
    let [ran, schemas] = [0, 0]
    await fc.assert(fc.asyncProperty(words, async drawn => {
      const schema = `s${schemas++}`
      const { pool } = db
      const collections = declare(drawn, (name, columns) => db.table({ name, schema, columns }))
      const run: Run = statement => pool.query(`set search_path = ${schema}; ${statement}`)
      await pool.query(`create schema ${schema}`)
      await run(storedTable(drawn))
      const printed = [
        printChangeLog(collections), await printMissing(collections), printTables(collections, 'postgres')
      ]
      ran += await runAll(printed, run)
      const { rows } = await pool.query<{ n: string }>("select count(*) as n from pg_class where relname = 'canary'")
      return rows[0]?.n === '0'
    }), { numRuns: runsOf(30) })
    await other.close()
    t.ok(ran > 0, `${ran} statements`)
  })
})
