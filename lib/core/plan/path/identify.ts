import type { Context, Found } from '../../declare/collection.ts'
import { type KeyValues, toKeyValues } from '../../model/identifiers.ts'
import type {
  Collection, FieldIdentifier, Identifier, KeyIdentifier, LookupIdentifier, SpecialIdentifier, StoredField
} from '../../model/model.ts'
import { isScalar } from '../../model/values.ts'
import { after } from '../../scheduling/after.ts'
import { memoize } from '../../scheduling/memoize.ts'
import type { PathValue, Predicate, ReadPlan } from '../plan.ts'
import { all, any, equals, equalsKey, never } from '../predicates.ts'
import { pathValuesOf } from '../write/path-values.ts'
import type { Walked } from './walk.ts'

/** A path segment, and its parts between commas. */
interface Segment { readonly text: string, readonly parts: readonly string[] }

/** One identifier that may match a segment, by its name, and the predicate of the item if it does. */
export interface Alternative { readonly identifier: string, readonly where: Predicate }

/** The meaning of one path segment: the predicate that its item satisfies. */
export interface Identified {
  readonly where: Predicate
  /** One for each identifier that may match. Empty if only one identifier was searched. */
  readonly alternatives: readonly Alternative[]
  /** True if a special identifier matched. The segment is then not an identifier of the item itself. */
  readonly special: boolean
  /** The values for an item created under this segment: those of the first identifier whose type takes the segment. */
  readonly pathValues: readonly PathValue[] | undefined
  /** What a segment must be that cannot be the key of several fields, where no other identifier takes it either. */
  readonly advice?: string
}

/**
 * Searches a segment in all identifiers of a collection, special ones first (docs/http.md: Identifiers). Returns a
 * promise only if the application must be asked.
 */
export function identify (
  segment: Segment, collection: Collection, context: Context
): Identified | Promise<Identified> {
  const { specials } = collection
  const special = specials.length === 0 ? undefined : specials.find(one => one.segment === segment.text)
  if (special !== undefined) return identifySpecial(special, collection, context)
  const stored = storedIdentifiers(collection)
  if (stored === undefined) return lookUp(usableIdentifiers(collection), segment, collection, context)
  const identified = identifyStored(stored, segment)
  const key = identified.alternatives.length === 0 ? stored.find(one => one.kind === 'key') : undefined
  if (key === undefined) return identified
  const whole = identifyStored([key], splitAnew(segment))
  return whole.alternatives.length === 0 ? { ...identified, advice: adviceOn(key, segment, collection) } : whole
}

/** Returns a segment all of whose commas were encoded, as clients encode an id, as if none had been. */
const splitAnew = ({ text, parts }: Segment): Segment =>
  ({ text, parts: parts.length === 1 && !text.includes('%') ? text.split(',') : parts })

/** Tells why a segment cannot be a key. */
function adviceOn ({ name, fields }: KeyIdentifier, segment: Segment, collection: Collection): string {
  const { parts } = splitAnew(segment)
  if (parts.length !== fields.length) {
    return ` A key of '${collection.name}' has ${fields.length} values with commas between them: '${name}'.`
  }
  const wrong = fields.findIndex(({ type }, index) => type.parse(parts[index] ?? '') === undefined)
  const field = fields[wrong]
  return field === undefined ? '' : ` '${field.name}' takes ${field.type.expected}, not '${parts[wrong]}'.`
}

type StoredIdentifier = FieldIdentifier | KeyIdentifier

/** Returns the identifiers that a client may use; undefined if the application looks one of them up. */
const storedIdentifiers = memoize((collection: Collection): readonly StoredIdentifier[] | undefined => {
  const identifiers = usableIdentifiers(collection)
  const stored = identifiers.flatMap(one => one.kind === 'lookup' ? [] : [one])
  return stored.length === identifiers.length ? stored : undefined
})

/** Searches a segment in identifiers whose values are stored. Every request for an item does this. */
function identifyStored (identifiers: readonly StoredIdentifier[], segment: Segment): Identified {
  const alternatives: Alternative[] = []
  let pathValues: readonly PathValue[] | undefined
  for (const identifier of identifiers) {
    const values = valuesOf(identifier, segment)
    if (values === undefined) continue
    const fields = fieldsOf(identifier)
    alternatives.push({ identifier: identifier.name, where: equalsKey(fields, values) })
    pathValues ??= pathValuesOf(fields, values)
  }
  return { where: anyOf(alternatives), alternatives, special: false, pathValues }
}

const anyOf = (alternatives: readonly Alternative[]) => any(alternatives.map(one => one.where))

async function identifySpecial (
  special: SpecialIdentifier, collection: Collection, context: Context
): Promise<Identified> {
  const where = planFound(await special.find(context), collection, `identifier '${special.segment}'`)
  return { where, alternatives: [], special: true, pathValues: undefined }
}

/** Calls the lookups one after the other. */
async function lookUp (
  identifiers: readonly Identifier[], segment: Segment, collection: Collection, context: Context
): Promise<Identified> {
  const wheres: Predicate[] = []
  for (const identifier of identifiers) wheres.push(await match(identifier, segment, collection, context))
  return identified(identifiers, wheres, segment)
}

