/**
 * The rules, for their auditor (docs/http.md: Rules). These files decide what a caller may do:
 *
 *     caller.ts           makes the permissions of a caller from the decisions on all connected collections
 *     decisions.ts        asks the application's rules and scopes, once a request; a rule that fails denies
 *     said.ts             decides who says it: a collection, its scope, the registration; refuses silence
 *     served.ts           finds the operations that requests can do, of which silence is refused
 *     doors.ts            closes collections to agents, by a rule of theirs
 *     denials.ts          removes from the model what the caller may not read or write, under all of its names
 *     authorise.ts        authorises every write of a value and every link
 *     methods.ts          decides which operations a method may do, and so which rules it must pass
 *     condition.ts        converts the result of a scope to a predicate
 *     scope-plan.ts       adds scopes to every step and relation of a plan
 *     scoped-database.ts  runs every statement with these scopes, every transaction with the check of touched.ts
 *     dangling.ts         finds the references of a change to items that do not exist for the caller
 *     foresee.ts          decides whether an item that the database refused would have been in scope
 *     permitted.ts        checks before a change that the caller may change the item
 *     touched.ts          checks at the end of a write that each of its items is in scope
 *     references.ts       decides which writes need that check
 *     rights.ts           tells what a caller may do, for tables of rights; decides nothing
 *
 * Other rooms ask and decide nothing: plan/request.ts plans with the Permissions of methods.ts. run/ takes no database
 * but a ScopedDatabase, so the compiler proves that every statement was scoped; a ScopedDatabase takes no change but an
 * AuthorisedChange, so the compiler proves that its values and its link were authorised. answer.ts marks the answers to
 * guarded callers as personal, for Cache-Control and Vary; api/serve.ts asks `differ`, to name to doors the collections
 * that everybody sees alike.
 * model/rules.ts checks the form of the declarations. The tests are those of test/contract/rules/ and
 * test/contract/non-interference.test.ts.
 */
import { LruMap } from 'toad-cache'
import type { Context } from '../declare/collection.ts'
import type { DataApiError } from '../errors/errors.ts'
import { after, afterAll } from '../scheduling/after.ts'
import { memoize } from '../scheduling/memoize.ts'
import type { Collection, Model, StoredField } from '../model/model.ts'
import type { Predicate } from '../plan/plan.ts'
import { always } from '../plan/predicates.ts'
import type { Database } from '../sources/source.ts'
import {
  askItemRule, type AskedItemRule, decideForAll, decideOn, type Decision, modelRefusals, planScopes, type Refusal,
  refusalOf, refusedFields
} from './decisions.ts'
import {
  connectedCollections, type Declarations, type Denials, isGuarded, isPersonal, type LinkedNames, linkedNames,
  withoutDenied
} from './denials.ts'

export type Operation = 'read' | 'create' | 'update' | 'delete'

/** An operation that a scope may allow on some items only. */
export type ScopedOperation = Exclude<Operation, 'create'>

/** The permissions of the sender of one request. They are decided once, before the request is planned. */
export interface Caller {
  /** The model without the fields that this caller may not read or write. */
  readonly model: Model
  /**
   * Returns the predicate of the items that exist for this caller; for another operation, that of the items among these
   * which the caller may update or delete. `always` for all. Throws WrongScope for a scope that cannot be
   * planned.
   */
  scope (collection: Collection, operation?: ScopedOperation): Predicate
  /** Returns the database for the statements of this caller. */
  inSession (database: Database): Database
  /** True if a rule or a scope may affect this request. If false, nothing below was asked. */
  readonly guarded: boolean
  /** True if the answer may be another one for another caller. */
  readonly personal: boolean
  /** Returns the error for a caller who may not do this to the collection's items; undefined if no rule denies it. */
  denial (operation: Operation, collection: Collection): DataApiError | undefined
  /**
   * Returns the error for a caller who may not write the field, by whichever of its names a rule denies it; undefined
   * if no rule does. Both are the application's names.
   */
  writeDenial (collection: string, property: string): DataApiError | undefined
  /** Returns the rule that must allow to write the field in an item; undefined if there is none. */
  itemRule (collection: Collection, field: StoredField): AskedItemRule | undefined
}

