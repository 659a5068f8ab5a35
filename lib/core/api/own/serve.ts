import type { Context, Declared } from '../../declare/collection.ts'
import type { RequestData } from '../../declare/data.ts'
import { compileModel, type CompileOptions } from '../../model/compile.ts'
import type { Model } from '../../model/model.ts'
import { type Caller, type Callers, makeCallers, unguarded } from '../../rules/caller.ts'
import type { AfterCommit, RunContext } from '../../run/context.ts'
import { commitRefusal } from '../../run/violations.ts'
import { type Database, databaseOf, RefusedAtCommit } from '../../sources/source.ts'
import type { Contexts } from '../answer.ts'
import type { Checks } from '../checks.ts'
import type { Options } from '../options.ts'
import type { OwnFace, OwnTransaction } from '../own-face.ts'
import type { Binding, CollectionNames, Limits } from './call.ts'
import { OwnCalls } from './calls.ts'
import { askOnce, type Join, type Joined, joinTransaction, RequestContext, SystemRunContext } from './contexts.ts'

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

type Request = Context['request']

/** Makes the data that setters and hooks have in the transaction of a write: for the caller of its request. */
type DataOf = (face: OwnFace, request: Request | undefined) => RequestData

/**
 * Makes the face of an API for own code, and the contexts of its requests. The models of own code are compiled when
 * they are first needed.
 */
export function makeOwn (registration: Registration, dataOf: DataOf): Contexts & { readonly face: OwnFace } {
  const access = makeAccess(registration, dataOf)
  return {
    face: faceOf(access, undefined),
    contextOf: (request, isAbandoned) => access.contextOf(request, isAbandoned && { isAbandoned })
  }
}

/** The collections of a registration, and the ways to be bound to a caller. */
interface Access {
  readonly names: ReadonlyMap<unknown, CollectionNames>
  /** The databases of the collections. */
  readonly databases: ReadonlyMap<string, Database>
  contextOf (request: Request, more?: Pick<RunContext, 'afterCommit' | 'isAbandoned'>): RunContext<Context>
  /** Binds calls to the caller of a request; without one, to the system. */
  bindTo (request: Request | undefined, joined: Joined | undefined): Binding
}

function makeAccess ({ declared, named, model, options, checks, log }: Registration, dataOf: DataOf): Access {
  const callers = makeOwnCallers(declared, options)
  const callerOf = askOnce(options.caller)
  const requestLimits: Limits = limitsOf(options, options.reads.paged.mostItems, options.reads.paged.mostCost)
  const systemLimits: Limits = limitsOf(options, Infinity, Infinity)
  const join: Join = (context, session, database, afterCommit) => {
    const joined = joinTransaction(session, database, afterCommit)
    return { joined, data: () => dataOf(faceOf(access, joined), context.request) }
  }
  const contextOf: Access['contextOf'] = (request, more) => new RequestContext(request, callerOf, join, more)
  const access: Access = {
    ...namesOf(model, named),
    contextOf,
    bindTo (request, joined) {
      if (request === undefined) {
        const context = new SystemRunContext(log, join, joined?.afterCommit)
        return { context, joined, limits: systemLimits, checks: undefined, callerOf: () => callers.system() }
      }
      const context = contextOf(request, joined)
      return { context, joined, limits: requestLimits, checks, callerOf: name => callers.requests().of(name, context) }
    }
  }
  return access
}

function namesOf ({ collections }: Model, named: Registration['named']): Pick<Access, 'names' | 'databases'> {
  const names = new Map<unknown, CollectionNames>()
  const databases = new Map<string, Database>()
  for (const collection of collections.values()) {
    const { property } = collection
    names.set(property, collection)
    // One declaration may be registered by two names: the first one is its own.
    if (!names.has(named[property])) names.set(named[property], collection)
    databases.set(property, databaseOf(collection))
  }
  return { names, databases }
}

function limitsOf ({ reads, writes }: Options, mostItems: number, mostCost: number): Limits {
  // Reads of own code are no answers, so they may have any length.
  const paged = { ...reads.paged, linkStyle: 'auto', mostItems, mostCost, length: Infinity } as const
  const sizes = mostItems === Infinity ? { items: Infinity, affected: Infinity } : {}
  return { paged, whole: { ...paged, whole: true }, writes: { ...writes, ...sizes, reads: paged } }
}

function faceOf (access: Access, joined: Joined | undefined): OwnFace {
  const { names, databases } = access
  return {
    names: [...databases.keys()],
    nameOf: asked => names.get(asked)?.property,
    as (request) {
      const binding = access.bindTo(request, joined)
      return name => {
        const found = names.get(name)
        if (found === undefined) throw new TypeError(`there is no collection '${name}'`)
        return new OwnCalls(found, binding)
      }
    },
    transaction: (work, by) =>
      joined === undefined ? inTransaction(access, work, by) : work(faceOf(access, joined))
  }
}

async function inTransaction<T> (
  access: Access, work: (tx: OwnFace) => Promise<T>, { request, on }: OwnTransaction
): Promise<T> {
  const afterCommit: AfterCommit = []
  const database = databaseFor(on, access)
  const asked = request && database.inSessionOf?.(access.contextOf(request))
  const result = await (asked ?? database).transaction(async session => {
    // A database may run this function again.
    afterCommit.length = 0
    const one = joinTransaction(session, database, afterCommit)
    session.announce('the function that own code gave to transaction()')
    const done = await work(faceOf(access, one))
    await one.complete()
    return done
  }).catch((error: unknown) => { throw error instanceof RefusedAtCommit ? commitRefusal(error) : error })
  for (const notify of afterCommit) await notify()
  return result
}

function databaseFor (on: string | undefined, access: Access): Database {
  const databases = new Set(access.databases.values())
  const [only] = on === undefined ? databases : [access.databases.get(on)]
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
