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
  t.strictSame(filesWith(/There is no field/), ['lib/errors/errors.ts'])
  t.strictSame(filesWith(/\bnoField\(/), ['lib/errors/errors.ts', 'lib/plan/field-path.ts'])
})

test('one file makes fields of the names in queries', async t => {
  t.strictSame(filesWith(/export (const|function) (followPath|findField|findReadable|isOfItems)\b/),
    ['lib/plan/field-path.ts'])
  t.strictSame(filesWith(/\.fields\.get\(/).filter(path => /^lib\/plan\/(?!path\/syntax)/.test(path)),
    ['lib/plan/field-path.ts'])
})

test('one file traverses plans, beside those in which a node gets its meaning', async t => {
  const meanings = [
    'lib/plan/order.ts', 'lib/plan/read/filter.ts', 'lib/plan/read/select.ts', 'lib/plan/read/show.ts',
    'lib/response/items.ts', 'lib/response/stream.ts', 'lib/data/items.ts',
    'lib/explorer/columns.ts', 'lib/explorer/item.ts', 'lib/explorer/table.ts',
    'lib/sources/memory/filter.ts', 'lib/sources/memory/select.ts', 'lib/sources/sql/statements/filter.ts',
    'lib/sources/sql/statements/json-read.ts', 'lib/sources/sql/statements/select.ts',
    'lib/sources/sql/statements/shape.ts'
  ]
  t.strictSame(filesWith(/case 'related'|kind [!=]== 'related'/), ['lib/plan/fold.ts', ...meanings].sort())
})

test('one file prints queries', async t => {
  t.strictSame(filesWith(/export (const|function) (print|printFilter|printSort|spellingOf|encodePart)\b/),
    ['lib/request/print.ts'])
  // Whoever makes a query prints it, and writes no quotes around a value himself.
  t.strictSame(filesWith(/replaceAll\([^)]*\\\\"/),
    ['lib/request/print.ts'])
})
