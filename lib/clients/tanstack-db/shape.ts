import type { ItemRow } from './rows.ts'
import type { Key } from './tanstack.ts'
import type { PathOf } from './where.ts'

/** How items of the API are rows. */
export interface RowShape {
  /** The fields that are selected; undefined for those that the API lists. */
  readonly fields: readonly unknown[] | undefined
  readonly pathOf: PathOf
  rowOf (item: ItemRow): ItemRow
  keyOf (row: ItemRow): Key
  /** Returns the identifier of the item with a key. */
  idOf (key: Key): Key | readonly string[]
  /** Returns the body that writes a row, or some of its fields. */
  bodyOf (row: ItemRow): object
}

interface ShapeOptions {
  readonly fields?: unknown
  readonly key?: string | readonly string[] | undefined
  readonly generated?: readonly string[] | undefined
  readonly flatten?: boolean | undefined
}

export function rowShape ({ fields: asked, key = 'id', generated = [], flatten = false }: ShapeOptions): RowShape {
  const keys = [key].flat()
  const given = asked as ReadonlyArray<string | ItemRow> | undefined
  const items = subItemsOf(given ?? [])
  /** The paths of the members of sub-items, by their names in a flat row. */
  const flat = new Map(flatten ? items.map(path => [path.join('_'), path]) : [])
  return {
    fields: given && [...new Set([...keys, ...given])],
    keyOf: row => keys.length === 1 ? row[keys.join()] as Key : keys.map(name => encode(row[name])).join(),
    idOf: key => keys.length === 1 ? key : String(key).split(',').map(decodeURIComponent),
    pathOf ([first = '', second, ...rest]) {
      const name = String(first)
      if (second === undefined) return name.startsWith('$') ? undefined : flat.get(name) ?? [name]
      return flat.size + rest.length === 0 ? items.find(path => path[0] === name && path[1] === second) : undefined
    },
    rowOf: item => Object.fromEntries(Object.entries(item).flatMap(([name, value]) => {
      const members = Array.isArray(value) ? [] : [...flat].filter(([, [relation]]) => relation === name)
      if (members.length === 0) return [[name, value]]
      return members.map(([flatName, [, member = '']]) => [flatName, (value as ItemRow | null)?.[member] ?? null])
    })),
    bodyOf (row) {
      const body: Record<string, unknown> = {}
      // TanStack DB adds members, which begin with `$` as no field does.
      const own = Object.entries(row).filter(([name]) => !name.startsWith('$') && !generated.includes(name))
      for (const [name, value] of own) {
        const [relation = name, member] = flat.get(name) ?? []
        body[relation] = member === undefined || value === null ? value : { ...body[relation] ?? {}, [member]: value }
      }
      return body
    }
  }
}

const encode = (value: unknown): string => encodeURIComponent(String(value))

/** Returns the paths of the fields of sub-items in a selection. */
const subItemsOf = (fields: ReadonlyArray<string | ItemRow>): ReadonlyArray<readonly [string, string]> =>
  fields.flatMap(field => typeof field === 'string' ? [] : Object.entries(field)).flatMap(([name, nested]) => {
    const members = Array.isArray(nested) ? nested : (nested as { readonly fields?: readonly unknown[] }).fields ?? []
    return members.filter(one => typeof one === 'string').map(member => [name, member] as const)
  })
