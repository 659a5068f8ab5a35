import { contentTooLarge, describeValue, listOf } from '../../errors/errors.ts'
import { isObject } from '../../errors/is-object.ts'
import { tokenOf } from '../../errors/place.ts'
import type { Violation } from '../../errors/violation.ts'
import { distincts } from '../../model/identifiers.ts'
import type { Collection, Field, InputField, StoredField, SubCollectionField, SubItemField } from '../../model/model.ts'
import {
  elementExample, expectationOfShown, isMet, isOnlyShown, missingMessage, mistakesOf, noSuchField, requirementsOf
} from './required.ts'
import { type Assignment, type Confirmation, type Element, findNamedIdentifier, type ItemBody } from './item-body.ts'
import { refusesLink } from '../path/methods.ts'
import type { PathValue } from '../plan.ts'
import { repeatsPathValue, findPathValue, type ParentValue, parentValues } from './path-values.ts'
import { type References, referredElement, referredValue } from './batch-references.ts'
import { findExposed } from '../field-path.ts'
import { isMergeable, type MergeLimits } from './amendment.ts'
import { mergedIntoNothing } from './merge-patch.ts'

/**
 * What a body may hold. `items`: how many items more; planBody counts it down. `references`: the items that it may name
 * by the operations of its batch.
 */
export interface Allowance { items: number, readonly references?: References | undefined }

interface BodyContext {
  /** `create`: a new item. `update`: an item to change. `link`: an existing item that must not change. */
  readonly form: 'create' | 'update' | 'link'
  readonly pointer: string
  readonly pathValues: ReadonlyArray<PathValue | ParentValue>
  readonly allowance: Allowance
  /** The limits of what a merge makes, if the body is a merge patch; default: a value of JSON replaces another. */
  readonly merge?: MergeLimits | undefined
  /** True for an element of a relation, which may name an item that exists. Default: false. */
  readonly isElement?: boolean
}

/**
 * Checks and converts the JSON of one item. Every other error is in the `violations` of the result; throws only
 * content_too_large, if the body holds more items than `allowance` permits.
 */
export function planBody (value: unknown, collection: Collection, context: BodyContext): ItemBody {
  const { form, pointer, allowance } = context
  if (form !== 'link' && --allowance.items < 0) {
    throw contentTooLarge('The body holds more items than this API accepts in one request.')
  }
  const draft: BodyDraft = { pointer, assignments: [], confirmations: [], violations: [] }
  if (!isObject(value)) {
    const example = context.isElement === true ? elementExample(value, collection) : ''
    draft.violations.push({ pointer, message: `must be an object${example}; found ${describeValue(value)}` })
    return draft
  }
  const planning: Planning = { draft, context, typed: Object.create(null) as Planning['typed'] }
  for (const name of Object.keys(value)) addMember(planning, name, value[name], collection)
  if (form === 'link') return draft
  validateTyped(planning, collection)
  if (form === 'create') draft.violations.push(...missing(value, collection, context))
  return draft
}

/** Returns the violation of a value that differs from the value in the URL. */
export const contradiction = (pointer: string): Violation => ({ pointer, message: contradicts })

export const contradictionsIn = ({ violations }: ItemBody): readonly Violation[] =>
  violations.filter(({ message }) => message === contradicts)

const contradicts = 'contradicts the URL'

interface BodyDraft {
  readonly pointer: string
  readonly assignments: Assignment[]
  readonly confirmations: Confirmation[]
  readonly violations: Violation[]
}

/** A body while its members are added. */
interface Planning {
  readonly draft: BodyDraft
  readonly context: BodyContext
  /** The values of the right type, by their names on the wire. The schema validates them further. */
  readonly typed: Record<string, unknown>
}

/** Validates the values of the body, together with those of the URL, by the collection's schema. */
function validateTyped ({ draft, typed, context }: Planning, { validate }: Collection): void {
  for (const given of context.pathValues) {
    if (given.kind === 'value' && given.field.writable) typed[given.field.name] ??= given.value
  }
  for (const violation of validate(typed)) {
    draft.violations.push({ ...violation, pointer: draft.pointer + violation.pointer })
  }
}

/** Adds one member to the assignments, the confirmations or the violations. */
function addMember (planning: Planning, name: string, value: unknown, collection: Collection): void {
  const { draft, context } = planning
  const pointer = draft.pointer + tokenOf(name)
  const field = findExposed(collection, name)
  if (field === undefined) {
    draft.violations.push({ pointer, message: noSuchField(name, collection) })
  } else if (context.form === 'link') {
    addConfirmation(draft, field, value, pointer)
  } else if (!isWritable(field) || refusesLink(field, 'insert')) {
    addUnwritable(planning, field, value, pointer)
  } else if (field.kind === 'stored') {
    addValue(planning, field, value, pointer, collection)
  } else if (field.kind === 'input') {
    addInput(planning, field, value, pointer)
  } else if (field.kind === 'sub-item') {
    addItem(planning, field, value, pointer)
  } else {
    addList(planning, field, value, pointer)
  }
}

type WritableField = StoredField | InputField | SubItemField | SubCollectionField

