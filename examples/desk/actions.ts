import type { FastifyInstance } from 'fastify'
import type { declareDesk } from './collections.ts'

interface Close { Params: { id: string } }

/** Adds what is more than a change of fields: routes by own code, in one transaction, for the caller. */
export function addActions (app: FastifyInstance, { customers, tickets }: ReturnType<typeof declareDesk>): void {
  // Closes all tickets of a customer, or none: one that the caller may not change is 403, one without an assignee 400.
  app.post<Close>('/api/customers/:id/close', async request =>
    app.dataApi.as(request).transaction(async tx => {
      const { id } = await tx.collection(customers).get(Number(request.params.id), { fields: ['id'] })
      const { items } = await tx.collection(tickets).list({
        where: { customer: { id }, state: ['open', 'waiting'] }, fields: ['id']
      })
      for (const ticket of items) await tx.collection(tickets).update(Number(ticket.id), { state: 'closed' })
      return { closed: items.length }
    }))
}
