import { Readable } from 'node:stream'
import { test } from 'tap'
import { runCommand } from '../../lib/tools/command/run.ts'
import { openDriver } from '../../lib/core/sources/sql/sqlite/driver.ts'
import { makeFile } from './helpers.ts'

// docs/command.md: Importing

const music = () => makeFile(`
  create table artists (id integer primary key, name text not null unique, founded integer);
  create table albums (id integer primary key, artist_id integer not null references artists, title text not null);
  insert into artists values (1, 'Can', 1968)`)

// A slow machine tells what it reads.
const progress = /^reading .*\n/gm

/** Runs the command with an input. Returns what it printed, and the rows of a table then. */
async function runImport (text: string, file: string, table: string, ...flags: readonly string[]) {
  let [out, error] = ['', '']
  const code = await runCommand(['import', file, table, ...flags], {
    out: more => { out += more }, error: more => { error += more }, isTerminal: false, input: Readable.from([text])
  })
  const driver = openDriver(file, undefined)
  const rows = driver.prepare(`select * from ${table} order by id`).all().map(row => Object.values(row as object))
  driver.close()
  return { code, out, error: error.replaceAll(progress, ''), rows }
}

test('the lines of the input are imported, by the names of the API and with foreign keys', async t => {
  const file = music()
  t.strictSame(await runImport('name,founded\r\nNeu!,1971\r\n"Ash Ra, Tempel",\r\n', file, 'artists'), {
    code: 0, out: 'imported: 2\n', error: '', rows: [[1, 'Can', 1968], [2, 'Neu!', 1971], [3, 'Ash Ra, Tempel', null]]
  })
  t.strictSame(await runImport('title,artist_id\nTago Mago,1\n', file, 'albums'), {
    code: 0, out: 'imported: 1\n', error: '', rows: [[1, 1, 'Tago Mago']]
  })
  t.strictSame(await runImport('{"title":"Neu! 2","artist":{"name":"Neu!"}}\n', file, 'albums', '--ndjson'), {
    code: 0, out: 'imported: 1\n', error: '', rows: [[1, 1, 'Tago Mago'], [2, 2, 'Neu! 2']]
  })
})

test('items that exist are updated or left, and an import can be tried', async t => {
  const file = music()
  const csv = 'name,founded\nCan,1967\nNeu!,1971\n'
  const rows = [[1, 'Can', 1968]]
  t.strictSame(await runImport(csv, file, 'artists', '--merge', 'name', '--dry-run'),
    { code: 0, out: 'can be imported: 1 created, 1 updated\n', error: '', rows })
  t.strictSame(await runImport(csv, file, 'artists', '--ignore', 'name'),
    { code: 0, out: 'imported: 1 created, 1 ignored\n', error: '', rows: [...rows, [2, 'Neu!', 1971]] })
  t.strictSame(await runImport('id,founded\n1,1967\n', file, 'artists', '--merge', 'id'),
    { code: 0, out: 'imported: 0 created, 1 updated\n', error: '', rows: [[1, 'Can', 1967], [2, 'Neu!', 1971]] })
})

test('what is wrong is told by line, and nothing is written then', async t => {
  const file = music()
  const rows = [[1, 'Can', 1968]]
  t.strictSame(await runImport('name,founded\nNeu!,x\n,1971\n', file, 'artists'), {
    code: 1,
    out: '',
    error: 'line 2: founded must be an integer between -9007199254740991 and 9007199254740991 or null; ' +
      "found the string 'x'\n" +
      'line 3: name must be a string of valid Unicode without NUL characters; found null\nnothing was imported\n',
    rows
  })
  t.match(await runImport('name\nNeu!\nCan\n', file, 'artists'),
    { code: 1, error: "line 3: An item with the same 'name' already exists.\nnothing was imported\n", rows })
  for (const [header, told] of [
    ['name,colour', "there is no field 'colour'"],
    ['Name,founded', "there is no field 'Name'; did you mean 'name'?"],
    ['name;founded', "there is no field 'name;founded'; columns are separated by commas"],
    ['name,', 'a column has no name; a comma at the end of the first line makes one']
  ] as const) {
    const { code, error } = await runImport(`${header}\nNeu!,1971\n`, file, 'artists')
    t.equal(code, 1)
    t.equal(error.split('\n', 1)[0], `line 1: ${told}`)
  }
  t.match(await runImport('', file, 'artists', '--merge', 'founded'), { code: 1, error: /founded/, rows })
})

test('a collection that is not there is an error', async t => {
  const file = music()
  const input = Readable.from([''])
  let error = ''
  const code = await runCommand(['import', file, 'artist'], {
    out () {}, error: text => { error += text }, isTerminal: false, input
  })
  t.strictSame([code, error],
    [1, "There is no collection 'artist'. Did you mean 'artists'?\nnothing was imported\n"])
})
