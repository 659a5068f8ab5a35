import { readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'tap'
import { read, root } from '../helpers/documents.ts'

// What two parts of lib need to know of each other stands in one place (docs/architecture.md: Joints). Each test fails
// where a second one appears.

const files = readdirSync(new URL('lib/', root), { recursive: true, encoding: 'utf8' })
  .filter(path => path.endsWith('.ts'))
  .map(path => ({ path: `lib/${path.replaceAll('\\', '/')}`, text: read(`lib/${path}`) }))

const filesWith = (pattern: RegExp) => files.filter(({ text }) => pattern.test(text)).map(({ path }) => path).sort()

test('one function words the error of an unknown field', async t => {
  t.strictSame(filesWith(/There is no field/), ['lib/core/errors/errors.ts'])
  t.strictSame(filesWith(/\bnoField\(/), ['lib/core/errors/errors.ts', 'lib/core/plan/field-path.ts'])
})

test('one file makes fields of the names in queries', async t => {
  t.strictSame(filesWith(/export (const|function) (followPath|findField|findReadable|isOfItems)\b/),
    ['lib/core/plan/field-path.ts'])
  t.strictSame(filesWith(/\.fields\.get\(/).filter(path => /^lib\/core\/plan\/(?!path\/syntax)/.test(path)),
    ['lib/core/plan/field-path.ts'])
})

test('one file traverses plans, beside those in which a node gets its meaning', async t => {
  const meanings = [
    'lib/core/api/views.ts', 'lib/core/plan/order.ts', 'lib/core/plan/read/filter.ts', 'lib/core/plan/read/select.ts',
    'lib/core/plan/read/show.ts', 'lib/core/response/items.ts', 'lib/core/response/stream.ts',
    'lib/doors/explorer/columns.ts', 'lib/doors/explorer/item.ts',
    'lib/doors/explorer/table.ts', 'lib/core/sources/memory/filter.ts', 'lib/core/sources/memory/select.ts',
    'lib/core/sources/sql/statements/filter.ts', 'lib/core/sources/sql/statements/json-read.ts',
    'lib/core/sources/sql/statements/select.ts', 'lib/core/sources/sql/statements/shape.ts'
  ]
  t.strictSame(filesWith(/case 'related'|kind [!=]== 'related'/), ['lib/core/plan/fold.ts', ...meanings].sort())
})

test('conditions of one field are told apart where they are carried out', async t => {
  t.strictSame(filesWith(/case 'is_null'|kind [!=]== 'is_null'|^ {2}is_null:/m), [
    'lib/core/sources/memory/filter.ts', 'lib/core/sources/sql/statements/conditions.ts',
    'lib/core/sources/sql/statements/filter.ts', 'lib/core/sources/sql/statements/outline.ts'
  ])
})

test('one file prints queries', async t => {
  t.strictSame(filesWith(/export (const|function) (print|printFilter|printSort|spellingOf|encodePart)\b/),
    ['lib/core/request/print.ts'])
  // Whoever makes a query prints it, and writes no quotes around a value himself.
  t.strictSame(filesWith(/replaceAll\([^)]*\\\\"/),
    ['lib/core/request/print.ts'])
})

test('one file walks a where of JavaScript, and one a selection', async t => {
  t.strictSame(filesWith(/\bwalkWhere\b/), ['lib/clients/client/where.ts', 'lib/doors/own-code/parsed.ts'])
  t.strictSame(filesWith(/\bwalkFields\b/), ['lib/clients/client/query.ts', 'lib/doors/own-code/parsed.ts'])
  // Whoever else knew the words of operators would have a second language. TanStack DB's is translated to this one,
  // and passes.ts tells which rows the translation takes.
  t.strictSame(filesWith(/\bnotIn\b/), [
    'lib/clients/client/types/where.ts', 'lib/clients/client/where.ts', 'lib/clients/tanstack-db/passes.ts',
    'lib/clients/tanstack-db/where.ts', 'lib/doors/own-code/parsed.ts'
  ])
})

test('one face stands between the core and the doors that ask', async t => {
  // A changed copy of an API is a second face: `with` and `as` are the words for it.
  const apis = new Set(filesWith(/import .*\bApi\b.* from '.*\/answer\.ts'/))
  t.ok(apis.has('lib/plugin/register.ts'))
  t.strictSame(filesWith(/\{ \.\.\.\w+, (model|options|callers|checks)\b/).filter(path => apis.has(path)), [])
  const { asked } = await bounds
  t.ok(filesIn('lib/doors/').length > 50)
  for (const path of filesIn('lib/doors/')) t.strictSame(coreIn(path).filter(name => !asked.includes(name)), [], path)
})

const bounds = import(new URL('eslint.config.js', root).href) as Promise<
  Readonly<Record<'asked' | 'commanded', readonly string[]>>
>

/** Returns the files in a folder that import from the core. */
const filesIn = (folder: string) => filesWith(/from '(\.\.\/)+core\//).filter(path => path.startsWith(folder))

/** Returns the modules of the core that a file imports. */
const coreIn = (path: string) => [...read(path).matchAll(/(?:from|import\() ?'(?:\.\.\/)+core\/([^']+)\.ts'/g)]
  .map(([, module = '']) => module)

test('a short file has two importers, or says first why it stands alone', t => {
  const imports = files.flatMap(({ path, text }) =>
    [...text.matchAll(/(?:from|import\() ?'(\.[^']+)'/g)].map(([, from = '']) => join(dirname(path), from)))
  const isMade = (path: string) => /explorer\/(script|style)\.ts$/.test(path)
  const short = files.filter(({ path, text }) =>
    text.split('\n').length <= 40 && !isMade(path) && imports.filter(one => one === path).length === 1)
  t.ok(short.length > 5)
  t.strictSame(short.filter(({ text }) => !text.startsWith('// ')).map(({ path }) => path), [])
  t.end()
})

test('one view shows the suite and the proof what memory() holds', t => {
  const taken = filesIn('lib/tools/testing/').flatMap(coreIn).filter(name => name.startsWith('sources/memory/'))
  t.strictSame([...new Set(taken)].sort(), ['sources/memory/memory', 'sources/memory/view'])
  t.end()
})

test('one interface describes a table of a database, and one what statements need besides', t => {
  const catalog = 'lib/core/sources/sql/catalog.ts'
  // A drawn table of the conformance suite is what its own statements and rows are made from.
  t.strictSame(filesWith(/^ {2}readonly primaryKey\??: /m), [catalog, 'lib/tools/testing/world/table.ts'])
  t.strictSame(filesWith(/^ {2}readonly (foreignKeys|hasRowNumbers|isDeferrable)\??: /m), [catalog])
  t.strictSame(filesWith(/\bextends (CatalogTable|CatalogColumn|StatementTable)\b/), [
    'lib/tools/command/scaffold/tables.ts'
  ])
  // What plans ask of a table is asked of it by its source.
  t.strictSame(filesWith(/\btoldColumns\b/), [catalog, 'lib/core/sources/sql/source.ts'])
  t.end()
})

test('one file says what declarations need of tables, for those that are and those that are to be', t => {
  t.strictSame(filesWith(/\b(distinctIn|joinNeeds)\(/).filter(path => path.startsWith('lib/core/sources/sql/')), [
    'lib/core/sources/sql/check/columns.ts', 'lib/core/sources/sql/check/relations.ts',
    'lib/core/sources/sql/design/design.ts'
  ])
  t.strictSame(filesWith(/\bisFilled\(/).filter(path => path.startsWith('lib/core/sources/')), [
    'lib/core/sources/sql/needs.ts'
  ])
  t.strictSame(filesWith(/\.otherKey\b|\bidentifier && !/).filter(path => /sql\/(check|design)\//.test(path)), [])
  t.end()
})

test('the command takes tables and catalogs by one module of the core', async t => {
  const { commanded } = await bounds
  t.ok(filesIn('lib/tools/command/').length > 20)
  for (const path of filesIn('lib/tools/command/')) {
    t.strictSame(coreIn(path).filter(name => !commanded.includes(name)), [], path)
  }
  t.strictSame(commanded.filter(name => name.startsWith('sources/')), ['sources/sql/tables'])
})

const ofDocuments = (pattern: RegExp) => filesWith(pattern).filter(path => path.startsWith('lib/doors/documents/'))
  .map(path => path.replace('lib/doors/documents/', ''))

test('one table has the operations of a document, and one function writes them', async t => {
  // An identifier is asked for, and the members of an operation are written, in one place; versions have other bodies.
  t.strictSame(ofDocuments(/\boperationId\(/), ['write.ts'])
  t.strictSame(ofDocuments(/\brequestBody: /), ['versions.ts', 'write.ts'])
  // The words of an operation stand in the table.
  t.strictSame(ofDocuments(/\bsummary: [`'"{[]/), ['operations.ts'])
  t.strictSame(ofDocuments(/\bwriteOperations\b/), ['paths.ts', 'write.ts'])
  const written = [...read('lib/doors/documents/paths.ts').matchAll(/\bwriteOperations\((\w+)/g)]
  t.ok(written.length > 3)
  t.ok(written.every(([, table]) => table === 'operations'))
})

test('one pass writes a document in other versions of OpenAPI', async t => {
  t.strictSame(ofDocuments(/'3\.\d|\bversion [!=]==/), ['objects.ts', 'versions.ts'])
})
