import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

// npm run house: counts the joints of lib, what two parts must know of each other, so that each change can be held to
// them (docs/architecture.md: Joints); then its lines. `-- --list NAME` lists what is counted in a row.

const root = fileURLToPath(new URL('..', import.meta.url))
const listed = process.argv[process.argv.indexOf('--list') + 1]
const files = filesIn('lib').filter(path => path.endsWith('.ts')).map(path => {
  const text = readFileSync(join(root, path), 'utf8')
  return { path, text, lines: linesOf(path, text) }
})

// Whoever asks the core; a name counts where it is declared, so that a file which only hands it on changes nothing.
const asking = {
  'documents, pages, agents and live documents': /^lib\/doors\/(documents|explorer|agents|live)\//,
  'own code': /^lib\/doors\/own-code\//,
  'the command': /^lib\/tools\/command\//,
  'the suite and the proof': /^lib\/tools\/testing\//
}

const program = ts.createProgram(files.map(({ path }) => join(root, path)), {
  allowImportingTsExtensions: true,
  noEmit: true,
  noLib: true,
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  target: ts.ScriptTarget.ES2022,
  types: []
})
const checker = program.getTypeChecker()

for (const [who, where] of Object.entries(asking)) print(`names of the core that ${who} take`, takenFrom(where))
print('names that two files or more declare', sharedNames())
print('files with a case of their own for functions of relations', filesWith(/case 'related'|kind [!=]== 'related'/))
print('files that print queries, follow paths of fields or traverse plans',
  filesWith(/export (const|function) (print|followPath|mapPlan|eachNode)\b/))
print('folders at the top of lib', readdirSync(join(root, 'lib'), { withFileTypes: true })
  .filter(entry => entry.isDirectory()).map(({ name }) => name))
print('members of Dialect', membersOf('Dialect'))
print('rows of the table of rooms', rowsOfRooms())
print('pages of the documents', filesIn('docs').filter(path => path.endsWith('.md')))
for (const room of new Set(files.map(({ path }) => roomOf(path)))) {
  const inside = files.filter(({ path }) => roomOf(path) === room)
  console.log(`${room.padEnd(62)} ${`${inside.length} files, ${sum(inside)} lines`.padStart(24)}`)
}
console.log(`${'lib'.padEnd(62)} ${`${files.length} files, ${sum(files)} lines`.padStart(24)}`)

function filesIn (folder) {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(({ parentPath, name }) => relative(root, join(parentPath, name)).replaceAll('\\', '/'))
    .sort()
}

/** The script and the style sheet of the explorer are one generated line each. */
function linesOf (path, text) {
  return /explorer\/(script|style)\.ts$/.test(path) ? 0 : text.split('\n').length - 1
}

function sum (counted) {
  return counted.reduce((total, { lines }) => total + lines, 0)
}

function print (what, found) {
  console.log(`${what.padEnd(62)} ${String(found.length).padStart(24)}`)
  if (listed !== undefined && process.argv.includes('--list') && what.includes(listed)) {
    for (const one of found) console.log(`  ${one}`)
  }
}

/** Engines and stages of plans are rooms of their own. */
function roomOf (path) {
  const folders = path.split('/').slice(0, -1)
  const depth = { sources: 5, plan: 4 }[folders[2]] ?? 3
  return folders.slice(0, folders[1] === 'tools' ? 4 : depth).join('/')
}

function filesWith (pattern) {
  return files.filter(({ text }) => pattern.test(text)).map(({ path }) => path)
}

/** The names of the core that files import, each with the file that declares it. */
function takenFrom (where) {
  const taken = new Set()
  const take = symbol => {
    if (symbol === undefined) return
    const real = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
    const file = real.declarations?.[0]?.getSourceFile().fileName
    const path = file && relative(root, file).replaceAll('\\', '/')
    if (path?.startsWith('lib/core/')) taken.add(`${path} ${real.name}`)
  }
  const visit = node => {
    if (ts.isImportSpecifier(node) || ts.isExportSpecifier(node)) take(checker.getSymbolAtLocation(node.name))
    else ts.forEachChild(node, visit)
  }
  for (const { path } of files.filter(({ path }) => where.test(path))) visit(program.getSourceFile(join(root, path)))
  return [...taken].sort()
}

/** The names that more than one file declares at its top. */
function sharedNames () {
  const where = new Map()
  for (const { path } of files) {
    for (const name of new Set(program.getSourceFile(join(root, path)).statements.flatMap(exportedBy))) {
      where.set(name, [...where.get(name) ?? [], path])
    }
  }
  return [...where].filter(([, paths]) => paths.length > 1).map(([name, paths]) => `${name}: ${paths.join(' ')}`)
}

function exportedBy (statement) {
  if (!statement.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)) return []
  if (ts.isVariableStatement(statement)) {
    return statement.declarationList.declarations.flatMap(({ name }) => ts.isIdentifier(name) ? [name.text] : [])
  }
  return statement.name === undefined ? [] : [statement.name.text]
}

function membersOf (name) {
  return files.flatMap(({ path }) => program.getSourceFile(join(root, path)).statements)
    .filter(statement => ts.isInterfaceDeclaration(statement) && statement.name.text === name)
    .flatMap(({ members }) => members.map(member => member.name?.getText() ?? ''))
}

function rowsOfRooms () {
  const text = readFileSync(join(root, 'docs/architecture.md'), 'utf8')
  const [, table = ''] = /\n## Rooms\n([^]*?)\n## /.exec(text) ?? []
  return table.split('\n').filter(line => /^\| [^-]/.test(line)).slice(1)
}
