import { open, type Request } from '../helpers/deferring-database.ts'
import { makeFaultyProxy } from '../helpers/faulty-proxy.ts'
import { test } from '../helpers/on-postgres.ts'

// docs/http.md: Writing, Errors. What is acknowledged is committed, once; what is not known is told as not known.

const unknown = {
  error: 'outcome_unknown',
  message: 'The connection to the database was lost before it confirmed this write, which may have been done. Read ' +
    'the data before you send the write again.'
}

/** Every kind of write, with the statement whose answer is the last that the client waits for, and what it leaves. */
const writes: ReadonlyArray<readonly [...Request, last: string]> = [
  ['POST', '/tags', { word: 'new' }, 'insert into'],
  ['PATCH', '/tags/1', { word: 'new' }, 'commit'],
  ['PUT', '/tags/1/word', 'new', 'update '],
  ['DELETE', '/tags/1', undefined, 'delete '],
  ['POST', '/tags', [{ word: 'new' }, { word: 'newer' }], 'commit'],
  ['PUT', '/tags/by_word/new', {}, 'commit'],
  ['POST', '/kids', { name: 'Cy' }, 'commit'],
  ['POST', '/parents', { kids: [{ name: 'Cy' }], tags: [{ id: 1 }] }, 'commit']
]

for (const [method, url, body, last] of writes) {
  const name = `${method} ${url} ${JSON.stringify(body) ?? ''}`
  test(`${name} whose confirmation is lost is outcome_unknown, and not done again`, async t => {
    const proxy = await makeFaultyProxy(t)
    const { send, stored, logged } = await open(t, { url: proxy.url, hooks: { creating () {} } })
    t.equal((await send('GET', '/tags/1')).status, 200)
    const before = await stored()
    const struck = proxy.loseAnswer(last)
    const got = await send(method, url, body)
    t.strictSame([got.status, got.body, got.headers['retry-after']], [503, unknown, undefined])
    await struck
    t.strictNotSame(await stored(), before, 'this time it was done')
    t.match(logged.map(line => JSON.parse(line).msg), [unknown.message])
    t.equal((await send('GET', '/parents/1')).status, 200)
  })

  test(`${name} that does not reach the server is unavailable, and not done`, async t => {
    const proxy = await makeFaultyProxy(t)
    const { send, stored } = await open(t, { url: proxy.url, hooks: { creating () {} } })
    t.equal((await send('GET', '/tags/1')).status, 200)
    const before = await stored()
    await proxy.close()
    // What is sent before the end of a connection is noticed may have reached the server.
    for (let n = 0; n < 3; n++) t.equal((await send('GET', '/tags/1')).status, 503)
    const got = await send(method, url, body)
    t.strictSame([got.status, got.body.error, got.headers['retry-after']], [503, 'unavailable', '1'])
    await proxy.reopen()
    t.strictSame(await stored(), before)
  })
}

test('connections that the server has just ended are noticed; reads and writes go on on others', async t => {
  const { send, owner } = await open(t)
  for (let round = 0; round < 5; round++) {
    const warm = await Promise.all([1, 2, 3].map(() => send('GET', '/kids?limit=1')))
    t.ok(warm.every(({ status }) => status === 200))
    const idle = "from pg_stat_activity where pid <> pg_backend_pid() and query like '%kids%' and state = 'idle'"
    await owner.query(`select pg_terminate_backend(pid) ${idle}`)
    while (((await owner.query(`select ${idle}`)).rowCount ?? 0) > 0);
    const answers = await Promise.all([
      send('GET', '/kids/1'), send('POST', '/tags', { word: `tag ${round}` }),
      send('POST', '/kids', [{ name: `kid ${round}` }]), send('GET', '/kids')
    ])
    t.strictSame(answers.map(({ status }) => status), [200, 201, 201, 200])
  }
})

test('a write that conflicts with another at its commit is done again, and once', async t => {
  for (const hooks of [{}, { creating () {}, updating () {} }]) {
    const { send, owner } = await open(t, { hooks })
    // The first two commits of three fail as a serialization failure does; a sequence counts through rollbacks.
    await owner.query(`create sequence tries;
      create function conflict() returns trigger language plpgsql as $$ begin
        if nextval('tries') % 3 <> 0 then raise exception using errcode = '40001', message = 'conflict'; end if;
        return null;
      end $$;
      create constraint trigger conflicting after insert or update on kids deferrable initially deferred
        for each row execute function conflict()`)
    t.strictSame((await send('POST', '/kids', { name: 'Cy' })).status, 201)
    t.strictSame((await send('PATCH', '/kids/1', { name: 'Di' })).status, 200)
    t.strictSame((await send('PUT', '/kids/by_name/Ed', {})).status, 201)
    t.strictSame((await owner.query('select name from kids order by name')).rows.map(({ name }) => name),
      ['Bo', 'Cy', 'Di', 'Ed'])
  }
})
