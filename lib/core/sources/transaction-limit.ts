import { unavailable } from '../errors/errors.ts'
import type { Session } from './source.ts'

/** The session of a running transaction. */
export interface OpenSession {
  readonly session: Session
  /** Returns the call that the transaction waits for, such as `the hook 'creating' of collection 'artists'`. */
  waitsFor (): string
  /** Gives the timer of the transaction's limit, which `renew` of the session starts again. */
  limitBy (timer: NodeJS.Timeout): void
  /** Ends the session: every later call throws a TypeError. */
  end (): void
}

/**
 * Opens a session that can be ended. Without the end, a hook that outlives its transaction would write outside of it,
 * on a connection that serves another request by then.
 */
export function openSession (session: Omit<Session, 'announce'>): OpenSession {
  let over = false
  let call: string | undefined
  let limit: NodeJS.Timeout | undefined
  const whileOpen = <T>(call: () => T): T => {
    if (over) throw transactionEnded()
    return call()
  }
  return {
    session: {
      transaction: {
        kind: session.transaction.kind,
        query: async (text, parameters) => whileOpen(() => {
          refuseTransactionControl(text)
          return session.transaction.query(text, parameters)
        })
      },
      announce (next) { call = next },
      renew () { limit?.refresh() },
      read: plan => whileOpen(() => session.read(plan)),
      lock: plan => whileOpen(() => session.lock(plan)),
      change: change => whileOpen(() => session.change(change)),
      // Only the plugin has these, before and after the calls of the application.
      ...session.settle && { settle: session.settle },
      ...session.keys && { keys: session.keys }
    },
    waitsFor: () => call ?? 'its own statements',
    limitBy (timer) { limit = timer },
    end () { over = true }
  }
}

/** Returns the error of a call that comes after the end of its transaction. */
export const transactionEnded = () => new TypeError('The transaction has ended: ' +
  'a hook or setter must await its statements, and must not keep its transaction for later.')

/** Returns the error of a write that would wait for the transaction in which it was sent. */
export const writeInside = () => new TypeError(
  'A hook or setter sent a write to the database whose transaction it runs in; use its context.transaction instead.')

/**
 * Runs `work` with the session for at most `limit` milliseconds; Infinity sets no limit. After the limit the promise
 * rejects with `unavailable`, whose cause names the call that the transaction waited for; the caller rolls back. The
 * session is ended in either case. `end`: the time of performance.now() at which the limit is over, for a later try of
 * the same transaction.
 */
export async function withinLimit<T> (
  open: OpenSession, work: (session: Session) => Promise<T>, limit: number, end: number = performance.now() + limit
): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<never>((_resolve, reject) => {
    if (!Number.isFinite(end)) return
    timer = setTimeout(() => {
      const waited = `it was waiting for ${open.waitsFor()}`
      reject(unavailable(new Error(`a transaction was rolled back after ${limit} ms; ${waited}`)))
    }, end - performance.now())
    open.limitBy(timer)
  })
  try {
    return await Promise.race([work(open.session), timeout])
  } finally {
    clearTimeout(timer)
    open.end()
  }
}

/** Throws a TypeError for a statement that begins or ends a transaction: the request still needs the current one. */
function refuseTransactionControl (text: string): void {
  if (!transactionControl.test(text)) return
  throw new TypeError('A hook or setter must not begin or end a transaction: ' +
    'throw an error to roll everything back; savepoints are allowed.')
}

const begins = 'begin|start\\s+transaction'
const ends = 'commit|end|abort|prepare\\s+transaction|rollback(?!\\s+(?:(?:work|transaction)\\s+)?to\\b)'
const transactionControl = new RegExp(`^\\s*(?:${begins}|${ends})\\b`, 'i')
