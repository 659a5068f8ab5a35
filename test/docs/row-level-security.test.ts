import type { FastifyInstance } from 'fastify'
import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { programsIn, read, writeProgram } from '../helpers/documents.ts'
import { runsOf } from '../helpers/fast-check.ts'
import { onDatabase } from '../helpers/on-database.ts'
import { setVariable } from '../helpers/set-variable.ts'
import { test } from '../helpers/on-postgres.ts'
import { makePooler } from '../helpers/pooler.ts'
import type { Test } from 'tap'

// The program of docs/rules.md#row-level-security on sockets that both callers share. Each text of a caller has its
// name.

const page = read('docs/rules.md#row-level-security')
// Roles belong to the server, which other tests use.
const role = `web_user_${process.pid}`
const [ddl = ''] = programsIn(page, 'sql')
const [program = ''] = programsIn(page)
const callers = ['ann', 'bob'] as const
type Caller = typeof callers[number]
const other: Readonly<Record<Caller, Caller>> = { ann: 'bob', bob: 'ann' }

// Each has 62 requests.
const rounds = runsOf(20)
let runs = 0

const rows = callers.flatMap((owner, index) => [1, 3, 5].map(n => n + index).map(id => `
  insert into projects (id, name, owner) values (${id}, '${owner} ${id}', '${owner}');
  insert into tasks (id, title, project_id, owner) values (${id}, '${owner} does ${id}', ${id}, '${owner}');`))

