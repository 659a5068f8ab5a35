/* eslint-disable */
// The types of an API, written by `npx fastify-data-api types`; write them again when the API changes.

export interface Api {
  tenants: {
    item: Tenants
    listed: 'id' | 'name'
    hidden: never
    unfilterable: never
    unsortable: never
    identifiers: 'id' | 'name'
    one: {}
    many: { people: 'people', customers: 'customers', tickets: 'tickets' }
    create: never
    update: never
    upsert: never
    delete: false
    elements: { people: { id: number } | { email: string } | PeopleCreate_in_Tenants_people, customers: { id: number } | CustomersCreate_in_Tenants_customers, tickets: { id: number } | TicketsCreate_in_Tenants_tickets }
    created: null
  }
  people: {
    item: People
    listed: 'id' | 'name' | 'email' | 'role'
    hidden: never
    unfilterable: never
    unsortable: never
    identifiers: 'id' | 'email'
    one: { tenant: 'tenants' }
    many: {}
    create: PeopleCreate
    update: PeopleUpdate
    upsert: never
    delete: true
    elements: {}
    created: { status: 'created', id: number }
  }
  customers: {
    item: Customers
    listed: 'id' | 'name' | 'email' | 'phone' | 'note'
    hidden: never
    unfilterable: never
    unsortable: never
    identifiers: 'id'
    one: {}
    many: { tickets: 'tickets' }
    create: CustomersCreate
    update: CustomersUpdate
    upsert: never
    delete: true
    elements: { tickets: { id: number } | TicketsCreate_in_Customers_tickets }
    created: { status: 'created', id: number }
  }
  tickets: {
    item: Tickets
    listed: 'id' | 'subject' | 'state' | 'priority' | 'due_at' | 'created_at' | 'closed_at' | 'version' | 'cost' | 'is_overdue'
    hidden: never
    unfilterable: never
    unsortable: never
    identifiers: 'id'
    one: { customer: 'customers', assignee: 'people' }
    many: { comments: 'comments', attachments: 'attachments' }
    create: TicketsCreate
    update: TicketsUpdate
    upsert: never
    delete: true
    elements: { comments: { id: string } | CommentsCreate_in_Tickets_comments }
    created: { status: 'created', id: number }
  }
  comments: {
    item: Comments
    listed: 'id' | 'text' | 'internal' | 'created_at'
    hidden: never
    unfilterable: never
    unsortable: never
    identifiers: 'id'
    one: { author: 'people', ticket: 'tickets' }
    many: {}
    create: CommentsCreate
    update: CommentsUpdate
    upsert: never
    delete: true
    elements: {}
    created: { status: 'created', id: string }
  }
  attachments: {
    item: Attachments
    listed: 'id' | 'name' | 'type' | 'size' | 'created_at'
    hidden: never
    unfilterable: never
    unsortable: never
    identifiers: 'id'
    one: { ticket: 'tickets' }
    many: {}
    create: never
    update: never
    upsert: never
    delete: true
    elements: {}
    created: null
  }
  entries: {
    item: Entries
    listed: 'id' | 'at' | 'text'
    hidden: never
    unfilterable: never
    unsortable: never
    identifiers: 'id'
    one: { person: 'people' }
    many: {}
    create: never
    update: never
    upsert: never
    delete: false
    elements: {}
    created: null
  }
  sessions: {
    item: Sessions
    listed: 'id' | 'created_at' | 'expires_at'
    hidden: never
    unfilterable: never
    unsortable: never
    identifiers: 'id'
    one: { person: 'people' }
    many: {}
    create: never
    update: never
    upsert: never
    delete: true
    elements: {}
    created: null
  }
}

export interface Tenants {
  id: number
  name: string
}

export interface People {
  id: number
  name: string
  email: string
  role: 'agent' | 'lead'
}

export interface Customers {
  id: number
  name: string
  email: string
  phone: string | null
  /** Leads alone read and write it. */
  note: string | null
}

export interface Tickets {
  id: number
  subject: string
  body: string
  state: 'open' | 'waiting' | 'closed'
  priority: 'low' | 'normal' | 'high'
  due_at: string | null
  created_at: string
  closed_at: string | null
  version: number
  /** For leads. */
  cost: string | null
  is_overdue: boolean
}

export interface Comments {
  id: string
  text: string
  internal: boolean
  created_at: string
}

export interface Attachments {
  id: number
  name: string
  type: string
  size: number
  created_at: string
}

export interface Entries {
  id: number
  at: string
  text: string
}

export interface Sessions {
  id: string
  created_at: string
  expires_at: string
}

export type PeopleCreate_in_Tenants_people = { name: string, email: string, role?: 'agent' | 'lead', password: string }

export type PeopleUpdate = { name?: string, email?: string, role?: 'agent' | 'lead', password?: string }

export type CustomersCreate_in_Tenants_customers = { name: string, email: string, phone?: string | null, note?: string | null }

export type CustomersUpdate = { name?: string, email?: string, phone?: string | null, note?: string | null }

export type TicketsCreate_in_Tenants_tickets = { subject: string, body: string, state?: 'open' | 'waiting' | 'closed', priority?: 'low' | 'normal' | 'high', due_at?: string | null, cost?: string | null, customer: { id: number }, assignee?: { id: number } | { email: string } | null, comments?: ({ id: string } | CommentsCreate_in_Tickets_comments)[] }

export type TicketsUpdate = { subject?: string, body?: string, state?: 'open' | 'waiting' | 'closed', priority?: 'low' | 'normal' | 'high', due_at?: string | null, cost?: string | null, customer?: { id: number }, assignee?: { id: number } | { email: string } | null, comments?: ({ id: string } | CommentsCreate_in_Tickets_comments)[] }

export type PeopleCreate = { name: string, email: string, role?: 'agent' | 'lead', password: string }

export type CustomersCreate = { name: string, email: string, phone?: string | null, note?: string | null }

export type TicketsCreate_in_Customers_tickets = { subject: string, body: string, state?: 'open' | 'waiting' | 'closed', priority?: 'low' | 'normal' | 'high', due_at?: string | null, cost?: string | null, assignee?: { id: number } | { email: string } | null, comments?: ({ id: string } | CommentsCreate_in_Tickets_comments)[] }

export type TicketsCreate = { subject: string, body: string, state?: 'open' | 'waiting' | 'closed', priority?: 'low' | 'normal' | 'high', due_at?: string | null, cost?: string | null, customer: { id: number }, assignee?: { id: number } | { email: string } | null, comments?: ({ id: string } | CommentsCreate_in_Tickets_comments)[] }

export type CommentsCreate_in_Tickets_comments = { id?: string, text: string, internal?: boolean }

export type CommentsUpdate = { id?: string, text?: string, internal?: boolean, ticket?: { id: number } }

export type CommentsCreate = { id?: string, text: string, internal?: boolean, ticket: { id: number } }
