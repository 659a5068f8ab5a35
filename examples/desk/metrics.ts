import type { FastifyInstance } from 'fastify'
import type { StatementEvent } from 'fastify-data-api'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'

const channel = 'fastify-data-api:statement'

/** Counts requests and statements, and serves the counts at `/metrics` in the text format of Prometheus. */
export function addMetrics (app: FastifyInstance): void {
  const counts = new Map<string, number>()
  const add = (series: string, amount = 1) => { counts.set(series, (counts.get(series) ?? 0) + amount) }
  app.addHook('onResponse', async (request, reply) => {
    // Clients cannot invent a label: what does not exist has no name.
    const { collection = 'none', kind = 'none' } = request.dataApi ?? {}
    add(`requests_total{collection="${collection}",kind="${kind}",status="${reply.statusCode}"}`)
  })
  const onStatement = (message: unknown) => {
    const { collection = 'none', kind, duration } = message as StatementEvent
    const labels = `{collection="${collection}",kind="${kind}"}`
    add(`statements_total${labels}`)
    add(`statement_seconds_total${labels}`, duration / 1000)
  }
  subscribe(channel, onStatement)
  app.addHook('onClose', async () => { unsubscribe(channel, onStatement) })
  app.get('/metrics', { config: { public: true } }, async (_request, reply) => {
    const text = [...counts].map(([series, count]) => `${series} ${count}\n`).join('')
    return reply.type('text/plain; version=0.0.4').send(text)
  })
}
