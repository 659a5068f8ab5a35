import type { FastifyReply, FastifyRequest } from 'fastify'
import type { StatementTotals } from '../sources/statement-events.ts'

/** Returns the totals of a request. They log each statement that takes at least `slow` milliseconds. */
export function totalsOf (request: FastifyRequest, slow: number): StatementTotals {
  return {
    count: 0,
    duration: 0,
    statement ({ collection, kind, duration, rows, text }) {
      if (duration < slow) return
      const facts = { collection, kind, duration, rows, statement: text, request: request.dataApi }
      request.log.warn(facts, `a statement took ${Math.round(duration)} ms`)
    }
  }
}

/** Adds the time of a request's statements and of the request as `Server-Timing`, for a browser's tools. */
export function addServerTiming (reply: FastifyReply, { count, duration }: StatementTotals): void {
  const statements = count === 1 ? '1 statement' : `${count} statements`
  const timings = [`db;dur=${duration.toFixed(1)};desc="${statements}"`, `total;dur=${reply.elapsedTime.toFixed(1)}`]
  const others = [reply.getHeader('server-timing') ?? []].flat().map(String)
  reply.header('server-timing', [...others, ...timings].join(', '))
}
