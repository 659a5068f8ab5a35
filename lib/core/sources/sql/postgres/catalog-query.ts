// The query that describes tables of PostgreSQL: for the check, for the command, and for statements.

// The comment of a table, or of its column. The functions of PostgreSQL for it take four times as long.
const commentOf = (number: string) => `(select o.description from pg_description o
  where o.objoid = c.oid and o.classoid = 'pg_class'::regclass and o.objsubid = ${number})`

// The type under a column's type, where that is a domain, perhaps over a domain.
const baseType = `lateral (with recursive b(oid, base, modifier, required, has_default, domains) as (
    select t.oid, t.typbasetype, case when t.typtype = 'd' then t.typtypmod else a.atttypmod end, t.typnotnull,
      t.typdefault is not null, array[t.oid]
    from pg_type t where t.oid = a.atttypid
    union all
    select t.oid, t.typbasetype, case when t.typtype = 'd' then t.typtypmod else b.modifier end,
      b.required or t.typnotnull, b.has_default or t.typdefault is not null, b.domains || t.oid
    from b join pg_type t on t.oid = b.base where b.base <> 0
  ) select * from b where b.base = 0)`

// The type of the elements of an array may be a domain as well.
const shownType = `case when exists (select 1 from pg_type e where e.oid = t.typelem and e.typtype = 'd')
    then (with recursive e(oid, base, modifier) as (
      select d.oid, d.typbasetype, d.typtypmod from pg_type d where d.oid = t.typelem
      union all
      select d.oid, d.typbasetype, case when d.typtype = 'd' then d.typtypmod else e.modifier end
      from e join pg_type d on d.oid = e.base where e.base <> 0
    ) select format_type(oid, modifier) || '[]' from e where base = 0)
    else format_type(b.oid, b.modifier) end`

// A view may join tables, and then holds nulls in columns of a domain that is not null.
const isStored = "c.relkind not in ('v', 'm')"

// Rows that were there before do not fulfil a constraint that is not valid, and those of tables that inherit do not
// fulfil one of the table alone.
const holdsForAll = `k.convalidated and not (k.connoinherit and
  exists (select 1 from pg_inherits h where h.inhparent = k.conrelid))`

// The columns that are marked as not null, though some rows may hold null. An aggregate is computed once for a table.
const looseColumns = `lateral (select coalesce(array_agg(k.conkey[1]), '{}') as numbers from pg_constraint k
  where k.conrelid = c.oid and k.contype = 'n' and not (${holdsForAll}))`

// A constraint that says no more than that the column is not null.
const isChecked = `c.relchecks > 0 and exists (select 1 from pg_constraint k where k.conrelid = a.attrelid
  and k.contype = 'c' and ${holdsForAll} and k.conkey = array[a.attnum]
  and pg_get_expr(k.conbin, k.conrelid) = '(' || quote_ident(a.attname) || ' IS NOT NULL)')`

// A view of one table can be written without triggers, except for its columns that are expressions.
const isComputed = `c.relkind = 'v' and pg_relation_is_updatable(c.oid, true) & 12 <> 0
      and not pg_column_is_updatable(c.oid, a.attnum, true)
      and not exists (select 1 from pg_trigger g where g.tgrelid = c.oid and g.tgtype & 64 <> 0)`

// Texts that are compared otherwise than by their bytes fulfil a check in other spellings than it lists.
const isExactText = `t.typname <> 'citext' and not exists (select 1 from pg_collation o
  where o.oid = a.attcollation and to_json(o)->>'collisdeterministic' = 'false')`

const columns = `(select coalesce(json_agg(json_build_object(
    'number', a.attnum, 'name', a.attname, 'type', ${shownType}, 'base', t.typname, 'class', t.typtype,
    'category', t.typcategory, 'required', (a.attnotnull and a.attnum <> all(loose.numbers))
      or (b.required and ${isStored}) or (${isChecked}),
    'default', pg_get_expr(d.adbin, d.adrelid), 'domainDefault', b.has_default, 'generated', a.attgenerated <> '',
    'computed', ${isComputed}, 'identity', a.attidentity, 'comment', ${commentOf('a.attnum')},
    'members', case when t.typtype = 'e'
      then (select json_agg(e.enumlabel order by e.enumsortorder) from pg_enum e where e.enumtypid = b.oid) end,
    'checks', case when c.relchecks > 0 and ${isExactText}
      then (select json_agg(pg_get_expr(k.conbin, k.conrelid)) from pg_constraint k
        where k.conrelid = a.attrelid and k.contype = 'c' and ${holdsForAll} and k.conkey = array[a.attnum]) end,
    'domainChecks', case when cardinality(b.domains) > 1 and ${isExactText}
      then (select json_agg(pg_get_expr(k.conbin, 0)) from pg_constraint k
        where k.contypid = any(b.domains) and k.contype = 'c' and k.convalidated) end
  ) order by a.attnum), '[]')
  from pg_attribute a join ${baseType} as b on true join pg_type t on t.oid = b.oid
    left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
  where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped)::text`

// An index that is partial, of expressions, or not built to its end proves nothing. Columns of `include` do not count.
const unique = `(select coalesce(json_agg(json_build_object(
    'primary', i.indisprimary, 'columns', to_json((i.indkey::int2[])[0:i.indnkeyatts - 1])
  )), '[]') from pg_index i
  where i.indrelid = c.oid and i.indisunique and i.indisvalid and i.indpred is null and i.indexprs is null)::text`