const programs = {
  'postgres()': program,
  'kysely()': program
    .replace('collection, postgres,', 'collection, kysely,')
    .replace('import { randomBytes }', "import { Kysely, PostgresDialect } from 'kysely'\nimport pg from 'pg'\n$&")
    .replace(/const db = postgres\(\{\n.*\n/, `
const pool = new pg.Pool({ connectionString: process.env['DATABASE_URL'] })
const instance = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) })
const db = kysely(instance, {
`).replace('db.close()', 'instance.destroy()')
}

for (const [source, text] of Object.entries(programs)) {
  test(`${source}: under row-level security two callers on shared sockets get their own rows`, t => run(t, text))
}

test('behind a pooler of transactions two callers get their own rows', t => run(t, program, one => makePooler(one, 3)))

/** Runs a program. `through`: returns the address by which it reaches the database; default: the database's own. */
async function run (t: Test, text: string, through?: (t: Test) => Promise<string>): Promise<void> {
  const script = `${ddl}${rows.join('')}
    alter table projects alter id restart with 1000;
    alter table tasks alter id restart with 1000;`
  await onDatabase(script.replaceAll('web_user', role), async (db, url) => {
    setVariable(t, 'DATABASE_URL', url)
    await t.test('their requests', async one => {
      if (through !== undefined) setVariable(one, 'DATABASE_URL', await through(one))
      const written = writeProgram(`row-level-security-${runs++}.ts`, text.replaceAll('web_user', role))
      const { app } = await import(written.href) as { app: FastifyInstance }
      await askAll(one, app)
      await app.close()
    })
    t.strictSame((await db.pool.query(`
      select owner, count(*)::int, bool_and(starts_with(name, owner)) as named from (
        select owner, name from projects union all select owner, title from tasks
      ) as texts group by owner order by owner
    `)).rows, callers.map(owner => ({ owner, count: 4 + 3 + rounds + 2, named: true })))
    await db.pool.query(`drop owned by ${role}`)
    await db.pool.query(`drop role ${role}`)
  })
}

async function askAll (t: Test, app: FastifyInstance): Promise<void> {
  await app.listen({ host: '127.0.0.1', port: 0 })
  const agent = new Agent({ keepAlive: true, maxSockets: 12 })
  for (let round = 0; round < rounds; round++) {
    const [ann, bob] = [requestsOf('ann', round), requestsOf('bob', round)]
    // The callers take turns, so that both ask for the same at the same time.
    const wrong = await Promise.all(ann.flatMap((one, index) => [
      wrongly(app, agent, 'ann', one), wrongly(app, agent, 'bob', bob[index] ?? one)
    ]))
    t.strictSame(wrong.filter(answer => answer !== undefined), [])
  }
  agent.destroy()
}

/** Sends a request of a caller. Returns the answer if it is not as it must be, or holds what is the other caller's. */
async function wrongly (app: FastifyInstance, agent: Agent, caller: Caller, asked: Asked): Promise<string | undefined> {
  const [told, [method, path, body, headers]] = asked
  const { port } = app.server.address() as AddressInfo
  const authorization = `Bearer ${app.jwt.sign({ sub: caller })}`
  const content = body === undefined ? {} : { 'content-type': 'application/json' }
  const sent = request({ port, agent, method, path, headers: { ...headers, ...content, authorization } })
  sent.end(body === undefined ? '' : JSON.stringify(body))
  const [answer] = await once(sent, 'response') as [IncomingMessage]
  const got = { status: answer.statusCode, body: await text(answer), cache: answer.headers['cache-control'] }
  const isRight = got.status === told.status && (told.body ?? got.body) === got.body && got.cache === 'private' &&
    !got.body.includes(other[caller])
  return isRight ? undefined : `${caller} ${method} ${path}: ${JSON.stringify(got)}`
}

type Request = readonly [method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>]
interface Told { readonly status: number, readonly body?: string }
type Asked = readonly [told: Told, request: Request]

/** Returns requests of every kind by a caller, each with what the answer must be. */
function requestsOf (caller: Caller, round: number): readonly Asked[] {
  // The first item is only read, the second gets tasks, and the third is renamed.
  const [own, foreign] = caller === 'ann' ? [1, 2] : [2, 1]
  const name = `${caller} ${own}`
  const title = `${caller} does ${own}`
  const fresh = `${caller} in ${round}`
  const item = `{"id":${own},"name":"${name}","tasks":[{"id":${own},"title":"${title}"}]}`
  const missing: Told = { status: 404 }
  return [
    // Reads of one item by its key, which postgres() sends to the server together.
    [{ status: 200, body: `{"id":${own},"title":"${title}"}` }, ['GET', `/tasks/${own}`]],
    [{ status: 200, body: `"${title}"` }, ['GET', `/tasks/${own}/title`]],
    [missing, ['GET', `/tasks/${foreign}`]],
    [missing, ['GET', `/tasks/${foreign}/title`]],
    [{ status: 200, body: `"${name}"` }, ['GET', `/projects/by_id/${own}/name`]],
    [{ status: 200, body: item }, ['GET', `/projects/${own}`]],
    [{ status: 200, body: item }, ['GET', `/projects/by_name/${caller}%20${own}`]],
    [{ status: 200, body: '' }, ['HEAD', `/projects/${own}`]],
    [{ status: 200, body: `"${name}"` }, ['GET', `/projects/${own}/name`]],
    [{ status: 200, body: `"${title}"` }, ['GET', `/projects/${own}/tasks/${own}/title`]],
    [{ status: 200, body: `{"tasks":[{"title":"${title}"}]}` }, ['GET', `/projects/${own}?fields=tasks(title)`]],
    [{ status: 200, body: `[{"id":${own},"title":"${title}"}]` }, ['GET', `/projects/${own}/tasks`]],
    [{ status: 200, body: `[{"id":${own},"name":"${name}"}]` }, ['GET', `/projects?id=*${own},${foreign}`]],
    [{ status: 200, body: '[]' }, ['GET', `/projects?tasks.title^=${other[caller]}`]],
    [{ status: 200 }, ['GET', '/projects?fields=name,tasks(title)', undefined, { prefer: 'count=exact' }]],
    [{ status: 200 }, ['GET', '/projects/by_name?fields=id,name']],
    [{ status: 200 }, ['GET', '/projects', undefined, { accept: 'application/x-ndjson' }]],
    [{ status: 200 }, ['GET', '/projects', undefined, { accept: 'text/csv' }]],
    [{ status: 200 }, ['GET', '/tasks?sort=-title&size=2']],
    [missing, ['GET', `/projects/${foreign}`]],
    [missing, ['GET', `/projects/${foreign}/name`]],
    [missing, ['GET', `/projects/${foreign}/tasks`]],
    [missing, ['PATCH', `/projects/${foreign}`, { name: fresh }]],
    [missing, ['PUT', `/projects/${foreign}/name`, fresh]],
    [missing, ['DELETE', `/projects/${foreign}`]],
    [missing, ['POST', `/projects/${foreign}/tasks`, { title: fresh }]],
    [{ status: 201 }, ['POST', '/projects', { name: fresh, tasks: [{ title: fresh }, { title: `${fresh} too` }] }]],
    [round === 0 ? missing : { status: 200 }, ['DELETE', `/projects/by_name/${caller}%20in%20${round - 1}`]],
    [{ status: 201 }, ['POST', `/projects/${own + 2}/tasks`, { title: fresh }]],
    [{ status: 200 }, ['PATCH', `/projects/${own + 4}`, { name: `${fresh}, renamed` }]],
    [{ status: 200 }, ['PUT', `/tasks/${own + 4}/title`, fresh]]
  ]
}
