import type {
  Caller, CallerOf, Context, SystemContext as System, Transaction, WriteContext
} from '../declare/collection.ts'
import type { RequestData } from '../declare/data.ts'
import { memoize } from '../scheduling/memoize.ts'
import type { Collection } from '../model/model.ts'
import { type ScopedSession, unscopedSession } from '../rules/scoped-database.ts'
import type { AfterCommit, Entered, RunContext } from '../run/context.ts'
import { type Database, databaseOf, type Session } from '../sources/source.ts'
import type { Joined } from './joined.ts'

/** Makes the data of the calls in a transaction, for the same caller as that of the context. */
export type Join = (
  context: RunContext, session: Session, database: Database, afterCommit: AfterCommit
) => { readonly joined: Joined, data (): RequestData }

type Ask = (request: Context['request']) => Caller | undefined

/** Returns a function that asks the application for its facts about a caller, once for each request. */
export function askOnce (callerOf: CallerOf): Ask {
  const asked = memoize((request: Context['request']) => {
    const caller = callerOf(request)
    if (caller instanceof Promise) {
      throw new TypeError("option 'caller': it returned a promise; wait for it in a hook, and return what is known")
    }
    return { caller: caller ?? undefined }
  })
  return request => asked(request).caller
}

/** The context of a request. It is a class, because every request makes one. */
export class RequestContext implements RunContext<Context> {
  readonly request: Context['request']
  readonly system = false
  readonly afterCommit: AfterCommit | undefined
  readonly #join: Join
  readonly #callerOf: Ask

  constructor (request: Context['request'], callerOf: Ask, join: Join, afterCommit?: AfterCommit) {
    this.request = request
    this.#callerOf = callerOf
    this.#join = join
    this.afterCommit = afterCommit
  }

  get caller () { return this.#callerOf(this.request) }

  get log () { return this.request.log }

  enter (session: ScopedSession, collection: Collection, afterCommit: AfterCommit): Entered {
    return enter(this, this.#join, session, collection, afterCommit)
  }
}

/** The context of a call as the system, which has no request. */
export class SystemContext implements RunContext<System> {
  readonly request = undefined
  readonly caller = undefined
  readonly system = true
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
  context: RequestContext | SystemContext, join: Join, session: ScopedSession, collection: Collection,
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
  context: RequestContext | SystemContext, transaction: Transaction, makeData: () => RequestData
): WriteContext {
  const { request, system } = context
  let data: RequestData | undefined
  // The three members of the context belong together, which TypeScript does not see.
  return {
    transaction,
    request,
    system,
    get caller () { return context.caller },
    get data () { return (data ??= makeData()) }
  } as WriteContext
}
