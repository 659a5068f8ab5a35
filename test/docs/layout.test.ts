import { test } from 'tap'
import { documents, read } from '../helpers/documents.ts'

const columns = 120

/** The lines of a Markdown text that are not in a block of code. */
const linesOf = (markdown: string): readonly string[] =>
  markdown.replaceAll(/^[ \t]*```[^]*?^[ \t]*```$/gm, '').split('\n')
const isRow = (line: string) => line.trimStart().startsWith('|')

test('lines of prose in the documents end within 120 columns; the linter holds those of code', async t => {
  t.ok(documents().length > 30)
  for (const document of documents()) {
    const prose = linesOf(read(document)).filter(line => !isRow(line))
    t.strictSame(prose.filter(line => line.length > columns || line.includes('|---|')), [], document)
  }
})

/** The cells that GitHub makes of a row: a bar ends a cell in code too, unless a backslash precedes it. */
const cellsIn = (row: string) => row.split(/(?<!\\)\|/).length - 2

test('every row of a table has as many cells as its head', async t => {
  for (const document of documents()) {
    const tables = linesOf(read(document)).join('\n').match(/(?:^\|.*\n?)+/gm) ?? []
    for (const table of tables) {
      const [head = '', line = '', ...rows] = table.trimEnd().split('\n')
      t.match(line, /^\|(?:-+:?\|)+$/, `${document}: ${head}`)
      t.strictSame(rows.filter(row => cellsIn(row) !== cellsIn(head)), [], `${document}: ${head}`)
    }
  }
})
