import { kindOf, type ValueKind } from '../../../model/kinds.ts'
import { type Scalar, traitsOf } from '../../../model/values.ts'
import type { Predicate } from '../../../plan/plan.ts'
import { foldCase } from '../../fold-case.ts'

/** A value of a plan, which is bound anew for each request. */
export type Value = Scalar | null | readonly Scalar[] | TypedValue

/** A text that stands for something else, as values of its kind do (model/value-type.ts), or a list of such values. */
export interface TypedValue { readonly kind: ValueKind, readonly text: Scalar | readonly Scalar[] }

/** Whether a value is one that is bound by its kind. */
export function isTyped (value: Value): value is TypedValue {
  return typeof value === 'object' && value !== null && 'kind' in value
}

/** Returns a value as it is bound: with its kind, if it is a text, or a list, whose meaning depends on the kind. */
export function typed (value: Scalar | readonly Scalar[], kind: ValueKind): Value {
  const isText = typeof value === 'string' || typeof value === 'object' || kind === 'mixed'
  return isText && kindOf(kind).bindsByKind ? { kind, text: value } : value
}

export function comparedValue ({ field, operator, value }: Extract<Predicate, { kind: 'compare' }>): Value {
  return traitsOf(operator).ignoresCase ? foldCase(String(value)) : typed(value, field.type.kind)
}

/** A parameter of a statement that takes a value of the plan: the value at `index` in the shape. */
export interface Slot { readonly kind: 'slot', readonly index: number }

/** Whether a parameter of a statement is a slot. All others are constants in expressions of the application. */
export function isSlot (parameter: unknown): parameter is Slot {
  return typeof parameter === 'object' && parameter !== null && 'kind' in parameter && parameter.kind === 'slot'
}