export interface Callers {
  /** Returns the caller of a request. `name` is the first segment of its path; undefined for the directory. */
  of (name: string | undefined, context: Context): Caller | Promise<Caller>
  /**
   * Returns the callers of requests with these first segments: collections that relations connect share one. Asks each
   * rule once. Default: the names of all collections.
   */
  all (context: Context, names?: Iterable<string>): Promise<ReadonlyMap<string, Caller>>
  /** Returns these callers for several requests of one sender: the rules of collections are asked once for them all. */
  once (): Callers
  /** True if the answers to some requests depend on the caller. */
  readonly personal: boolean
  /** Returns true if the answers to requests with this first segment depend on the caller. */
  differ (name: string | undefined): boolean
  /** Returns a caller who may do to the collection of this name what not everybody is denied. */
  anyone (name: string): Caller
}

/** Returns a caller to whom no rule and no scope applies. */
export const unguarded = (model: Model): Caller => ({
  model,
  guarded: false,
  personal: false,
  inSession: database => database,
  scope: () => always,
  denial: () => undefined,
  writeDenial: () => undefined,
  itemRule: () => undefined
})

/** Prepares everything about callers that does not depend on a request. `compile` compiles declarations to a model. */
export function makeCallers (
  declared: Declarations, model: Model, compile: (declared: Declarations) => Model
): Callers {
  const open = unguarded(model)
  const isAnyGuarded = Object.values(declared).some(isGuarded)
  const groups = isAnyGuarded ? groupByName(declared, model) : new Map<string, Group>()
  const linked: LinkedNames = isAnyGuarded ? linkedNames(declared) : new Map()
  const modelFor = makeModels(declared, linked, model, compile)
  const forAll = memoize((group: Group): Caller => {
    const decisions = new Map(group.guarded.map(name => [name, decideForAll(declared[name])]))
    return { ...unguarded(modelFor(group, decisions)), guarded: true, denial: denialIn(decisions) }
  })
  const ofAnyone = (group: Group | undefined) => group === undefined ? open : forAll(group)
  const callersBy = (of: Callers['of']): Callers => ({
    personal: [...groups.values()].some(group => group.personal),
    differ: name => name !== undefined && groups.get(name)?.personal === true,
    of,
    anyone: name => ofAnyone(groups.get(name)),
    async all (context, names = model.collections.keys()) {
      const callerOf = onceFor(of)
      return new Map(await Promise.all([...names].map(async name => [name, await callerOf(name, context)] as const)))
    },
    once: () => callersBy(onceFor(of))
  })
  return callersBy((name, context) => {
    const group = name === undefined ? undefined : groups.get(name)
    if (group === undefined) return open
    return group.personal ? decide(group, { declared, linked, context, modelFor }) : forAll(group)
  })

  /** Asks once for all collections which relations connect. */
  function onceFor (of: Callers['of']): Callers['of'] {
    const known = new Map<Group, Caller | Promise<Caller>>()
    return (name, context) => {
      const group = name === undefined ? undefined : groups.get(name)
      if (group === undefined) return open
      const caller = known.get(group) ?? of(name, context)
      known.set(group, caller)
      return caller
    }
  }
}

/**
 * Returns a function that gives the model as callers know it of whom the rules tell this. Kept are the 100 used last:
 * there are as many as there are kinds of callers.
 */
function makeModels (
  declared: Declarations, linked: LinkedNames, model: Model, compile: (declared: Declarations) => Model
): Asking['modelFor'] {
  const models = new LruMap<Model>(100)
  return ({ connected }, decisions) => {
    const kind = kindOf(connected[0] ?? '', decisions)
    const known = models.get(kind)
    if (known !== undefined) return known
    const denials = denialsOf(decisions, writeDenialsOf(decisions, linked))
    const made = isEmpty(denials) ? model : compile(withoutDenied(pick(declared, connected), denials))
    models.set(kind, made)
    return made
  }
}

/**
 * Collections that are connected by relations, and those of them that have rules or a scope; both by property.
 * `personal`: true if callers may differ in what they may do to one of them.
 */
interface Group {
  readonly connected: readonly string[]
  readonly guarded: readonly string[]
  readonly personal: boolean
}

