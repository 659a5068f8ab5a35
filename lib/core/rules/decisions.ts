import type { Context, Declared, ItemRule, Rule, Scope, ItemValues } from '../declare/collection.ts'
import { type DataApiError, describeValue, forbidden } from '../errors/errors.ts'
import { type DeniedOperation, logError, operationDenied, refusedByRule } from '../errors/rejections.ts'
import type { Collection, Model } from '../model/model.ts'
import type { Predicate } from '../plan/plan.ts'
import { always, never, policed } from '../plan/predicates.ts'
import { after, afterAll } from '../scheduling/after.ts'
import { memoize } from '../scheduling/memoize.ts'
import { keptBy } from '../scheduling/since-body.ts'
import type { Operation, ScopedOperation } from './caller.ts'
import { conditionBuilder, dependsOnItself, planScope, type VisibleIn, WrongScope } from './condition.ts'
import { isPoliced } from './denials.ts'

/** The results of the rules and the scope of one collection for one request. */
export interface Decision {
  readonly asked: Asked
  /** What each of the rules has told, in their order. */
  readonly refusals: ReadonlyArray<Refusal | undefined>
  /** The scopes that the collection has. They throw as planScope does. */
  readonly scopes: ReadonlyArray<readonly [ScopedOperation, PlanScope]>
}

/** Plans a scope over a collection of the caller's model. */
type PlanScope = (collection: Collection, visibleIn: VisibleIn) => Predicate

/**
 * Makes the error of a rule that denies. Most of them are never thrown, and an error takes longer than its rule.
 * `denied`: what the rule of an operation denies.
 */
export type Refusal = (denied?: DeniedOperation) => DataApiError

const operations: readonly Operation[] = ['read', 'create', 'update', 'delete']

// The decisions of a request: own code that it calls does not ask its rules again. A WeakMap of
// requests costs the garbage collector more than a request of an item.
const decided = Symbol('fastify-data-api.decisions')

type Deciding = object & { [decided]?: Map<Declared | undefined, Decision | Promise<Decision>> }

/**
 * Asks all rules and scopes of a collection, once a request, and again when its body has come. Returns a promise only
 * if one of them does: most tell at once, and a dozen promises take longer than an item.
 */
export function decideOn (
  name: string, declared: Declared | undefined, context: Context
): Decision | Promise<Decision> {
  const keeper: Deciding = keptBy(context.request)
  // A live document reads with requests that inherit from its own.
  const own = Object.hasOwn(keeper, decided) ? keeper[decided] : undefined
  const decisions = own ?? (keeper[decided] = new Map())
  const decision = decisions.get(declared) ?? askAll(name, declared, context)
  decisions.set(declared, decision)
  return decision
}

/** The rules and scopes of a collection, in the order in which they are asked. */
interface Asked {
  readonly rules: readonly AskedRule[]
  readonly scopes: ReadonlyArray<readonly [ScopedOperation, Scope<ItemValues>]>
}

/** A rule of an operation, or of reading or writing a field. `name`: that of the rule in messages. */
type AskedRule = { readonly name: string, readonly rule: Rule | false } & (
  | { readonly kind: 'operation', readonly of: Operation }
  | { readonly kind: 'read' | 'write', readonly of: string }
)

const askedIn = memoize(({ scope, rules: { fields = {}, ...rules } }: Declared): Asked => {
  const ofFields = (kind: 'read' | 'write') => Object.entries(fields).flatMap(([field, rule]): AskedRule[] =>
    rule?.[kind] === undefined ? [] : [{ kind, of: field, name: `fields.${field}.${kind}`, rule: rule[kind] }])
  const ofOperations = operations.flatMap((operation): AskedRule[] => {
    const rule = rules[operation] ?? true
    return rule === true ? [] : [{ kind: 'operation', of: operation, name: operation, rule }]
  })
  return { rules: [...ofOperations, ...ofFields('read'), ...ofFields('write')], scopes: scopesIn(scope) }
})

/** Asks all rules and scopes at the same time. */
function askAll (name: string, declared: Declared | undefined, context: Context): Decision | Promise<Decision> {
  if (declared === undefined) return undeclared
  const asked = askedIn(declared)
  const told = asked.rules.map(({ rule, name: own }) => askRule(rule, [name, own], context))
  return after(afterAll(told), refusals => {
    const planned = asked.scopes.map(([operation, scope]) =>
      after(askScope(name, scope, context), plan => [operation, plan] as const))
    return after(afterAll(planned), (scopes): Decision => ({ asked, refusals, scopes }))
  })
}

/** Returns what is decided of a collection for every caller: `false` alone tells the same to all. */
export function decideForAll (declared: Declared | undefined): Decision {
  if (declared === undefined) return undeclared
  const { rules } = askedIn(declared)
  const refusals = rules.map(({ rule }) => rule === false ? wordless : undefined)
  return { asked: { rules, scopes: [] }, refusals, scopes: [] }
}

const undeclared: Decision = { asked: { rules: [], scopes: [] }, refusals: [], scopes: [] }

export function refusalOf ({ asked: { rules }, refusals }: Decision, operation: Operation): Refusal | undefined {
  const index = rules.findIndex(rule => rule.kind === 'operation' && rule.of === operation)
  return index < 0 ? undefined : refusals[index]
}

/** Returns a digit for each rule that decides what the caller knows of the model: 1 for one that denies. */
export function modelRefusals ({ asked: { rules }, refusals }: Decision): string {
  let digits = ''
  for (let index = 0; index < rules.length; index++) {
    const rule = rules[index]
    if (rule?.kind !== 'operation' || rule.of === 'read') digits += refusals[index] === undefined ? '0' : '1'
  }
  return digits
}

