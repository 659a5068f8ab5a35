import { existsSync, readdirSync } from 'node:fs'
import { test } from 'tap'
import ts from 'typescript'
import { cellsOf, read, root, sectionOf } from '../helpers/documents.ts'

// docs/architecture.md: Words. A word of our own is in the list, or is not exported.

const [, ...rows] = cellsOf(sectionOf('docs/architecture.md', 'Words'))
const listed = new Map(rows.map(([word = '', , file = '']) => [word, `lib/${file.slice(1, -1)}`]))

/** Terms of the field, and spellings that others have chosen, such as TypeBox. */
const terms = ['clock', 'explain', 'memoize', 'ref', 'render', 'subset', 'violation', 'walk']

const wordsOf = (name: string) => name.replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2').toLowerCase().split(' ')

/** The names that a file declares and exports. */
function exportsOf (path: string): readonly string[] {
  return ts.createSourceFile(path, read(path), ts.ScriptTarget.Latest).statements.flatMap(statement => {
    const isExported = ts.canHaveModifiers(statement) &&
      ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) === true
    if (!isExported) return []
    if (ts.isVariableStatement(statement)) {
      return statement.declarationList.declarations.flatMap(({ name }) => ts.isIdentifier(name) ? [name.text] : [])
    }
    const { name } = statement as { readonly name?: ts.Identifier }
    return name === undefined ? [] : [name.text]
  })
}

const files = readdirSync(new URL('lib/', root), { recursive: true, encoding: 'utf8' })
  .filter(path => path.endsWith('.ts')).map(path => `lib/${path.replaceAll('\\', '/')}`)
const names = [...new Set(files.flatMap(exportsOf))]

/** The words that the pages for users have, without the endings that make verbs and nouns of one another. */
const rootOf = (word: string) => word.replace(/(?:s|ed|ing|er|or|able|ion|e)$/, '')
const pages = readdirSync(new URL('docs/', root)).filter(name => name.endsWith('.md') && name !== 'architecture.md')
const known = new Set([...pages.map(name => `docs/${name}`), 'README.md']
  .flatMap(page => read(page).toLowerCase().match(/[a-z]+/g) ?? []).map(rootOf))

test('at most 25 words of our own are listed, each with a file that has it', async t => {
  t.ok(listed.size > 15 && listed.size <= 25)
  for (const [word, file] of listed) {
    t.ok(existsSync(new URL(file, root)), file)
    t.ok(`${file} ${read(file)}`.toLowerCase().includes(word), `${word} in ${file}`)
  }
})

test('a word of several exported names is listed, or is one of the pages for users', async t => {
  t.ok(names.length > 1500)
  const counts = new Map<string, Set<string>>()
  for (const name of names) {
    for (const word of wordsOf(name)) counts.set(word, (counts.get(word) ?? new Set()).add(name))
  }
  const isOwn = (word: string) => !known.has(rootOf(word)) && !terms.includes(word)
  const own = [...counts].filter(([word, { size }]) => size > 2 && isOwn(word)).map(([word]) => word)
  t.strictSame(own.filter(word => !listed.has(word)), [])
})