// A key of periods refers to rows whose periods contain its own, which no comparison of values tells. PostgreSQL keeps
// a copy of a key for each partition that it refers to.
const isRelation = `not exists (select 1 from pg_index i where i.indexrelid = k.conindid and i.indisexclusion)
  and not exists (select 1 from pg_constraint o where o.oid = k.conparentid and o.conrelid = k.conrelid)`

const foreignKeys = `(select coalesce(json_agg(json_build_object(
    'columns', to_json(k.conkey), 'schema', rn.nspname, 'table', r.relname, 'targetColumns', (
      select json_agg(a.attname order by u.place) from unnest(k.confkey) with ordinality as u(number, place)
        join pg_attribute a on a.attrelid = k.confrelid and a.attnum = u.number),
    'onDelete', case k.confdeltype when 'c' then 'cascade' when 'n' then 'set null' when 'd' then null
      else 'restrict' end
  )), '[]') from pg_constraint k join pg_class r on r.oid = k.confrelid join pg_namespace rn on rn.oid = r.relnamespace
  where k.conrelid = c.oid and k.contype = 'f' and ${isRelation})::text`

// Bits of tgtype: for each row, before, on insert.
const fillsRows = `exists (select 1 from pg_trigger g
  where g.tgrelid = c.oid and not g.tgisinternal and g.tgenabled <> 'D' and g.tgtype & 7 = 7)`

// What the server names in its errors: constraints and unique indexes, also those of a partition alone, whose columns
// have numbers of their own.
const constraints = `(select coalesce(json_agg(json_build_object('name', k.name, 'columns', to_json(k.columns),
    'deferrable', k.deferrable)), '[]') from (
    select k.conname as name, k.conkey as columns, k.condeferrable and k.contype in ('u', 'p', 'x') as deferrable
    from pg_constraint k where k.conrelid = c.oid
    union all
    select x.relname, i.indkey::int2[], false
    from pg_index i join pg_class x on x.oid = i.indexrelid where i.indrelid = c.oid and i.indisunique
    union all
    select x.relname, array(select a.attnum from pg_attribute a join pg_attribute p on p.attname = a.attname
      where a.attrelid = c.oid and p.attrelid = i.indrelid and p.attnum = any(i.indkey)), false
    from pg_partition_tree(c.oid) as t join pg_index i on i.indrelid = t.relid and i.indisunique
      join pg_class x on x.oid = i.indexrelid where c.relkind = 'p' and t.level > 0
  ) as k)::text`

// The changes that a view replaces, as bits of tgtype. Tables have no triggers of this kind.
const replaced = `(select bit_or(g.tgtype::int) from pg_trigger g where g.tgrelid = c.oid and not g.tgisinternal
  and g.tgenabled <> 'D' and g.tgtype & 64 <> 0)`

// Our own triggers, which log changes, change no row of it. Those of a partitioned table may be on its partitions.
const isAmended = `(c.relkind <> 'r' or c.relispartition or c.relhasrules or exists (select 1 from pg_trigger g
  join pg_proc p on p.oid = g.tgfoid join pg_namespace s on s.oid = p.pronamespace where g.tgrelid = c.oid
    and not g.tgisinternal and g.tgenabled <> 'D' and g.tgtype & 16 <> 0 and s.nspname <> 'data_api'))`

const kinds = "('r', 'p', 'v', 'm', 'f')"

// The server names a partition in its errors, instead of the table.
const partitions = `(select json_agg(json_build_object('schema', pn.nspname, 'name', p.relname))
  from pg_partition_tree(c.oid) as t join pg_class p on p.oid = t.relid join pg_namespace pn on pn.oid = p.relnamespace
  where c.relkind = 'p' and t.level > 0)::text`

/** Describes the tables whose names the parameter lists as JSON. `place`: the place of the name in the list. */
export const tablesQuery = `
select w.place::int as place, n.nspname as "schema", c.relname as name, c.relkind::text as kind,
  ${commentOf('0')} as comment, ${columns} as columns, ${unique} as "unique",
  ${foreignKeys} as foreign_keys, ${constraints} as constraints, ${partitions} as partitions,
  ${fillsRows} as fills_rows, ${isAmended} as is_amended,
  c.relkind = 'r' and exists (select 1 from pg_inherits h where h.inhparent = c.oid) as is_inherited,
  case when c.relkind in ('v', 'm', 'f') then pg_relation_is_updatable(c.oid, true) end as updatable,
  case when c.relkind = 'v' then ${replaced} end as replaced
from json_array_elements($1::text::json) with ordinality as w(name, place)
  join pg_class c on c.oid = to_regclass(coalesce(quote_ident(w.name->>'schema') || '.', '') ||
    quote_ident(w.name->>'name')) and c.relkind in ${kinds}
  join pg_namespace n on n.oid = c.relnamespace cross join ${looseColumns} as loose`

/** Lists the names for which a wrong name of a table may stand. */
export const namesQuery = `
select n.nspname as "schema", c.relname as name, n.nspname = any(current_schemas(false)) as plain
from pg_class c join pg_namespace n on n.oid = c.relnamespace
where c.relkind in ${kinds} and n.nspname !~ '^pg_' and n.nspname <> 'information_schema' limit 5000`
