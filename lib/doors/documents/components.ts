import type { CollectionView } from '../../core/api/face.ts'
import type { Parameter, SchemaReference, Response, Schema } from './objects.ts'

/** The parts of a document that several others refer to, in the order in which they were first referred to. */
export interface Components {
  /** Returns the name of a collection's components, which no other collection's begins with. */
  nameOf (collection: CollectionView): string
  /** Returns a reference to the collection's schema with this suffix. `make` makes it once, when its turn comes. */
  ref (collection: CollectionView, suffix: Suffix | `${Suffix}_${string}`, make: () => Schema): SchemaReference
  /** Returns a reference to a schema of the whole API. */
  named (name: SharedName, make: () => Schema): SchemaReference
  /** Returns a reference to a schema that has no name, only an identity. */
  lifted (identity: string, make: () => Schema): SchemaReference
  /** Makes a schema that was referred to. Returns false if all are made. */
  makeNext (): boolean
  /** Returns a reference to a response of the whole API. */
  response (name: string): SchemaReference
  /** Returns a reference to a response of the collection. */
  responseOf (collection: CollectionView, suffix: ResponseSuffix, make: () => Response): SchemaReference
  /** Returns a reference to a parameter of the whole API. */
  parameter (name: string, make: () => Parameter): SchemaReference
  /** Returns a reference to a parameter of the collection. */
  parameterOf (collection: CollectionView, suffix: ParameterSuffix, make: () => Parameter): SchemaReference
  readonly schemas: Readonly<Record<string, Schema>>
  readonly responses: Record<string, Response>
  readonly parameters: Readonly<Record<string, Parameter>>
}

/** The suffixes that follow the collection's name in the name of a schema. */
const suffixes = ['', 'Listed', 'Create', 'Update', 'Change'] as const
type Suffix = typeof suffixes[number]

// No name of the whole API ends with one of these.
export type ResponseSuffix = 'Page' | 'Groups' | 'Item' | 'ItemOrNull' | 'Created' | 'Linked' | 'Updated' | 'Upserted'
type ParameterSuffix =
  'Where' | 'Sort' | 'Fields' | 'Page' | 'Size' | 'Offset' | 'After' | 'Before' | 'Identifier' | 'By'

/** `prefix` is put before every name, so that the schemas of two registrations fit into one document. */
export function makeComponents (collections: Iterable<CollectionView>, prefix: string): Components {
  const schemas: Record<string, Schema> = {}
  const responses = makeShelf<Response>('responses')
  const parameters = makeShelf<Parameter>('parameters')
  const waiting: Array<() => void> = []
  const names = componentNames(collections, prefix)
  const lifted = new Map<string, number>()
  const named = (name: string, make: () => Schema): SchemaReference => {
    if (!Object.hasOwn(schemas, name)) {
      // A schema may refer to itself, and through others to all collections, which would be too much at once.
      schemas[name] = {}
      waiting.push(() => { schemas[name] = make() })
    }
    return { $ref: `#/components/schemas/${name}` }
  }
  const nameOf = ({ name }: CollectionView) => names.get(name) ?? name
  return {
    nameOf,
    schemas,
    responses: responses.all,
    parameters: parameters.all,
    makeNext () {
      waiting.shift()?.()
      return waiting.length > 0
    },
    named: (name, make) => named(prefix + name, make),
    lifted (identity, make) {
      const number = lifted.get(identity) ?? lifted.size + 1
      lifted.set(identity, number)
      return named(`${prefix}Type_${number}`, make)
    },
    response: name => ({ $ref: `#/components/responses/${prefix}${name}` }),
    responseOf: (collection, suffix, make) => responses.ref(nameOf(collection) + suffix, make),
    parameter: (name, make) => parameters.ref(prefix + name, make),
    parameterOf: (collection, suffix, make) => parameters.ref(nameOf(collection) + suffix, make),
    ref: (collection, suffix, make) => named(nameOf(collection) + escaped(suffix), make)
  }
}

/** Returns components of one kind, which are made when they are first referred to. */
function makeShelf<One> (kind: string) {
  const all: Record<string, One> = {}
  const ref = (name: string, make: () => One): SchemaReference => {
    all[name] ??= make()
    return { $ref: `#/components/${kind}/${name}` }
  }
  return { all, ref }
}

/** Returns the parameter itself, or the one that a reference names. */
export const resolveParameter = (
  parameter: Parameter | SchemaReference, { parameters }: Components
): Parameter | undefined =>
  '$ref' in parameter ? parameters[componentOf(parameter)] : parameter

/** Returns the name of the component that is referred to. */
export const componentOf = ({ $ref }: SchemaReference): string => $ref.slice($ref.lastIndexOf('/') + 1)

/** The names of the schemas of the whole API, which no collection's schema may have. */
const shared = [
  'Error', 'Problem', 'Done', 'DirectoryEntry', 'Query', 'Group', 'Event', 'Affected', 'Imported', 'BatchOperation',
  'BatchResult'
] as const
type SharedName = typeof shared[number]

/** Returns the names of the collections' schemas: that of `solar_systems` is `SolarSystems`. */
function componentNames (collections: Iterable<CollectionView>, prefix: string): ReadonlyMap<string, string> {
  const used = new Set<string>(shared.map(name => prefix + name))
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
