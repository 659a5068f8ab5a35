import type { Declared } from '../../../declare/collection.ts'
import { type ForeignKey, isSubCollection, isSubItem, relationOf } from '../../../declare/relations.ts'
import { describeValues } from '../../../model/values.ts'
import type { SqlSource } from '../source.ts'

type Collections = Readonly<Record<string, Declared>>

/**
 * Returns what the declarations of a database say that others lack (`+`), the other way round (`-`), and what differs
 * (`~`). `joins`: the names of the join tables of the database.
 */
export function describeChanges (
  database: Collections, others: Collections, joins: ReadonlySet<string>
): readonly string[] {
  const [found, own] = [byTable(database), byTable(others)]
  return [
    ...[...found].flatMap(([name, one]) => {
      const known = own.get(name)
      return known === undefined ? [`+ table ${name}`] : compareColumns(name, one, known)
    }),
    ...[...own.keys()].filter(name => !found.has(name) && !joins.has(name)).map(name => `- table ${name}`)
  ]
}

const byTable = (collections: Collections): ReadonlyMap<string, DeclaredInSql> =>
  new Map(Object.values(collections).flatMap(one => isSql(one) ? [[one.source.table, one]] : []))

interface DeclaredInSql extends Declared { readonly source: SqlSource }

const isSql = (declared: Declared): declared is DeclaredInSql =>
  'table' in declared.source && 'column' in declared.source

function compareColumns (table: string, found: DeclaredInSql, own: DeclaredInSql): readonly string[] {
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
function columnsOf ({ schema, source }: DeclaredInSql): ReadonlyMap<string, string> {
  const scalars = Object.entries(schema.properties).filter(([, type]) => relationOf(type) === undefined)
  return new Map(scalars.map(([property, type]) =>
    [source.column(property), describeValues(type, false)?.type.kind ?? 'unknown']))
}

/** The relations by what they join: a project may name them as it likes. */
function relationsOf ({ schema, source }: DeclaredInSql): readonly string[] {
  const columnsOf = (properties: ForeignKey) => [properties].flat().map(property => source.column(property)).join(', ')
  return Object.values(schema.properties).flatMap(type => {
    if (isSubItem(type)) return [`${columnsOf(type.link.foreignKey)} refers to another table`]
    if (!isSubCollection(type) || type.link.through === undefined) return []
    return [`the join table ${type.link.through} by ${columnsOf(type.link.foreignKey)}`]
  })
}
