import type { Collection, Field, RelationField } from '../model/model.ts'
import { takenStrategies } from '../model/strategies.ts'
import {
  allowedMethods, linkingRelation, type Method, replaceableRelation, separable, separableRelation, updatesAll
} from '../plan/path/methods.ts'
import { collectionAt, type Resource, type ResourceOf, type Walked } from '../plan/path/walk.ts'
import type { Origin } from '../plan/plan.ts'
import { always } from '../plan/predicates.ts'
import type { Permissions } from '../plan/request.ts'
import { parentValues } from '../plan/write/path-values.ts'
import { requirementsOf } from '../plan/write/required.ts'
import type { Requirement, ResourceView } from './face.ts'
import type { Views } from './views.ts'

/** Returns a collection, or a sub-collection of one of its items, as a path leads to it. */
export const listAt = (from: Origin): ResourceOf<'collection'> =>
  ({ kind: 'collection', from, where: always, pathValues: [], walked: [] })

/** Returns an item of a collection, or the item behind a relation to it, as a path leads to it. */
export function itemAt (collection: Collection, via: RelationField | undefined): ResourceOf<'item'> {
  const item = { kind: 'item', collection, special: false } as const
  if (via === undefined) return { ...item, nullable: false, pathValues: [], walked: [] }
  const walked = [stepTo(via.holder), stepTo(collection, via)]
  return { ...item, nullable: true, pathValues: undefined, walked }
}

/** Rules are asked of the collection that a path begins with, and a relation tells what DELETE does behind it. */
const stepTo = (collection: Collection, via?: RelationField): Walked =>
  ({ step: { collection, via, where: always }, segment: '', length: 0, alternatives: [] })

interface Placing {
  readonly views: Views
  readonly permissions: Permissions
  isLive (resource: Resource): boolean
}

/** A resource, and what its caller may do there. Of each, few members are asked: they are found when they are. */
export class PlacedResource implements ResourceView {
  readonly kind: Resource['kind']
  private readonly resource: Resource
  private readonly placing: Placing

  constructor (resource: Resource, placing: Placing) {
    this.kind = resource.kind
    this.resource = resource
    this.placing = placing
  }

  get collection () {
    const collection = collectionAt(this.resource)
    return collection && this.placing.views.of(collection)
  }

  get via () {
    const relation = viaOf(this.resource)
    return relation && this.placing.views.ofRelation(relation)
  }

  get field () {
    const { resource } = this
    return resource.kind === 'scalar' ? this.placing.views.ofValue(resource.field, resource.collection) : undefined
  }

  get allowed () { return allowedMethods(this.resource) }
  get methods () {
    return this.allowed.filter(one => one !== 'HEAD' && one !== 'OPTIONS' && this.denial(one) === undefined)
  }

  get isLive () { return this.placing.isLive(this.resource) }
  get isWhole () { return this.list?.where === always }
  get updatesAll () { return this.list !== undefined && updatesAll(this.list) }
  get creates () {
    const { list } = this
    return list?.pathValues !== undefined && takenStrategies(list.from.collection).create
  }

  get links () {
    const links = this.list && linkingRelation(this.list)
    return links && this.placing.views.ofRelation(links)
  }

  get replaces () { return this.list !== undefined && replaceableRelation(this.list) !== undefined }
  get unlinks () {
    const { resource, list } = this
    return (resource.kind === 'item' ? separableRelation(resource) : list && separable(list.from.via)) !== undefined
  }

  get given () { return givenIn(this.list, this.placing.views) }
  get requirements () { return requirementsIn(this.list, this.placing.views) }

  denial (method: Method) { return this.placing.permissions.denial(method, this.resource) }
  dependsOnItem (method: Method) { return this.placing.permissions.changes(method, this.resource).length > 0 }

  private get list () { return this.resource.kind === 'collection' ? this.resource : undefined }
}

function viaOf (resource: Resource): RelationField | undefined {
  if (resource.kind === 'directory') return undefined
  return 'from' in resource ? resource.from.via : resource.walked.at(-1)?.step.via
}

function valuesIn ({ from: { via }, pathValues = [] }: ResourceOf<'collection'>) {
  return [...pathValues, ...parentValues(via)]
}

/** A sub-item is given where a part of its foreign key is. */
function givenIn (list: ResourceOf<'collection'> | undefined, views: Views): ResourceView['given'] {
  if (list === undefined) return []
  const { collection } = list.from
  const values = valuesIn(list)
  const isGiven = (field: Field) => values.some(one => one.field === field ||
    (field.kind === 'sub-item' && field.foreignKey.includes(one.field)))
  return [...collection.fields.values()].filter(isGiven).map(field => views.ofField(field, collection))
}

function requirementsIn (list: ResourceOf<'collection'> | undefined, views: Views): readonly Requirement[] {
  if (list === undefined) return []
  const { collection } = list.from
  const viewOf = (field: Field) => views.ofField(field, collection)
  return requirementsOf(collection, valuesIn(list)).map(({ field, instead }) =>
    ({ field: viewOf(field), instead: instead.map(fields => fields.map(viewOf)) }))
}
