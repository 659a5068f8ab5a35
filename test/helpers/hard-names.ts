/** The keywords of SQLite (sqlite.org/lang_keywords.html). Those of PostgreSQL are in its pg_get_keywords(). */
export const sqliteKeywords = `abort action add after all alter always analyze and as asc attach autoincrement before
  begin between by cascade case cast check collate column commit conflict constraint create cross current current_date
  current_time current_timestamp database default deferrable deferred delete desc detach distinct do drop each else end
  escape except exclude exclusive exists explain fail filter first following for foreign from full generated glob group
  groups having if ignore immediate in index indexed initially inner insert instead intersect into is isnull join key
  last left like limit match materialized natural no not nothing notnull null nulls of offset on or order others outer
  over partition plan pragma preceding primary query raise range recursive references regexp reindex release rename
  replace restrict returning right rollback row rows savepoint select set table temp temporary then ties to transaction
  trigger unbounded union unique update using vacuum values view virtual when where window with without`.split(/\s+/)

/** Names that a statement could take for something else: constants, names of the plugin, other characters. */
export const hardNames: readonly string[] = [
  'true', 'False', 'unknown', 'nan', 'infinity', 'rowid', 'oid', '_rowid_', 'excluded', 'new', 'old', 'count', 'value',
  'element', 'one', 'n', 'v0', 'k0', 'c0', 'c1', 'C2', 'c', 't0', 's0', '(t0)', '(s0)', '(x)', '(sort) 0', '(groups)',
  '(target)', '(answer)', '(o)', '(rows)', '(element)', ' ', '  ', '.', '*', '"', '""', '\'', '`', '[a]', 'a"b', 'a b',
  'a.b', 'a,b', 'a;--', '/*', '\\', '%', '?', '?1', '$1', ':a', '@a', '#', '0', '-1', 'é', 'ŁÖ', '\u{1F600}', '\t',
  'line\nfeed', 'n'.repeat(63)
]
