import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Declared } from '../../core/declare/collection.ts'
import { type ForeignKey, isSubCollection, isSubItem } from '../../core/declare/relations.ts'
import { describeValues } from '../../core/model/values.ts'
import { makeSource, type SqlSource } from '../../core/sources/sql/source.ts'
import type { OpenedDatabase } from './open.ts'
import { prepare, preparingFlags } from './prepare.ts'
import type { Command, Flags } from './run.ts'
import { declare } from './scaffold/declare.ts'
import type { Design } from './scaffold/design.ts'
import { shellWord } from './scaffold/relations.ts'
import { writeProject } from './scaffold/write/project.ts'
import { CommandError, explain, printable, readVersion } from './terminal.ts'

/** Writes a project that serves a database, or tells how a project differs from its database. */
export const init: Command = {
  flags: { ...preparingFlags, diff: 'switch' },
  async run (flags, terminal) {
    const [target, folder, ...others] = flags.given
    if (target === undefined || folder === undefined || others.length > 0) {
      throw new CommandError('write: npx fastify-data-api init <database> <folder>', { exitCode: 2 })
    }
    const { database, design } = await prepare(flags, { write: false }, terminal)
    try {
      if (flags.has('diff')) {
        const lines = await describeDifferences(design, resolve(folder))
        const told = lines.length === 0 ? ['The project has all that the database has.'] : lines.map(printable)
        terminal.out(`${told.join('\n')}\n`)
        return lines.length === 0 ? 0 : 1
      }
      const files = writeProject(design, {
        name: nameOf(folder),
        version: readVersion(),
        file: database.file === undefined ? undefined : relative(resolve(folder), resolve(database.file)),
        needsDriver: !isBuiltin('node:sqlite'),
        isUnproven: flags.list('key').length > 0,
        command: commandOf(flags, database)
      })
      writeFiles(resolve(folder), files)
      terminal.out(`${[...files.keys()].map(path => join(folder, path)).join('\n')}\n\n`)
      const setting = database.kind === 'postgres' ? 'set DATABASE_URL, and ' : ''
      terminal.out(`Next: ${setting}cd ${shellWord(folder)} && npm install && npm test && npm start\n`)
      return 0
    } finally {
      await database.db.close()
    }
  }
}

/** Returns a name that npm takes. */
const nameOf = (folder: string) =>
  basename(resolve(folder)).toLowerCase().replaceAll(/[^a-z0-9-]+/g, '-').replaceAll(/^-+|-+$/g, '') || 'data-api'

/** Returns the command line for people, without the address of a server. */
function commandOf ({ list }: Flags, { file }: OpenedDatabase): string {
  const flags = ['tables', 'schema', 'key', 'show'].flatMap(name =>
    list(name).map(value => `--${name} ${shellWord(value)}`))
  const target = file === undefined ? 'postgres://…' : shellWord(basename(file))
  return ['npx fastify-data-api init', target, ...flags].join(' ')
}

/** Writes all files or none: an existing one is an error. */
function writeFiles (folder: string, files: ReadonlyMap<string, string>): void {
  const existing = [...files.keys()].find(path => existsSync(join(folder, path)))
  if (existing !== undefined) {
    const advice = 'nothing is overwritten; name another folder, or use --diff'
    throw new CommandError(`'${join(folder, existing)}' exists, and ${advice}`)
  }
  try {
    for (const [path, text] of files) {
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      writeFileSync(join(folder, path), text, { flag: 'wx' })
    }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    throw new CommandError(`the folder '${folder}' cannot be written (${code})`, { cause: error })
  }
}

type Collections = Readonly<Record<string, Declared>>

