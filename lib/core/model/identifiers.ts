import type { Declared } from '../declare/collection.ts'
import { isOptional } from '../declare/relations.ts'
import { DeclarationError } from '../errors/errors.ts'
import { memoize } from '../scheduling/memoize.ts'
import type { CompileOptions } from './compile.ts'
import { nameOf, placeOf, type Scalars } from './fields.ts'
import type { Collection, Identifier, SpecialIdentifier, StoredField } from './model.ts'
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