/** Returns the fields that may not be read or written, each with what its rule has told. */
export const refusedFields = (
  { asked: { rules }, refusals }: Decision, kind: 'read' | 'write'
): ReadonlyArray<readonly [property: string, refusal: Refusal]> => rules.flatMap((rule, index) => {
  const refusal = refusals[index]
  return rule.kind === kind && refusal !== undefined ? [[rule.of, refusal] as const] : []
})

const scopesIn = (scope: Declared['scope']) =>
  Object.entries(typeof scope === 'function' ? { read: scope } : scope ?? {})
    .filter(([, one]) => one !== undefined) as ReadonlyArray<readonly [ScopedOperation, Scope<ItemValues>]>

/**
 * Returns undefined if the rule returns true. Any other result denies, and so does an error. One
 * that JavaScript takes for true, such as an object, was hardly meant to deny, and is logged.
 */
function askRule (
  rule: Rule | false, place: RulePlace, context: Context
): Refusal | undefined | Promise<Refusal | undefined> {
  const refuse = (error: unknown): Refusal => {
    const refused = refusedByRule(error)
    if (refused !== undefined) return () => refused
    logFailedRule(error, place, context)
    return wordless
  }
  if (rule === false) return wordless
  try {
    const result: unknown = rule(context)
    if (!isThenable(result)) return refusalFor(result)
    return Promise.resolve(result).then(refusalFor).catch(refuse)
  } catch (error) {
    return refuse(error)
  }
}

function refusalFor (result: unknown): Refusal | undefined {
  if (result === true) return undefined
  if (!result) return wordless
  throw new TypeError(`it returned ${describeValue(result)}; return true or false`)
}

/** The refusal of a rule that has no words of its own. */
const wordless: Refusal = denied => denied === undefined ? forbidden() : operationDenied(denied)

/** Returns true for what `await` waits for. */
const isThenable = (result: unknown): result is PromiseLike<unknown> =>
  ((typeof result === 'object' && result !== null) || typeof result === 'function') &&
  'then' in result && typeof result.then === 'function'

/** Returns the error for a caller who may not write a field of the item; undefined for one who may. */
export type AskedItemRule = (item: Readonly<ItemValues>) => Promise<DataApiError | undefined>

/** Asks a rule about an item, as askRule does about a caller. */
export const askItemRule = async (
  rule: ItemRule<ItemValues>, item: Readonly<ItemValues>, place: RulePlace, context: Context
): Promise<DataApiError | undefined> => (await askRule(() => rule(item, context), place, context))?.()

/** The collection, and the rule in its `rules`. */
type RulePlace = readonly [collection: string, rule: string]

function logFailedRule (error: unknown, [collection, rule]: RulePlace, { request }: Context): void {
  logError(request.log, { err: error }, `collection '${collection}', rules.${rule}: it failed, so it denies access`)
}

/** Asks a scope once. A scope that throws contains no item. */
function askScope (name: string, scope: Scope<ItemValues>, context: Context): PlanScope | Promise<PlanScope> {
  const planOf = (condition: Parameters<typeof planScope>[0]): PlanScope =>
    (collection, visibleIn) => planScope(condition, collection, visibleIn)
  const fail = (error: unknown): PlanScope => {
    logFailedScope(name, error, context)
    return () => never
  }
  try {
    const condition = scope(context, conditionBuilder)
    return isThenable(condition) ? Promise.resolve(condition).then(planOf).catch(fail) : planOf(condition)
  } catch (error) {
    return fail(error)
  }
}

function logFailedScope (collection: string, error: unknown, { request }: Context): void {
  logError(request.log, { err: error }, `collection '${collection}': its scope failed, so it includes no items`)
}

/** The scopes of a caller. Throws the error of one that cannot be planned, for who needs the scope. */
type ScopeOf = (operation: ScopedOperation, collection: Collection) => Predicate

/** Plans the scopes of a model's collections, each when it is first needed. `always` where there is none. */
export function planScopes (decisions: ReadonlyMap<string, Decision>, model: Model, context: Context): ScopeOf {
  const scopes = new Map<string, Predicate | WrongScope | undefined>()
  return (operation, { name, property }) => {
    const collection = model.collections.get(name)
    if (collection === undefined) throw new TypeError(`the model of a caller has the collection '${property}'`)
    return found(plan(operation, collection))
  }

  function plan (operation: ScopedOperation, collection: Collection): Predicate | WrongScope {
    const name = `${operation} ${collection.property}`
    const known = scopes.get(name)
    if (known !== undefined) return known
    // One that is asked for again while it is planned depends on itself.
    if (scopes.has(name)) return dependsOnItself(collection)
    scopes.set(name, undefined)
    const scope = decisions.get(collection.property)?.scopes.find(([one]) => one === operation)?.[1]
    const own = scope === undefined ? always : plannedScope(collection, scope)
    const planned = own === always ? unscoped(operation, collection) : own
    scopes.set(name, planned)
    return planned
  }

  function visibleIn (collection: Collection): Predicate {
    return isUnreadable(collection) ? never : found(plan('read', collection))
  }

  function isUnreadable ({ property }: Collection): boolean {
    const decision = decisions.get(property)
    return decision !== undefined && refusalOf(decision, 'read') !== undefined
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

/** Returns the scope of a collection that declares none. */
const unscoped = (operation: ScopedOperation, collection: Collection): Predicate =>
  operation === 'read' && isPoliced(collection) ? policed : always

function found (scope: Predicate | WrongScope): Predicate {
  if (scope instanceof WrongScope) throw scope
  return scope
}
