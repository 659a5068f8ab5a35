import { contentTooLarge, describeValue } from '../errors.ts'
import type { Collection, Field, StoredField, SubCollectionField, SubItemField } from '../model/model.ts'
import type { Scalar } from '../model/values.ts'
import type { Violation } from '../model/validators.ts'
import type { Preset } from './plan.ts'
import { suggest } from './suggest.ts'
import { findExposed, readableNames } from './visible.ts'

/** What a body says of one item: the same members, checked against the model, typed (docs/http.md: Writing). */
export interface ItemBody {
  /** Where it stands in the request's body: a JSON pointer, empty for the whole. */
  readonly pointer: string
  /** What is to be written, in the order of the body. */
  readonly assignments: readonly Assignment[]
  /** Members that cannot be written, and so must be as they are. */
  readonly confirmations: readonly Confirmation[]
  /** All that is wrong, as far as it shows without data. */
  readonly violations: readonly Violation[]
}

export type Assignment =
  /** In canonical form, or null. */
  | { readonly kind: 'value', readonly field: StoredField, readonly value: unknown, readonly pointer: string }
  | { readonly kind: 'item', readonly field: SubItemField, readonly element: Element | null, readonly pointer: string }
  | { readonly kind: 'list', readonly field: SubCollectionField, readonly elements: readonly Element[], readonly pointer: string }

export interface Confirmation { readonly field: Field, readonly value: unknown, readonly pointer: string }

/** An element of a relation in a body: the item with that identifier, which then must be as `linked` says, or a new one. */
export interface Element {
  readonly pointer: string
  readonly found: { readonly field: StoredField, readonly value: Scalar } | undefined
  readonly linked: ItemBody
  readonly created: ItemBody
}

/** How many items a body may hold yet. */
export interface Allowance { items: number }

interface BodyContext {
  /** Whether the item is new, there to be changed, or there and not to be changed. */
  readonly form: 'create' | 'update' | 'link'
  readonly pointer: string
  readonly given: readonly Preset[]
  readonly allowance: Allowance
}

/** Checks the JSON of one item. Throws content_too_large where it holds more items than one body may; all else that is wrong stands in `violations`. */
export function planBody (value: unknown, collection: Collection, asked: BodyContext): ItemBody {
  const { form, pointer, allowance } = asked
  if (form !== 'link' && --allowance.items < 0) throw contentTooLarge('The body holds more items than this API accepts in one request.')
  const draft: BodyDraft = { pointer, assignments: [], confirmations: [], violations: [] }
  if (!isObject(value)) {
    draft.violations.push({ pointer, message: `must be an object; found ${describeValue(value)}` })
    return draft
  }
  const sound: Record<string, unknown> = {}
  for (const [name, member] of Object.entries(value)) addMember(draft, name, member, sound, collection, asked)
  if (form === 'link') return draft
  // What the URL says is held to the same schema.
  for (const { field, value } of asked.given) if (field.writable && value !== undefined) sound[field.name] ??= value
  for (const violation of collection.validate(sound)) draft.violations.push({ ...violation, pointer: pointer + violation.pointer })
  if (form === 'create') draft.violations.push(...missing(value, collection, asked))
  return draft
}

/** What is wrong with a value that the URL says otherwise. */
export const contradiction = (pointer: string): Violation => ({ pointer, message: contradicts })

/** What of a body contradicts the URL. */
export const contradictionsIn = ({ violations }: ItemBody): readonly Violation[] => violations.filter(({ message }) => message === contradicts)

const contradicts = 'contradicts the URL'

/** The field that makes an item one of its parent's; none where a join or nothing does. */
export const parentKey = (via: SubCollectionField | undefined): StoredField | undefined => via?.link.kind === 'foreign-key' ? via.link.foreignKey : undefined

/** What an item gets from its parent: a value that is known once the parent is found. */
export function givenByParent (via: SubCollectionField | undefined): readonly Preset[] {
  const field = parentKey(via)
  return field === undefined ? [] : [{ field, value: undefined }]
}

