import type {
  AnyContext, Caller, CallerOf, Context, SystemContext as System, Transaction, WriteContext
} from '../../declare/collection.ts'
import type { RequestData } from '../../declare/data.ts'
import type { Collection } from '../../model/model.ts'
import { type ScopedSession, unscopedSession } from '../../rules/scoped-database.ts'
import { type AfterCommit, doorOf, type Entered, type RunContext } from '../../run/context.ts'
import { keptBy } from '../../scheduling/since-body.ts'
import { type Database, databaseOf, type Session } from '../../sources/source.ts'
import { transactionEnded } from '../../sources/transaction-limit.ts'

/** Makes the data of the calls in a transaction, for the same caller as that of the context. */
export type Join = (
  context: RunContext, session: Session, database: Database, afterCommit: AfterCommit
) => { readonly joined: Joined, data (): RequestData }

type Ask = (request: Context['request']) => Caller | undefined

/**
 * Returns a function that asks the application for its facts about a caller, once for each request, and again when its
 * body has come.
 */
export function askOnce (callerOf: CallerOf): Ask {
  const asked = new WeakMap<object, { readonly caller: Caller | undefined }>()
  return request => {
    const keeper = keptBy(request)
    const known = asked.get(keeper)
    if (known !== undefined) return known.caller
    const caller = callerOf(request)
    if (caller instanceof Promise) {
      throw new TypeError("option 'caller': it returned a promise; wait for it in a hook, and return what is known")
    }
    asked.set(keeper, { caller: caller ?? undefined })
    return caller ?? undefined
  }
}

/** The context of a request. It is a class, because every request makes one. */
export class RequestContext implements RunContext<Context> {
  readonly request: Context['request']
  readonly system = false
  readonly afterCommit: AfterCommit | undefined
  readonly isAbandoned: RunContext['isAbandoned']
  readonly #join: Join
  readonly #callerOf: Ask

  constructor (
    request: Context['request'], callerOf: Ask, join: Join,
    { afterCommit, isAbandoned }: Pick<RunContext, 'afterCommit' | 'isAbandoned'> = {}
  ) {
    this.request = request
    this.#callerOf = callerOf
    this.#join = join
    this.afterCommit = afterCommit
    this.isAbandoned = isAbandoned
  }

  get caller () { return this.#callerOf(this.request) }

  get door () { return doorOf(this.request) }

  get log () { return this.request.log }

  enter (session: ScopedSession, collection: Collection, afterCommit: AfterCommit): Entered {
    return enter(this, this.#join, session, collection, afterCommit)
  }
}

/** The context of a call as the system, which has no request. */
export class SystemRunContext implements RunContext<System> {
  readonly request = undefined
  readonly caller = undefined
  readonly system = true
  readonly door = undefined
  readonly log: RunContext['log']
  readonly afterCommit: AfterCommit | undefined
  readonly #join: Join

  constructor (log: RunContext['log'], join: Join, afterCommit?: AfterCommit) {
    this.log = log
    this.#join = join
    this.afterCommit = afterCommit
  }

  enter (session: ScopedSession, collection: Collection, afterCommit: AfterCommit): Entered {
    return enter(this, this.#join, session, collection, afterCommit)
  }
}

function enter (
  context: RequestContext | SystemRunContext, join: Join, session: ScopedSession, collection: Collection,
  afterCommit: AfterCommit
): Entered {
  const { joined, data } = join(context, unscopedSession(session), databaseOf(collection), afterCommit)
  return {
    context: writeContext(context, session.transaction, data),
    complete: () => joined.complete()
  }
}

/** Returns the context of setters and hooks. Most of them ask neither for the data nor for the caller. */
function writeContext (
  context: RequestContext | SystemRunContext, transaction: Transaction, makeData: () => RequestData
): WriteContext {
  const { request, system } = context
  let data: RequestData | undefined
  // The three members of the context belong together, which TypeScript does not see.
  return {
    transaction,
    request,
    system,
    get caller () { return context.caller },
    get door () { return context.door },
    get data () { return (data ??= makeData()) }
  } as WriteContext
}

/** A transaction that several calls share. */
export interface Joined {
  readonly afterCommit: AfterCommit
  /** Returns the database as the transaction sees it. Throws a TypeError for a collection of another database. */
  databaseFor (collection: Collection): Database
  /** Runs a call that may change data. Rejects with a TypeError after `complete`. */
  follow<T> (call: () => Promise<T>): Promise<T>
  /** Records the error of a call that failed: what it has written until then must not be committed. */
  fail (error: unknown): void
  /** Throws an Error if a call has failed, with that error as its cause. */
  check (): void
  /**
   * Waits for the calls that nobody has awaited, so that none is committed in part. Throws the error of the first call
   * that failed: what it has written must not be committed.
   */
  complete (): Promise<void>
}

export function joinTransaction (session: Session, database: Database, afterCommit: AfterCommit): Joined {
  const joined = databaseIn(session, database)
  const running = new Set<Promise<unknown>>()
  let failed: { readonly error: unknown } | undefined
  let isComplete = false
  return {
    afterCommit,
    databaseFor (collection) {
      if (databaseOf(collection) === database) return joined
      throw new TypeError(`collection '${collection.property}' is in another database than the transaction`)
    },
    async follow (call) {
      if (isComplete) throw transactionEnded()
      const done = call()
      running.add(done)
      try {
        return await done
      } finally {
        running.delete(done)
      }
    },
    fail (error) { failed ??= { error } },
    check () {
      if (failed === undefined) return
      throw new Error('the transaction is rolled back: a call in it failed', { cause: failed.error })
    },
    async complete () {
      // Each may have begun others meanwhile.
      while (running.size > 0) await Promise.allSettled(running)
      isComplete = true
      if (failed !== undefined) throw failed.error
    }
  }
}

/** Returns the database whose statements belong to a transaction. */
function databaseIn (session: Session, database: Database): Database {
  const joined: Database = {
    kind: database.kind,
    read: plan => session.read(plan),
    change: change => session.change(change),
    transaction: work => work(session),
    ...database.inSessionOf && {
      inSessionOf (context: AnyContext) {
        database.inSessionOf?.(context, session)
        return joined
      }
    }
  }
  return joined
}
