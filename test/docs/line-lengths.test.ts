import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'tap'

const root = new URL('../../', import.meta.url)
const columns = 120

/** The lines of prose of a Markdown text: rows of tables and blocks of code are what they are. */
function proseIn (markdown: string): readonly string[] {
  const withoutCode = markdown.replaceAll(/^[ \t]*```[^]*?^[ \t]*```$/gm, '')
  return withoutCode.split('\n').filter(line => !line.trimStart().startsWith('|'))
}

test('lines of prose in the documents end within 120 columns; the linter holds those of code', async t => {
  const documents = [
    'README.md', 'CHANGELOG.md', ...readdirSync(new URL('docs/', root)).map(name => `docs/${name}`)
  ].filter(path => path.endsWith('.md'))
  t.ok(documents.length > 5)
  for (const path of documents) {
    const prose = proseIn(readFileSync(new URL(path, root), 'utf8'))
    t.strictSame(prose.filter(line => line.length > columns), [], path)
  }
})