interface BodyDraft {
  readonly pointer: string
  readonly assignments: Assignment[]
  readonly confirmations: Confirmation[]
  readonly violations: Violation[]
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> => typeof value === 'object' && value !== null && !Array.isArray(value)

/** A member's name as a step of a JSON pointer (RFC 6901). */
const step = (name: string) => name.includes('~') || name.includes('/') ? `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}` : `/${name}`

/** Adds one member to what is to be written, to be confirmed, or wrong. `sound` takes the values whose type is right, for the schema to check further. */
function addMember (draft: BodyDraft, name: string, value: unknown, sound: Record<string, unknown>, collection: Collection, asked: BodyContext): void {
  const pointer = draft.pointer + step(name)
  const wrong = (message: string) => { draft.violations.push({ pointer, message }) }
  const field = findExposed(collection, name)
  if (field === undefined) {
    const near = suggest(name, readableNames(collection))
    wrong(`there is no such field${near === undefined ? '' : `; did you mean '${near}'?`}`)
  } else if (asked.form === 'link') {
    addConfirmation(draft, field, value, pointer)
  } else if (!isWritable(field)) {
    if (asked.form === 'update') addConfirmation(draft, field, value, pointer)
    else if (!isGiven(field, value, asked.given)) wrong(givenOf(field, asked.given) === undefined ? 'cannot be written' : contradicts)
  } else if (field.kind === 'stored') {
    const canonical = value === null ? null : field.type.take(value)
    if (canonical === undefined || (value === null && !field.nullable)) return wrong(`must be ${field.type.expected}${field.nullable ? ' or null' : ''}; found ${describeValue(value)}`)
    if (!(value === null && field.omitted)) sound[name] = value
    addValue(draft, { kind: 'value', field, value: canonical, pointer }, asked.given)
  } else if (field.kind === 'sub-item') {
    addItem(draft, field, value, pointer, asked)
  } else {
    addList(draft, field, value, pointer, asked)
  }
}

type WritableField = StoredField | SubItemField | SubCollectionField

const isWritable = (field: Field): field is WritableField => field.writable && field.kind !== 'expression' && field.kind !== 'computed'

function addConfirmation (draft: BodyDraft, field: Field, value: unknown, pointer: string): void {
  // What may not be read cannot be confirmed: the answer would tell it.
  if (field.readable) draft.confirmations.push({ field, value, pointer })
  else draft.violations.push({ pointer, message: 'cannot be written here' })
}

const givenOf = (field: Field, given: readonly Preset[]) => given.find(one => one.field === field)

const isGiven = (field: Field, value: unknown, given: readonly Preset[]) =>
  field.kind === 'stored' && field.readable && value !== null && value !== undefined && givenOf(field, given)?.value === field.type.take(value)

function addValue (draft: BodyDraft, assignment: Extract<Assignment, { kind: 'value' }>, given: readonly Preset[]): void {
  const one = givenOf(assignment.field, given)
  if (one?.value !== undefined && one.value !== assignment.value) draft.violations.push(contradiction(assignment.pointer))
  else draft.assignments.push(assignment)
}

/** A sub-item is the item that the member names by an identifier, or a new one; null where there is to be none. */
function addItem (draft: BodyDraft, field: SubItemField, value: unknown, pointer: string, asked: BodyContext): void {
  if (value === null) {
    if (!field.foreignKey.nullable) draft.violations.push({ pointer, message: 'must be an object; found null' })
    else if (givenOf(field.foreignKey, asked.given) === undefined) draft.assignments.push({ kind: 'item', field, element: null, pointer })
    else draft.violations.push(contradiction(pointer))
    return
  }
  const element = planElement(draft, value, field.target, pointer, [], asked)
  const one = givenOf(field.foreignKey, asked.given)
  // The parent that the URL names is known to be the same, or not, once it is found.
  if (one === undefined || (one.value === undefined && element.found !== undefined)) draft.assignments.push({ kind: 'item', field, element, pointer })
  else if (element.found?.field !== field.target.key || element.found.value !== one.value) draft.violations.push(contradiction(pointer))
}

function addList (draft: BodyDraft, field: SubCollectionField, value: unknown, pointer: string, asked: BodyContext): void {
  if (!Array.isArray(value)) {
    draft.violations.push({ pointer, message: `must be an array; found ${describeValue(value)}` })
    return
  }
  const elements = value.map((one: unknown, index) => planElement(draft, one, field.target, `${pointer}/${index}`, givenByParent(field), asked))
  draft.assignments.push({ kind: 'list', field, elements, pointer })
}

/** What is wrong with a new element is wrong with the whole; of one that may be there already that is not yet known. */
function planElement (draft: BodyDraft, value: unknown, target: Collection, pointer: string, given: readonly Preset[], { allowance }: BodyContext): Element {
  const created = planBody(value, target, { form: 'create', pointer, given, allowance })
  const found = isObject(value) ? findIdentifier(value, target) : undefined
  if (found === undefined) draft.violations.push(...created.violations)
  const linked = planBody(found === undefined ? {} : value, target, { form: 'link', pointer, given: [], allowance })
  return { pointer, found, linked, created }
}

/** The first identifier that the object holds a value of. */
function findIdentifier (value: Readonly<Record<string, unknown>>, { stored }: Collection): Element['found'] {
  for (const field of stored) {
    if (!field.identifier || !field.readable || !Object.hasOwn(value, field.name)) continue
    // An identifier's values are scalars, as compileFields has seen to.
    const scalar = field.type.take(value[field.name]) as Scalar | undefined
    if (scalar !== undefined) return { field, value: scalar }
  }
  return undefined
}

/** Fields that a new item must have: what may be written and is neither optional, nor given, nor filled in by a default. */
function missing (body: Readonly<Record<string, unknown>>, { fields, key }: Collection, { pointer, given }: BodyContext): readonly Violation[] {
  const needed = [...fields.values()].filter(field => {
    if (!field.writable || Object.hasOwn(body, field.name)) return false
    if (field === key && madeKinds.has(key.type.kind)) return false
    if (field.kind === 'stored') return !field.optional && isNeeded(field, given)
    return field.kind === 'sub-item' && !field.foreignKey.nullable && isNeeded(field.foreignKey, given) && !(field.foreignKey.writable && Object.hasOwn(body, field.foreignKey.name))
  })
  return needed.map(({ name }) => ({ pointer: pointer + step(name), message: 'is required' }))
}

/** Keys that are made for whoever gives none: counted by the source, or drawn. */
const madeKinds: ReadonlySet<string> = new Set(['integer', 'uuid'])

const isNeeded = (field: StoredField, given: readonly Preset[]) => field.schema.default === undefined && givenOf(field, given) === undefined
