import { createCollection, createTransaction } from '@tanstack/react-db'
import { createClient } from 'fastify-data-api/client'
import { dataApiCollectionOptions, writeTransaction } from 'fastify-data-api/tanstack-db'
import type { Api } from './api.ts'
import { send, server } from './session.ts'

// The data of the desk: queries load the rows that they ask for, and follow them.

/** A write whose answer was lost is sent again, and done once. */
export const client = createClient<Api>(`${server}/api`, { fetch: send, idempotent: true })

export const people = createCollection(dataApiCollectionOptions(client.people, {
  fields: ['id', 'name'], syncMode: 'eager', write: false, live: { streams: 0, poll: 60_000 }
}))

export const customers = createCollection(dataApiCollectionOptions(client.customers, {
  fields: ['id', 'name'], syncMode: 'eager', write: false, live: { streams: 0, poll: 60_000 }
}))

// As rows are flat, `customer` is `customer_id`.
export const tickets = createCollection(dataApiCollectionOptions(client.tickets, {
  fields: [
    'id', 'subject', 'body', 'state', 'priority', 'due_at', 'is_overdue', 'version',
    { customer: ['id'] }, { assignee: ['id'] }
  ],
  flatten: true
}))

export const comments = createCollection(dataApiCollectionOptions(client.comments, {
  fields: ['id', 'text', 'internal', 'created_at', { author: ['id', 'name'] }, { ticket: ['id'] }],
  flatten: true,
  generated: ['created_at', 'author_id', 'author_name']
}))

/** Makes changes of several rows one request: all are written, or none. Rejects with the error of the server. */
export async function transact (change: () => void): Promise<void> {
  const transaction = createTransaction({ mutationFn: writeTransaction, autoCommit: false })
  transaction.mutate(change)
  await transaction.commit()
}
