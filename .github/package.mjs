import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import ts from 'typescript'

// node .github/package.mjs <folder>: makes what `npm run build` has left in `dist` of a folder the code that is
// published. Source maps hold the sources, so that the code itself needs no comments; and of the declarations those
// stay that an entry of package.json leads to.

const [folder = '.'] = process.argv.slice(2)
const { exports: entries } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
const built = ['lib', 'schemas'].flatMap(room => filesIn(join(folder, 'dist', room)))

for (const file of built.filter(name => name.endsWith('.js'))) compile(file)

const needed = new Set()
for (const { types } of Object.values(entries)) if (types !== undefined) follow(resolve(folder, types))
for (const file of built.filter(name => name.endsWith('.d.ts'))) if (!needed.has(resolve(file))) rmSync(file)

function filesIn (directory) {
  const found = readdirSync(directory, { recursive: true, withFileTypes: true })
  return found.filter(one => one.isFile()).map(({ parentPath, name }) => join(parentPath, name))
}

/** Writes the code of a source again, as tsc does, without its comments and with a source map. */
function compile (file) {
  const source = file.slice(join(folder, 'dist', '/').length).replace(/js$/, 'ts')
  const first = readFileSync(file, 'utf8').split('\n', 1)[0]
  const { outputText, sourceMapText } = ts.transpileModule(readFileSync(source, 'utf8'), {
    fileName: source,
    compilerOptions: {
      target: ts.ScriptTarget.ES2023,
      module: ts.ModuleKind.ESNext,
      verbatimModuleSyntax: true,
      rewriteRelativeImportExtensions: true,
      removeComments: true,
      sourceMap: true,
      inlineSources: true
    }
  })
  const map = JSON.parse(sourceMapText)
  // The name of the source, as the repository has it.
  map.sources = [`../${'../'.repeat(source.split('/').length - 1)}${source}`]
  writeFileSync(`${file}.map`, JSON.stringify(map))
  const isScript = first.startsWith('#!') && !outputText.startsWith('#!')
  writeFileSync(file, `${isScript ? `${first}\n` : ''}${outputText}`)
}

/** Adds a declaration, and those that it imports. */
function follow (file) {
  if (needed.has(file)) return
  needed.add(file)
  for (const [, name] of readFileSync(file, 'utf8').matchAll(/(?:from|import\(|import) ?['"](\.[^'"]+)['"]/g)) {
    follow(resolve(dirname(file), name.replace(/\.[jt]s$/, '.d.ts')))
  }
}
