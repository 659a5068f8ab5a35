import type { CollectionView, RelationView } from '../../core/api/face.ts'
import type { Describing } from './needs.ts'
import { readableFields } from './items.ts'
import type { OperationMethod, PathItem } from './objects.ts'
import { operations } from './operations.ts'
import { field, identifierParameter } from './parameters.ts'
import { valueFields } from './value-schema.ts'
import { writeOperations } from './write.ts'

type Paths = Readonly<Record<string, PathItem>>

/** Returns the path of the root, as far as the profile describes it. */
export function rootPaths (tags: readonly string[], describing: Describing): Paths {
  const path = writeOperations(operations.root, () => ({ tags }), describing)
  return Object.keys(path).length === 0 ? {} : { '/': path }
}

/** Returns the paths of a collection: its list, its items, their fields and, one deep, their relations. */
export function collectionPaths (collection: CollectionView, describing: Describing): Paths {
  const { profile } = describing
  const root = `/${encodeURIComponent(collection.name)}`
  const item = `${root}/{identifier}`
  const paths: Record<string, PathItem> = {
    [root]: operationsAt('collection', collection, undefined, describing),
    [item]: {
      parameters: [identifierParameter(collection, describing)],
      ...operationsAt('item', collection, undefined, describing)
    },
    ...profile.scalars && dictionaryPaths(root, collection, describing),
    ...profile.scalars && { [`${item}/{field}`]: scalarPath(collection, describing) },
    ...profile.relations && relationPaths(item, collection, describing)
  }
  const hasOperation = (path: PathItem) => Object.keys(path).some(member => member !== 'parameters')
  return Object.fromEntries(Object.entries(paths).filter(([, path]) => hasOperation(path)))
}

/** Returns the operations of a collection or an item, or of those behind the relation `via`. */
function operationsAt (
  kind: 'collection' | 'item', collection: CollectionView, via: RelationView | undefined, describing: Describing
): PathItem {
  const resource = describing.sight.at({ kind, collection, via })
  const on = { tags: [(via?.holder ?? collection).name], collection, resource }
  const ifTaken = <On>(on: On) => (method: OperationMethod) =>
    resource.methods.some(one => one === method.toUpperCase()) ? on : undefined
  return via === undefined
    ? writeOperations(operations[kind], ifTaken(on), describing)
    : writeOperations(operations[behind[kind]], ifTaken({ ...on, via }), describing)
}

const behind = { collection: 'subCollection', item: 'subItem' } as const

function relationPaths (item: string, collection: CollectionView, describing: Describing): Paths {
  const relations = readableFields(collection, describing).filter((field): field is RelationView => 'target' in field)
  return Object.fromEntries(relations.map(via => {
    const parameters = [identifierParameter(via.holder, describing)]
    const kind = via.kind === 'sub-collection' ? 'collection' : 'item'
    const path: PathItem = { parameters, ...operationsAt(kind, via.target, via, describing) }
    return [`${item}/${encodeURIComponent(via.name)}`, path]
  }))
}

/** Returns one path for all scalars of an item: a path for each would make the document several times as long. */
function scalarPath (collection: CollectionView, describing: Describing): PathItem {
  const scalars = valueFields(collection)
    .map(field => ({ field, methods: describing.sight.at({ kind: 'scalar', collection, field }).methods }))
  const onFields = (method: OperationMethod) => {
    const fields = scalars.filter(({ methods }) => methods.some(one => one === method.toUpperCase()))
      .map(({ field }) => field)
      .filter(({ readable, kind }) => method === 'get' ? readable : method === 'put' || kind === 'stored')
    return fields.length === 0 ? undefined : { tags: [collection.name], collection, fields }
  }
  const parameters = [identifierParameter(collection, describing)]
  return { parameters, ...writeOperations(operations.scalar, onFields, describing) }
}

/**
 * Returns the paths of a collection's dictionaries: items by the value of an identifier, or groups of items. A key of
 * several fields has a path of its own, since the commas of its name are not encoded.
 */
function dictionaryPaths (root: string, collection: CollectionView, describing: Describing): Paths {
  const { face, sight } = describing
  const fields = valueFields(collection).filter(({ filterable }) => filterable)
  const [first] = fields
  if (first === undefined) return {}
  if (!sight.at({ kind: 'dictionary', collection, field: first }).methods.includes('GET')) return {}
  const path = `${root}/${encodeURIComponent(face.syntax.dictionaryPrefix)}`
  const keys = collection.identifiers.flatMap(({ fields: key = [] }) => key.length > 1 ? [key] : [])
    .filter(key => key.every(one => fields.includes(one)))
  const on = { tags: [collection.name], collection, fields }
  const dictionary = () => writeOperations(operations.dictionary, () => on, describing)
  return {
    [`${path}{field}`]: { parameters: field(on, describing) ?? [], ...dictionary() },
    ...Object.fromEntries(keys.map(key =>
      [`${path}${key.map(({ name }) => encodeURIComponent(name)).join(',')}`, dictionary()]))
  }
}
