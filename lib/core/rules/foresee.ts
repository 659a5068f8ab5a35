import { referredKey, referringFields } from '../model/relations.ts'
import type { Collection, StoredField } from '../model/model.ts'
import { isOfField } from '../plan/fold.ts'
import type { Predicate } from '../plan/plan.ts'
import { both, equalsKey } from '../plan/predicates.ts'
import { compileFilter } from '../sources/memory/filter.ts'

/** The values that an item would have, by field. A field whose value is not known yet is absent. */
type Foreseen = ReadonlyMap<StoredField, unknown>

type Exists = (collection: Collection, where: Predicate) => Promise<boolean>

/**
 * Returns true or false if the values decide that an item satisfies the scope, and undefined if they do not: a link
 * that is still to be made, an expression, or a value that the database gives may decide it.
 */
export async function foresee (scope: Predicate, values: Foreseen, exists: Exists): Promise<boolean | undefined> {
  switch (scope.kind) {
    case 'not': return negated(await foresee(scope.of, values, exists))
    case 'all': return everyPart(scope.of, values, exists)
    case 'any': return negated(await everyPart(scope.of.map(of => ({ kind: 'not', of })), values, exists))
    case 'some': {
      const { field, where } = scope
      if (field.kind !== 'sub-item' || !referringFields(field).every(part => values.has(part))) return undefined
      const key = referredKey(field, part => values.get(part))
      return key !== undefined && exists(field.target, both(equalsKey(field.target.key, key), where))
    }
    default: {
      // No condition of a scope has a function.
      if (!isOfField(scope) || scope.field.kind !== 'stored' || !values.has(scope.field)) return undefined
      return compileFilter(scope)({ [scope.field.property]: values.get(scope.field) })
    }
  }
}

const negated = (known: boolean | undefined) => known === undefined ? undefined : !known

/** Returns false if one part is false, else undefined if one is undecided. */
async function everyPart (parts: readonly Predicate[], values: Foreseen, exists: Exists): Promise<boolean | undefined> {
  const known = await Promise.all(parts.map(part => foresee(part, values, exists)))
  return known.includes(false) ? false : known.includes(undefined) ? undefined : true
}
