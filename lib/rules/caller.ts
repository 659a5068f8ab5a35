import { LruMap } from 'toad-cache'
import type { Context, Declared, Rule } from '../collection.ts'
import { type DataApiError, forbidden, refusedByRule } from '../errors.ts'
import type { Collection, Model } from '../model/model.ts'
import { type Denials, isGuarded, connectedCollections, withoutDenied } from '../model/rules.ts'
import type { Predicate } from '../plan/plan.ts'
import { always, never } from '../plan/predicates.ts'
import { planScope, conditionBuilder } from './condition.ts'

export type Operation = 'read' | 'create' | 'update' | 'delete'

/** What the API is for whoever sent a request: decided once, before anything is planned (docs/http.md: Rules). */
export interface Caller {
  /** Without what this caller may not read or write. */
  readonly model: Model
  /** What holds for the items that there are for this caller; `everything` where all are. */
  scope (collection: Collection): Predicate
  /** Whether any rule or scope has a part in this request. */
  readonly guarded: boolean
  /** Why the caller may not do this to the collection's items, where it may not. */
  denial (operation: Operation, collection: Collection): DataApiError | undefined
}

export interface Callers {
  /** The caller of a request whose path begins with this name on the wire. */
  of (name: string | undefined, context: Context): Caller | Promise<Caller>
  /** Whether any collection has rules or a scope. */
  readonly guarded: boolean
  /** Whether answers to such a request depend on who asks. */
  differ (name: string | undefined): boolean
}

/** Prepares what can be known of callers without a request. `compile` makes the model of declarations. */
export function makeCallers (declared: Declarations, model: Model, compile: (declared: Declarations) => Model): Callers {
  const anyone: Caller = { model, guarded: false, scope: () => always, denial: () => undefined }
  const groups = groupByName(declared, model)
  const modelWithout = cached((reach, denials) => compile(withoutDenied(Object.fromEntries(Object.entries(declared).filter(([name]) => reach.includes(name))), denials)))
  return {
    guarded: Object.values(declared).some(isGuarded),
    differ: name => name !== undefined && groups.has(name),
    of (name, context) {
      const group = name === undefined ? undefined : groups.get(name)
      return group === undefined ? anyone : decide(group.guarded, declared, context, denials => isEmpty(denials) ? model : modelWithout(group.reach, denials))
    }
  }
}

type Declarations = Readonly<Record<string, Declared>>

/** Collections that are related, and those of them that have rules or a scope. */
interface Group { readonly reach: readonly string[], readonly guarded: readonly string[] }

/** By the name on the wire of each collection for which rules or scopes have a part in requests. */
function groupByName (declared: Declarations, { collections }: Model): ReadonlyMap<string, Group> {
  const groups = new Map<string, Group>()
  const reaches = connectedCollections(declared)
  for (const { name, property } of collections.values()) {
    const reach = reaches.get(property) ?? []
    const guarded = reach.filter(one => declared[one] !== undefined && isGuarded(declared[one]))
    if (guarded.length > 0) groups.set(name, { reach, guarded })
  }
  return groups
}

const isEmpty = ({ collections, read, write }: Denials) => collections.size + read.size + write.size === 0

/** There are as many models as there are kinds of callers; those asked for last are kept. */
function cached (make: (reach: readonly string[], denials: Denials) => Model): (reach: readonly string[], denials: Denials) => Model {
  const models = new LruMap<Model>(100)
  return (reach, denials) => {
    // What is denied is of the collections in reach, so it tells which those are.
    const key = JSON.stringify([[...denials.collections], [...denials.read], [...denials.write]])
    const model = models.get(key) ?? make(reach, denials)
    models.set(key, model)
    return model
  }
}

async function decide (guarded: readonly string[], declared: Declarations, context: Context, modelWithout: (denials: Denials) => Model): Promise<Caller> {
  const decisions = new Map(await Promise.all(guarded.map(async name => [name, await decideOn(name, declared[name], context)] as const)))
  const denials = { collections: new Set<string>(), read: new Set<string>(), write: new Set<string>() }
  for (const [name, { refused, unread, unwritten }] of decisions) {
    if (refused.has('read')) denials.collections.add(name)
    for (const field of unread) denials.read.add(`${name}.${field}`)
    for (const field of unwritten) denials.write.add(`${name}.${field}`)
  }
  const model = modelWithout(denials)
  const scopes = new Map<string, Predicate>()
  for (const collection of model.collections.values()) {
    const scope = decisions.get(collection.property)?.scope
    if (scope !== undefined) scopes.set(collection.property, logged(() => scope(collection), never, context))
  }
  return {
    model,
    guarded: true,
    scope: ({ property }) => scopes.get(property) ?? always,
    denial: (operation, { property }) => decisions.get(property)?.refused.get(operation)
  }
}

interface Decision {
  readonly refused: ReadonlyMap<Operation, DataApiError>
  readonly unread: readonly string[]
  readonly unwritten: readonly string[]
  readonly scope: ((collection: Collection) => Predicate) | undefined
}

const operations: readonly Operation[] = ['read', 'create', 'update', 'delete']

async function decideOn (name: string, declared: Declared | undefined, context: Context): Promise<Decision> {
  const { scope, rules: { fields = {}, ...rules } = {} } = declared ?? {}
  const refusals = await Promise.all(operations.map(async operation => [operation, await refusal(rules[operation], context)] as const))
  const denied = async (kind: 'read' | 'write') => {
    const found = await Promise.all(Object.entries(fields).map(async ([field, rule]) => await refusal(rule?.[kind], context) === undefined ? [] : [field]))
    return found.flat()
  }
  const [unread, unwritten] = await Promise.all([denied('read'), denied('write')])
  return {
    refused: new Map(refusals.flatMap(([operation, error]) => error === undefined ? [] : [[operation, error]])),
    unread,
    unwritten,
    scope: scope && await askScope(name, scope, context)
  }
}

async function refusal (rule: Rule | undefined, context: Context): Promise<DataApiError | undefined> {
  if (rule === undefined) return undefined
  try {
    return await rule(context) === true ? undefined : forbidden()
  } catch (error) {
    return refusedByRule(error) ?? denyAndLog(error, context)
  }
}

function denyAndLog (error: unknown, { request }: Context): DataApiError {
  request.log.error({ err: error }, 'a rule failed, so it denies access')
  return forbidden()
}

async function askScope (name: string, scope: NonNullable<Declared['scope']>, context: Context): Promise<NonNullable<Decision['scope']>> {
  try {
    const given = await scope(context, conditionBuilder)
    return collection => planScope(given, collection)
  } catch (error) {
    context.request.log.error({ err: error }, `collection '${name}': its scope failed, so it includes no items`)
    return () => never
  }
}

function logged (plan: () => Predicate, otherwise: Predicate, { request }: Context): Predicate {
  try {
    return plan()
  } catch (error) {
    request.log.error({ err: error }, 'a scope failed, so it includes no items')
    return otherwise
  }
}
