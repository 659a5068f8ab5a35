import { Type } from '@sinclair/typebox'
import Fastify from '../helpers/fastify.ts'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { Test } from 'tap'
import dataApi, {
  type Behaviour, collection, type PostgresDatabase, type PostgresOptions, SubCollection, SubItem
} from '../../lib/index.ts'
import { onDatabase } from '../helpers/on-database.ts'
import { test } from '../helpers/on-postgres.ts'

// docs/http.md: Writing. Locks of PostgreSQL: in which order they are taken, how long they are waited for, and what
// the log says of those that met.

const flags = { readable: true, writable: true } as const

const Team = Type.Object({
  id: Type.Integer({ identifier: true, ...flags }),
  name: Type.Optional(Type.String(flags)),
  members: SubCollection('members', { foreignKey: 'teamId', ...flags })
})

const Member = Type.Object({
  id: Type.Integer({ identifier: true, ...flags }),
  name: Type.Optional(Type.String(flags)),
  teamId: Type.Optional(Type.Integer(flags)),
  team: SubItem('teams', { foreignKey: 'teamId', ...flags })
})

const ddl = `
create table teams (id integer primary key, name text);
create table members (id integer primary key, name text, "teamId" integer references teams);
insert into teams values (1), (2);
insert into members values (1, 'a', 1), (2, 'b', 1)`

type Method = 'POST' | 'PUT' | 'PATCH' | 'DELETE'

interface Api {
  readonly url: string
  readonly logged: readonly string[]
  send (method: Method, path: string, body?: unknown): Promise<{ readonly statusCode: number, readonly body: string }>
}

/** Serves teams and members, and keeps the lines of the log from level `warn`. */
async function serve (
  db: PostgresDatabase, url: string, work: (api: Api) => Promise<void>, team: Partial<Behaviour<typeof Team>> = {}
): Promise<void> {
  const logged: string[] = []
  const app = Fastify({ logger: { level: 'warn', stream: { write (line: string) { logged.push(line) } } } })
  await app.register(dataApi, {
    requestStrategies: { upsert: true, delete: true },
    collections: {
      teams: collection(Team, { source: db.table('teams'), ...team }),
      members: collection(Member, { source: db.table('members') })
    }
  })
  const headers = { 'content-type': 'application/json' }
  const send: Api['send'] = (method, path, body) => app.inject({
    method, url: path, ...body !== undefined && { payload: JSON.stringify(body), headers }
  })
  try {
    await work({ url, logged, send })
  } finally {
    await app.close()
  }
}

/** Waits until a statement on the server waits for a lock. */
async function untilBlocked (admin: pg.Client): Promise<void> {
  const waiting = "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
  while ((await admin.query(waiting)).rowCount === 0) await sleep(5)
}

/** Sends a request while another transaction has locked a row. Returns the rows that the request holds meanwhile. */
async function heldWhile (api: Api, locked: string, request: Parameters<Api['send']>, candidates: readonly string[]) {
  const [owner, admin] = [new pg.Client(api.url), new pg.Client(api.url)]
  await Promise.all([owner.connect(), admin.connect()])
  await owner.query(`begin; select from ${locked} for update`)
  const answer = api.send(...request)
  await untilBlocked(admin)
  const held: string[] = []
  for (const row of candidates) {
    const taken = await admin.query(`select from ${row} for update skip locked`)
    if (taken.rowCount === 0) held.push(row)
  }
  await owner.query('rollback')
  const { statusCode } = await answer
  await Promise.all([owner.end(), admin.end()])
  return { held, statusCode }
}

const row = (table: string, id: number) => `${table} where id = ${id}`

/** Runs a test on the API of a new database. */
function onApi (name: string, work: (t: Test, api: Api) => Promise<void>, options: PostgresOptions = {}): void {
  test(name, t => onDatabase(ddl, (db, url) => serve(db, url, api => work(t, api)), options))
}

onApi('items are locked in the order of their collections and keys, by whatever request', async (t, api) => {
  const [one, two, team, other] = [row('members', 1), row('members', 2), row('teams', 1), row('teams', 2)]
  const all = [one, two, team, other]
  const held = async (locked: string, ...request: Parameters<Api['send']>) => {
    const result = await heldWhile(api, locked, request, all.filter(candidate => candidate !== locked))
    t.equal(result.statusCode, 200, request.join(' '))
    return result.held
  }
  t.strictSame(await held(one, 'PUT', '/teams/2/members', [{ id: 2 }, { id: 1 }]), [])
  t.strictSame(await held(two, 'PUT', '/teams/2/members', [{ id: 1 }]), [one])
  t.strictSame(await held(other, 'PUT', '/teams/2/members', []), [one])
  await api.send('PUT', '/teams/1/members', [{ id: 1 }, { id: 2 }])
  t.strictSame(await held(two, 'PUT', '/teams/1/members', [{ id: 1 }]), [one])
  t.strictSame(await held(team, 'PUT', '/teams/1/members', []), [one])
  await api.send('PUT', '/teams/1/members', [{ id: 1 }, { id: 2 }])
  t.strictSame(await held(one, 'DELETE', '/teams/1/members/1'), [])
  t.strictSame(await held(team, 'DELETE', '/teams/1/members/2'), [two])
  await api.send('PUT', '/teams/1/members', [{ id: 1 }, { id: 2 }])
  t.strictSame(await held(one, 'DELETE', '/members/1/team'), [])
  t.strictSame(await held(one, 'POST', '/teams/2/members', [{ id: 2 }, { id: 1 }]), [])
  t.strictSame(await held(one, 'PATCH', '/teams/1', { members: [{ id: 2 }, { id: 1 }] }), [])
})

type Updating = NonNullable<NonNullable<Behaviour<typeof Team>['hooks']>['updating']>

/** Returns a hook that locks another team after its own, so that two updates at once wait for each other. */
function lockingOthers (): { readonly teams: readonly number[], readonly updating: Updating } {
  const teams: number[] = []
  return {
    teams,
    async updating (team, _before, { transaction }) {
      teams.push(team.id)
      while (teams.length < 2) await sleep(5)
      await transaction?.query('select from teams where id <> $1 for update', [team.id])
    }
  }
}

test('a deadlock that was repeated with success is no line in the log', t => onDatabase(ddl, async (db, url) => {
  const { teams, updating } = lockingOthers()
  await serve(db, url, async ({ send, logged }) => {
    const answers = await Promise.all([1, 2].map(id => send('PATCH', `/teams/${id}`, { name: 'x' })))
    t.strictSame(answers.map(({ statusCode }) => statusCode), [200, 200])
    t.ok(teams.length > 2, 'one of them was repeated')
    t.strictSame(logged, [])
  }, { hooks: { updating } })
}))

onApi('a request that waits for a lock is 503 after the time of a statement', async (t, { url, send, logged }) => {
  const owner = new pg.Client(url)
  await owner.connect()
  await owner.query('begin; select from teams for update')
  const refused = await send('PATCH', '/teams/1', { name: 'x' })
  t.equal(refused.statusCode, 503, refused.body)
  t.match(refused.body, /"error":"unavailable"/)
  t.equal(logged.length, 1)
  await owner.query('rollback')
  t.equal((await send('PATCH', '/teams/1', { name: 'x' })).statusCode, 200)
  await owner.end()
}, { statementTimeout: 3000 })
