import type { Collection } from '../../../core/model/model.ts'
import { kindOf } from '../../../core/model/kinds.ts'
import type { ValueGenerator } from '../world/generator.ts'
import { relationsOf, scalarFields } from './resources.ts'

const functions = ['count', 'count_distinct', 'sum', 'avg', 'min', 'max'] as const

/** Returns a function of the items of a collection: of a group, or of a relation to many. */
export function generateCall (generator: ValueGenerator, collection: Collection): string {
  if (generator.chance(35)) return 'count()'
  const relation = generator.chance(20) ? generator.from(relationsOf(collection, 'sub-item')) : undefined
  const field = generator.from(scalarFields(relation?.target ?? collection))
  const path = [...relation ? [relation.name] : [], field?.name ?? 'x']
  const isNumber = field !== undefined && 'type' in field && kindOf(field.type.kind).add !== undefined
  const name = generator.of(isNumber || generator.chance(3) ? functions : ['count', 'count_distinct', 'min', 'max'])
  return `${path.join('.')}.${name}()`
}
