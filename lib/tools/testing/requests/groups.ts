import type { Collection } from '../../../core/model/model.ts'
import { unitsOf } from '../../../core/plan/time-units.ts'
import { generateCall } from './functions.ts'
import type { ValueGenerator } from '../world/generator.ts'
import {
  type FieldAsked, type Filter, generateFilterPart, generateNumber, generatePage, generateParts, negatedOrNot, ordering
} from './queries.ts'
import { relationsOf, scalarFields } from './resources.ts'

/** Returns a query of groups; `named` for a dictionary of them, which has a field of its own. */
export function generateGroups (generator: ValueGenerator, collection: Collection, named: boolean): string {
  const by = named && generator.chance(95) ? [] : generateShared(generator, collection)
  const calls = Array.from({ length: 1 + generator.below(3) }, (): FieldAsked =>
    ({ name: generateCall(generator, collection) }))
  const known = [...by, ...calls].filter(({ query }) => query === undefined)
  const sort = generator.some(known, 50)
    .map(({ name }) => ({ path: name.split('.'), descending: generator.chance(50) }))
  return [
    ...generateParts(generator, { fields: [...by, ...calls] }),
    ...generator.chance(40) ? [generateFilterPart(generator, collection)] : [],
    ...generator.chance(35) ? generateParts(generator, { filters: [generateHaving(generator, calls)] }) : [],
    ...generateParts(generator, { sort }),
    ...generator.chance(40) ? generatePage(generator) : []
  ].join('&')
}

/** Returns the values that the items of a group share. */
function generateShared (generator: ValueGenerator, collection: Collection): readonly FieldAsked[] {
  const names = generator.some(scalarFields(collection), 25).map(({ name }) => ({ name }))
  const dated = scalarFields(collection).filter(field => 'type' in field && unitsOf(field.type).length > 0)
  const day = generator.chance(40) ? generator.from(dated) : undefined
  const unit = day !== undefined && 'type' in day ? generator.of(unitsOf(day.type)) : undefined
  const relation = generator.chance(35) ? generator.from(relationsOf(collection, 'sub-item')) : undefined
  const field = relation && generator.from(scalarFields(relation.target))
  return [
    ...names, ...day && unit ? [{ name: `${day.name}.${unit}()` }] : [],
    ...relation && field
      ? [{ name: relation.name, query: { fields: [{ name: field.name }] } }]
      : []
  ]
}

function generateHaving (generator: ValueGenerator, calls: readonly FieldAsked[]): Filter {
  const compare = (): Filter => {
    const { name } = generator.chance(60) ? { name: 'count()' } : generator.of(calls)
    const operator = generator.of(ordering)
    return { kind: 'compare', path: name.split('.'), operator, values: [generateNumber(generator)] }
  }
  if (generator.chance(60)) return compare()
  const of = [compare(), compare()]
  return negatedOrNot(generator, { kind: generator.of(['all', 'any'] as const), of })
}
