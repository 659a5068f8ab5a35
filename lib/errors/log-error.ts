interface Log { error (facts: object, message: string): void }

/** Logs an error as `err` of the facts. Logs another one in place of an error that a logger cannot print. */
export function logError (log: Log, facts: { readonly err: unknown }, message: string): void {
  try {
    log.error(facts, message)
  } catch {
    // Its `message` throws, or it is a Proxy that does. The log line must not fail what went well.
    log.error({ ...facts, err: new Error('an error was thrown that cannot be printed') }, message)
  }
}
