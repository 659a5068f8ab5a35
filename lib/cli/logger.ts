import type { FastifyBaseLogger } from 'fastify'
import { explain, type Terminal } from './terminal.ts'

/** Returns a logger that prints warnings and errors, each in one line. */
export function makeLogger ({ error }: Pick<Terminal, 'error'>): FastifyBaseLogger {
  const quiet = () => {}
  const print = (facts: unknown, message?: string) => {
    const cause = typeof facts === 'object' && facts !== null && 'err' in facts ? facts.err : facts
    const parts = [message, typeof cause === 'string' || cause instanceof Error ? explain(cause) : undefined]
    error(`${[...new Set(parts)].filter(part => part !== undefined).join(': ')}\n`)
  }
  const logger: FastifyBaseLogger = {
    level: 'warn',
    fatal: print,
    error: print,
    warn: print,
    info: quiet,
    debug: quiet,
    trace: quiet,
    silent: quiet,
    child: () => logger
  }
  return logger
}
