import type { Test } from 'tap'
import type { SqliteDriverClass } from '../../../lib/core/sources/sql/sqlite/driver.ts'
import fc, { runsOf } from '../../helpers/fast-check.ts'
import { type Answer, each, long, newFile, rowsOf, serve, type Served } from '../../helpers/on-sqlite.ts'

// Writes that arrive in one turn of the event loop are committed together (docs/databases.md: Writes that arrive
// together), and each of them is answered as if it were alone.

type Sent = Parameters<Served['send']>

/** Serves 20 kids. `counted`: the statements that begin and end transactions. */
async function serveKids (t: Test, Driver: SqliteDriverClass): Promise<Served & { readonly counted: string[] }> {
  const counted: string[] = []
  class Counting extends Driver {
    override exec (script: string): unknown {
      counted.push(script)
      return super.exec(script)
    }
  }
  const served = await serve(t, { driver: Counting }, {}, newFile())
  for (let n = 1; n <= 20; n++) served.db.exec(`insert into kids (name, note) values ('kid${n}', 'old')`)
  counted.length = 0
  return { ...served, counted }
}

const sendTogether = ({ send }: Served, writes: readonly Sent[]): Promise<readonly Answer[]> =>
  Promise.all(writes.map(write => send(...write)))

const kids = ({ db }: Served) =>
  rowsOf(db, 'select json_array(name, note, "parentId") from kids order by name').map(String)

each('writes that arrive together are committed together', async (t, Driver) => {
  const served = await serveKids(t, Driver)
  const writes = Array.from({ length: 20 }, (_, n): Sent => ['PUT', `/kids/${n + 1}/note`, `"new ${n}"`])
  t.strictSame((await sendTogether(served, writes)).map(({ status }) => status), writes.map(() => 200))
  // A turn ends after a millisecond: on a slow machine they have a few commits, but not one each.
  const commits = served.counted.filter(one => one === 'commit').length
  t.ok(commits > 0 && commits <= 10, `${commits} commits`)
  t.strictSame(served.counted, Array.from({ length: commits }, () => ['begin immediate', 'commit']).flat())
  t.strictSame(rowsOf(served.db, 'select note from kids order by id'), writes.map((_, n) => `new ${n}`))
})

each('writes that take long are committed some at a time, so that others have their turn', async (t, Driver) => {
  const served = await serveKids(t, Driver)
  served.db.driver.function('slow', { deterministic: false }, () => {
    const end = performance.now() + 3
    while (performance.now() < end);
    return 1
  })
  served.db.exec('create trigger slowly after update on kids begin select slow(); end')
  served.counted.length = 0
  const writes = Array.from({ length: 20 }, (_, n): Sent => ['PUT', `/kids/${n + 1}/note`, `"new ${n}"`])
  t.strictSame((await sendTogether(served, writes)).map(({ status }) => status), writes.map(() => 200))
  t.ok(served.counted.filter(one => one === 'commit').length >= 5)
  t.strictSame(rowsOf(served.db, 'select note from kids order by id'), writes.map((_, n) => `new ${n}`))
})

each('of items with one name that are created together, one is created', async (t, Driver) => {
  const served = await serveKids(t, Driver)
  const answers = await sendTogether(served, Array.from({ length: 20 }, () => ['POST', '/kids', { name: 'same' }]))
  t.strictSame(answers.map(({ status }) => status).sort(), [201, ...Array.from({ length: 19 }, () => 409)])
  t.strictSame(rowsOf(served.db, "select count(*) from kids where name = 'same'"), [1])
})

/** Writes of which none depends on another one, for an item of its own. */
const makers: Readonly<Record<string, (n: number) => Sent>> = {
  creation: n => ['POST', '/kids', { name: `new${n}` }],
  update: n => ['PATCH', `/kids/${n}`, { note: `note ${n}` }],
  'write of a field': n => ['PUT', `/kids/${n}/note`, `"field ${n}"`],
  deletion: n => ['DELETE', `/kids/${n}`],
  'update of what is not there': n => ['PATCH', `/kids/${n + 100}`, { note: 'x' }],
  'name that is taken': () => ['POST', '/kids', { name: 'kid20' }],
  'trigger that refuses': n => ['POST', '/kids', { name: `refuse${n}` }],
  'trigger that undoes the transaction': n => ['POST', '/kids', { name: `undo${n}` }],
  'reference that the commit refuses': n => ['PATCH', `/kids/${n}`, { note: 'dangling', parentId: 99 }],
  'create with a hook': n => ['POST', '/hooked', { name: `hooked${n}` }]
}

each('each write is answered and done as if it were alone', async (t, Driver) => {
  const drawn = fc.uniqueArray(fc.tuple(fc.integer({ min: 1, max: 19 }), fc.constantFrom(...Object.keys(makers))), {
    selector: ([n]) => n, minLength: 2
  })
  await fc.assert(fc.asyncProperty(drawn, async kinds => {
    const writes = kinds.map(([n, kind]) => makers[kind]?.(n) ?? ['GET', '/kids'] as Sent)
    const [together, alone] = [await serveKids(t, Driver), await serveKids(t, Driver)]
    const answers: Answer[] = []
    for (const write of writes) answers.push(await alone.send(...write))
    t.strictSame((await sendTogether(together, writes)).map(withoutId), answers.map(withoutId))
    t.strictSame(kids(together), kids(alone))
    together.db.close()
    alone.db.close()
  }), { numRuns: runsOf(30) })
})

/** The key of a new item depends on the order of the writes. */
const withoutId = ({ status, body }: Answer) => {
  const { id: _, request: __, ...told } = body as Record<string, unknown>
  return { status, told }
}

each('on a full disk, of writes that arrive together what is acknowledged is done, and else it is 503', async (
  t, Driver
) => {
  const served = await serveKids(t, Driver)
  const { db } = served
  db.exec(`pragma max_page_count = ${Number(rowsOf(db, 'pragma page_count')[0]) + 8}`)
  const names = Array.from({ length: 60 }, (_, n) => `full${n}`)
  const answers = await sendTogether(served, names.map(name => ['POST', '/kids', { name, note: long(name) }]))
  for (const [index, { status }] of answers.entries()) {
    const isStored = rowsOf(db, `select 1 from kids where name = 'full${index}'`).length > 0
    t.strictSame([status, isStored], isStored ? [201, true] : [503, false])
  }
  t.ok(answers.some(({ status }) => status === 503))
})