function identified (identifiers: readonly Identifier[], wheres: readonly Predicate[], segment: Segment): Identified {
  const alternatives: Alternative[] = []
  let pathValues: readonly PathValue[] | undefined
  for (const [index, identifier] of identifiers.entries()) {
    const where = wheres[index] ?? never
    if (where !== never) alternatives.push({ identifier: identifier.name, where })
    pathValues ??= givenBy(identifier, segment)
  }
  return { where: anyOf(alternatives), alternatives, special: false, pathValues }
}

/** Searches a segment in one identifier only: `/by_<identifier>/<value>`. */
export function identifyBy (
  identifier: Identifier, segment: Segment, collection: Collection, context: Context
): Identified | Promise<Identified> {
  const read = identifier.kind === 'key' ? splitAnew(segment) : segment
  return after(match(identifier, read, collection, context), (where): Identified => ({
    where,
    alternatives: [],
    special: false,
    pathValues: givenBy(identifier, read),
    ...where === never && identifier.kind === 'key' && { advice: adviceOn(identifier, read, collection) }
  }))
}

function givenBy (identifier: Identifier, segment: Segment): readonly PathValue[] | undefined {
  if (identifier.kind === 'lookup') return undefined
  const values = valuesOf(identifier, segment)
  return values && pathValuesOf(fieldsOf(identifier), values)
}

const fieldsOf = memoize((identifier: StoredIdentifier): readonly StoredField[] =>
  identifier.kind === 'key' ? identifier.fields : [identifier.field])

/** Returns the values that a segment gives to an identifier; undefined if it does not fit. */
function valuesOf (identifier: StoredIdentifier, { text, parts }: Segment): KeyValues | undefined {
  if (identifier.kind === 'field') return toKeyValues([identifier.field.type.parse(text)])
  const { fields } = identifier
  return parts.length === fields.length
    ? toKeyValues(fields.map(({ type }, index) => type.parse(parts[index] ?? '')))
    : undefined
}

/** Returns the identifier of that name if a client may use it, else undefined. */
export const findIdentifier = (collection: Collection, name: string): Identifier | undefined =>
  usableIdentifiers(collection).find(one => one.name === name)

/**
 * Returns the identifiers that a client may use. An unreadable field is not among them: that an item is found would
 * reveal the field's value.
 */
export const usableIdentifiers = memoize((collection: Collection) =>
  collection.identifiers.filter(one => one.kind === 'lookup' || fieldsOf(one).every(field => field.readable)))

function match (
  identifier: Identifier, segment: Segment, collection: Collection, context: Context
): Predicate | Promise<Predicate> {
  return identifier.kind === 'lookup'
    ? matchLookup(identifier, segment.text, collection, context)
    : matchFields(identifier, segment)
}

function matchFields (identifier: StoredIdentifier, segment: Segment): Predicate {
  const values = valuesOf(identifier, segment)
  return values === undefined ? never : equalsKey(fieldsOf(identifier), values)
}

async function matchLookup (
  identifier: LookupIdentifier, segment: string, collection: Collection, context: Context
): Promise<Predicate> {
  const value = identifier.type.parse(segment)
  if (value === undefined) return never
  // parse() has just proved that the value is of the type that the lookup declares.
  return planFound(await identifier.find(value as never, context), collection, `lookup '${identifier.name}'`)
}

/**
 * Returns the predicate of the items with the values that the application found. If the whole key is among them, only
 * the key counts, so that exactly the item found matches. Throws a TypeError for values that no item can be found by.
 */
function planFound (found: Found<Record<string, unknown>>, collection: Collection, by: string): Predicate {
  if (found === undefined || found === null) return never
  const { key } = collection
  const values = toKeyValues(key.map(({ property }) => found[property]))
  if (values !== undefined) return equalsKey(key, values)
  const place = `collection '${collection.property}', ${by}`
  const terms = Object.entries(found).filter(([, value]) => value !== undefined).map(([property, value]) => {
    const field = collection.properties.get(property)
    if (field?.kind !== 'stored' || !(value === null || isScalar(value))) {
      throw new TypeError(`${place}: returned '${property}', which is not a scalar value of a stored field`)
    }
    return equals(field, value)
  })
  if (terms.length === 0) {
    throw new TypeError(`${place}: returned an object without values; return undefined or null when there is no item`)
  }
  return all(terms)
}

/** An identifier that may match an ambiguous segment, and the read that finds an item if it matches exactly one. */
interface Candidate { readonly identifier: string, readonly plan: ReadPlan }

/** Returns one read for each identifier that the ambiguous step's segment may match (docs/http.md: Identifiers). */
export function planCandidates (walked: readonly Walked[], step: number): readonly Candidate[] {
  const before = walked.slice(0, step).map(one => one.step)
  const ambiguous = walked[step]
  if (ambiguous === undefined) return []
  return ambiguous.alternatives.map(({ identifier, where }) => ({
    identifier,
    plan: { kind: 'item', steps: [...before, { ...ambiguous.step, where }], select: [] }
  }))
}
