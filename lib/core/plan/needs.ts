import { kindOf } from '../model/kinds.ts'
import type { Collection, DataField, RelationField, StoredField } from '../model/model.ts'
import { isExact } from '../model/operators.ts'
import type { Scalar } from '../model/values.ts'
import type { Predicate } from './plan.ts'

/** What a row must have to matter: in each of these columns one of the values, as comparableOf() returns them. */
export type Needs = ReadonlyMap<string, ReadonlySet<unknown>>

/** Every row meets this. */
export const anyRow: readonly Needs[] = [new Map()]

const isUnderstood = ({ type }: DataField): boolean => kindOf(type.kind).hasOneText

/** Returns the stored fields that equalities are understood of. */
export const comparableFields = ({ stored }: Collection): readonly StoredField[] =>
  stored.filter(isUnderstood)

/** Returns the column of a field, which several collections may have under names of their own. */
export const columnKey = ({ property }: StoredField, { source }: Collection): string =>
  source.column?.(property).toLowerCase() ?? property

/** Returns what equal values have in common. A column may ignore case, and space at the end. */
export const comparableKey = (value: unknown): unknown =>
  value === null || value === undefined ? null : String(value).trimEnd().toLowerCase()

// More alternatives are not worth their time.
const mostAlternatives = 16

/** Returns the alternatives of rows that meet one of each list, or of more rows. */
export const product = (some: readonly Needs[], others: readonly Needs[]): readonly Needs[] =>
  some.length * others.length > mostAlternatives
    ? some
    : some.flatMap(one => others.map(other => new Map([...one, ...other])))

/** Returns what the rows of the items that satisfy a predicate have, at least. */
export function needsOf (where: Predicate, collection: Collection): readonly Needs[] {
  switch (where.kind) {
    case 'all': return where.of.map(one => needsOf(one, collection)).reduce(product, anyRow)
    case 'any': {
      const of = where.of.flatMap(one => needsOf(one, collection))
      return of.length > mostAlternatives ? anyRow : of
    }
    case 'compare': {
      const { field, operator, value, stored } = where
      if (field.kind !== 'stored' || stored === true || !isExact(operator)) return anyRow
      return isUnderstood(field) ? [needOf(field, collection, value)] : anyRow
    }
    default: return anyRow
  }
}

const needOf = (field: StoredField, collection: Collection, value: Scalar | readonly Scalar[]): Needs =>
  new Map([[columnKey(field, collection), new Set([value].flat().map(comparableKey))]])

/** Returns what the rows have that a relation leads to, from rows that meet one of the alternatives. */
export const through = (via: RelationField | undefined, known: readonly Needs[]): readonly Needs[] =>
  via === undefined ? anyRow : known.map(needs => throughOne(via, needs))

function throughOne (via: RelationField, needs: Needs): Needs {
  const { holder, target } = via
  const pairs = new Map<string, ReadonlySet<unknown>>()
  const linked = (from: readonly StoredField[], to: readonly StoredField[]) => {
    for (const [index, field] of from.entries()) {
      const values = needs.get(columnKey(field, holder))
      const other = to[index]
      if (values === undefined || other === undefined || !isUnderstood(other)) continue
      pairs.set(columnKey(other, target), values)
    }
  }
  if (via.kind === 'sub-item') linked(via.foreignKey, target.key)
  else if (via.link.kind === 'foreign-key') linked(holder.key, via.link.foreignKey)
  return pairs
}
