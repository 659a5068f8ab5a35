import { requestStrategies, type RequestStrategies } from '../../schemas/request-strategies.ts'
import { compileCheck } from './check.ts'

/** Which requests may write a collection, everything decided. */
export type Strategies = Readonly<Required<RequestStrategies>>

const check = compileCheck(requestStrategies)

/**
 * The collection's own strategies, else those of the API, else the defaults. Where nothing is writable and nothing upserted, nothing is updated. Throws a
 * DeclarationError for one that there is not.
 */
export function compileStrategies (collection: string, own: RequestStrategies, api: RequestStrategies, writable: boolean): Strategies {
  check(own, name => `collection '${collection}', requestStrategies.${name}`)
  const strategies: Strategies = { create: writable, update: ['PUT', 'PATCH'], upsert: false, delete: false, requireIfMatch: false, ...defined(api), ...defined(own) }
  return writable || strategies.upsert ? strategies : { ...strategies, update: [] }
}

const defined = <T extends object>(strategies: T) => Object.fromEntries(Object.entries(strategies).filter(([, value]) => value !== undefined)) as Partial<T>
