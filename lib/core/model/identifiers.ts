import type { Declared } from '../declare/collection.ts'
import { isOptional } from '../declare/relations.ts'
import { DeclarationError } from '../errors/errors.ts'
import { memoize } from '../scheduling/memoize.ts'
import type { CompileOptions } from './compile.ts'
import { nameOf, placeOf, type Scalars } from './fields.ts'
import {
  type Collection, type Identifier, isReadable, type ReadableField, type ScalarField, type SpecialIdentifier,
  type StoredField
} from './model.ts'
import { describeValues, isScalar, type Scalar } from './values.ts'

/**
 * Returns a key of several fields, then the fields flagged `identifier`, then the lookups, each in the order declared
 * (docs/http.md: Identifiers).
 * Throws a DeclarationError for a lookup that has the name of a readable field, or a type with no form in a URL.
 */
export function compileIdentifiers (
  collection: string, declared: Declared, { key, scalars }: Fields, options: CompileOptions
): readonly Identifier[] {
  const identifiers: Identifier[] = []
  if (key.length > 1) identifiers.push({ kind: 'key', name: key.map(({ name }) => name).join(','), fields: key })
  for (const field of scalars.values()) {
    if (field.kind === 'stored' && field.identifier) identifiers.push({ kind: 'field', name: field.name, field })
  }
  // A field that is not readable has no name on the wire, so a lookup may have the same name.
  const names = new Set([...scalars.values()].filter(field => field.readable).map(field => field.name))
  for (const [property, identifier] of Object.entries(declared.identifiers)) {
    if (identifier.kind === 'special') continue
    const name = nameOf(property, property, options)
    if (options.own === undefined && names.has(name)) {
      const place = placeOf(collection, property)
      throw new DeclarationError(`${place}: a lookup and a field have the same name '${name}' in URLs; rename one`)
    }
    const described = describeValues(identifier.type, isOptional(identifier.type))
    if (described === undefined || described.type.operators.size === 0) {
      const place = placeOfIdentifier(collection, property)
      throw new DeclarationError(`${place}: values of its type cannot be used in a URL`)
    }
    identifiers.push({ kind: 'lookup', name, type: described.type, find: identifier.find })
  }
  return identifiers
}

interface Fields { readonly key: readonly StoredField[], readonly scalars: Scalars }

/**
 * Returns the identifiers that match exactly one segment. Throws a DeclarationError for an empty segment and for one
 * that two identifiers match.
 */
export function compileSpecials (collection: string, declared: Declared): readonly SpecialIdentifier[] {
  const specials = new Map<string, SpecialIdentifier>()
  for (const [property, identifier] of Object.entries(declared.identifiers)) {
    if (identifier.kind !== 'special') continue
    const { segment, find } = identifier
    const place = placeOfIdentifier(collection, property)
    if (segment === '') throw new DeclarationError(`${place}: its segment must not be empty`)
    if (specials.has(segment)) throw new DeclarationError(`${place}: another identifier already matches '${segment}'`)
    specials.set(segment, { segment, find })
  }
  return [...specials.values()]
}

const placeOfIdentifier = (collection: string, property: string) =>
  `collection '${collection}', identifier '${property}'`

/**
 * Returns the fields of an item's listed form: the key, the identifiers and the fields flagged `listed` or, if no field
 * is flagged, all scalars (docs/http.md: What an item shows).
 */
export function listedFields (collection: Collection): readonly ReadableField[] {
  const visible = [...collection.fields.values()].filter(isReadable).filter(field => !field.hidden)
  if (!visible.some(field => field.listed)) return visible.filter(isScalarField)
  return visible.filter(field => field.listed || (field.kind === 'stored' && isIdentifying(field, collection)))
}

const isIdentifying = (field: StoredField, { key }: Collection) => field.identifier || key.includes(field)

/** Throws a DeclarationError if relations flagged `listed` form a cycle: the listed form would be infinite. */
export function checkListed (collection: Collection): void {
  follow(collection, [], [])
}

function follow (collection: Collection, ancestors: readonly Collection[], path: readonly string[]): void {
  const { property } = collection
  if (ancestors.includes(collection)) {
    const relations = `the relations flagged 'listed' (${path.join(', ')})`
    throw new DeclarationError(`collection '${property}': ${relations} form a cycle`)
  }
  for (const field of listedFields(collection)) {
    if (isScalarField(field)) continue
    follow(field.target, [...ancestors, collection], [...path, `${property}.${field.property}`])
  }
}

const isScalarField = (field: ReadableField): field is ScalarField =>
  field.kind !== 'sub-item' && field.kind !== 'sub-collection'

/**
 * Returns the field flagged `version` and the fields whose values make an item's version (docs/http.md: Conditional
 * requests). Throws a DeclarationError for a flagged field that cannot be a version. With `denying`, a version that is
 * not readable is no error: the caller then gets versions made of the readable fields.
 */
export function compileVersion (
  collection: string, stored: readonly StoredField[], denying: boolean
): Pick<Collection, 'version' | 'versionFields'> {
  const [version, other] = stored.filter(field => field.schema.version === true)
  if (version === undefined) return { version, versionFields: stored.filter(field => field.readable) }
  const fail = (reason: string) => {
    throw new DeclarationError(`${placeOf(collection, version.property)}: is flagged 'version', ${reason}`)
  }
  if (other !== undefined) fail(`and so is '${other.property}'`)
  if (version.type.kind !== 'integer') fail('but is not an integer')
  if (version.nullable) fail('but may be null')
  if (denying && !version.readable) return { version, versionFields: stored.filter(field => field.readable) }
  if (!version.readable) fail("but not 'readable'; the ETags of items would reveal its value")
  if (version.writable) fail("but also 'writable'")
  // An item that is created again under the key of a deleted one has its first version again: its values differ.
  return { version, versionFields: [version, ...stored.filter(field => field.readable && field !== version)] }
}

/** The values of a key or of a foreign key, in the order of its fields. */
export type KeyValues = readonly Scalar[]

export const isSameKey = (one: readonly unknown[], other: readonly unknown[]): boolean =>
  one.length === other.length && one.every((value, index) => value === other[index])

/** Returns the values if each of them is a scalar, otherwise undefined. */
export const toKeyValues = (values: readonly unknown[]): KeyValues | undefined =>
  values.every(isScalar) ? values : undefined

/** Returns the only field of a key; undefined for a key of several fields, which no source generates. */
export const singleKey = ({ key: [field, other] }: Pick<Collection, 'key'>): StoredField | undefined =>
  other === undefined ? field : undefined

/**
 * Returns the lists of fields of which no two items may have the same values: each identifier alone, and a key of
 * several fields together.
 */
export const uniques = memoize(({ key, stored }: Collection): ReadonlyArray<readonly StoredField[]> => [
  ...stored.filter(field => field.identifier).map(field => [field]),
  ...key.length > 1 ? [key] : []
])

/** Returns these lists, and those that the declaration gives, by which bodies name items and URLs do not. */
export const distincts = memoize((collection: Collection): ReadonlyArray<readonly StoredField[]> =>
  [...uniques(collection), ...collection.unique])

/**
 * Returns true for the value of an identifier that no segment of a URL names: the empty text has no segment, and every
 * client removes `.` and `..` from a path (RFC 3986, 5.2.4).
 */
export const leadsElsewhere = (value: unknown) => value === '' || value === '.' || value === '..'
