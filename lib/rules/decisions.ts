import type { Context, Declared, ItemRule, Rule, Scope, Values } from '../declare/collection.ts'
import { type DataApiError, forbidden } from '../errors/errors.ts'
import { logError, refusedByRule } from '../errors/rejections.ts'
import { describeGiven } from '../model/known-names.ts'
import type { Collection, Model } from '../model/model.ts'
import type { Predicate } from '../plan/plan.ts'
import { always, never, policed } from '../plan/predicates.ts'
import { after, afterAll } from '../scheduling/after.ts'
import { memoize } from '../scheduling/memoize.ts'
import type { Operation, ScopedOperation } from './caller.ts'
import { conditionBuilder, dependsOnItself, planScope, type VisibleIn, WrongScope } from './condition.ts'
import { isPoliced } from './denials.ts'

/** The results of the rules and the scope of one collection for one request. */
export interface Decision {
  /** The operations that are denied, each with its error. */
  readonly denied: ReadonlyMap<Operation, Refusal>
  /** The fields that the caller may not read or write, by property, each with its error. */
  readonly unreadable: DeniedFields
  readonly unwritable: DeniedFields
  /** The scopes that the collection has. They throw as planScope does. */
  readonly scopes: ReadonlyArray<readonly [ScopedOperation, PlanScope]>
}

/** Plans a scope over a collection of the caller's model. */
type PlanScope = (collection: Collection, visibleIn: VisibleIn) => Predicate

type DeniedFields = ReadonlyArray<readonly [property: string, refusal: Refusal]>

/** Makes the error of a rule that denies. Most of them are never thrown, and an error takes longer than its rule. */
export type Refusal = () => DataApiError

const operations: readonly Operation[] = ['read', 'create', 'update', 'delete']

// The decisions of a request: own code that it calls does not ask its rules a second time (lib/data). A WeakMap of
// requests costs the garbage collector more than a request of an item.
const decided = Symbol('fastify-data-api.decisions')

type Deciding = Context['request'] & { [decided]?: Map<Declared | undefined, Decision | Promise<Decision>> }

/**
 * Asks all rules and scopes of a collection, once a request. Returns a promise only if one of them does: most tell at
 * once, and a dozen promises take longer than an item.
 */
export function decideOn (
  name: string, declared: Declared | undefined, context: Context
): Decision | Promise<Decision> {
  const request: Deciding = context.request
  // A live document reads with requests that inherit from its own.
  const own = Object.hasOwn(request, decided) ? request[decided] : undefined
  const decisions = own ?? (request[decided] = new Map())
  const decision = decisions.get(declared) ?? askAll(name, declared, context)
  decisions.set(declared, decision)
  return decision
}

/** The rules and scopes of a collection, in the order in which they are asked. */
interface Asked {
  readonly operations: ReadonlyArray<AskedRule<Operation>>
  readonly reads: ReadonlyArray<AskedRule<string>>
  readonly writes: ReadonlyArray<AskedRule<string>>
  readonly scopes: ReadonlyArray<readonly [ScopedOperation, Scope<Values>]>
}

/** `of`: the operation or the field. `name`: that of the rule, in messages. */
interface AskedRule<Of> { readonly of: Of, readonly name: string, readonly rule: Rule }

const askedIn = memoize(({ scope, rules: { fields = {}, ...rules } }: Declared): Asked => {
  const ofFields = (kind: 'read' | 'write') => Object.entries(fields).flatMap(([field, rule]) =>
    rule?.[kind] === undefined ? [] : [{ of: field, name: `fields.${field}.${kind}`, rule: rule[kind] }])
  return {
    operations: operations.flatMap(operation => {
      const rule = rules[operation]
      return rule === undefined ? [] : [{ of: operation, name: operation, rule }]
    }),
    reads: ofFields('read'),
    writes: ofFields('write'),
    scopes: scopesIn(scope)
  }
})

function askAll (name: string, declared: Declared | undefined, context: Context): Decision | Promise<Decision> {
  if (declared === undefined) return { denied: new Map(), unreadable: [], unwritable: [], scopes: [] }
  const { operations, reads, writes, scopes } = askedIn(declared)
  return after(askEach(operations, name, context), denied => {
    const fields = [askEach(reads, name, context), askEach(writes, name, context)]
    return after(afterAll(fields), ([unreadable = [], unwritable = []]) => {
      const planned = afterAll(scopes.map(([operation, scope]) =>
        after(askScope(name, scope, context), plan => [operation, plan] as const)))
      return after(planned, (scopes): Decision => ({ denied: new Map(denied), unreadable, unwritable, scopes }))
    })
  })
}

