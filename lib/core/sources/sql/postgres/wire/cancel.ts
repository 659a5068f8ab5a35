import { clearInterval, setInterval } from 'node:timers'
import type { IsAbandoned } from '../../../source.ts'
import type { PooledClient, PostgresPool } from '../driver.ts'

// A client that leaves would otherwise hold a connection until its statement ends, and ten such clients all of them.

/** A statement that runs for a client who may leave. */
interface Watched { readonly isAbandoned: IsAbandoned, cancel (): void }

const watched = new Set<Watched>()
let timer: NodeJS.Timeout | undefined

// In milliseconds. One timer for all statements: one for each would cost a short statement more than this set does.
const interval = 100

/** Calls `cancel` within a tenth of a second after `isAbandoned` returns true, unless the statement is unwatched. */
export function watch (isAbandoned: IsAbandoned, cancel: () => void): Watched {
  const statement = { isAbandoned, cancel }
  watched.add(statement)
  timer ??= setInterval(look, interval).unref()
  return statement
}

export function unwatch (statement: Watched): void {
  watched.delete(statement)
}

function look (): void {
  for (const one of watched) {
    if (!one.isAbandoned()) continue
    watched.delete(one)
    one.cancel()
  }
  if (watched.size > 0) return
  clearInterval(timer)
  timer = undefined
}

/**
 * Asks the server to cancel the statement that runs on the client's connection (PostgreSQL: Canceling Requests in
 * Progress). The request goes by a connection of its own, in place of the message with which a session starts. The
 * server answers it by closing that connection. If it does not arrive, the statement ends by its own timeout.
 */
export function cancelStatement ({ processID, secretKey }: PooledClient, { Client, options }: PostgresPool): void {
  const sender = new Client(options)
  const { connection } = sender
  connection.startup = () => { connection.cancel(processID, secretKey) }
  sender.on('error', () => {})
  sender.connect().catch(() => {})
}
