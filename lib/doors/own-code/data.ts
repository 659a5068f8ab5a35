import type { Checks } from '../../core/api/checks.ts'
import type { Options } from '../../core/api/options.ts'
import type { Context, Declared } from '../../core/declare/collection.ts'
import type { Data, RequestData, SystemData, TransactionOptions } from '../../core/declare/data.ts'
import { didYouMean, suggest } from '../../core/errors/suggest.ts'
import { compileModel, type CompileOptions } from '../../core/model/compile.ts'
import type { Model } from '../../core/model/model.ts'
import { type Caller, type Callers, makeCallers, unguarded } from '../../core/rules/caller.ts'
import type { AfterCommit, RunContext } from '../../core/run/context.ts'
import { commitRefusal } from '../../core/run/violations.ts'
import { type Database, databaseOf, RefusedAtCommit } from '../../core/sources/source.ts'
import type { Binding, CollectionNames, Limits } from './call.ts'
import { makeCollection } from './collection.ts'
import { askOnce, type Join, type Joined, joinTransaction, RequestContext, SystemContext } from './contexts.ts'

/** The parts of a registration that own code needs. */
interface Registration {
  readonly declared: Readonly<Record<string, Declared>>
  /** The declarations by which the application names the collections: `declared`, unless sources were replaced. */
  readonly named: Readonly<Record<string, Declared>>
  readonly model: Model
  readonly options: Options
  readonly checks: Checks
  readonly log: RunContext['log']
}

/** The data of a registration for own code, and the contexts of its requests. */
interface OwnData {
  readonly data: Data
  contextOf (request: Context['request'], isAbandoned?: RunContext['isAbandoned']): RunContext<Context>
}

type Request = Context['request']

/** Prepares the data for own code (docs/own-code.md). Its models are compiled when they are first needed. */
export function makeData (registration: Registration): OwnData {
  const access = makeAccess(registration)
  return {
    data: unbound(access, undefined),
    contextOf: (request, isAbandoned) => access.contextOf(request, isAbandoned && { isAbandoned })
  }
}

/** The collections of a registration, and the ways to be bound to a caller. */
interface Access {
  readonly names: ReadonlyMap<unknown, CollectionNames>
  /** The databases of the collections. */
  readonly databases: ReadonlyMap<string, Database>
  contextOf (request: Request, more?: Pick<RunContext, 'afterCommit' | 'isAbandoned'>): RunContext<Context>
  bindTo (context: RunContext, joined?: Joined): Binding
  systemContext (joined?: Joined): RunContext
}

function makeAccess ({ declared, named, model, options, checks, log }: Registration): Access {
  const callers = makeOwnCallers(declared, options)
  const callerOf = askOnce(options.caller)
  const names = new Map<unknown, CollectionNames>()
  const databases = new Map<string, Database>()
  for (const collection of model.collections.values()) {
    const { property } = collection
    names.set(property, collection)
    // One declaration may be registered by two names: the first one is its own.
    if (!names.has(named[property])) names.set(named[property], collection)
    databases.set(property, databaseOf(collection))
  }
  const requestLimits: Limits = limitsOf(options, options.reads.paged.mostItems, options.reads.paged.mostCost)
  const systemLimits: Limits = limitsOf(options, Infinity, Infinity)
  const join: Join = (context, session, database, afterCommit) => {
    const joined = joinTransaction(session, database, afterCommit)
    return {
      joined,
      data: () => context.system ? system(access, joined) : asRequest(access, context.request, joined)
    }
  }
  const access: Access = {
    names,
    databases,
    contextOf: (request, more) => new RequestContext(request, callerOf, join, more),
    systemContext: joined => new SystemContext(log, join, joined?.afterCommit),
    bindTo: (context, joined) => context.system
      ? { context, joined, limits: systemLimits, checks: undefined, callerOf: () => callers.system() }
      : { context, joined, limits: requestLimits, checks, callerOf: name => callers.requests().of(name, context) }
  }
  return access
}

function limitsOf ({ reads, writes }: Options, mostItems: number, mostCost: number): Limits {
  // Reads of own code are no answers, so they may have any length.
  const paged = { ...reads.paged, linkStyle: 'auto', mostItems, mostCost, length: Infinity } as const
  const sizes = mostItems === Infinity ? { items: Infinity, affected: Infinity } : {}
  return { paged, whole: { ...paged, whole: true }, writes: { ...writes, ...sizes, reads: paged } }
}

