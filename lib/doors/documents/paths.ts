import type { CollectionView, RelationView } from '../../core/api/face.ts'
import type { Describing } from './describing.ts'
import { isPlainName, type Profile } from './profiles.ts'
import { readableFields } from './items.ts'
import { deleteManyOperation, updateManyOperation } from './many.ts'
import type { Operation, OperationMethod, PathItem } from './objects.ts'
import {
  createOperation, deleteOperation, getItem, getList, type List, queryList, replaceOperation,
  updateOperation
} from './operations.ts'
import { identifierParameter } from './parameters.ts'
import { dictionaryPaths, scalarPath } from './scalars.ts'

type Paths = Readonly<Record<string, PathItem>>

/** Returns the paths of a collection: its list, its items, their fields and, one deep, their relations. */
export function collectionPaths (collection: CollectionView, describing: Describing): Paths {
  const { profile } = describing
  const root = `/${encodeURIComponent(collection.name)}`
  const item = `${root}/{identifier}`
  const paths: Record<string, PathItem> = {
    [root]: listPath(collection, undefined, describing),
    [item]: {
      parameters: [identifierParameter(collection, describing)], ...itemOperations(collection, undefined, describing)
    },
    ...profile.scalars && dictionaryPaths(root, collection, describing),
    ...profile.scalars && scalarPath(item, collection, describing),
    ...profile.relations && relationPaths(item, collection, describing)
  }
  const hasOperation = (path: PathItem) => Object.keys(path).some(member => member !== 'parameters')
  return Object.fromEntries(Object.entries(paths).filter(([, path]) => hasOperation(path)))
}

function listPath (collection: CollectionView, via: RelationView | undefined, describing: Describing): PathItem {
  const resource = describing.sight.at({ kind: 'collection', collection, via })
  const { methods, updatesAll } = resource
  const words = via === undefined ? [collection.name] : [via.holder.name, via.name]
  const list: List = { collection, via, resource, words }
  return {
    ...methods.includes('GET') && { get: getList(list, describing) },
    ...methods.includes('POST') && createOperation(list, describing),
    ...methods.includes('PUT') && via !== undefined && { put: replaceOperation(via, list, describing) },
    ...methods.includes('PATCH') && (updatesAll || describing.profile.namedFilters) && {
      patch: updateManyOperation(list, updatesAll, describing)
    },
    ...methods.includes('DELETE') && { delete: deleteManyOperation(list, describing) },
    ...methods.includes('QUERY') && describing.profile.streams && {
      query: queryList(list, describing)
    }
  }
}

/** Returns the operations that read and change an item, or the one behind the relation `via`. */
function itemOperations (collection: CollectionView, via: RelationView | undefined, describing: Describing): PathItem {
  const { sight, profile } = describing
  const resource = sight.at({ kind: 'item', collection, via })
  const { methods } = resource
  const item = { tag: (via?.holder ?? collection).name, part: via?.name }
  const updates = methods.filter(method => method === 'PUT' || method === 'PATCH')
  const shown = profile.allUpdates ? updates : updates.slice(-1)
  const noted = (method: 'PUT' | 'PATCH' | 'DELETE', operation: Operation): Operation =>
    resource.dependsOnItem(method) ? dependingOnItem(operation) : operation
  return {
    ...methods.includes('GET') && { get: getItem(collection, describing, item) },
    ...Object.fromEntries(shown.map(method => {
      const operation = updateOperation(collection, method, describing, item)
      return [method.toLowerCase() as OperationMethod, noted(method, operation)]
    })),
    ...methods.includes('DELETE') && {
      delete: noted('DELETE', deleteOperation(item, resource.unlinks, describing))
    }
  }
}

const dependingOnItem = (operation: Operation): Operation => ({
  ...operation,
  description: `${operation.description} It is not allowed for every item: \`Allow\` tells, in the answer to OPTIONS.`
})

function relationPaths (item: string, collection: CollectionView, describing: Describing): Paths {
  return Object.fromEntries(readableFields(collection, describing).flatMap(field => 'target' in field
    ? [[`${item}/${encodeURIComponent(field.name)}`, relationPath(field, describing)]]
    : []))
}

function relationPath (via: RelationView, describing: Describing): PathItem {
  const { kind, holder, target } = via
  const operations = kind === 'sub-collection' ? listPath : itemOperations
  return { parameters: [identifierParameter(holder, describing)], ...operations(target, via, describing) }
}

/** Returns true for a collection whose name the profile can use. */
export const isNameable = ({ name }: CollectionView, { plainNames }: Profile): boolean =>
  !plainNames || isPlainName(name)