type Denied<Of> = ReadonlyArray<readonly [of: Of, refusal: Refusal]>

/** Asks rules, all of them at the same time. Returns those that deny. */
function askEach<Of> (
  asked: ReadonlyArray<AskedRule<Of>>, collection: string, context: Context
): Denied<Of> | Promise<Denied<Of>> {
  const results = asked.map(({ rule, name }) => askRule(rule, [collection, name], context))
  return after(afterAll(results), refusals => asked.flatMap(({ of }, index) => {
    const refusal = refusals[index]
    return refusal === undefined ? [] : [[of, refusal] as const]
  }))
}

const scopesIn = (scope: Declared['scope']) =>
  Object.entries(typeof scope === 'function' ? { read: scope } : scope ?? {})
    .filter(([, one]) => one !== undefined) as ReadonlyArray<readonly [ScopedOperation, Scope<Values>]>

/**
 * Returns undefined if the rule returns true. Any other result denies, and so does an error. One
 * that JavaScript takes for true, such as an object, was hardly meant to deny, and is logged.
 */
function askRule (
  rule: Rule, place: RulePlace, context: Context
): Refusal | undefined | Promise<Refusal | undefined> {
  const refuse = (error: unknown): Refusal => {
    const refused = refusedByRule(error) ?? denyAndLog(error, place, context)
    return () => refused
  }
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
  if (!result) return () => forbidden()
  throw new TypeError(`it returned ${describeGiven(result)}; return true or false`)
}

/** Returns true for what `await` waits for. */
const isThenable = (result: unknown): result is PromiseLike<unknown> =>
  ((typeof result === 'object' && result !== null) || typeof result === 'function') &&
  'then' in result && typeof result.then === 'function'

/** Returns the error for a caller who may not write a field of the item; undefined for one who may. */
export type AskedItemRule = (item: Readonly<Values>) => Promise<DataApiError | undefined>

/** Asks a rule about an item, as askRule does about a caller. */
export const askItemRule = async (
  rule: ItemRule<Values>, item: Readonly<Values>, place: RulePlace, context: Context
): Promise<DataApiError | undefined> => (await askRule(() => rule(item, context), place, context))?.()

/** The collection, and the rule in its `rules`. */
type RulePlace = readonly [collection: string, rule: string]

function denyAndLog (error: unknown, [collection, rule]: RulePlace, { request }: Context): DataApiError {
  logError(request.log, { err: error }, `collection '${collection}', rules.${rule}: it failed, so it denies access`)
  return forbidden()
}

/** Asks a scope once. A scope that throws contains no item. */
function askScope (name: string, scope: Scope<Values>, context: Context): PlanScope | Promise<PlanScope> {
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
export type ScopeOf = (operation: ScopedOperation, collection: Collection) => Predicate

/** Plans the scopes of all collections of a model. `always` where there is none. */
export function planScopes (decisions: ReadonlyMap<string, Decision>, model: Model, context: Context): ScopeOf {
  const scopes = new Map<string, Predicate | WrongScope | undefined>()
  for (const collection of model.collections.values()) {
    const decision = decisions.get(collection.property)
    if (decision === undefined || decision.scopes.length === 0) continue
    plan('read', collection)
    for (const [operation] of decision.scopes) plan(operation, collection)
  }
  return (operation, collection) =>
    found(scopes.get(`${operation} ${collection.property}`) ?? unscoped(operation, collection))

  function plan (operation: ScopedOperation, collection: Collection): Predicate | WrongScope {
    const name = `${operation} ${collection.property}`
    if (scopes.has(name)) return scopes.get(name) ?? dependsOnItself(collection)
    // One that is asked for again while it is planned depends on itself.
    scopes.set(name, undefined)
    const scope = decisions.get(collection.property)?.scopes.find(([one]) => one === operation)?.[1]
    const all = unscoped(operation, collection)
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

/** Returns the scope of a collection that declares none. */
const unscoped = (operation: ScopedOperation, collection: Collection): Predicate =>
  operation === 'read' && isPoliced(collection) ? policed : always

function found (scope: Predicate | WrongScope): Predicate {
  if (scope instanceof WrongScope) throw scope
  return scope
}
