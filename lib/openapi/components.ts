import type { Collection } from '../model/model.ts'
import type { Reference, Schema } from './objects.ts'

/** The schemas of a document that several parts refer to, in the order in which they were first referred to. */
export interface Components {
  /** Returns a reference to the collection's schema with this suffix. `make` is called for the first reference. */
  ref (collection: Collection, suffix: Suffix | `${Suffix}_${string}`, make: () => Schema): Reference
  /** Returns a reference to a schema with a name of its own. */
  named (name: string, make: () => Schema): Reference
  /** Returns a reference to a schema that has no name, only an identity. */
  lifted (identity: string, make: () => Schema): Reference
  /** Returns a reference to a shared response. */
  response (name: string): Reference
  readonly schemas: Readonly<Record<string, Schema>>
}

/** The suffixes that follow the collection's name in the name of a schema. */
const suffixes = ['', 'Listed', 'Create', 'Update'] as const
export type Suffix = typeof suffixes[number]

/** `prefix` is put before every name, so that the schemas of two registrations fit into one document. */
export function makeComponents (collections: Iterable<Collection>, prefix: string): Components {
  const schemas: Record<string, Schema> = {}
  const names = componentNames(collections, prefix)
  const lifted = new Map<string, number>()
  const named = (name: string, make: () => Schema): Reference => {
    if (!Object.hasOwn(schemas, name)) {
      // The name is taken before the schema is made, because the schema may refer to itself.
      schemas[name] = {}
      schemas[name] = make()
    }
    return { $ref: `#/components/schemas/${name}` }
  }
  return {
    schemas,
    named: (name, make) => named(prefix + name, make),
    lifted (identity, make) {
      const number = lifted.get(identity) ?? lifted.size + 1
      lifted.set(identity, number)
      return named(`${prefix}Type_${number}`, make)
    },
    response: name => ({ $ref: `#/components/responses/${prefix}${name}` }),
    ref: ({ name }, suffix, make) => named(`${names.get(name) ?? name}${escaped(suffix)}`, make)
  }
}

/** Names of shared schemas, which no collection's schema may have. */
const shared: readonly string[] = ['Error', 'Problem', 'Created', 'Done', 'DirectoryEntry']

/** Returns the names of the collections' schemas: that of `solar_systems` is `SolarSystems`. */
function componentNames (collections: Iterable<Collection>, prefix: string): ReadonlyMap<string, string> {
  const used = new Set(shared.map(name => prefix + name))
  const names = new Map<string, string>()
  for (const { name } of collections) {
    const component = unused(prefix + pascalCase(name), used)
    for (const suffix of suffixes) used.add(component + suffix)
    names.set(name, component)
  }
  return names
}

/** Returns the name, with a number where the name or one of its suffixes is used already. */
function unused (name: string, used: ReadonlySet<string>): string {
  const isUsed = (candidate: string) => suffixes.some(suffix => used.has(candidate + suffix))
  let candidate = name
  for (let count = 2; isUsed(candidate); count++) candidate = `${name}${count}`
  return candidate
}

/** Characters outside of ASCII's letters, digits and `_` become their code points. */
const escaped = (name: string): string =>
  name.replaceAll(/[^A-Za-z0-9_]/gu, character => `U${character.codePointAt(0)?.toString(16) ?? ''}`)

/** The name of a component is in Pascal case, so that no name of a collection has the `_` of a longer one. */
const pascalCase = (name: string): string =>
  escaped(name.split(/[_\- ]+/).map(word => word.slice(0, 1).toUpperCase() + word.slice(1)).join(''))
