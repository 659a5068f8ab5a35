import type { Context, SystemContext as System, Transaction, WriteContext } from '../collection.ts'
import type { RequestData } from '../declare/data.ts'
import type { Collection } from '../model/model.ts'
import { type ScopedSession, unscopedSession } from '../rules/scoped-database.ts'
import type { AfterCommit, Entered, RunContext } from '../run/context.ts'
import { type Database, databaseOf, type Session } from '../sources/source.ts'
import type { Joined } from './joined.ts'

/** Makes the data of the calls in a transaction, for the same caller as that of the context. */
export type Join = (
  context: RunContext, session: Session, database: Database, afterCommit: AfterCommit
) => { readonly joined: Joined, data (): RequestData }

/** The context of a request. It is a class, because every request makes one. */
export class RequestContext implements RunContext<Context> {
  readonly request: Context['request']
  readonly system = false
  readonly afterCommit: AfterCommit | undefined
  readonly #join: Join

  constructor (request: Context['request'], join: Join, afterCommit?: AfterCommit) {
    this.request = request
    this.#join = join
    this.afterCommit = afterCommit
  }

  get log () { return this.request.log }

  enter (session: ScopedSession, collection: Collection, afterCommit: AfterCommit): Entered {
    return enter(this, this.#join, session, collection, afterCommit)
  }
}

/** The context of a call as the system, which has no request. */
export class SystemContext implements RunContext<System> {
  readonly request = undefined
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
    check () {
      const failure = joined.failure()
      if (failure !== undefined) throw failure.error
    }
  }
}

/** Returns the context of setters and hooks. Most of them do not ask for the data. */
function writeContext (
  { request, system }: RequestContext | SystemContext, transaction: Transaction, makeData: () => RequestData
): WriteContext {
  let data: RequestData | undefined
  const common = { transaction, get data () { return (data ??= makeData()) } }
  return Object.assign(common, system ? { request: undefined, system: true } as const : { request, system } as const)
}
