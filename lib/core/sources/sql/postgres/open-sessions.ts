import type { Session } from '../../source.ts'
import type { OpenSession } from '../../transaction-limit.ts'
import { WorkContext } from '../../work-context.ts'
import type { RequestSession } from './request-session.ts'

/**
 * The open sessions of a database. Own code inside of a transaction has its connection: if such code took another one,
 * as many transactions as there are connections would all wait for a further one.
 */
export class OpenSessions {
  readonly #open = new Set<OpenSession>()
  readonly #requests = new WeakMap<Session, RequestSession | undefined>()
  readonly #inside = new WorkContext<OpenSession>()

  /**
   * Returns the session of the transaction in whose work this is called, while it is open. Throws as admit() does.
   */
  current (session?: RequestSession): Session | undefined {
    const opened = this.#inside.get()
    if (opened === undefined || !this.#open.has(opened)) return undefined
    this.admit(session, opened.session)
    return opened.session
  }

  /**
   * Throws a TypeError if a statement for the session of a request is sent in a transaction of another one: it would
   * see the data of the other caller. Statements of the system have the session of their transaction.
   */
  admit (session: RequestSession | undefined, within: Session): void {
    if (session === undefined || this.#requests.get(within)?.key === session.key) return
    throw new TypeError('This transaction runs under another role or other settings than those of the request. ' +
      'Begin it as the request: request.server.dataApi.as(request).transaction(…).')
  }

  /** Runs the work inside of its session. `session`: that of the request whose transaction it is. */
  async run<T> (opened: OpenSession, session: RequestSession | undefined, work: () => Promise<T>): Promise<T> {
    this.#open.add(opened)
    this.#requests.set(opened.session, session)
    try {
      return await this.#inside.run(opened, work)
    } finally {
      this.#open.delete(opened)
    }
  }

  waits (): readonly string[] {
    return [...this.#open].map(one => one.waitsFor())
  }
}
