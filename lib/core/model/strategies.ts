import type { RequestStrategies } from '../../../schemas/request-strategies.ts'
import type { Declared } from '../declare/collection.ts'
import type { RowChange, Source } from '../declare/source.ts'

/** The requests that may write a collection, or group its items. Every strategy has a value. */
export type Strategies = Readonly<Required<RequestStrategies>>

/** The strategies of own code: every request may write and group. */
export const allStrategies: Strategies = {
  create: true,
  update: ['PUT', 'PATCH'],
  upsert: true,
  delete: true,
  bulk: ['PATCH', 'DELETE'],
  requireIfMatch: false,
  requireIdempotencyKey: [],
  batch: false,
  dryRun: true,
  import: true,
  aggregates: true
}

/**
 * Returns the strategies of a collection: its own, else those of the API, else the defaults. A collection that has
 * neither a writable field nor an input and does not allow upserts has no updates either, and one whose database only
 * reads takes no writes.
 */
export function compileStrategies (
  { requestStrategies: own, schema, inputs, source }: Declared, api: RequestStrategies
): Strategies {
  const writable = Object.values(schema.properties).some(property => property.writable === true) ||
    Object.values(inputs).some(({ type }) => type.writable !== false)
  const defaults: Strategies = {
    create: writable,
    update: ['PUT', 'PATCH'],
    upsert: false,
    delete: false,
    bulk: [],
    requireIfMatch: false,
    requireIdempotencyKey: [],
    batch: false,
    dryRun: true,
    import: true,
    aggregates: true
  }
  const strategies: Strategies = { ...defaults, ...defined(api), ...defined(own) }
  if (source.database.readOnly === true) {
    return { ...strategies, create: false, update: [], upsert: false, delete: false }
  }
  return writable || strategies.upsert ? strategies : { ...strategies, update: [] }
}

/** Returns the strategies of a collection without the writes that its table does not take, as far as that is known. */
export function takenStrategies ({ strategies, source }: {
  readonly strategies: Strategies
  readonly source: Source
}): Strategies {
  const refused = source.refused?.()
  if (refused === undefined || refused.size === 0) return strategies
  const { create, update, upsert, delete: deletes } = strategies
  const takes = (change: RowChange) => !refused.has(change)
  return {
    ...strategies,
    create: create && takes('insert'),
    update: takes('update') ? update : [],
    upsert: upsert && takes('insert'),
    delete: deletes && takes('delete')
  }
}

function defined<T extends object> (strategies: T): Partial<T> {
  return Object.fromEntries(Object.entries(strategies).filter(([, value]) => value !== undefined)) as Partial<T>
}
