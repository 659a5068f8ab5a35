import type { Declared } from '../declare/collection.ts'
import { isSubCollection, relationOf } from '../declare/relations.ts'
import { DeclarationError } from '../errors/errors.ts'
import { suggest } from '../errors/suggest.ts'
import { placeOf } from './fields.ts'

type Declarations = Readonly<Record<string, Declared>>

/**
 * Throws a DeclarationError for a name in `columns` that is no stored field, and for a column whose fields have
 * different rules: what a rule hides under one name would be open under another.
 */
export function checkColumns (declared: Declarations): void {
  for (const [collection, one] of Object.entries(declared)) {
    checkNamed(collection, one, declared)
    checkShared(collection, one)
  }
}

function checkNamed (collection: string, { source }: Declared, declared: Declarations): void {
  const { namedColumns = [] } = source
  if (namedColumns.length === 0) return
  // Several collections may share a source.
  const sharing = Object.values(declared).filter(one => one.source === source)
  const known = sharing.flatMap(one => [...storedNames(one), ...joinNames(one)])
  for (const property of namedColumns) {
    if (known.includes(property)) continue
    const near = suggest(property, known)
    const advice = near === undefined ? 'remove it, or declare the field' : `did you mean '${near}'?`
    throw new DeclarationError(`collection '${collection}', columns: there is no stored field '${property}'; ${advice}`)
  }
}

function checkShared (collection: string, declared: Declared): void {
  const { source, rules: { fields = {} } } = declared
  if (source.column === undefined) return
  const firsts = new Map<string, string>()
  for (const property of storedNames(declared)) {
    const column = source.column(property)
    // SQLite does not distinguish cases.
    const name = source.database.kind === 'sqlite' ? column.toLowerCase() : column
    const first = firsts.get(name) ?? property
    firsts.set(name, first)
    const differs = (['read', 'write', 'writeItem'] as const)
      .some(rule => fields[first]?.[rule] !== fields[property]?.[rule])
    if (!differs) continue
    const found = `it has other rules than '${first}', but both are stored in the column '${column}'`
    throw new DeclarationError(`${placeOf(collection, property)}: ${found}; give both the same functions as rules`)
  }
}

const storedNames = ({ schema }: Declared): readonly string[] => Object.entries(schema.properties)
  .flatMap(([property, field]) => relationOf(field) === undefined ? [property] : [])

/** Returns the names by which a collection's relations know the columns of their join tables. */
const joinNames = ({ schema }: Declared): readonly string[] => Object.values(schema.properties).flatMap(field => {
  if (!isSubCollection(field) || field.link.through === undefined) return []
  return [field.link.foreignKey, field.link.otherKey ?? []].flat()
})
