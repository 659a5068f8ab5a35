import { Type } from '@sinclair/typebox'
import { collection, type Declared, type SqlSource, SubCollection, type WriteContext } from '../../lib/index.ts'

// The data that is written while faults strike. Every write carries a token of its own, and leaves it in the database
// as often as it was done: in the rows it creates, or in the table `history`, which triggers fill in the write's own
// transaction. The view `marks` holds all tokens with the place where each stands.

const flags = { readable: true, writable: true } as const
const id = Type.Integer({ identifier: true, readable: true })
const token = Type.String(flags)
const padding = Type.String({ ...flags, default: '' })

const Entry = Type.Object({ id, token, padding })
const Cell = Type.Object({ id, token })
const Doomed = Type.Object({ id, token: Type.String({ readable: true }) })
const Slot = Type.Object({ id, code: Type.String({ identifier: true, ...flags }), token })
const Tag = Type.Object({ id, token: Type.String({ readable: true }) })
const Part = Type.Object({ id, token, bundleId: Type.Integer() })
const Bundle = Type.Object({
  id,
  token,
  padding,
  parts: SubCollection('parts', { foreignKey: 'bundleId', ...flags }),
  tags: SubCollection('tags', { through: 'bundle_tags', foreignKey: 'bundleId', otherKey: 'tagId', ...flags })
})
// A field that is written and not read reaches its setter always.
const Counter = Type.Object({ id, value: Type.Integer({ readable: true }), token: Type.String({ writable: true }) })
const Kid = Type.Object({ id, token, code: Type.String(flags), parentId: Type.Integer(flags) })

/** How many rows there are to update. */
export const rowCounts = { cells: 8, counters: 4 } as const

/** The collections over a database's tables. */
export function worldOf (table: (name: string) => SqlSource): Record<string, Declared> {
  const creating = ({ token }: { token?: string | undefined }, context: WriteContext) => audit(token, context)
  const updating = ({ token }: { token: string }, _before: object, context: WriteContext) => audit(token, context)
  return {
    entries: collection(Entry, { source: table('entries') }),
    audited: collection(Entry, { source: table('entries'), hooks: { creating } }),
    bundles: collection(Bundle, { source: table('bundles') }),
    parts: collection(Part, { source: table('parts') }),
    tags: collection(Tag, { source: table('tags') }),
    cells: collection(Cell, { source: table('cells') }),
    ledgers: collection(Cell, { source: table('cells'), hooks: { updating } }),
    counters: collection(Counter, {
      source: table('counters'),
      setters: {
        token (counter, token) {
          counter.value += 1
          counter.token = token
        }
      }
    }),
    slots: collection(Slot, { source: table('slots'), requestStrategies: { upsert: true } }),
    doomed: collection(Doomed, { source: table('doomed'), requestStrategies: { delete: true } }),
    kids: collection(Kid, { source: table('kids') }),
    watched: collection(Kid, { source: table('kids'), hooks: { creating, updating } })
  }
}

async function audit (token: string | undefined, { transaction }: WriteContext): Promise<void> {
  await transaction.query(`insert into audit (token) values (${transaction.kind === 'sqlite' ? '?' : '$1'})`, [token])
}

const tables = `
create table audit (token text not null);
create table history (place text not null, token text not null);
create table entries (id key, token text not null, padding text not null);
create table bundles (id key, token text not null, padding text not null);
create table parts (id key, token text not null, "bundleId" integer not null references bundles);
create table tags (id key, token text not null);
create table bundle_tags ("bundleId" integer not null references bundles, "tagId" integer not null references tags,
  primary key ("bundleId", "tagId"));
create table cells (id key, token text not null);
create table counters (id key, value integer not null, token text not null);
create table slots (id key, code text not null unique, token text not null);
create table doomed (id key, token text not null);
create table parents (id key);
create table data_api_keys (caller text not null, key text not null, fingerprint text not null,
  results text, at timestamptz not null, primary key (caller, key));
create table kids (id key, token text not null, code text not null unique deferred,
  "parentId" integer not null references parents deferrable initially deferred);
create view marks as
  select 'entries' as place, token from entries union all
  select 'audit', token from audit union all
  select 'bundles', token from bundles union all
  select 'parts', token from parts union all
  select place, token from history;
`

/** Which changes are noted: a table, the events, and the row's token. */
const noted = [
  ['cells', 'update', 'new.token'],
  ['counters', 'update', 'new.token'],
  ['kids', 'insert', 'new.token'],
  ['kids', 'update', 'new.token'],
  ['slots', 'insert', 'new.token'],
  ['slots', 'update', 'new.token'],
  ['doomed', 'delete', 'old.token'],
  ['bundle_tags', 'insert', "'tag ' || new.\"tagId\""]
] as const

/** So many rows to delete, and to link, are there from the start. */
const rows = (supply: number, series: (count: number) => string) => `
insert into bundles (id, token, padding) select 1, 'shared', '';
insert into parents (id) select 1;
insert into cells (id, token) select n, '' from ${series(rowCounts.cells)};
insert into counters (id, value, token) select n, 0, '' from ${series(rowCounts.counters)};
insert into doomed (id, token) select n, 'doomed ' || n from ${series(supply)};
insert into tags (id, token) select n, 'tag ' || n from ${series(supply)};
`

/** The script that makes the world in SQLite, with `supply` rows to delete and as many to link. */
export function sqliteScript (supply: number): string {
  const series = (count: number) => `(
  with recursive series (n) as (select 1 union all select n + 1 from series where n < ${count}) select n from series)`
  const triggers = noted.map(([table, event, token]) => `
create trigger ${table}_${event} after ${event} on ${table} begin
  insert into history values ('${table}', ${token}); end;`)
  const typed = tables.replaceAll(/\bid key\b/g, 'id integer primary key').replace('unique deferred', 'unique')
  return `begin;${typed}${triggers.join('')}${rows(supply, series)}commit;`
}

/** The same for PostgreSQL. */
export function postgresScript (supply: number): string {
  const series = (count: number) => `generate_series(1, ${count}) n`
  const triggers = noted.map(([table, event, token]) => `
create function ${table}_${event} () returns trigger language plpgsql as
  $$ begin insert into history values ('${table}', ${token}); return null; end $$;
create trigger ${table}_${event} after ${event} on ${table} for each row execute function ${table}_${event} ();`)
  const typed = tables.replaceAll(/\bid key\b/g, 'id integer generated by default as identity primary key')
    .replace('unique deferred', 'unique deferrable initially deferred')
  return `${typed}${triggers.join('')}${rows(supply, series)}
select setval(pg_get_serial_sequence('bundles', 'id'), 1);
analyze`
}

/** How often a token stands at a place. */
export interface Mark { readonly place: string, readonly token: string, readonly count: number }

export const marksQuery = 'select place, token, count(*) as count from marks group by place, token'

/** By how much the counters differ from the number of times that they were counted up. */
export const driftQuery = `select (select coalesce(sum(value), 0) from counters) -
  (select count(*) from history where place = 'counters') as drift`
