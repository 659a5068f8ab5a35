import { type Answer, serve, rowsOf, loggedIn, each } from '../../helpers/on-sqlite.ts'

// Constraints and triggers of SQLite, in single statements, transactions and hooks.

const error = ({ body }: Answer) => (body as { readonly error?: unknown }).error

each('a foreign key that is checked at the commit is 409, whatever the write, and nothing is written', async (
  t, driver
) => {
  const { db, send } = await serve(t, { driver })
  db.exec("insert into parents values (1, 'p'); insert into kids values (1, 'k', null, 1)")
  const bad = { name: 'new', parent_id: 99 }
  for (const [method, url, body] of [
    ['POST', '/kids', bad],
    ['POST', '/hooked', bad],
    ['POST', '/kids', [{ name: 'first' }, bad]],
    ['PUT', '/kids/by_name/new', { parent_id: 99 }],
    ['PATCH', '/kids/1', { parent_id: 99 }],
    ['PATCH', '/hooked/1', { parent_id: 99 }],
    ['PUT', '/kids/1/parent_id', '99'],
    ['DELETE', '/parents/1', undefined]
  ] as const) {
    const answer = await send(method, url, body)
    t.strictSame([answer.status, error(answer)], [409, 'reference'], `${method} ${url}`)
    t.strictSame(rowsOf(db, 'select name || "parentId" from kids'), ['k1'])
    t.strictSame(rowsOf(db, 'select id from parents'), [1])
  }
})

each('each constraint is told alike, by a single create and by one with a hook', async (t, driver) => {
  const { db, send } = await serve(t, { driver })
  db.exec("insert into kids (name) values ('taken')")
  for (const url of ['/kids', '/hooked']) {
    const refusals = [['taken', 409, 'duplicate'], ['refuse', 400, 'constraint'], ['undo', 400, 'constraint']] as const
    for (const [name, status, code] of refusals) {
      const answer = await send('POST', url, { name })
      t.strictSame([answer.status, error(answer)], [status, code], `${url} ${name}`)
    }
    t.equal((await send('POST', url, { name: `good ${url}` })).status, 201)
  }
  t.strictSame(rowsOf(db, 'select name from kids order by id'), ['taken', 'good /kids', 'good /hooked'])
})

each('a hook that catches an error goes on with its transaction, without which nothing lasts', async (t, driver) => {
  const caught: unknown[] = []
  const served = await serve(t, { driver }, {
    hooks: {
      async creating ({ name }, { transaction }) {
        const log = (line: string) => transaction.query('insert into audit values (?)', [line])
        await log(`${name} before`)
        await log(name === 'good' ? 'good before' : `undo ${name}`).catch((error: unknown) => { caught.push(error) })
        await log(`${name} after`).catch((error: unknown) => { caught.push(error) })
      },
      async updating (kid, _before, { transaction }) {
        await transaction.query('insert into audit values (?)', ['undo']).catch(() => {})
        delete kid.note
      }
    }
  })
  const { db, send } = served
  t.equal((await send('POST', '/kids', { name: 'good' })).status, 201)
  t.strictSame(rowsOf(db, 'select line from audit'), ['good before', 'good after'])
  const answer = await send('POST', '/kids', [{ name: 'first' }, { name: 'second' }])
  t.match(answer, { status: 503, retryAfter: '1', body: { error: 'unavailable' } })
  t.match(caught, [{ message: /UNIQUE/ }, { message: 'the words of a trigger' }, { code: 'unavailable' }])
  t.strictSame(loggedIn(served), ['the words of a trigger'])
  // Here no statement of ours follows.
  t.equal((await send('PATCH', '/kids/1', { note: 'x' })).status, 503)
  t.strictSame(rowsOf(db, 'select line from audit'), ['good before', 'good after'])
  t.strictSame(rowsOf(db, 'select name from kids'), ['good'])
  t.equal((await send('POST', '/hooked', { name: 'next' })).status, 201)
})
