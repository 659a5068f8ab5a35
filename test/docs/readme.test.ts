import { fileURLToPath } from 'node:url'
import { test } from 'tap'
import { mainScenarios, rangesOf, readResults, readRivals, tableOf } from '../../benchmarks/summary/summary.ts'
import { cellsOf, read, root, sectionOf } from '../helpers/documents.ts'

// test/package.test.ts follows its commands.

test('its table of speed, and that of docs/speed.md, are made of the results of all machines', async t => {
  const results = readResults(fileURLToPath(new URL('benchmarks/results', root)))
  t.ok(results.length > 2)
  const rivals = readRivals(fileURLToPath(new URL('benchmarks/rivals.md', root)))
  const ranges = rangesOf(mainScenarios, results, rivals)
  t.match(sectionOf('README.md', 'Speed'), ranges)
  t.equal(ranges.match(/\d to \d/g)?.length, 3 * mainScenarios.length)
  t.match(read('docs/speed.md'), tableOf(results))
})

test('every row of its comparison is one of docs/comparison.md', async t => {
  const texts = (text: string) => cellsOf(text).map(cells => (
    cells.map(cell => cell.replace(/^\[(.+?)\][([].*$/, '$1')).join(' | ')
  ))
  const told = texts(sectionOf('README.md', 'How it compares'))
  t.equal(told.length, 6)
  t.strictSame(told.filter(row => !texts(read('docs/comparison.md')).includes(row)), [])
})

test('it has fewer than 150 lines', async t => {
  t.ok(read('README.md').trimEnd().split('\n').length < 150)
})
