import type { Collection, StoredField } from '../../../model/model.ts'
import type { Predicate, ReadPlan, Step } from '../../../plan/plan.ts'
import type { Change, ChangeOf, Stored } from '../../source.ts'
import { isTextual } from './conditions.ts'
import { insertFlags, isFlat, toBound } from './shape.ts'
import { comparedValue, type Value } from './slots.ts'

/**
 * What the most frequent plans share with all others of their shape (shape.ts): reads and updates of an item by one
 * step, and inserts. To compare plans takes less time than to write the key of a shape and to look it up.
 */
export interface Outline {
  readonly collection: Collection
  /** The predicate of the step; undefined for an insert. */
  readonly where: Predicate | undefined
  /** The fields that are written. */
  readonly fields: readonly StoredField[]
  /** The most characters of an item, or the form of an insert. */
  readonly rest: unknown
}

type Planned = ReadPlan | Change

/**
 * Returns the object by which the last outline of plans is kept: the selection of an item, the first field that an
 * update writes, the collection of an insert; undefined for all other plans.
 */
export function ownerOf (planned: Planned): object | undefined {
  switch (planned.kind) {
    case 'item': return planned.steps.length === 1 ? planned.select : undefined
    case 'update': return planned.steps.length === 1 ? planned.values.keys().next().value : undefined
    case 'insert': return planned.collection
    default: return undefined
  }
}

/** Returns the outline of a plan that has an owner. `count`: the number of values of its shape. */
export function outlineOf (planned: Planned, count: number): Outline | undefined {
  const outline = draw(planned)
  // A node that occurs twice has its values once in a shape.
  return outline !== undefined && valuesBy(outline, planned)?.length === count ? outline : undefined
}

function draw (planned: Planned): Outline | undefined {
  if (planned.kind === 'insert') {
    const { collection, fields } = planned
    return { collection, where: undefined, fields, rest: insertFlags(planned) }
  }
  if (planned.kind !== 'item' && planned.kind !== 'update') return undefined
  const [{ collection, where } = none] = planned.steps
  if (collection === undefined) return undefined
  if (planned.kind === 'update') return { collection, where, fields: [...planned.values.keys()], rest: undefined }
  // Only a selection that outlives its request can be met again, and only a flat one has no values.
  const isKept = Object.isFrozen(planned.select) && isFlat(planned.select)
  return isKept ? { collection, where, fields: [], rest: planned.longest } : undefined
}

const none: Partial<Step> = {}

/** Returns the values of a plan in the order of its shape; undefined if it has another outline. */
export function valuesBy (outline: Outline, planned: Planned): readonly Value[] | undefined {
  const values: Value[] = []
  return follows(outline, planned, values) ? values : undefined
}

function follows (outline: Outline, planned: Planned, values: Value[]): boolean {
  const { collection, fields, rest } = outline
  switch (planned.kind) {
    case 'item': return planned.longest === rest && followsStep(outline, planned.steps, values)
    case 'update': return followsStep(outline, planned.steps, values) && addStored(planned.values, fields, values)
    case 'insert': {
      const isAlike = planned.collection === collection && insertFlags(planned) === rest
      return isAlike && addRow(planned, fields, values)
    }
    default: return false
  }
}

function followsStep ({ collection, where }: Outline, [step]: readonly Step[], values: Value[]): boolean {
  if (step === undefined || step.via !== undefined || step.collection !== collection) return false
  return where !== undefined && addAlike(step.where, where, values)
}

/** Adds the values of a predicate. Returns false if it is no predicate like the other. */
function addAlike (one: Predicate, other: Predicate, values: Value[]): boolean {
  switch (one.kind) {
    case 'compare':
      if (other.kind !== 'compare' || one.field !== other.field || one.operator !== other.operator) return false
      if (one.stored !== other.stored || isTextual(one) !== isTextual(other)) return false
      values.push(comparedValue(one))
      return true
    case 'is_null': return other.kind === 'is_null' && one.field === other.field
    case 'not': return other.kind === 'not' && addAlike(one.of, other.of, values)
    case 'all':
    case 'any': return other.kind === one.kind && one.of.length === other.of.length &&
      one.of.every((part, index) => addAlike(part, other.of[index] ?? part, values))
    default: return false
  }
}

function addRow ({ fields, rows: [row = []] }: ChangeOf<'insert'>, known: readonly StoredField[], values: Value[]) {
  if (fields.length !== known.length) return false
  for (let index = 0; index < fields.length; index++) {
    const field = fields[index]
    if (field === undefined || field !== known[index]) return false
    values.push(toBound(row[index], field.type.kind))
  }
  return true
}

function addStored (stored: Stored, fields: readonly StoredField[], values: Value[]): boolean {
  if (stored.size !== fields.length) return false
  let index = 0
  for (const [field, value] of stored) {
    if (field !== fields[index++]) return false
    values.push(toBound(value, field.type.kind))
  }
  return true
}