/** Returns true for a field that bodies may hold a value for. */
export const isWritable = (field: Field): field is WritableField =>
  field.writable && field.kind !== 'expression' && field.kind !== 'computed'

const differs = 'cannot be written, and differs from the current value'

function addConfirmation (
  draft: BodyDraft, field: Field, value: unknown, pointer: string, message = differs
): void {
  // An unreadable value cannot be confirmed: the answer would reveal it.
  if (field.readable) draft.confirmations.push({ field, value, pointer, message })
  else draft.violations.push({ pointer, message: 'cannot be written here' })
}

/** A new item may repeat a value that it gets from the URL, and no other that cannot be written. */
function addUnwritable ({ draft, context }: Planning, field: Field, value: unknown, pointer: string): void {
  const { form, pathValues } = context
  if (form === 'update') return addConfirmation(draft, field, value, pointer)
  if (repeatsPathValue(field, value, pathValues)) return
  const message = findPathValue(field, pathValues) === undefined ? 'cannot be written' : contradicts
  draft.violations.push({ pointer, message })
}

function addValue (
  planning: Planning, field: StoredField, value: unknown, pointer: string, collection: Collection
): void {
  const { draft, context, typed } = planning
  if (isMerged(planning, field, value, pointer)) return
  const isKept = context.form === 'update' && isOnlyShown(field, value)
  if (isKept) return addConfirmation(draft, field, value, pointer, expectationOfShown(field, value))
  const referred = referredValue(value, field, collection, context.allowance.references)
  if (referred?.fault !== undefined) draft.violations.push({ pointer, message: referred.fault })
  const canonical = referred === undefined ? toCanonical(planning, field, value, pointer) : referred.value
  if (canonical === undefined) return
  if (referred === undefined && !(value === null && field.omitted)) typed[field.name] = value
  const given = findPathValue(field, context.pathValues)
  if (given?.kind === 'value' && given.value !== canonical) draft.violations.push(contradiction(pointer))
  else draft.assignments.push({ kind: 'value', field, value: canonical, pointer })
}

/** Adds an object of a merge patch for a field of JSON, or the violation of a field that the client may not read. */
function isMerged (
  planning: Planning, field: StoredField | InputField, value: unknown, pointer: string
): boolean {
  const { draft, typed, context: { form, merge: limits } } = planning
  if (limits === undefined || field.type.kind !== 'json') return false
  if (!isMergeable(field)) {
    draft.violations.push({ pointer, message: 'cannot be merged, as it cannot be read' })
    return true
  }
  if (field.kind === 'input' || !isObject(value)) return false
  if (toCanonical(planning, field, value, pointer) === undefined) return true
  if (form === 'update') {
    draft.assignments.push({ kind: 'amendment', way: 'merge', field, operand: value, pointer, limits })
  } else {
    typed[field.name] = mergedIntoNothing(value)
    draft.assignments.push({ kind: 'value', field, value: typed[field.name], pointer })
  }
  return true
}

function addInput (planning: Planning, field: InputField, value: unknown, pointer: string): void {
  const { draft, typed } = planning
  if (isMerged(planning, field, value, pointer)) return
  const canonical = toCanonical(planning, field, value, pointer)
  if (canonical === undefined) return
  typed[field.name] = value
  draft.assignments.push({ kind: 'input', field, value: canonical, pointer })
}

/** Returns a value in canonical form, or null. Adds a violation for a value of another type, and returns undefined. */
function toCanonical (
  { draft }: Planning, field: StoredField | InputField, value: unknown, pointer: string
): unknown {
  const canonical = value === null ? null : field.type.take(value)
  if (canonical !== undefined && (value !== null || field.nullable)) return canonical
  for (const mistake of mistakesOf(field, value, pointer)) draft.violations.push(mistake)
  return undefined
}

/** Adds a sub-item: null, an object that names an item by an identifier, or a new item. */
function addItem (planning: Planning, field: SubItemField, value: unknown, pointer: string): void {
  const { draft } = planning
  if (value === null) return addEmptied(planning, field, pointer)
  const { target, creates } = field
  const element = planElement(planning, value, { target, pointer, pathValues: [], mayCreate: () => creates })
  const given = field.foreignKey.map(part => findPathValue(part, planning.context.pathValues))
  const isInPath = given.some(one => one !== undefined)
  if (isInPath && !fitsPathValues(element, field, given)) draft.violations.push(contradiction(pointer))
  // Where the URL gives every value, nothing remains to be set. The values of a parent are unknown as yet; the run of
  // the plan compares them with the element.
  else if (given.some(one => one?.kind !== 'value')) {
    draft.assignments.push({ kind: 'item', field, element, pointer })
  }
}

/** Returns true if an element names an item, and by no other values than those that the URL gives to a foreign key. */
function fitsPathValues (
  { found }: Element, { target }: SubItemField, given: ReadonlyArray<PathValue | ParentValue | undefined>
): boolean {
  if (found === undefined) return false
  return given.every((one, index) =>
    one?.kind !== 'value' || found.values[index] === undefined ||
      (found.fields === target.key && found.values[index] === one.value))
}

