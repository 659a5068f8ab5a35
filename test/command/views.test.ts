import { test } from 'tap'
import { makeFile, serveTarget } from './helpers.ts'

// docs/command.md: What is served.

test('a view lists items with the names of those that they refer to', async t => {
  const file = makeFile(`
    create table artists (id integer primary key, born text, full_name text);
    create table labels (code text primary key, town text);
    create table codes (a integer, b integer, primary key (a, b));
    create table albums (id integer primary key, title text, artist_id int references artists, label references labels,
      fields text, a int, b int, foreign key (a, b) references codes);
    create table odd (id integer primary key, "größe" text, artist_id int references artists)`)
  const { design: { collections }, close } = await serveTarget(file)
  await close()
  t.strictSame(Object.fromEntries(collections.map(({ property, view }) => [property, view])), {
    artists: undefined,
    labels: undefined,
    codes: undefined,
    albums: 'select=id,title,artist(id,full_name),label(code),fields,codes(a,b)',
    odd: undefined
  })
})
