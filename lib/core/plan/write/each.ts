import { describeValue } from '../../errors/errors.ts'
import { isObject } from '../../errors/is-object.ts'
import type { Violation } from '../../errors/violation.ts'
import type { Collection, StoredField } from '../../model/model.ts'
import { jsonOf } from '../../request/body.ts'
import type { Conditions } from '../../request/conditions.ts'
import { joinPathValues, type ResourceOf } from '../path/walk.ts'
import { all, both, equals } from '../predicates.ts'
import type { Origin, Step, WritePlanOf } from '../plan.ts'
import type { Projection } from '../tag.ts'
import { stepsOf } from '../read/read.ts'
import { tokenOf } from '../../errors/place.ts'
import { checkAll, findNamedIdentifier, type Named } from './item-body.ts'
import { allowanceOf, checkLength, mergeOf, projectionOf, type WriteLimits } from './limits.ts'
import { findPathValue, type ParentValue, parentValues } from './path-values.ts'
import { expectation } from './required.ts'
import { planUpdateBodies } from './update.ts'
import type { Write, WriteRequest } from './write.ts'

export interface EachPlan {
  readonly kind: 'each'
  readonly steps: readonly Step[]
  readonly collection: Collection
  readonly from: Origin
  /** `identifier`: how the body names the item. */
  readonly updates: ReadonlyArray<WritePlanOf<'update'> & { readonly identifier: string }>
  readonly conditions: Conditions
  /** Undefined if the answer does not show the items. */
  readonly representation: Projection | undefined
}

/**
 * Plans the update of several items of a list, each of which an identifier in its element names (docs/http.md: Arrays
 * of changes).
 */
export function planEach (resource: ResourceOf<'collection'>, request: WriteRequest, limits: WriteLimits): Write {
  const { from, walked } = resource
  const { collection } = from
  const elements = jsonOf(request.body, 'an array of items to change') as readonly unknown[]
  checkLength(elements, limits)
  const allowance = allowanceOf(limits)
  const merge = mergeOf(request, limits)
  const parent = parentValues(from.via).filter(one => one.kind === 'parent')
  const planned = elements.map((element, index) => {
    const pointer = `/${index}`
    const named = isObject(element) ? findNamedIdentifier(element, collection, parent) : undefined
    if (!isObject(element) || named === undefined) return unnamed(element, collection, parent, pointer)
    const item = itemNamed(named, resource)
    return { item, ...planUpdateBodies(item, withoutName(element, named), limits, { pointer, allowance, merge }) }
  })
  checkAll(planned.map(one => 'violations' in one ? one : one.body))
  const common = { kind: 'update', collection, scalar: false, ...unconditional } as const
  const updates = planned.flatMap(one => {
    if ('violations' in one) return []
    const { item, body, insert } = one
    return [{ ...common, identifier: item.walked.at(-1)?.segment ?? '', steps: stepsOf(item.walked), body, insert }]
  })
  const { conditions } = request
  const representation = projectionOf(collection, request, limits)
  return {
    plan: { kind: 'each', steps: stepsOf(walked), collection, from, updates, conditions, representation },
    walked,
    scalar: false
  }
}

/** The list has the conditions, and shows its items. */
const unconditional = { conditions: { ifMatch: undefined, ifNoneMatch: undefined }, representation: undefined }

/** Returns the item of a list that an element names, as its URL would. */
function itemNamed (
  { fields, values }: Named, { from: { collection, via }, where, pathValues, walked }: ResourceOf<'collection'>
): ResourceOf<'item'> {
  // The parent gives the values that are missing.
  const own = fields.flatMap((field, index) => {
    const value = values[index]
    return value === undefined ? [] : [{ kind: 'value', field, value } as const]
  })
  const step = { collection, via, where: both(where, all(own.map(({ field, value }) => equals(field, value)))) }
  const segment = own.map(({ value }) => String(value)).join(',')
  return {
    kind: 'item',
    collection,
    special: false,
    nullable: false,
    pathValues: joinPathValues(pathValues, own),
    walked: [...walked, { step, segment, length: 0, alternatives: [] }]
  }
}

/** Returns the members of an element without its name: it stays as it is, and may be one that clients cannot write. */
function withoutName (element: Readonly<Record<string, unknown>>, { fields, values }: Named) {
  const names = fields.filter((_, index) => values[index] !== undefined).map(({ name }) => name)
  return Object.fromEntries(Object.entries(element).filter(([name]) => !names.includes(name)))
}

/** Returns the violation of an element that names no item. */
function unnamed (
  element: unknown, { key, stored }: Collection, parent: readonly ParentValue[], pointer: string
): { readonly violations: readonly Violation[] } {
  if (!isObject(element)) {
    return { violations: [{ pointer, message: `must be an object; found ${describeValue(element)}` }] }
  }
  const names = key.every(({ readable }) => readable) ? key : stored.filter(one => one.identifier && one.readable)
  const missing = names.find(field => !takes(field, element) && findPathValue(field, parent) === undefined)
  if (missing === undefined) return { violations: [{ pointer, message: 'must have an identifier' }] }
  const { name } = missing
  const message = Object.hasOwn(element, name) ? expectation(missing, element[name]) : 'is required'
  return { violations: [{ pointer: pointer + tokenOf(name), message }] }
}

const takes = ({ name, type }: StoredField, element: Readonly<Record<string, unknown>>) =>
  Object.hasOwn(element, name) && type.take(element[name]) !== undefined