/** Returns what a database has that a project lacks (`+`), the other way round (`-`), and what differs (`~`). */
export async function describeDifferences (design: Design, folder: string): Promise<readonly string[]> {
  const own = byTable(await loadCollections(folder))
  // The collections of the design are never served: their sources are only asked for names.
  const found = byTable(declare(design, { table: (table, options) => makeSource(nowhere, table, options) }))
  const joins = new Set(design.joins)
  return [
    ...[...found].flatMap(([name, one]) => {
      const known = own.get(name)
      return known === undefined ? [`+ table ${name}`] : compareColumns(name, one, known)
    }),
    ...[...own.keys()].filter(name => !found.has(name) && !joins.has(name)).map(name => `- table ${name}`)
  ]
}

const nowhere = { kind: 'nowhere' } as unknown as SqlSource['database']

interface Exports { readonly collections?: Collections }

/** Imports the collections of a project: what it was compiled to, else the sources where Node.js runs TypeScript. */
async function loadCollections (folder: string): Promise<Collections> {
  const candidates = ['dist/collections.js', 'collections.js', 'collections.ts'].map(path => join(folder, path))
  const file = candidates.find(path => existsSync(path))
  if (file === undefined) throw new CommandError(`'${folder}' has no collections.ts; init writes one`)
  // The project names its own files, such as that of SQLite, from where it stands.
  process.chdir(folder)
  try {
    const { collections } = await import(pathToFileURL(file).href) as Exports
    if (typeof collections === 'object') return collections
  } catch (error) {
    const isSource = file.endsWith('.ts')
    const advice = isSource ? `run npm run build in '${folder}' first` : 'mend it, or run npm run build there'
    throw new CommandError(`'${file}' cannot be imported (${explain(error)}); ${advice}`, { cause: error })
  }
  throw new CommandError(`'${file}' does not export 'collections'`)
}

/** Each collection by the name of its table. */
const byTable = (collections: Collections): ReadonlyMap<string, Declared> =>
  new Map(Object.values(collections).flatMap(one => isSql(one) ? [[one.source.table, one]] : []))

const isSql = (declared: Declared): declared is Declared & { readonly source: SqlSource } =>
  'table' in declared.source && 'column' in declared.source

function compareColumns (table: string, found: Declared, own: Declared): readonly string[] {
  const [inDatabase, inProject] = [columnsOf(found), columnsOf(own)]
  return [
    ...[...inDatabase].flatMap(([column, kind]) => {
      const known = inProject.get(column)
      if (known === undefined) return [`+ column ${table}.${column} (${kind})`]
      return known === kind ? [] : [`~ column ${table}.${column}: ${kind} in the database, ${known} in the project`]
    }),
    ...[...inProject.keys()].filter(column => !inDatabase.has(column)).map(column => `- column ${table}.${column}`),
    ...relationsOf(found).filter(one => !relationsOf(own).includes(one)).map(one => `+ relation ${table}: ${one}`),
    ...relationsOf(own).filter(one => !relationsOf(found).includes(one)).map(one => `- relation ${table}: ${one}`)
  ]
}

/** The kinds of the stored fields, by their columns. */
function columnsOf ({ schema, source }: Declared): ReadonlyMap<string, string> {
  const naming = source as SqlSource
  const scalars = Object.entries(schema.properties).filter(([, type]) => !isSubItem(type) && !isSubCollection(type))
  return new Map(scalars.map(([property, type]) =>
    [naming.column(property), describeValues(type, false)?.type.kind ?? 'unknown']))
}

/** The relations by what they join: a project may name them as it likes. */
function relationsOf ({ schema, source }: Declared): readonly string[] {
  const naming = source as SqlSource
  const columnsOf = (properties: ForeignKey) => [properties].flat().map(property => naming.column(property)).join(', ')
  return Object.values(schema.properties).flatMap(type => {
    if (isSubItem(type)) return [`${columnsOf(type.link.foreignKey)} refers to another table`]
    if (!isSubCollection(type) || type.link.through === undefined) return []
    return [`the join table ${type.link.through} by ${columnsOf(type.link.foreignKey)}`]
  })
}
