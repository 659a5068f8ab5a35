import { unavailable } from '../errors.ts'
import type { Session } from './source.ts'

/** A session of a transaction that is under way. */
export interface OpenSession {
  readonly session: Session
  /** What the transaction waits for, such as `the hook 'creating' of collection 'artists'`. */
  waitsFor (): string
  /** Ends the session: from now on it refuses every call. */
  end (): void
}

/**
 * Opens a session that can be ended. A hook that still runs when its transaction is over would otherwise write outside of it, on a connection that
 * serves another request by then.
 */
export function openSession (session: Omit<Session, 'announce'>): OpenSession {
  let over = false
  let call: string | undefined
  const checkOpen = () => {
    if (over) {
      throw new TypeError('The transaction has ended: a hook or setter must await its statements, and must not keep its transaction for later.')
    }
  }
  return {
    session: {
      transaction: {
        kind: session.transaction.kind,
        async query (text, parameters) {
          checkOpen()
          refuseTransactionControl(text)
          return session.transaction.query(text, parameters)
        }
      },
      announce (next) { call = next },
      read (plan) {
        checkOpen()
        return session.read(plan)
      },
      lock (plan) {
        checkOpen()
        return session.lock(plan)
      },
      change (change) {
        checkOpen()
        return session.change(change)
      }
    },
    waitsFor: () => call ?? 'its own statements',
    end () { over = true }
  }
}

/**
 * Does the work with the session until the limit, in milliseconds, is over. Then the session is ended, and the promise rejects with `unavailable`,
 * whose cause names the code that the transaction was waiting for; the caller rolls back. A limit of Infinity is none. `end`: when that is, where an
 * earlier try took part of it.
 */
export async function withinLimit<T> (
  open: OpenSession, work: (session: Session) => Promise<T>, limit: number, end: number = performance.now() + limit
): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    if (!Number.isFinite(end)) return
    timer = setTimeout(() => {
      reject(unavailable(new Error(`a transaction was rolled back after ${limit} ms; it was waiting for ${open.waitsFor()}`)))
    }, end - performance.now())
  })
  try {
    return await Promise.race([work(open.session), late])
  } finally {
    clearTimeout(timer)
    open.end()
  }
}

/** The transaction ends with the request; a hook that ended it would leave the rest of the request without one. */
function refuseTransactionControl (text: string): void {
  if (!transactionControl.test(text)) return
  throw new TypeError('A hook or setter must not begin or end a transaction: throw an error to roll everything back; savepoints are allowed.')
}

const transactionControl = /^\s*(?:begin|start\s+transaction|commit|end|abort|prepare\s+transaction|rollback(?!\s+(?:(?:work|transaction)\s+)?to\b))\b/i
