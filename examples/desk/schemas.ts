import { Type } from '@sinclair/typebox'
import { SubCollection, SubItem } from 'fastify-data-api'

// What clients see of the desk. Without flags, a field belongs to the application.

const readable = { readable: true } as const
const shown = { readable: true, writable: true } as const
const id = Type.Integer({ identifier: true, readable: true })
const tenantId = Type.Integer()
const time = { format: 'date-time' } as const

export const Tenant = Type.Object({
  id,
  name: Type.String({ identifier: true, readable: true }),
  people: SubCollection('people', { foreignKey: 'tenantId', readable: true }),
  customers: SubCollection('customers', { foreignKey: 'tenantId', readable: true }),
  tickets: SubCollection('tickets', { foreignKey: 'tenantId', readable: true })
})

export const Person = Type.Object({
  id,
  name: Type.String({ ...shown, minLength: 1, maxLength: 200 }),
  email: Type.String({ ...shown, identifier: true, maxLength: 200, pattern: '^[^@\\s]+@[^@\\s]+$' }),
  role: Type.Union([Type.Literal('agent'), Type.Literal('lead')], { ...shown, default: 'agent' }),
  passwordHash: Type.String(),
  tenantId,
  tenant: SubItem('tenants', { foreignKey: 'tenantId', readable: true })
})

export const Session = Type.Object({
  id: Type.String({ format: 'uuid', identifier: true, readable: true }),
  createdAt: Type.String({ ...time, readable: true }),
  expiresAt: Type.String({ ...time, readable: true }),
  personId: Type.Integer(),
  person: SubItem('people', { foreignKey: 'personId', readable: true })
})

export const Customer = Type.Object({
  id,
  name: Type.String({ ...shown, minLength: 1, maxLength: 200 }),
  email: Type.String({ ...shown, maxLength: 200 }),
  phone: Type.Optional(Type.String(shown)),
  note: Type.Optional(Type.String({ ...shown, description: 'Leads alone read and write it.' })),
  tickets: SubCollection('tickets', { foreignKey: 'customerId', readable: true }),
  tenantId
})

export const Ticket = Type.Object({
  id,
  subject: Type.String({ ...shown, listed: true, naming: true, minLength: 1, maxLength: 200 }),
  body: Type.String(shown),
  state: Type.Union([Type.Literal('open'), Type.Literal('waiting'), Type.Literal('closed')],
    { ...shown, listed: true, default: 'open' }),
  priority: Type.Union([Type.Literal('low'), Type.Literal('normal'), Type.Literal('high')],
    { ...shown, listed: true, default: 'normal' }),
  dueAt: Type.Optional(Type.String({ ...shown, ...time, listed: true, indexed: true })),
  createdAt: Type.String({ ...time, readable: true, listed: true }),
  closedAt: Type.Optional(Type.String({ ...time, readable: true, listed: true })),
  version: Type.Integer({ readable: true, listed: true, version: true, default: 0 }),
  cost: Type.Optional(Type.String({ ...shown, format: 'decimal', listed: true, description: 'For leads.' })),
  deletedAt: Type.Optional(Type.String(time)),
  customerId: Type.Integer(),
  customer: SubItem('customers', { foreignKey: 'customerId', ...shown }),
  assigneeId: Type.Optional(Type.Integer()),
  assignee: SubItem('people', { foreignKey: 'assigneeId', ...shown }),
  comments: SubCollection('comments', { foreignKey: 'ticketId', ...shown }),
  attachments: SubCollection('attachments', { foreignKey: 'ticketId', readable: true }),
  tenantId
}, { views: { Open: 'state=open&sort=due_at', Overdue: 'is_overdue=true&sort=due_at', All: 'sort=-id' } })

export const Comment = Type.Object({
  // Clients may choose the keys of new comments, so that they can show them before they are stored.
  id: Type.String({ ...shown, format: 'uuid', identifier: true }),
  text: Type.String({ ...shown, minLength: 1 }),
  internal: Type.Boolean({ ...shown, default: false }),
  createdAt: Type.String({ ...time, readable: true }),
  authorId: Type.Optional(Type.Integer()),
  author: SubItem('people', { foreignKey: 'authorId', readable: true }),
  ticketId: Type.Integer(),
  ticket: SubItem('tickets', { foreignKey: 'ticketId', ...shown })
})

export const Attachment = Type.Object({
  id,
  name: Type.String(readable),
  type: Type.String(readable),
  size: Type.Integer({ readable: true, unit: 'B' }),
  createdAt: Type.String({ ...time, readable: true }),
  // The name of the file on the disk.
  file: Type.String({ format: 'uuid' }),
  ticketId: Type.Integer(),
  ticket: SubItem('tickets', { foreignKey: 'ticketId', readable: true })
})

export const Entry = Type.Object({
  id,
  at: Type.String({ ...time, readable: true }),
  text: Type.String(readable),
  personId: Type.Optional(Type.Integer()),
  person: SubItem('people', { foreignKey: 'personId', readable: true }),
  tenantId
})
