import { readdirSync } from 'node:fs'
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
  // Whoever else knew the words of operators would have a second language. TanStack DB's is translated to this one.
  t.strictSame(filesWith(/\bnotIn\b/), [
    'lib/clients/client/types/where.ts', 'lib/clients/client/where.ts', 'lib/clients/tanstack-db/where.ts',
    'lib/doors/own-code/parsed.ts'
  ])
})

test('one face stands between the core and the doors that ask', async t => {
  // A changed copy of an API is a second face: `with` and `as` are the words for it.
  const apis = new Set(filesWith(/import .*\bApi\b.* from '.*\/answer\.ts'/))
  t.ok(apis.has('lib/plugin/register.ts'))
  t.strictSame(filesWith(/\{ \.\.\.\w+, (model|options|callers|checks)\b/).filter(path => apis.has(path)), [])
  const { asked } = await import(new URL('eslint.config.js', root).href) as { readonly asked: readonly string[] }
  const doors = filesWith(/from '(\.\.\/)+core\//).filter(path => path.startsWith('lib/doors/'))
  t.ok(doors.length > 50)
  for (const path of doors) {
    const modules = [...read(path).matchAll(/(?:from|import\() ?'(?:\.\.\/)+core\/([^']+)\.ts'/g)]
    t.strictSame(modules.map(([, module = '']) => module).filter(module => !asked.includes(module)), [], path)
  }
})

test('one pass writes a document in other versions of OpenAPI', async t => {
  t.strictSame(filesWith(/'3\.\d|\bversion [!=]==/).filter(path => path.startsWith('lib/doors/documents/')),
    ['lib/doors/documents/objects.ts', 'lib/doors/documents/versions.ts'])
})
