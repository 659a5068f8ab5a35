import { quoteTable, type TableName } from '../table-name.ts'

// The log of changes in the database (docs/live.md: PostgreSQL). Its functions run as their owner, so that nobody else
// needs a right on the log itself.

// A transaction is named by its number, once for each table that it has changed. Rows of transactions that `forgotten`
// has as committed are deleted; `upcoming` becomes `forgotten` when it is old enough. What a dump has brought from
// another server may be ahead of this one, and does not count then.
const log = `create schema if not exists data_api;
grant usage on schema data_api to public;
create table if not exists data_api.changes (xid xid8, tbl text, primary key (xid, tbl));
create table if not exists data_api.horizon (
  one boolean primary key default true check (one), forgotten pg_snapshot,
  upcoming pg_snapshot not null default pg_current_snapshot(), since timestamptz not null default now()
);
insert into data_api.horizon default values on conflict do nothing;

create or replace function data_api.note_change () returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$ begin
  insert into data_api.changes values (pg_current_xact_id(), tg_table_name) on conflict do nothing;
  return null;
end $$;

create or replace function data_api.changes_since (
  before pg_snapshot, out until pg_snapshot, out tables text[], out complete boolean
) language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select pg_current_snapshot(), array(select distinct tbl from data_api.changes where xid >= pg_snapshot_xmin(before)
    and not pg_visible_in_snapshot(xid, before) and pg_visible_in_snapshot(xid, pg_current_snapshot())
  ), not exists (select from data_api.horizon
    where pg_snapshot_xmax(forgotten) <= pg_snapshot_xmax(pg_current_snapshot())
      and (pg_snapshot_xmax(forgotten) > pg_snapshot_xmax(before)
      or exists (select from pg_snapshot_xip(before) as open (xid) where pg_visible_in_snapshot(open.xid, forgotten))))
$$;

create or replace function data_api.forget_changes (keep interval) returns integer
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare deleted integer := 0;
begin
  if pg_try_advisory_xact_lock('data_api.changes'::regclass::oid::bigint) then
    update data_api.horizon set forgotten = upcoming, upcoming = pg_current_snapshot(), since = now()
      where since < now() - keep;
    delete from data_api.changes where (xid, tbl) in (select c.xid, c.tbl from data_api.changes c, data_api.horizon
      where c.xid < pg_snapshot_xmax(forgotten) and pg_visible_in_snapshot(c.xid, forgotten)
        and pg_snapshot_xmax(forgotten) <= pg_snapshot_xmax(pg_current_snapshot()) limit 1000);
    get diagnostics deleted = row_count;
  end if;
  return deleted;
end $$;
`

// PostgreSQL has no triggers of this kind for views; what shows one depends on all tables that are logged.
const triggers = `create or replace function data_api.log_changes (logged regclass) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$ begin
  if exists (select from pg_class where oid = logged and relkind in ('r', 'p')) then
    execute format('create or replace trigger data_api_changes after insert or update or delete or truncate on %s
      for each statement execute function data_api.note_change()', logged);
  end if;
end $$;
`

const trigger = (table: TableName) => `select data_api.log_changes('${quoteTable(table).replaceAll("'", "''")}');`

/**
 * Returns the script that has PostgreSQL log the changes of these tables. It may run again, when there are more. Views
 * among them are left out.
 */
export const changeLogScript = (tables: readonly TableName[]): string =>
  [log, triggers, ...tables.map(trigger), ''].join('\n')

/**
 * Returns what was committed since the position $1, and the position now: the transactions that the statement sees.
 * `complete`: false if changes that were committed since then may be deleted.
 */
export const changesQuery = `select until::text, to_json(tables)::text, complete::int::text
from data_api.changes_since($1::text::pg_snapshot)`

/** Deletes the oldest changes, but none of the last $1 seconds. Returns how many. */
export const forgettingQuery = "select data_api.forget_changes($1::text::int * interval '1 second')::text"

// Bits of tgtype: after each statement of an insert, delete, update and truncate.
const isLogged = `exists (select from pg_trigger g join pg_proc p on p.oid = g.tgfoid
  join pg_namespace n on n.oid = p.pronamespace
  where g.tgrelid = c.oid and n.nspname = 'data_api' and p.proname = 'note_change' and g.tgtype & 127 = 60
    and g.tgenabled in ('O', 'A') and g.tgqual is null and g.tgattr = '')`

/** Returns the places, from 1, of the tables of the list $1 whose changes are not logged. */
export const unloggedQuery = `select w.place from json_array_elements($1::text::json) with ordinality as w(name, place)
join pg_class c on c.oid = to_regclass(concat(quote_ident(w.name->>'schema') || '.', quote_ident(w.name->>'name')))
where c.relkind in ('r', 'p') and (to_regproc('data_api.changes_since') is null or not ${isLogged})`
