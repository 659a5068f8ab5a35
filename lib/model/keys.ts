import { memoize } from '../scheduling/memoize.ts'
import type { Collection, StoredField } from './model.ts'
import { isScalar, type Scalar } from './values.ts'

/** The values of a key or of a foreign key, in the order of its fields. */
export type KeyValues = readonly Scalar[]

/** Returns true if the two have the same values. */
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

/**
 * Returns true for the value of an identifier that no segment of a URL names: the empty text has no segment, and every
 * client removes `.` and `..` from a path (RFC 3986, 5.2.4).
 */
export const leadsElsewhere = (value: unknown) => value === '' || value === '.' || value === '..'
