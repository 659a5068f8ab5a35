import { quoteTable, type TableName } from '../table-name.ts'

// The log of changes in the database (docs/live.md: PostgreSQL). Its functions run as their owner, so that nobody else
// needs a right on the log itself.

// The rows that one statement or transaction names; a change of more is one of any row.
const mostRows = 16

// A transaction is named by its number, once for each table that it has changed, with the keys and foreign keys that
// the rows had and have; null for any row. Rows of transactions that `forgotten` has as committed are deleted;
// `upcoming` becomes `forgotten` when it is old enough. What a dump has brought from another server may be ahead of
// this one, and does not count then.
const log = `create schema if not exists data_api;
grant usage on schema data_api to public;
create table if not exists data_api.changes (xid xid8, tbl text, noted jsonb, primary key (xid, tbl));
create table if not exists data_api.horizon (
  one boolean primary key default true check (one), forgotten pg_snapshot,
  upcoming pg_snapshot not null default pg_current_snapshot(), since timestamptz not null default now()
);
insert into data_api.horizon default values on conflict do nothing;

create or replace function data_api.note_change () returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$ begin
  insert into data_api.changes as c values (pg_current_xact_id(), tg_table_name, null)
    on conflict (xid, tbl) do update set noted = null where c.noted is not null;
  return null;
end $$;

create or replace function data_api.changes_since (
  before pg_snapshot, out until pg_snapshot, out tables jsonb, out complete boolean
) language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select pg_current_snapshot(), (select coalesce(jsonb_object_agg(tbl, noted), '{}') from (
    select tbl, case when bool_and(noted is not null) then jsonb_agg(noted) end as noted from data_api.changes
    where xid >= pg_snapshot_xmin(before)
      and not pg_visible_in_snapshot(xid, before) and pg_visible_in_snapshot(xid, pg_current_snapshot())
    group by tbl
  ) as told), not exists (select from data_api.horizon
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

// Equal whole numbers and UUIDs have equal texts. Names are compared without case, so two of them are none.
const columns = `create or replace function data_api.noted_columns (logged regclass) returns name[]
language sql stable set search_path = pg_catalog, pg_temp as $$
  select array_agg(attname order by attnum) from pg_attribute a where attrelid = logged and attnum > 0
    and atttypid in ('int2'::regtype, 'int4'::regtype, 'int8'::regtype, 'uuid'::regtype)
    and exists (select from pg_constraint where conrelid = logged and contype in ('p', 'f') and attnum = any(conkey))
    and not exists (select from pg_attribute b where b.attrelid = logged and b.attnum <> a.attnum
      and lower(b.attname) = lower(a.attname))
$$;
`

// PostgreSQL has no triggers of this kind for views; what shows one depends on all tables that are logged. A column
// that was renamed or dropped since must not fail a write.
const triggers = `create or replace function data_api.log_changes (logged regclass) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  columns text;
  noting text := 'note_' || md5(logged::text);
  event record;
begin
  if not exists (select from pg_class where oid = logged and relkind in ('r', 'p')) then return; end if;
  -- With the table: a column may be called new or found, as variables of the functions are.
  select string_agg(format('%L, changed.%I::text', name, name), ', ') into columns
    from unnest(data_api.noted_columns(logged)) as name;
  execute format('create or replace trigger data_api_changes after %s on %s
    for each statement execute function data_api.note_change()',
    case when columns is null then 'insert or update or delete or truncate' else 'truncate' end, logged);
  for event in select * from (values
    ('insert', 'new table as noted_new', array['noted_new']), ('delete', 'old table as noted_old', array['noted_old']),
    ('update', 'old table as noted_old new table as noted_new', array['noted_old', 'noted_new'])
  ) as all_events (kind, tables, names) loop
    if columns is null then
      execute format('drop trigger if exists %I on %s', 'data_api_' || event.kind, logged);
      continue;
    end if;
    execute format('create or replace function data_api.%I () returns trigger
      language plpgsql security definer set search_path = pg_catalog, pg_temp as %L', noting || '_' || event.kind,
      format($f$
      declare found jsonb;
      begin
        begin
          select case when count(*) <= ${mostRows} then coalesce(jsonb_agg(noted), '[]') end into found
            from (%s) as all_rows;
        exception when undefined_column then found := null; end;
        if found = '[]' then return null; end if;
        insert into data_api.changes as c values (pg_current_xact_id(), tg_table_name, found)
          on conflict (xid, tbl) do update set noted = case
            when jsonb_array_length(c.noted || excluded.noted) <= ${mostRows} then c.noted || excluded.noted end
          where c.noted is not null;
        return null;
      end $f$, (
        select string_agg(format('(select jsonb_build_object(%s) as noted from %s as changed limit ${mostRows + 1})',
          columns, one), ' union all ') from unnest(event.names) as one)));
    execute format('create or replace trigger %I after %s on %s referencing %s
      for each statement execute function data_api.%I()', 'data_api_' || event.kind, event.kind, logged, event.tables,
      noting || '_' || event.kind);
  end loop;
end $$;
`

const trigger = (table: TableName) => `select data_api.log_changes('${quoteTable(table).replaceAll("'", "''")}');`

/**
 * Returns the script that has PostgreSQL log the changes of these tables. It may run again, when there are more. Views
 * among them are left out.
 */
export const changeLogScript = (tables: readonly TableName[]): string =>
  [log, columns, triggers, ...tables.map(trigger), ''].join('\n')

/**
 * Returns what was committed since the position $1, and the position now: the transactions that the statement sees.
 * `complete`: false if changes that were committed since then may be deleted. The time at which the server has started
 * tells one server from another.
 */
export const changesQuery = `select until::text, tables::text, complete::int::text,
  extract(epoch from pg_postmaster_start_time())::text
from data_api.changes_since($1::text::pg_snapshot)`

/** Deletes the oldest changes, but none of the last $1 seconds. Returns how many. */
export const forgettingQuery = "select data_api.forget_changes($1::text::int * interval '1 second')::text"

// Bits of tgtype: after each statement, of an insert 4, a delete 8, an update 16, a truncate 32.
const isLogged = `(select bit_or(g.tgtype & 60) from pg_trigger g join pg_proc p on p.oid = g.tgfoid
  join pg_namespace n on n.oid = p.pronamespace
  where g.tgrelid = c.oid and n.nspname = 'data_api' and p.proname like 'note\\_%'
    and g.tgtype & 67 = 0 and g.tgenabled in ('O', 'A') and g.tgqual is null and g.tgattr = '') = 60`

/** Returns the places, from 1, of the tables of the list $1 whose changes are not logged. */
export const unloggedQuery = `select w.place from json_array_elements($1::text::json) with ordinality as w(name, place)
join pg_class c on c.oid = to_regclass(concat(quote_ident(w.name->>'schema') || '.', quote_ident(w.name->>'name')))
where c.relkind in ('r', 'p') and (to_regproc('data_api.changes_since') is null or not ${isLogged})`
