import { isSubCollection, isSubItem } from '../declare/relations.ts'
import type { Declarations } from './denials.ts'

/** The names, each `collection.property`, by which a client can write the same thing as by the key of the map. */
export type LinkedNames = ReadonlyMap<string, ReadonlySet<string>>

/**
 * Returns for each relation, and for each foreign key of one, all names by which clients write the same link, its own
 * included (docs/http.md: Rules):
 *
 *     foreign key   its own name, the sub-items made of it, the sub-collections of its parents
 *     join table    the sub-collections on either side
 *
 * A write rule of one of these names is a rule of them all.
 */
export function linkedNames (declared: Declarations): LinkedNames {
  const links = new Map<string, Set<string>>()
  const keys = new Map<string, Set<string>>()
  const databases = [...new Set(Object.values(declared).map(({ source }) => source.database))]
  for (const [collection, { schema, source }] of Object.entries(declared)) {
    for (const [property, field] of Object.entries(schema.properties)) {
      if (!isSubItem(field) && !isSubCollection(field)) continue
      const name = `${collection}.${property}`
      const { through, otherKey, foreignKey } = { through: undefined, otherKey: undefined, ...field.link }
      if (through !== undefined) {
        const table = `${databases.indexOf(source.database)} ${through}`
        addTo(links, `join ${table} ${[foreignKey, otherKey].sort().join()}`, name)
        continue
      }
      const child = isSubItem(field) ? collection : field.target
      addTo(links, `key ${child} ${foreignKey}`, name)
      for (const column of [foreignKey].flat()) addTo(keys, name, `${child}.${column}`)
    }
  }
  return neighbours(links, keys)
}

function addTo (sets: Map<string, Set<string>>, key: string, name: string): void {
  sets.set(key, (sets.get(key) ?? new Set()).add(name))
}

/** Joins the names of each link with those of its columns. Relations that share one column of two stay apart. */
function neighbours (
  links: ReadonlyMap<string, ReadonlySet<string>>, keys: ReadonlyMap<string, ReadonlySet<string>>
): LinkedNames {
  const linked = new Map<string, Set<string>>()
  for (const relations of links.values()) {
    const columns = [...relations].flatMap(name => [...keys.get(name) ?? []])
    for (const relation of relations) {
      for (const name of [...relations, ...columns]) addTo(linked, relation, name)
      for (const column of columns) addTo(linked, column, relation)
    }
    for (const column of columns) addTo(linked, column, column)
  }
  return linked
}
