import { readdirSync } from 'node:fs'
import { posix } from 'node:path'
import { test } from 'tap'
import { anchorOf, cellsOf, documents, read, root } from '../helpers/documents.ts'

const headingsOf = (path: string) => new Set([...read(path).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => heading))

/** The source files of a folder, as paths from the root, without those of packages. */
function sourcesIn (folder: string): readonly string[] {
  return readdirSync(new URL(`${folder}/`, root), { withFileTypes: true }).flatMap(entry => {
    const path = `${folder}/${entry.name}`
    if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : sourcesIn(path)
    return /\.m?ts$|\.mjs$/.test(path) ? [path] : []
  })
}

const citation = /(docs\/[\w-]+\.md|README(?:\.md)?): ([A-Z][^.;:()\n'"`]*)/g

interface Citation { readonly document: string, readonly heading: string }

/** The citations in a text, such as `docs/http.md: Writing, Errors`, which are two. A comment may break their lines. */
function citationsIn (text: string): readonly Citation[] {
  const joined = text.replaceAll(/\n[ \t]*(?:\*|\/\/) /g, ' ')
  return [...joined.matchAll(citation)].flatMap(([, name = '', headings = '']) => {
    const document = name.startsWith('README') ? 'README.md' : name
    return headings.split(', ').map(heading => ({ document, heading: heading.trim() }))
  })
}

test('every citation of a document leads to one of its headings', async t => {
  const files = ['lib', 'schemas', 'test', 'benchmarks', 'examples'].flatMap(sourcesIn)
  const citations = files.flatMap(file => citationsIn(read(file)).map(citation => ({ file, ...citation })))
  t.ok(citations.length > 50)
  t.strictSame(citations.filter(({ document, heading }) => !headingsOf(document).has(heading)), [])
})

test('every link between documents leads to a file, and to a heading where it names one', async t => {
  for (const document of documents()) {
    for (const [, path = '', , anchor] of read(document).matchAll(/\]\((?!https?:)([^)#]*)(#([^)]+))?\)/g)) {
      const target = path === '' ? document : posix.join(posix.dirname(document), path)
      const anchors = [...headingsOf(target)].map(anchorOf)
      t.ok(anchor === undefined || anchors.includes(anchor), `${document} links to ${target}#${anchor}`)
    }
  }
})

test('every cell of docs/comparison.md leads to a page, or was measured', t => {
  const [text = ''] = read('docs/comparison.md').split('\n## Coming from\n')
  const known = [...text.matchAll(/^\[([\w-]+)\]: https:/gm)].map(([, name]) => name)
  const [, ...rows] = cellsOf(text)
  t.ok(rows.length > 10)
  for (const [subject, ...cells] of rows) {
    for (const cell of cells) {
      const [, name] = /^\[[^\]]+\]\[([\w-]+)\]$/.exec(cell) ?? []
      t.ok(known.includes(name) || /^\[.+\]\(.+\)$|\(measured\)$/.test(cell), `${subject}: ${cell}`)
    }
  }
  t.end()
})