/** The groups that have a guarded collection, by the names on the wire of all their collections. */
function groupByName (declared: Declarations, { collections }: Model): ReadonlyMap<string, Group> {
  const connections = connectedCollections(declared)
  // A thousand collections may be connected: each list is read once.
  const groupOf = memoize((connected: readonly string[]): Group => {
    const all = connected.flatMap(name => declared[name] === undefined ? [] : [[name, declared[name]] as const])
    const guarded = all.filter(([, one]) => isGuarded(one)).map(([name]) => name)
    return { connected, guarded, personal: all.some(([, one]) => isPersonal(one)) }
  })
  return new Map([...collections.values()].flatMap(({ name, property }) => {
    const connected = connections.get(property)
    const group = connected && groupOf(connected)
    return group === undefined || group.guarded.length === 0 ? [] : [[name, group]]
  }))
}

const pick = (declared: Declarations, names: readonly string[]): Declarations =>
  Object.fromEntries(Object.entries(declared).filter(([name]) => names.includes(name)))

const isEmpty = ({ collections, read, write }: Denials) => collections.size + read.size + write.size === 0

type Decisions = ReadonlyMap<string, Decision>

/** Returns a text that is the same for callers of whom the rules of the connected collections tell alike. */
function kindOf (collection: string, decisions: Decisions): string {
  let kind = `${collection} `
  for (const decision of decisions.values()) kind += modelRefusals(decision)
  return kind
}

interface Asking {
  readonly declared: Declarations
  readonly linked: LinkedNames
  readonly context: Context
  readonly modelFor: (group: Group, decisions: Decisions) => Model
}

/** Asks all rules and scopes of the guarded collections, at the same time. */
function decide (group: Group, asking: Asking): Caller | Promise<Caller> {
  const { declared, context } = asking
  const { guarded } = group
  return after(afterAll(guarded.map(name => decideOn(name, declared[name], context))), all => {
    const decisions = new Map<string, Decision>()
    for (const [index, decision] of all.entries()) decisions.set(guarded[index] ?? '', decision)
    return callerOf(group, decisions, asking)
  })
}

function callerOf (group: Group, decisions: Decisions, { declared, linked, context, modelFor }: Asking): Caller {
  const model = modelFor(group, decisions)
  const scopeOf = planScopes(decisions, model, context)
  let writeDenials: ReturnType<typeof writeDenialsOf> | undefined
  return {
    model,
    guarded: true,
    personal: true,
    inSession: database => database.inSessionOf?.(context) ?? database,
    scope: (collection, operation = 'read') => scopeOf(operation, collection),
    denial: denialIn(decisions),
    writeDenial: (collection, property) => {
      writeDenials ??= writeDenialsOf(decisions, linked)
      return writeDenials.get(`${collection}.${property}`)?.()
    },
    itemRule: ({ property }, field) => {
      const rule = declared[property]?.rules.fields?.[field.property]?.writeItem
      return rule && (item => askItemRule(rule, item, [property, `fields.${field.property}.writeItem`], context))
    }
  }
}

const denialIn = (decisions: Decisions): Caller['denial'] => (operation, { property, name }) => {
  const decision = decisions.get(property)
  return decision && refusalOf(decision, operation)?.({ operation, collection: name })
}

/** Returns the errors of the fields that the caller may not write, by `collection.field`, all linked names included. */
function writeDenialsOf (decisions: Decisions, linked: LinkedNames): ReadonlyMap<string, Refusal> {
  const denials = new Map<string, Refusal>()
  for (const [collection, decision] of decisions) {
    for (const [field, refusal] of refusedFields(decision, 'write')) {
      const name = `${collection}.${field}`
      for (const one of linked.get(name) ?? [name]) denials.set(one, denials.get(one) ?? refusal)
    }
  }
  return denials
}

function denialsOf (decisions: Decisions, writeDenials: ReadonlyMap<string, Refusal>): Denials {
  const denials = { collections: new Set<string>(), read: new Set<string>(), write: new Set(writeDenials.keys()) }
  for (const [name, decision] of decisions) {
    if (refusalOf(decision, 'read') !== undefined) denials.collections.add(name)
    for (const [field] of refusedFields(decision, 'read')) denials.read.add(`${name}.${field}`)
  }
  return denials
}
