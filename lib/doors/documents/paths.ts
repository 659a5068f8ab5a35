import type { Collection, SubCollectionField, SubItemField } from '../../core/model/model.ts'
import type { Resource, Walked } from '../../core/plan/path/walk.ts'
import { always } from '../../core/plan/predicates.ts'
import { type Describing, itemOf, listOf, methodsOf, type View } from './describing.ts'
import { isPlainName, type Profile } from './profiles.ts'
import { readableFields } from './items.ts'
import { type Method, separableRelation, updatesAll } from '../../core/plan/path/methods.ts'
import { deleteManyOperation, updateManyOperation } from './many.ts'
import type { Operation, OperationMethod, PathItem } from './objects.ts'
import {
  createOperation, deleteOperation, type DescribedItem, describeList, getItem, getList, queryList, replaceOperation,
  updateOperation
} from './operations.ts'
import { identifierParameter } from './parameters.ts'
import { dictionaryPaths, scalarPath } from './scalars.ts'

type Paths = Readonly<Record<string, PathItem>>

/** Returns the paths of a collection: its list, its items, their fields and, one deep, their relations. */
export function collectionPaths (view: View, describing: Describing): Paths {
  const { collection } = view
  const { profile } = describing
  const root = `/${encodeURIComponent(collection.name)}`
  const item = `${root}/{identifier}`
  const paths: Record<string, PathItem> = {
    [root]: listPath(listOf(collection), view, describing),
    [item]: itemPath(itemOf(collection), view, describing),
    ...profile.scalars && dictionaryPaths(root, view, describing),
    ...profile.scalars && scalarPath(item, view, describing),
    ...profile.relations && relationPaths(item, view, describing)
  }
  const hasOperation = (path: PathItem) => Object.keys(path).some(member => member !== 'parameters')
  return Object.fromEntries(Object.entries(paths).filter(([, path]) => hasOperation(path)))
}

type ListResource = Extract<Resource, { kind: 'collection' }>
type ItemResource = Extract<Resource, { kind: 'item' }>

function listPath (resource: ListResource, view: View, describing: Describing): PathItem {
  const methods = methodsOf(resource, view)
  const list = describeList(resource, view)
  const isBulk = updatesAll(resource)
  return {
    ...methods.includes('GET') && { get: getList(list, describing) },
    ...methods.includes('POST') && createOperation(list, describing),
    ...methods.includes('PUT') && list.via !== undefined && { put: replaceOperation(list.via, list, describing) },
    ...methods.includes('PATCH') && (isBulk || describing.profile.namedFilters) && {
      patch: updateManyOperation(list, isBulk, describing)
    },
    ...methods.includes('DELETE') && { delete: deleteManyOperation(list, describing) },
    ...methods.includes('QUERY') && describing.version === '3.2' && describing.profile.streams && {
      query: queryList(list, describing)
    }
  }
}

function itemPath (resource: ItemResource, view: View, describing: Describing): PathItem {
  const { collection } = resource
  const item = { tag: collection.name, part: undefined }
  return {
    parameters: [identifierParameter(collection, describing)],
    ...methodsOf(resource, view).includes('GET') && { get: getItem(collection, describing, item) },
    ...writesOf(resource, item, view, describing)
  }
}

/** Returns the operations that change the item or sub-item at a place. */
function writesOf (resource: ItemResource, item: DescribedItem, view: View, describing: Describing): PathItem {
  const methods = methodsOf(resource, view)
  const { collection } = resource
  const updates = methods.filter(method => method === 'PUT' || method === 'PATCH')
  const shown = describing.profile.allUpdates ? updates : updates.slice(-1)
  const noted = (method: Method, operation: Operation): Operation =>
    view.permissions.changes(method, resource).length === 0 ? operation : dependingOnItem(operation)
  return {
    ...Object.fromEntries(shown.map(method => {
      const operation = updateOperation(collection, method, describing, item)
      return [method.toLowerCase() as OperationMethod, noted(method, operation)]
    })),
    ...methods.includes('DELETE') && {
      delete: noted('DELETE', deleteOperation(item, separableRelation(resource) !== undefined, describing))
    }
  }
}

const dependingOnItem = (operation: Operation): Operation => ({
  ...operation,
  description: `${operation.description} It is not allowed for every item: \`Allow\` tells, in the answer to OPTIONS.`
})

function relationPaths (item: string, view: View, describing: Describing): Paths {
  const fields = readableFields(view.collection, describing)
  return Object.fromEntries(fields.flatMap(field => {
    if (field.kind !== 'sub-item' && field.kind !== 'sub-collection') return []
    return [[`${item}/${encodeURIComponent(field.name)}`, relationPath(field, view, describing)]]
  }))
}

function relationPath (field: SubItemField | SubCollectionField, view: View, describing: Describing): PathItem {
  const path = { parameters: [identifierParameter(view.collection, describing)] }
  if (field.kind === 'sub-collection') {
    const from = { collection: field.target, via: field }
    return { ...path, ...listPath({ ...listOf(field.target), from }, view, describing) }
  }
  const walked = [stepTo(view.collection), stepTo(field.target, field)]
  const resource: ItemResource = { ...itemOf(field.target), nullable: true, pathValues: undefined, walked }
  const item = { tag: view.collection.name, part: field.name }
  return {
    ...path,
    ...methodsOf(resource, view).includes('GET') && { get: getItem(field.target, describing, item) },
    ...writesOf(resource, item, view, describing)
  }
}

/** Rules are asked of the collection that a path begins with, and a relation tells what DELETE does behind it. */
const stepTo = (collection: Collection, via?: SubItemField): Walked =>
  ({ step: { collection, via, where: always }, segment: '', length: 0, alternatives: [] })

/** Returns true for a collection whose name the profile can use. */
export const isNameable = ({ name }: Collection, { plainNames }: Profile): boolean =>
  !plainNames || isPlainName(name)
