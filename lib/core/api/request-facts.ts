import type { Door } from '../declare/collection.ts'
import type { RequestPlan } from '../plan/request.ts'
import type { ReadPlan, WritePlan } from '../plan/plan.ts'

/** What is known of a request, for logs and metrics: every route of the plugin has the same URL. */
export interface RequestFacts extends PlannedFacts {
  /** The way by which the request came. */
  readonly door: Door
  /** The method that is answered: QUERY also for the POST that stands for one (docs/http.md: URLs). */
  readonly method: string
}

/** The collection and the kind of a request. */
export interface PlannedFacts {
  /** The collection of the items, by its name in the application; undefined for the directory and for OPTIONS. */
  readonly collection: string | undefined
  /** Undefined for a request that was refused before its kind was known, such as one of an unknown field. */
  readonly kind: RequestKind | undefined
  /** The number of operations of a batch. */
  readonly operations?: number
  /** True for a write that was answered before under its `Idempotency-Key`. */
  readonly replayed?: boolean
}

export type RequestKind =
  'directory' | 'options' | 'item' | 'field' | 'list' | 'dictionary' | 'create' | 'update' | 'delete' |
  'link' | 'unlink' | 'import' | 'batch'

export function factsOf (plan: RequestPlan): PlannedFacts {
  switch (plan.kind) {
    case 'read': return { collection: collectionOf(plan.read.plan), kind: readKinds[plan.read.kind] }
    case 'write': {
      const { plan: written } = plan.write
      return { collection: collectionOf(written), kind: kindOf(written) }
    }
    case 'import': return { collection: plan.collection.property, kind: 'import' }
    case 'options':
    case 'directory': return { collection: undefined, kind: plan.kind }
  }
}

function kindOf (plan: WritePlan): RequestKind {
  if (plan.kind === 'each') return 'update'
  return plan.kind === 'many' ? plan.one.kind : plan.kind
}

const readKinds = {
  item: 'item', scalar: 'field', list: 'list', dictionary: 'dictionary', groups: 'dictionary', aggregate: 'list'
} as const satisfies Record<string, RequestKind>

function collectionOf (plan: ReadPlan | WritePlan): string | undefined {
  if ('from' in plan) return plan.from.collection.property
  if ('collection' in plan) return plan.collection.property
  return plan.steps.at(-1)?.collection.property
}
