import { test } from 'tap'
import { cellsOf, read, sectionOf } from '../helpers/documents.ts'

// test/package.test.ts follows its commands.

test('every figure of its table of speed is that of docs/speed.md', async t => {
  const [, ...told] = cellsOf(sectionOf('README.md', 'Speed'))
  const all = cellsOf(read('docs/speed.md'))
  t.ok(told.length > 3)
  for (const row of told) t.ok(all.some(other => other.join() === row.join()), row.join())
})

test('every row of its comparison is one of docs/comparison.md', async t => {
  const texts = (text: string) => cellsOf(text).map(cells => (
    cells.map(cell => cell.replace(/^\[(.+?)\][([].*$/, '$1')).join(' | ')
  ))
  const told = texts(sectionOf('README.md', 'How it compares'))
  t.ok(told.length > 5)
  t.strictSame(told.filter(row => !texts(read('docs/comparison.md')).includes(row)), [])
})

test('it has fewer than 150 lines', async t => {
  t.ok(read('README.md').trimEnd().split('\n').length < 150)
})
