create table if not exists tenants (id integer primary key, name text not null unique) strict;

create table if not exists people (
  id integer primary key,
  name text not null,
  email text not null unique,
  role text not null default 'agent' check (role in ('agent', 'lead')),
  password_hash text not null,
  tenant_id integer not null references tenants
) strict;
create index if not exists people_by_tenant on people (tenant_id, id);

create table if not exists sessions (
  id text primary key,
  created_at text not null,
  expires_at text not null,
  person_id integer not null references people on delete cascade
) strict;
create index if not exists sessions_by_person on sessions (person_id, id);

create table if not exists customers (
  id integer primary key,
  name text not null,
  email text not null,
  phone text,
  note text,
  tenant_id integer not null references tenants,
  unique (tenant_id, email)
) strict;

create table if not exists tickets (
  id integer primary key,
  subject text not null,
  body text not null,
  state text not null default 'open' check (state in ('open', 'waiting', 'closed')),
  priority text not null default 'normal' check (priority in ('low', 'normal', 'high')),
  due_at text,
  created_at text not null,
  closed_at text,
  deleted_at text,
  version integer not null default 0,
  cost text,
  customer_id integer not null references customers,
  assignee_id integer references people on delete set null,
  tenant_id integer not null references tenants
) strict;
create index if not exists tickets_by_tenant on tickets (tenant_id, state, due_at, id);
create index if not exists tickets_by_customer on tickets (customer_id, id);
create index if not exists tickets_by_assignee on tickets (assignee_id, id);

create table if not exists comments (
  id text primary key,
  text text not null,
  internal integer not null default 0 check (internal in (0, 1)),
  created_at text not null,
  author_id integer references people on delete set null,
  ticket_id integer not null references tickets on delete cascade
) strict;
create index if not exists comments_by_ticket on comments (ticket_id, created_at, id);
create index if not exists comments_by_author on comments (author_id, id);

create table if not exists attachments (
  id integer primary key,
  name text not null,
  type text not null,
  size integer not null,
  created_at text not null,
  file text not null unique,
  ticket_id integer not null references tickets,
  unique (ticket_id, name)
) strict;

create table if not exists entries (
  id integer primary key,
  at text not null,
  text text not null,
  person_id integer references people on delete set null,
  tenant_id integer not null references tenants
) strict;
create index if not exists entries_by_tenant on entries (tenant_id, id);
create index if not exists entries_by_person on entries (person_id, id);

-- npx fastify-data-api sql idempotency
create table if not exists data_api_keys (
  caller text not null,
  key text not null,
  fingerprint text not null,
  results text,
  at text not null,
  primary key (caller, key)
) strict;
create index if not exists data_api_keys_by_at on data_api_keys (at, caller, key);
