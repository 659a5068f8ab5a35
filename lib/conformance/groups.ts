import type { Collection } from '../model/model.ts'
import { unitsOf } from '../plan/time-units.ts'
import { generateCall } from './functions.ts'
import type { ValueGenerator } from './generator.ts'
import { generateFilterPart, generatePage } from './queries.ts'
import { relationsOf, scalarsOf } from './resources.ts'

/** Returns a query of groups; `named` for a dictionary of them, which has a field of its own. */
export function generateGroups (generator: ValueGenerator, collection: Collection, named: boolean): string {
  const by = named && generator.chance(95) ? [] : generateShared(generator, collection)
  const calls = Array.from({ length: 1 + generator.below(3) }, () => generateCall(generator, collection))
  const known = [...by.filter(name => !/\(\w/.test(name)), ...calls]
  const sorted = generator.some(known, 50).map(name => `${generator.of(['', '-'])}${name}`)
  return [
    `fields=${[...by, ...calls].join(',')}`,
    ...generator.chance(40) ? [generateFilterPart(generator, collection)] : [],
    ...generator.chance(35) ? [generateHaving(generator, calls)] : [],
    ...sorted.length > 0 ? [`sort=${sorted.join(',')}`] : [],
    ...generator.chance(40) ? generatePage(generator) : []
  ].join('&')
}

/** Returns the values that the items of a group share. */
function generateShared (generator: ValueGenerator, collection: Collection): readonly string[] {
  const names = generator.some(scalarsOf(collection), 25).map(({ name }) => name)
  const dated = scalarsOf(collection).filter(field => 'type' in field && unitsOf(field.type).length > 0)
  const day = generator.chance(40) ? generator.from(dated) : undefined
  const unit = day !== undefined && 'type' in day ? generator.of(unitsOf(day.type)) : undefined
  const relation = generator.chance(35) ? generator.from(relationsOf(collection, 'sub-item')) : undefined
  const field = relation && generator.from(scalarsOf(relation.target))
  return [
    ...names, ...day && unit ? [`${day.name}.${unit}()`] : [],
    ...relation && field ? [`${relation.name}(${field.name})`] : []
  ]
}

function generateHaving (generator: ValueGenerator, calls: readonly string[]): string {
  const compare = () => {
    const call = generator.chance(60) ? 'count()' : generator.of(calls)
    const operator = generator.of(['>', '<', '=', '!=', '>=', '<='])
    return `${call}${operator}${generator.weighted<number | string>([6, generator.below(4)], [1, 'null'])}`
  }
  if (generator.chance(60)) return encodeURI(compare())
  return `where=${encodeURI(`${generator.of(['', '!'])}(${compare()}${generator.of([',', '|'])}${compare()})`)}`
}
