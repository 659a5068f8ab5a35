import { openDriver } from '../../lib/core/sources/sql/sqlite/driver.ts'

export const childCount = 100_000
export const tagCount = 1000

/** The first 20 parents have 1,000 children each, the other 980 parents the remaining 80,000. */
const parentOf = (child: number) => child <= 20_000 ? (child - 1) % 20 + 1 : child % 980 + 21
const tagOf = (child: number) => child % tagCount + 1
const textOf = (id: number) => `text ${id} `.padEnd(280, 'lorem ipsum ')

const times = <T>(count: number, make: (id: number) => T): T[] => Array.from({ length: count }, (_, n) => make(n + 1))

/** Returns the rows of all tables. */
const makeRows = () => ({
  parents: times(1000, id => ({ id, text: textOf(id) })),
  children: times(childCount, id => ({ id, rank: id % 100, text: textOf(id), parentId: parentOf(id) })),
  tags: times(tagCount, id => ({ id, word: textOf(id) })),
  child_tags: times(childCount, id => ({ childId: id, tagId: tagOf(id) }))
})

const ddl = `
create table parents (id integer primary key, text text not null) strict;
create table tags (id integer primary key, word text not null) strict;
create table children (id integer primary key, rank integer not null, text text not null, parentId integer) strict;
create table child_tags (childId integer not null, tagId integer not null, primary key (childId, tagId)) strict;
create index children_by_parent on children (parentId);
create index child_tags_by_tag on child_tags (tagId);
`

/** Creates a SQLite file with the rows. */
export function fillFile (file: string): void {
  const driver = openDriver(file, undefined)
  driver.exec(`pragma journal_mode = wal; pragma synchronous = off; ${ddl}; begin`)
  for (const [table, rows] of Object.entries(makeRows())) {
    const columns = Object.keys(rows[0] ?? {})
    const places = columns.map(() => '?').join(', ')
    const insert = driver.prepare(`insert into ${table} (${columns.join(', ')}) values (${places})`)
    for (const row of rows) insert.run(...Object.values(row))
  }
  driver.exec('commit; analyze; pragma wal_checkpoint(truncate)')
  driver.close()
}
