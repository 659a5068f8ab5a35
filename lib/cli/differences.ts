import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Declared } from '../declare/collection.ts'
import { type ForeignKey, isSubCollection, isSubItem } from '../declare/relations.ts'
import { describeValues } from '../model/values.ts'
import { declare } from './scaffold/declare.ts'
import type { Design } from './scaffold/design.ts'
import { makeSource } from '../sources/sql/source.ts'
import type { SqlSource } from '../sources/sql/source.ts'
import { CommandError, explain } from './terminal.ts'

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