/** Adds a sub-item that is null, which is stored in those fields of the foreign key that can be null. */
function addEmptied ({ draft, context }: Planning, field: SubItemField, pointer: string): void {
  const emptied = field.foreignKey.filter(part => part.nullable)
  if (emptied.length === 0) draft.violations.push({ pointer, message: 'must be an object; found null' })
  else if (emptied.some(part => findPathValue(part, context.pathValues))) draft.violations.push(contradiction(pointer))
  else draft.assignments.push({ kind: 'item', field, element: null, pointer })
}

function addList (planning: Planning, field: SubCollectionField, value: unknown, pointer: string): void {
  const { draft } = planning
  if (!Array.isArray(value)) {
    draft.violations.push({ pointer, message: `must be an array; found ${describeValue(value)}` })
    return
  }
  const { target, creates } = field
  const place = { target, pathValues: parentValues(field), mayCreate: () => creates }
  const elements = value.map((element: unknown, index) =>
    planElement(planning, element, { ...place, pointer: `${pointer}/${index}` }))
  draft.assignments.push({ kind: 'list', field, elements, pointer })
}

/**
 * Plans the elements that a request links to a relation or creates there. `mayCreate`: true for an element that is
 * created if it names no existing item. The violations do not depend on stored data.
 */
export function planElements (
  values: ReadonlyArray<{ readonly value: unknown, readonly pointer: string }>, field: SubCollectionField,
  { allowance, mayCreate }: { readonly allowance: Allowance, readonly mayCreate: ElementPlace['mayCreate'] }
): { readonly elements: readonly Element[], readonly violations: readonly Violation[] } {
  const draft: BodyDraft = { pointer: '', assignments: [], confirmations: [], violations: [] }
  const planning = { draft, typed: {}, context: { form: 'update', pointer: '', pathValues: [], allowance } } as const
  const place = { target: field.target, pathValues: parentValues(field), mayCreate }
  const elements = values.map(({ value, pointer }) => planElement(planning, value, { ...place, pointer }))
  return { elements, violations: draft.violations }
}

/**
 * Returns true if an element is meant to be linked and not created: its identifier can only be that of an existing
 * item, or its body sets nothing else.
 */
export const isToLink = ({ found, created }: Element): boolean => found !== undefined && (
  created === undefined ||
  found.fields.some(field => !field.writable) ||
  created.assignments.every(one => one.kind === 'value' && found.fields.includes(one.field))
)

interface ElementPlace {
  readonly target: Collection
  readonly pointer: string
  readonly pathValues: ReadonlyArray<ParentValue | PathValue>
  /** Returns true for an element that is created if it names no existing item. */
  mayCreate (element: Element): boolean
}

/**
 * Plans an element both as a new item and as an existing one. The violations of a new item count if the element names
 * no existing item by an identifier, or names it by a key whose parent is new as well; otherwise the run of the plan
 * decides which of the two it is.
 */
function planElement (
  { draft, context }: Planning, value: unknown, { target, pointer, pathValues, mayCreate }: ElementPlace
): Element {
  const { form, allowance } = context
  const referred = referredElement(value, target, pointer, allowance.references)
  if (referred !== undefined) {
    draft.violations.push(...referred.faults)
    return referred.element
  }
  const created = planBody(value, target, { form: 'create', pointer, pathValues, allowance, isElement: true })
  const found = isObject(value) ? findNamedIdentifier(value, target, pathValues.filter(isOfParent)) : undefined
  const linkedValue = found === undefined ? {} : value
  const linked = planBody(linkedValue, target, { form: 'link', pointer, pathValues: [], allowance })
  const element = { pointer, found, linked, created }
  const takesNew = mayCreate(element) && target.source.refused?.()?.has('insert') !== true
  const isNew = found === undefined || (form === 'create' && found.values.includes(undefined))
  const violations = takesNew || !isObject(value) ? created.violations : [mustExist(pointer, target)]
  // One by one: a call takes no millions of arguments.
  if (isNew) for (const violation of violations) draft.violations.push(violation)
  return takesNew ? element : { ...element, created: undefined }
}

const isOfParent = (one: ParentValue | PathValue) => one.kind === 'parent'

/** The violation of an element that names no item, where it cannot be a new one. */
function mustExist (pointer: string, target: Collection): Violation {
  const names = distincts(target).filter(fields => fields.every(({ readable }) => readable)).map(namesOf)
  const by = names.length === 0 ? 'an identifier' : names.join(' or ')
  return { pointer, message: `must name an existing item by ${by}` }
}

const namesOf = (fields: readonly Field[]) => listOf(fields.map(({ name }) => name))

/** Returns the violations of a new item that lacks members it requires. */
function missing (
  body: Readonly<Record<string, unknown>>, collection: Collection, { pointer, pathValues }: BodyContext
): readonly Violation[] {
  return requirementsOf(collection, pathValues)
    .filter(requirement => !isMet(requirement, body))
    .map(one => ({ pointer: pointer + tokenOf(one.field.name), message: missingMessage(one) }))
}
