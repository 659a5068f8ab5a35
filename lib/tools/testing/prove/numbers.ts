import type { ValueGenerator } from '../world/generator.ts'
import { generateText, relationsOf, scalarFields } from '../requests/resources.ts'
import type { Collection, ScalarField } from '../../../core/model/model.ts'
import { syntaxOf } from '../../../core/plan/path/syntax.ts'
import { comparison, valueText } from '../../../core/request/made.ts'
import { print } from '../../../core/request/print.ts'
import { read, type Way } from './way.ts'
import type { ServedApi } from './world.ts'

/** Numbers of items and of related ones: they must not count what the caller may not see. */
export function numberWays (
  { api: { options: { syntax } } }: ServedApi, collection: Collection, url: string
): readonly Way[] {
  const { name, strategies } = collection
  const query = (asked: Parameters<typeof print>[0]) => print(asked, syntaxOf(collection, syntax))
  const grouping = strategies.aggregates
    ? scalarFields(collection).filter(field => canGroup(field) && field.sortable)
    : []
  return [
    ...grouping.flatMap(field => {
      const groups = { fields: [{ name: field.name }, { name: 'count()' }] }
      const most = { ...groups, sort: [{ path: ['count()'], descending: true }], page: { size: valueText('5') } }
      return [
        read(`${name}.${field.name} grouped`, () => `${url}?${query(most)}`),
        read(`${name}.${field.name} by number`, generator => {
          const filters = [comparison('count()', 'greater', few(generator))]
          return `${url}?${query({ ...groups, filters })}`
        })
      ]
    }),
    ...relationsOf(collection, 'sub-collection').flatMap(({ name: relation, target }) => {
      const calls = target.strategies.aggregates ? scalarFields(target).flatMap(field => callOf(field, target)) : []
      return [{ called: 'count()', value: few }, ...calls].flatMap(({ called, value }): readonly Way[] => {
        const call = `${relation}.${called}`
        const most = { fields: [{ name: call }], sort: [{ path: call.split('.'), descending: true }] }
        return [
          read(`${name}.${relation} ${called}`, () => `${url}?${query(most)}`),
          read(`${name}.${relation} by ${called}`, generator =>
            `${url}?${query({ filters: [comparison(call, 'greater', value(generator))] })}`)
        ]
      })
    })
  ]
}

/** Returns the function of a field of related items that tells most of their values. */
function callOf (field: ScalarField, target: Collection): readonly Call[] {
  if (field.kind === 'computed' || !canGroup(field) || !field.sortable || !field.aggregatable) return []
  const { name } = field
  if (!field.type.operators.has('greater')) return [{ called: `${name}.count_distinct()`, value: few }]
  const value = (generator: ValueGenerator) => generateText(generator, field, target)
  return [{ called: `${name}.max()`, value }]
}

/** A function of related items, and what it is compared with. */
interface Call { readonly called: string, readonly value: (generator: ValueGenerator) => string }

const few = (generator: ValueGenerator) => String(generator.below(3))

export const canGroup = (field: ScalarField) =>
  field.kind === 'stored' && field.filterable && field.type.kind !== 'json'
