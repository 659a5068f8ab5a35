import type { Context, Declared, ItemRule, Rule, Scope, Values } from '../declare/collection.ts'
import { type DataApiError, forbidden } from '../errors/errors.ts'
import { logError, refusedByRule } from '../errors/rejections.ts'
import { describeGiven } from '../model/known-names.ts'
import type { Collection, Model } from '../model/model.ts'
import type { Predicate } from '../plan/plan.ts'
import { always, never, policed } from '../plan/predicates.ts'
import { memoize } from '../scheduling/memoize.ts'
import type { Operation, ScopedOperation } from './caller.ts'
import { conditionBuilder, dependsOnItself, planScope, type VisibleIn, WrongScope } from './condition.ts'
import { isPoliced } from './denials.ts'

/** The results of the rules and the scope of one collection for one request. */
export interface Decision {
  /** The operations that are denied, each with its error. */
  readonly denied: ReadonlyMap<Operation, DataApiError>
  /** The fields that the caller may not read or write, by property, each with its error. */
  readonly unreadable: DeniedFields
  readonly unwritable: DeniedFields
  /** The scopes that the collection has. They throw as planScope does. */
  readonly scopes: ReadonlyArray<readonly [ScopedOperation, PlanScope]>
}

/** Plans a scope over a collection of the caller's model. */
type PlanScope = (collection: Collection, visibleIn: VisibleIn) => Predicate

type DeniedFields = ReadonlyArray<readonly [property: string, error: DataApiError]>

const operations: readonly Operation[] = ['read', 'create', 'update', 'delete']

/** The decisions by request: own code that a request calls does not ask its rules a second time (lib/data). */
const decisionsOf = memoize((_request: Context['request']) => new Map<Declared | undefined, Promise<Decision>>())

/** Asks all rules and scopes of a collection, once a request. */
export function decideOn (name: string, declared: Declared | undefined, context: Context): Promise<Decision> {
  const decisions = decisionsOf(context.request)
  const decision = decisions.get(declared) ?? askAll(name, declared, context)
  decisions.set(declared, decision)
  return decision
}

async function askAll (name: string, declared: Declared | undefined, context: Context): Promise<Decision> {
  const { scope, rules: { fields = {}, ...rules } = {} } = declared ?? {}
  const errors = await Promise.all(operations.map(async operation =>
    [operation, await askRule(rules[operation], [name, operation], context)] as const))
  const deniedFields = async (kind: 'read' | 'write'): Promise<DeniedFields> => {
    const asked = await Promise.all(Object.entries(fields).map(async ([field, rule]) =>
      [field, await askRule(rule?.[kind], [name, `fields.${field}.${kind}`], context)] as const))
    return asked.flatMap(([field, error]) => error === undefined ? [] : [[field, error] as const])
  }
  const [unreadable, unwritable] = await Promise.all([deniedFields('read'), deniedFields('write')])
  return {
    denied: new Map(errors.flatMap(([operation, error]) => error === undefined ? [] : [[operation, error]])),
    unreadable,
    unwritable,
    scopes: await Promise.all(scopesIn(scope).map(async ([operation, one]) =>
      [operation, await askScope(name, one, context)] as const))
  }
}

const scopesIn = (scope: Declared['scope']) =>
  Object.entries(typeof scope === 'function' ? { read: scope } : scope ?? {})
    .filter(([, one]) => one !== undefined) as ReadonlyArray<readonly [ScopedOperation, Scope<Values>]>

/**
 * Returns undefined if there is no rule or the rule returns true. Any other result denies, and so does an error. One
 * that JavaScript takes for true, such as an object, was hardly meant to deny, and is logged.
 */
async function askRule (
  rule: Rule | undefined, place: RulePlace, context: Context
): Promise<DataApiError | undefined> {
  if (rule === undefined) return undefined
  try {
    const result: unknown = await rule(context)
    if (result === true) return undefined
    if (!result) return forbidden()
    throw new TypeError(`it returned ${describeGiven(result)}; return true or false`)
  } catch (error) {
    return refusedByRule(error) ?? denyAndLog(error, place, context)
  }
}

/** Returns the error for a caller who may not write a field of the item; undefined for one who may. */
export type AskedItemRule = (item: Readonly<Values>) => Promise<DataApiError | undefined>

/** Asks a rule about an item, as askRule does about a caller. */
export const askItemRule = (
  rule: ItemRule<Values>, item: Readonly<Values>, place: RulePlace, context: Context
): Promise<DataApiError | undefined> => askRule(() => rule(item, context), place, context)

/** The collection, and the rule in its `rules`. */
type RulePlace = readonly [collection: string, rule: string]

function denyAndLog (error: unknown, [collection, rule]: RulePlace, { request }: Context): DataApiError {
  logError(request.log, { err: error }, `collection '${collection}', rules.${rule}: it failed, so it denies access`)
  return forbidden()
}

/** Asks a scope once. A scope that throws contains no item. */
async function askScope (name: string, scope: Scope<Values>, context: Context): Promise<PlanScope> {
  try {
    const condition = await scope(context, conditionBuilder)
    return (collection, visibleIn) => planScope(condition, collection, visibleIn)
  } catch (error) {
    logFailedScope(name, error, context)
    return () => never
  }
}

function logFailedScope (collection: string, error: unknown, { request }: Context): void {
  logError(request.log, { err: error }, `collection '${collection}': its scope failed, so it includes no items`)
}

/** The scopes of a caller. Throws the error of one that cannot be planned, for who needs the scope. */
export type ScopeOf = (operation: ScopedOperation, collection: Collection) => Predicate

/** Plans the scopes of all collections of a model. `always` where there is none. */
export function planScopes (decisions: ReadonlyMap<string, Decision>, model: Model, context: Context): ScopeOf {
  const scopes = new Map<string, Predicate | WrongScope | undefined>()
  for (const collection of model.collections.values()) {
    plan('read', collection)
    for (const [operation] of decisions.get(collection.property)?.scopes ?? []) plan(operation, collection)
  }
  return (operation, { property }) => found(scopes.get(`${operation} ${property}`) ?? always)

  function plan (operation: ScopedOperation, collection: Collection): Predicate | WrongScope {
    const name = `${operation} ${collection.property}`
    if (scopes.has(name)) return scopes.get(name) ?? dependsOnItself(collection)
    // One that is asked for again while it is planned depends on itself.
    scopes.set(name, undefined)
    const scope = decisions.get(collection.property)?.scopes.find(([one]) => one === operation)?.[1]
    const all = operation === 'read' && isPoliced(collection) ? policed : always
    const own = scope === undefined ? always : plannedScope(collection, scope)
    const planned = own === always ? all : own
    scopes.set(name, planned)
    return planned
  }

  function visibleIn (collection: Collection): Predicate {
    return decisions.get(collection.property)?.denied.has('read') === true ? never : found(plan('read', collection))
  }

  /** A scope that fails contains no item. */
  function plannedScope (collection: Collection, scope: PlanScope): Predicate | WrongScope {
    try {
      return scope(collection, visibleIn)
    } catch (error) {
      if (error instanceof WrongScope) return error
      logFailedScope(collection.property, error, context)
      return never
    }
  }
}

function found (scope: Predicate | WrongScope): Predicate {
  if (scope instanceof WrongScope) throw scope
  return scope
}