/** Returns the data before it is bound to a caller. */
function unbound (access: Access, joined: Joined | undefined): Data {
  const bound = bindings(access, joined)
  return Object.freeze({
    ...bound,
    collection: (asked: unknown) => {
      nameOf(asked, access)
      return Object.freeze({
        as: (request: Request) => bound.as(request).collection(asked as never),
        asSystem: () => bound.asSystem().collection(asked as never)
      })
    },
    transaction: inTransaction(access, joined, undefined, one => unbound(access, one))
  }) as Data
}

function asRequest (access: Access, request: Request, joined: Joined | undefined): RequestData {
  const context = access.contextOf(request, joined)
  const binding = access.bindTo(context, joined)
  return Object.freeze({
    ...bindings(access, joined),
    collection: (asked: unknown) => makeCollection(nameOf(asked, access), binding),
    transaction: inTransaction(access, joined, context, one => asRequest(access, request, one))
  }) as RequestData
}

function system (access: Access, joined: Joined | undefined): SystemData {
  const binding = access.bindTo(access.systemContext(joined), joined)
  return Object.freeze({
    ...bindings(access, joined),
    collection: (asked: unknown) => makeCollection(nameOf(asked, access), binding),
    transaction: inTransaction(access, joined, undefined, one => system(access, one))
  }) as unknown as SystemData
}

const bindings = (access: Access, joined: Joined | undefined) => ({
  as (request: Request): RequestData {
    const isRequest = typeof request === 'object' && request !== null && 'raw' in request
    if (!isRequest) throw new TypeError('as() takes the request of a route or hook; asSystem() needs none')
    return asRequest(access, request, joined)
  },
  asSystem: (): SystemData => system(access, joined)
})

/** Returns the names of a collection that is asked for by its name or declaration. Throws a TypeError for another. */
function nameOf (asked: unknown, { names }: Access): CollectionNames {
  const found = names.get(asked)
  if (found !== undefined) return found
  const known = [...names.keys()].filter(name => typeof name === 'string')
  if (typeof asked === 'string') {
    throw new TypeError(`There is no collection '${asked}'.${didYouMean(suggest(asked, known))}`)
  }
  const others = 'app.dataApi is the API that was registered first, app.dataApi.registrations has the others by prefix'
  throw new TypeError(`No collection of this API has this declaration; it has ${known.join(', ')}. ${others}.`)
}

/**
 * Returns the function `transaction` of data. In a transaction, it joins that one. `context`: that of the request whose
 * transaction it is; undefined for one of the system.
 */
function inTransaction<D> (
  access: Access, joined: Joined | undefined, context: RunContext | undefined, dataIn: (joined: Joined) => D
) {
  return async <T>(work: (tx: D) => Promise<T>, { on }: TransactionOptions = {}): Promise<T> => {
    if (joined !== undefined) return work(dataIn(joined))
    const afterCommit: AfterCommit = []
    const database = databaseFor(on, access)
    const asked = context === undefined ? database : database.inSessionOf?.(context) ?? database
    const result = await asked.transaction(async session => {
      // A database may run this function again.
      afterCommit.length = 0
      const one = joinTransaction(session, database, afterCommit)
      session.announce('the function that own code gave to transaction()')
      const done = await work(dataIn(one))
      await one.complete()
      return done
    }).catch((error: unknown) => { throw error instanceof RefusedAtCommit ? commitRefusal(error) : error })
    for (const notify of afterCommit) await notify()
    return result
  }
}

function databaseFor (on: TransactionOptions['on'], access: Access): Database {
  const databases = new Set(access.databases.values())
  const [only] = on === undefined ? databases : [access.databases.get(nameOf(on, access).property)]
  if (only !== undefined && (on !== undefined || databases.size === 1)) return only
  throw new TypeError("The collections belong to several databases: name one of them, as in { on: 'artists' }.")
}

/** The callers of own code. Their models have the names of the declarations, and are compiled at their first use. */
interface OwnCallers {
  /** Returns the callers of requests: rules, scopes and flags hold. */
  requests (): Callers
  /** Returns the application itself: it may do everything. */
  system (): Caller
}

/** Prepares the callers of own code for the declarations of one registration. */
function makeOwnCallers (
  declared: Readonly<Record<string, Declared>>, options: Pick<CompileOptions, 'naming' | 'pages'>
): OwnCallers {
  const compile = (of: Readonly<Record<string, Declared>>, more: Pick<CompileOptions, 'own' | 'whole'>): Model =>
    compileModel(of, { ...options, reserved: new Map(), ...more })
  let requests: Callers | undefined
  let system: Caller | undefined
  return {
    requests () {
      if (requests !== undefined) return requests
      const whole = compile(declared, { own: 'flagged' })
      requests = makeCallers(declared, whole, denied => compile(denied, { own: 'flagged', whole }))
      return requests
    },
    system () {
      system ??= unguarded(compile(declared, { own: 'open' }))
      return system
    }
  }
}
