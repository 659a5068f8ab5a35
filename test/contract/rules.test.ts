import { Type } from '@sinclair/typebox'
import { test } from 'tap'
import Fastify from 'fastify'
import dataApi, {
  type Behaviour, collection, computed, DeclarationError, exactly, lookup, memory, SubCollection, SubItem
} from '../../lib/index.ts'
import { everySource, type Tools, type World } from '../helpers/every-source.ts'
import type { Collections } from '../helpers/sources.ts'

// docs/http.md: Rules. Teams of a company: whoever asks is of one team, and sees its projects, and the tasks of those.

const flags = { readable: true, writable: true } as const

const Team = Type.Object({
  id: Type.Integer({ identifier: true, readable: true }),
  name: Type.String({ identifier: true, ...flags }),
  projects: SubCollection('projects', { foreignKey: 'teamId', ...flags })
})

const Project = Type.Object({
  id: Type.Integer({ identifier: true, readable: true }),
  title: Type.String({ identifier: true, ...flags }),
  code: Type.Optional(Type.String({ identifier: true, ...flags })),
  budget: Type.Optional(Type.Integer(flags)),
  teamId: Type.Integer({ ...flags, default: 1 }),
  team: SubItem('teams', { foreignKey: 'teamId', ...flags }),
  tasks: SubCollection('tasks', { foreignKey: 'projectId', ...flags }),
  labels: SubCollection('labels', { through: 'project_labels', foreignKey: 'projectId', otherKey: 'labelId', ...flags })
})

const Task = Type.Object({
  id: Type.Integer({ identifier: true, readable: true }),
  text: Type.String(flags),
  hours: Type.Integer({ ...flags, default: 0 }),
  projectId: Type.Integer(flags),
  project: SubItem('projects', { foreignKey: 'projectId', readable: true, hidden: true, writable: true })
})

const Label = Type.Object({
  id: Type.Integer({ identifier: true, readable: true }),
  word: Type.String({ identifier: true, ...flags }),
  owner: Type.Integer({ readable: true, default: 2 }),
  projects: SubCollection('projects',
    { through: 'project_labels', foreignKey: 'labelId', otherKey: 'projectId', readable: true, hidden: true })
})

const teamOf = ({ headers }: { headers: Record<string, unknown> }) => headers['x-team'] === undefined
  ? undefined
  : Number(headers['x-team'])
const roleOf = ({ headers }: { headers: Record<string, unknown> }) => headers['x-role']

const tables = {
  teams: [{ id: 1, name: 'red' }, { id: 2, name: 'blue' }],
  projects: [
    { id: 10, title: 'Apple', code: 'a', budget: 100, teamId: 1 },
    { id: 11, title: 'Berry', code: 'b', budget: 200, teamId: 2 },
    { id: 12, title: 'Cherry', code: null, budget: null, teamId: 1 },
    { id: 13, title: 'a', code: 'd', budget: 5, teamId: 2 }
  ],
  tasks: [
    { id: 20, text: 'peel', hours: 1, projectId: 10 },
    { id: 21, text: 'pick', hours: 2, projectId: 11 },
    { id: 22, text: 'pit', hours: 3, projectId: 12 }
  ],
  labels: [{ id: 30, word: 'fruit', owner: 1 }, { id: 31, word: 'secret', owner: 2 }],
  project_labels: [{ projectId: 10, labelId: 30 }, { projectId: 10, labelId: 31 }, { projectId: 11, labelId: 30 }]
}

const ddl = `
create table teams (id key, name text not null unique) strict;
create table projects (id key, title text not null unique, code text unique, budget integer,
  "teamId" integer not null references teams) strict;
create table tasks (id key, text text not null, hours integer not null,
  "projectId" integer not null references projects) strict;
create table labels (id key, word text not null unique, owner integer not null) strict;
create table project_labels ("projectId" integer not null references projects on delete cascade,
  "labelId" integer not null references labels on delete cascade, primary key ("projectId", "labelId")) strict;
`

const refused = (statusCode: number, message: string) =>
  Object.assign(new Error(message), { statusCode, headers: { 'WWW-Authenticate': 'Bearer' } })

const company = (counts: { scopes: number } = { scopes: 0 }): Collections => source => ({
  teams: collection(Team,
    { source: source('teams'), scope: ({ request }) => roleOf(request) === 'lead' || { id: teamOf(request) } }),
  projects: collection(Project, {
    source: source('projects'),
    scope: async ({ request }) => {
      counts.scopes++
      if (roleOf(request) === 'boss') return true
      if (roleOf(request) === 'nobody') return false
      return { teamId: teamOf(request) }
    },
    identifiers: {
      mine: exactly('mine', () => ({ title: 'Berry' })),
      nick: lookup({
        type: Type.String(), find: nick => ({ title: `${nick.slice(0, 1).toUpperCase()}${nick.slice(1)}` })
      })
    },
    rules: {
      fields: {
        budget: {
          read: ({ request }) => roleOf(request) === 'boss' ||
      roleOf(request) === 'reader',
          write: ({ request }) => roleOf(request) === 'boss'
        }
      }
    }
  }),
  tasks: collection(Task, {
    source: source('tasks'),
    scope: ({ request }, where) => roleOf(request) === 'boss' ||
      where.some('project', project => project.equals('teamId', teamOf(request))),
    rules: {
      read ({ request }) {
        if (roleOf(request) === 'anonymous') throw refused(401, 'Who are you?')
        return roleOf(request) !== 'visitor'
      },
      create: ({ request }) => roleOf(request) !== 'reader',
      update: ({ request }) => roleOf(request) !== 'reader',
      delete ({ request }) {
        if (roleOf(request) === 'broken') throw new Error('the rule is broken')
        return roleOf(request) !== 'reader'
      }
    }
  }),
  labels: collection(Label, {
    source: source('labels'),
    scope: (_context, where) => where.any(where.less('owner', 2), where.not(where.atLeast('owner', 1)))
  })
})

const world: World = { tables, ddl, collections: company() }
const options = { requestStrategies: { upsert: true, delete: true } } as const

const rule = (name: string, run: (tools: Tools) => Promise<void>) => { everySource(name, run, options, world) }

const red = { 'x-team': '1' }
const boss = { 'x-team': '1', 'x-role': 'boss' }
const reader = { 'x-team': '1', 'x-role': 'reader' }

const notFound = (segment: string) => ({
  status: 'not_found', error: 'identifier_not_found', message: `An item was not found with the identifier '${segment}'.`
})
const noField = (name: string) =>
  ({ status: 'not_found', error: 'field_not_found', message: `There is no field '${name}'.` })
const forbidden = { error: 'forbidden', message: 'You are not allowed to do this.' }

rule('a row outside the scope is as absent as one that does not exist, on every path', async ({
  get, same
}) => {
  same(await get('/projects?fields=title', red), 200, [{ title: 'Apple' }, { title: 'Cherry' }])
  same(await get('/projects?fields=title', boss), 200,
    [{ title: 'Apple' }, { title: 'Berry' }, { title: 'Cherry' }, { title: 'a' }])
  for (const segment of ['11', 'Berry', 'b', 'berry', '99']) {
    same(await get(`/projects/${segment}`, red), 404, notFound(segment))
  }
  same(await get('/projects/mine', red), 404, notFound('mine'))
  same(await get('/projects/11/title', red), 404, notFound('11'))
  same(await get('/projects/11/tasks', red), 404, notFound('11'))
  same(await get('/projects/by_title', red), 200, {
    Apple: { id: 10, title: 'Apple', code: 'a', team_id: 1 },
    Cherry: { id: 12, title: 'Cherry', code: null, team_id: 1 }
  })
  same(await get('/projects/by_team_id?fields=id', red), 200, { 1: [{ id: 10 }, { id: 12 }] })
  same(await get('/teams/2', red), 404, notFound('2'))
  same(await get('/teams/1/projects/11', red), 404, notFound('11'))
  same(await get('/tasks?fields=text', red), 200, [{ text: 'peel' }, { text: 'pit' }])
  same(await get('/tasks/21/project', red), 404, notFound('21'))
})

rule('nor does it make a segment ambiguous, be counted, or stand beyond a page', async ({ get, same }) => {
  same(await get('/projects/a?fields=id', red), 200, { id: 10 })
  same(await get('/projects/a?fields=id', boss), 409, {
    status: 'conflict',
    error: 'ambiguous_identifier',
    message: "More than one item has the identifier 'a'. Use one of these paths instead: /projects/by_title/a, " +
      '/projects/by_code/a',
    candidates: ['/projects/by_title/a', '/projects/by_code/a']
  })
  same(await get('/projects?size=1&fields=id', { ...red, prefer: 'count=exact' }), 200, [{ id: 10 }],
    { 'x-total-count': '2' })
  same(await get('/projects?size=2&fields=id', red), 200, [{ id: 10 }, { id: 12 }], { link: undefined })
  same(await get('/projects?fields=id&sort=title+desc&size=1', red), 200, [{ id: 12 }])
})

rule('embedded items and lists, and filters through relations, know the scope of every collection', async ({
  get, same
}) => {
  same(await get('/projects/10?fields=labels(word),tasks(text),team(name)', red), 200,
    { labels: [{ word: 'fruit' }], tasks: [{ text: 'peel' }], team: { name: 'red' } })
  same(await get('/labels/30?fields=projects(title)', red), 200, { projects: [{ title: 'Apple' }] })
  same(await get('/labels?projects.title=Berry&fields=word', red), 200, [])
  same(await get('/projects?labels.word=secret&fields=id', boss), 200, [])
  same(await get('/tasks/21?fields=project(title)', { 'x-team': '2' }), 200, { project: { title: 'Berry' } })
  same(await get('/projects?where=!(tasks.hours>1)&fields=id', red), 200, [{ id: 10 }])
  same(await get('/projects/10/labels/31', red), 404, notFound('31'))
})

rule('streams know it too', async ({ get, t }) => {
  t.equal((await get('/projects?fields=title', { ...red, accept: 'application/x-ndjson' })).body,
    '{"title":"Apple"}\n{"title":"Cherry"}\n')
})

rule('what is outside the scope cannot be written, by any method', async ({ send, t, get, same }) => {
  const writes = [
    ['PUT', '/projects/11/title', 'x'],
    ['DELETE', '/projects/11', undefined],
    ['PUT', '/projects/11', { budget: 1 }],
    ['POST', '/projects/11/tasks', { text: 'x' }],
    ['PUT', '/tasks/21', { text: 'x' }],
    ['DELETE', '/tasks/21', undefined]
  ] as const
  for (const [method, url, body] of writes) {
    const hidden = await send(method, url, body, red)
    const absent = await send(method, url.replace('11', '99').replace('21', '99'), body, red)
    t.strictSame([hidden.statusCode, hidden.body.replace(/11|21/, '99')],
      [absent.statusCode, absent.body], `${method} ${url}`)
    t.ok(hidden.statusCode >= 400)
  }
  same(await get('/projects/11?fields=title,tasks(text)', { 'x-team': '2' }), 200,
    { title: 'Berry', tasks: [{ text: 'pick' }] })
})

rule('a write that would take an item out of the scope, or create one outside of it, is 403', async ({
  send, same, get
}) => {
  same(await send('POST', '/projects', { title: 'New', team_id: 1 }, red), 201, { status: 'created', id: 14 })
  // Whoever may not see the other team cannot name it either.
  same(await send('PUT', '/projects/10/team_id', 2, red), 409, {
    status: 'conflict',
    error: 'reference',
    message: "The item referred to by 'team_id' does not exist.",
    fields: ['team_id']
  })
  same(await send('PUT', '/projects/10/team_id', 9, red), 409, {
    status: 'conflict',
    error: 'reference',
    message: "The item referred to by 'team_id' does not exist.",
    fields: ['team_id']
  })
  same(await send('POST', '/tasks', { text: 'x', project_id: 11 }, red), 409, {
    status: 'conflict',
    error: 'reference',
    message: "The item referred to by 'project_id' does not exist.",
    fields: ['project_id']
  })
  same(await send('POST', '/labels', { word: 'mine' }, red), 403, forbidden)
  // Whoever may, still cannot give a project away, whole or in a body of many.
  const lead = { ...red, 'x-role': 'lead' }
  same(await send('PUT', '/projects/10/team_id', 2, lead), 403, forbidden)
  same(await send('PUT', '/projects/10', { title: 'Gone', team: { name: 'blue' } }, lead), 403, forbidden)
  same(await send('POST', '/projects', [{ title: 'One' }, { title: 'Two', team_id: 2 }], lead), 403, forbidden)
  same(await send('PUT', '/projects/by_title/Three', { team_id: 2 }, lead), 403, forbidden)
  same(await get('/projects?fields=team_id', red), 200, [{ team_id: 1 }, { team_id: 1 }, { team_id: 1 }])
  same(await get('/tasks?fields=id', boss), 200, [{ id: 20 }, { id: 21 }, { id: 22 }])
})

rule('a duplicate of what is hidden is not told as such', async ({ send, same }) => {
  same(await send('POST', '/projects', { title: 'Apple' }, red), 409, {
    status: 'conflict', error: 'duplicate', message: "An item with the same 'title' already exists.", fields: ['title']
  })
  const unnamed = { error: 'constraint', message: 'The database does not accept this item.', fields: [] }
  same(await send('POST', '/projects', { title: 'Berry' }, red), 400, unnamed)
  same(await send('PUT', '/projects/by_title/Berry', {}, red), 400, unnamed)
  same(await send('PUT', '/projects/10/title', 'Berry', red), 400, unnamed)
  same(await send('POST', '/projects', { title: 'Apple', code: 'b' }, red), 409, {
    status: 'conflict', error: 'duplicate', message: "An item with the same 'title' already exists.", fields: ['title']
  })
})

rule('a duplicate of what is hidden is answered as a new value where the item would be outside the scope', async ({
  send, same
}) => {
  const lead = { ...red, 'x-role': 'lead' }
  for (const title of ['Berry', 'Free']) {
    same(await send('POST', '/projects', { title, team_id: 2 }, lead), 403, forbidden)
    same(await send('PUT', `/projects/by_title/${title}`, { team_id: 2 }, lead), 403, forbidden)
    same(await send('PATCH', '/projects/10', { title, team_id: 2 }, lead), 403, forbidden)
  }
})

rule('in a body, what is hidden can be neither named nor linked', async ({ send, same, get }) => {
  same(await send('PUT', '/tasks/20', { project: { id: 11 } }, red), 409, {
    status: 'conflict',
    error: 'reference',
    message: "The item referred to by 'project' does not exist.",
    fields: ['project'],
    pointer: '/project'
  })
  same(await send('PUT', '/tasks/20', { project: { id: 99 } }, red), 409, {
    status: 'conflict',
    error: 'reference',
    message: "The item referred to by 'project' does not exist.",
    fields: ['project'],
    pointer: '/project'
  })
  same(await send('PUT', '/projects/10', { labels: [{ id: 31 }] }, red), 409, {
    status: 'conflict',
    error: 'reference',
    message: "The item referred to by 'labels' does not exist.",
    fields: ['labels'],
    pointer: '/labels/0'
  })
  same(await get('/tasks/20/project_id', red), 200, 10)
})

rule('an operation that a rule denies is 403 or what the rule says, before anything is looked up', async ({
  send, get, same
}) => {
  const unauthorized = { error: 'unauthorized', message: 'Who are you?' }
  same(await get('/tasks', { ...red, 'x-role': 'anonymous' }), 401, unauthorized, { 'www-authenticate': 'Bearer' })
  same(await get('/tasks/99/text', { ...red, 'x-role': 'anonymous' }), 401, unauthorized,
    { 'www-authenticate': 'Bearer' })
  same(await get('/tasks', { ...red, 'x-role': 'visitor' }), 403, forbidden)
  for (const [method, url, body] of [['POST', '/tasks', { text: 'x' }], ['POST', '/projects/10/tasks', { text: 'x' }], [
    'PUT', '/tasks/20', { text: 'x' }
  ], ['PUT', '/tasks/20/text', 'x'], ['DELETE', '/tasks/20', undefined], ['DELETE', '/tasks/99', undefined]] as const) {
    same(await send(method, url, body, reader), 403, forbidden)
  }
})

rule('nor is it done by way of another collection', async ({ send, get, same }) => {
  same(await send('PUT', '/projects/10', { tasks: [{ text: 'new' }] }, reader), 403, forbidden)
  same(await send('PUT', '/projects/10', { tasks: [{ id: 22 }] }, reader), 403, forbidden)
  same(await send('POST', '/projects', { title: 'x', tasks: [{ text: 'new' }] }, reader), 403, forbidden)
  same(await get('/tasks?fields=project_id', red), 200, [{ project_id: 10 }, { project_id: 12 }])
  const visitor = { ...red, 'x-role': 'visitor' }
  same(await get('/projects/10?fields=title', visitor), 200, { title: 'Apple' })
  same(await get('/projects/10/tasks', visitor), 404, noField('tasks'))
  same(await get('/projects?tasks.hours>0', visitor), 400, {
    error: 'invalid_filter', message: "There is no field 'tasks' to filter by.", parameter: 'tasks.hours', position: 1
  })
  same(await get('/projects/10?fields=tasks(text)', visitor), 400,
    { error: 'invalid_fields', message: "There is no field 'tasks' to select.", parameter: 'fields', position: 1 })
})

rule('what may be written but not read is not read by writing', async ({ send, same }) => {
  const visitor = { ...red, 'x-role': 'visitor' }
  same(await send('PUT', '/tasks/20', { text: 'new' }, { ...visitor, prefer: 'return=representation' }), 200,
    { status: 'ok' })
  same(await send('PUT', '/tasks/20/hours', 5, { ...visitor, prefer: 'return=representation' }), 200, { status: 'ok' })
})

rule('Allow tells what this caller may', async ({ request, get, send, same }) => {
  same(await request({ method: 'OPTIONS', url: '/tasks', headers: red }), 204, '',
    { allow: 'GET, HEAD, OPTIONS, QUERY, POST' })
  same(await request({ method: 'OPTIONS', url: '/tasks', headers: reader }), 204, '',
    { allow: 'GET, HEAD, OPTIONS, QUERY' })
  same(await request({ method: 'OPTIONS', url: '/tasks/20', headers: red }), 204, '',
    { allow: 'GET, HEAD, OPTIONS, PUT, PATCH, DELETE' })
  same(await request({ method: 'OPTIONS', url: '/tasks/20', headers: reader }), 204, '',
    { allow: 'GET, HEAD, OPTIONS' })
  same(await request({ method: 'OPTIONS', url: '/tasks/20', headers: { ...red, 'x-role': 'visitor' } }), 204, '',
    { allow: 'OPTIONS, PUT, PATCH, DELETE' })
  same(await request({ method: 'OPTIONS', url: '/projects/10/budget', headers: reader }), 204, '',
    { allow: 'GET, HEAD, OPTIONS' })
  same(await request({ method: 'OPTIONS', url: '/projects/10/budget', headers: boss }), 204, '',
    { allow: 'GET, HEAD, OPTIONS, PUT' })
  same(await send('DELETE', '/tasks', undefined, reader), 405, {
    error: 'method_not_allowed', message: 'DELETE is not allowed here. Allowed methods: GET, HEAD, OPTIONS, QUERY.'
  }, { allow: 'GET, HEAD, OPTIONS, QUERY' })
  same(await get('/projects', red), 200, (await get('/projects', red)).json())
})

rule('a field that this caller may not read is as if it were not declared, wherever it can be named or shown', async ({
  t, get, send
}) => {
  // What of the two names stands in an answer is made one.
  const asIs = async (headers: Record<string, string>, name: string) => {
    const urls = [
      `/projects/10/${name}`, `/projects/by_${name}`, `/projects/by_${name}/100`, `/projects?${name}=100`,
      `/projects?where=${name}>1`, `/projects?sort=${name}`, `/projects?fields=${name}`,
      `/teams/1?fields=projects(${name})`, `/teams?projects.${name}=100`, `/teams/1?fields=projects(id;sort=${name})`
    ]
    const reads = await Promise.all(urls.map(url => get(url, headers)))
    const writes = [
      await send('POST', '/projects', { title: 'x', [name]: 1 }, headers),
      await send('PUT', '/projects/10', { [name]: 100 }, headers), await send('PUT', `/projects/10/${name}`, 1, headers)
    ]
    return [...reads, ...writes].map(answer => [answer.statusCode, answer.body.replaceAll(name, 'x')])
  }
  t.strictSame(await asIs(red, 'budget'), await asIs(red, 'nudge_'.slice(0, 6)))
  t.notMatch((await get('/projects/10', red)).body, 'budget')
  t.match((await get('/projects/10', boss)).json(), { budget: 100 })
  t.strictSame((await send('PUT', '/projects/10', { budget: 7 }, boss)).json(), { status: 'ok' })
  t.strictSame((await get('/projects/10/budget', reader)).json(), 7)
})

rule('a tag tells nothing of what the caller may not read', async ({ t, get, send }) => {
  const tag = async (headers: Record<string, string>) => (await get('/projects/10?fields=id', headers)).headers.etag
  const before = [await tag(red), await tag(reader)]
  await send('PUT', '/projects/10/budget', 8, boss)
  t.equal(await tag(red), before[0])
  t.not(await tag(reader), before[1])
  t.not(await tag(red), await tag(reader))
})

rule('a field that may be read but not written is one that cannot be written', async ({ send, same }) => {
  same(await send('PUT', '/projects/10/budget', 1, reader), 405, {
    error: 'method_not_allowed', message: 'PUT is not allowed here. Allowed methods: GET, HEAD, OPTIONS.'
  }, { allow: 'GET, HEAD, OPTIONS' })
  same(await send('POST', '/projects', { title: 'x', budget: 1 }, reader), 400, {
    error: 'validation',
    message: "The body is not valid; 'details' lists 1 problem.",
    details: [{ pointer: '/budget', message: 'cannot be written' }]
  })
})

rule('caches are told that answers depend on who asks', async ({ get, same, t }) => {
  for (const url of [
    '/projects', '/projects/10', '/projects/99', '/projects?x=1', '/teams/1/projects/10/title', '/projects/10/nothing'
  ]) {
    const { headers } = await get(url, red)
    t.equal(headers['cache-control'], 'private', url)
    t.match(String(headers.vary), /Authorization, Cookie/, url)
  }
  same(await get('/', red), 200, [{ name: 'teams', type: 'collection' }, { name: 'projects', type: 'collection' }, {
    name: 'tasks', type: 'collection'
  }, { name: 'labels', type: 'collection' }], { 'cache-control': undefined, vary: 'Accept' })
})

const Thing = Type.Object({
  id: Type.Integer({ identifier: true, readable: true }),
  name: Type.Optional(Type.String(flags)),
  owner: Type.Optional(Type.Integer(flags))
})

/** An API over one collection, and what it logs. */
async function serveThing (behaviour: Partial<Behaviour<typeof Thing>>) {
  const logged: string[] = []
  const app = Fastify({
    logger: {
      level: 'error',
      stream: {
        write (line: string) {
          logged.push((JSON.parse(line) as { err: { message: string } }).err.message)
        }
      }
    }
  })
  await app.register(dataApi, {
    requestStrategies: { delete: true },
    collections: {
      things: collection(Thing,
        { source: memory([{ id: 1, name: 'a', owner: 1 }, { id: 2, name: 'b' }]), ...behaviour })
    }
  })
  return { app, logged }
}

test('a scope that gives an undefined value, nothing, or throws, is a scope of no item, and logged', async t => {
  const scopes: ReadonlyArray<readonly [Behaviour<typeof Thing>['scope'], RegExp]> = [
    [() => ({ owner: undefined }), /uses undefined for 'owner'/],
    [() => ({}), /without values/],
    [() => undefined as never, /returned undefined/],
    [() => { throw new Error('no database') }, /no database/],
    [async () => { throw new Error('later') }, /later/],
    [(_context, where) => where.equals('owner', 'x' as never), /uses a value of type 'string' for 'owner'/],
    [(_context, where) => where.equals('other' as 'owner', 1), /names 'other'/],
    [(_context, where) => where.some('other', one => one.all()), /names 'other'/]
  ]
  for (const [scope, message] of scopes) {
    const { app, logged } = await serveThing({ ...scope && { scope } })
    const answer = await app.inject('/things')
    t.strictSame([answer.statusCode, answer.json()], [200, []], String(message))
    t.match(logged, [message])
  }
})

test('a scope builds conditions of every kind', async t => {
  const scopes: ReadonlyArray<readonly [NonNullable<Behaviour<typeof Thing>['scope']>, number[]]> = [
    [() => true, [1, 2]],
    [() => false, []],
    [() => ({ owner: null as never }), [2]],
    [(_context, where) => where.equals('owner', null), [2]],
    [(_context, where) => where.oneOf('name', ['a', 'z']), [1]],
    [(_context, where) => where.oneOf('name', []), []],
    [(_context, where) => where.any(where.less('id', 2), where.greater('id', 1)), [1, 2]],
    [(_context, where) => where.all(where.atMost('id', 2), where.atLeast('id', 2)), [2]],
    [(_context, where) => where.not(where.equals('name', 'a')), [2]]
  ]
  for (const [scope, ids] of scopes) {
    const { app } = await serveThing({ scope })
    t.strictSame((await app.inject('/things?fields=id')).json(), ids.map(id => ({ id })), String(scope))
  }
})

test('a rule that throws denies, and is logged; one that says 401 or 403 is not', async t => {
  const { app, logged } = await serveThing({
    rules: {
      read: () => { throw new Error('broken') },
      delete: async () => {
        throw refused(403, 'Not yours.')
      },
      fields: { name: { read: async () => { throw new Error('field') } } }
    }
  })
  t.strictSame((await app.inject('/things')).json(), forbidden)
  t.strictSame((await app.inject({ method: 'DELETE', url: '/things/1' })).json(),
    { error: 'forbidden', message: 'Not yours.' })
  t.strictSame(logged.sort(), ['broken', 'broken', 'field', 'field'])
})

test('only true permits', async t => {
  const { app } = await serveThing({ rules: { read: () => 'yes' as never } })
  t.equal((await app.inject('/things')).statusCode, 403)
})

test('scopes and rules are asked once a request', async t => {
  const asked: string[] = []
  const rules = {
    read: () => Boolean(asked.push('read')),
    update: () =>
      Boolean(asked.push('update')),
    fields: { name: { read: () => Boolean(asked.push('name')) } }
  }
  const { app } = await serveThing({ scope: () => Boolean(asked.push('scope')), rules })
  await app.inject({
    method: 'PUT',
    url: '/things/1',
    headers: { prefer: 'return=representation', 'content-type': 'application/json' },
    payload: '{"name":"x","owner":2}'
  })
  t.strictSame(asked.sort(), ['name', 'read', 'scope', 'update'])
})

test('a rule for what there is not is a mistake', async t => {
  const wrong = (behaviour: object, message: string) => t.rejects(serveThing(behaviour), new DeclarationError(message))
  await wrong({ rules: { fields: { nam: { read: () => true } } } },
    "collection 'things', rules.fields.nam: there is no such field")
  await wrong({ rules: { fields: { name: { see: () => true } } } },
    "collection 'things', rules.fields.name: expected an object that holds only the functions 'read' and 'write'")
  await wrong({ rules: { reed: () => true } },
    "collection 'things', rules.reed: there is no such rule; use 'read', 'create', 'update', 'delete' or 'fields'")
  await wrong({ rules: { create: true } }, "collection 'things', rules.create: expected a function")
  await wrong({ scope: { owner: 1 } }, "collection 'things', scope: expected a function")
})

test('computed fields, versions and listed forms have rules as well', async t => {
  const Counted = Type.Object({
    id: Type.Integer({ identifier: true, readable: true }),
    name: Type.String({ ...flags, listed: true }),
    version: Type.Integer({ readable: true, version: true })
  })
  const app = Fastify()
  const deny = {
    read: ({ request }: { request: { headers: Record<string, unknown> } }) => request.headers['x-role'] === 'boss'
  }
  await app.register(dataApi, {
    collections: {
      counted: collection(Counted, {
        source: memory([{ id: 1, name: 'a', version: 5 }]),
        computed: {
          getLength: computed({
            type: Type.Integer({ readable: true }), from: ['name'], get: ({ name }) => name.length
          })
        },
        rules: { fields: { getLength: deny, version: deny, name: deny } }
      })
    }
  })
  t.strictSame((await app.inject('/counted')).json(), [{ id: 1 }])
  t.strictSame((await app.inject('/counted/1')).json(), { id: 1 })
  t.strictSame((await app.inject({ url: '/counted/1', headers: { 'x-role': 'boss' } })).json(),
    { id: 1, name: 'a', version: 5, length: 1 })
  t.equal((await app.inject('/counted/1/length')).statusCode, 404)
})

test('a field with a setter can be denied', async t => {
  const { app } = await serveThing({
    setters: { name (thing, name) { thing.name = name } }, rules: { fields: { name: { write: () => false } } }
  })
  t.strictSame((await app.inject('/things/1/name')).json(), 'a')
  const answer = await app.inject({
    method: 'PUT', url: '/things/1', headers: { 'content-type': 'application/json' }, payload: '{"name":"x"}'
  })
  t.strictSame([answer.statusCode, (answer.json() as { details: unknown }).details],
    [400, [{ pointer: '/name', message: 'cannot be written, and differs from the current value' }]])
})

test('who may create but not update changes nothing of an item that is there by an upsert', async t => {
  const { app } = await serveThing({ requestStrategies: { upsert: true }, rules: { update: () => false } })
  const put = async (url: string, payload: string) =>
    (await app.inject({ method: 'PUT', url, headers: { 'content-type': 'application/json' }, payload })).statusCode
  t.equal(await put('/things/3', '{"name":"c"}'), 201)
  t.equal(await put('/things/1', '{"name":"c"}'), 403)
  t.equal(await put('/things/1', '{}'), 403)
})

test('a value that may be written but not read is not found out by writing it', async t => {
  const Safe = Type.Object({
    id: Type.Integer({ identifier: true, readable: true }),
    pin: Type.String({ writable: true }),
    version: Type.Integer({ readable: true, version: true })
  })
  const called: string[] = []
  const app = Fastify()
  await app.register(dataApi, {
    collections: {
      safes: collection(Safe, {
        source: memory([{ id: 1, pin: '1234', version: 1 }]),
        setters: { pin (safe, pin) { called.push(pin); safe.pin = pin } }
      })
    }
  })
  const tags: unknown[] = []
  for (const pin of ['1111', '1111', '1234']) {
    await app.inject({
      method: 'PUT',
      url: '/safes/1',
      headers: { 'content-type': 'application/json', 'if-match': '*' },
      payload: JSON.stringify({ pin })
    })
    tags.push((await app.inject('/safes/1')).json())
  }
  t.strictSame(tags, [{ id: 1, version: 2 }, { id: 1, version: 3 }, { id: 1, version: 4 }])
  t.strictSame(called, ['1111', '1111', '1234'])
})

test('a key that may not be read is not found out by positions made by hand', async t => {
  const { app } = await serveThing({ rules: { fields: { id: { read: () => false } } } })
  const position = (name: string, value: number) => Buffer.from(JSON.stringify([name, value])).toString('base64url')
  const answers = await Promise.all([['id', 1], ['id', 5], ['nothing', 1]].map(([name, value]) =>
    app.inject(`/things?after=${position(String(name), Number(value))}`)))
  const taken = {
    error: 'invalid_page',
    message: "'after' takes a cursor from one of this API's links.",
    parameter: 'after',
    position: 1
  }
  t.strictSame(answers.map(answer => [answer.statusCode, answer.json()]), Array.from({ length: 3 }, () => [400, taken]))
})

rule('a sub-item that may be written but not read is not told by a write at its URL', async ({ send, same }) => {
  const visitor = { ...red, 'x-role': 'visitor', prefer: 'return=representation' }
  same(await send('PUT', '/tasks/20/project', {}, visitor), 404, noField('project'))
  same(await send('PUT', '/tasks/20/project', { title: 'x' }, visitor), 404, noField('project'))
  same(await send('PUT', '/tasks/20/nothing', {}, visitor), 404, noField('nothing'))
})

// What has gone wrong elsewhere.

rule('a filter on the very field that the scope goes by narrows what is seen, and never replaces the scope', async ({
  get, send, same
}) => {
  same(await get('/projects?team_id=2&fields=id', red), 200, [])
  same(await get('/projects?team_id=1&team_id!=2&fields=id', red), 200, [{ id: 10 }, { id: 12 }])
  same(await get('/projects?where=(team_id=1|team_id=2)&fields=id', red), 200, [{ id: 10 }, { id: 12 }])
  same(await get('/projects?where=!(team_id=1)&fields=id', red), 200, [])
  same(await get('/projects/by_team_id/2?fields=id', red), 200, [])
  same(await get('/projects/by_team_id?team_id=2&fields=id', red), 200, {})
  same(await get('/teams/1?fields=projects(id;where=team_id=2)', red), 200, { projects: [] })
  same(await get('/teams?projects.team_id=2&fields=id', red), 200, [])
  same(await send('POST', '/projects/by_team_id/2', { title: 'x' }, { ...red, 'x-role': 'lead' }), 403, forbidden)
})

rule('whoever names an item gets that item or none, and never another that may be seen', async ({
  get, send, same
}) => {
  same(await get('/projects/11?fields=id', red), 404, notFound('11'))
  same(await get('/projects/by_id/11?fields=id', red), 404, notFound('11'))
  same(await get('/projects/13?fields=id', red), 404, notFound('13'))
  same(await get('/projects?id=11&fields=id', red), 200, [])
  same(await send('DELETE', '/projects/13', undefined, red), 404, notFound('13'))
  same(await get('/projects?fields=id', boss), 200, [{ id: 10 }, { id: 11 }, { id: 12 }, { id: 13 }])
})

rule('every count is of what may be seen', async ({ get, same }) => {
  const counting = { ...red, prefer: 'count=exact' }
  same(await get('/projects?fields=id', counting), 200, [{ id: 10 }, { id: 12 }], { 'x-total-count': '2' })
  same(await get('/projects?title^=B&fields=id', counting), 200, [], { 'x-total-count': '0' })
  same(await get('/projects/by_title?fields=id&size=1', counting), 200, { Apple: { id: 10 } }, { 'x-total-count': '2' })
  same(await get('/projects/by_team_id?fields=id', counting), 200, { 1: [{ id: 10 }, { id: 12 }] },
    { 'x-total-count': '1' })
  same(await get('/projects/10/labels?fields=id', counting), 200, [{ id: 30 }], { 'x-total-count': '1' })
  same(await get('/labels/30/projects?fields=id', counting), 200, [{ id: 10 }], { 'x-total-count': '1' })
})

rule('a value that may not be read is not found by asking for more and less of it', async ({ t, get, send }) => {
  const after = (value: unknown) => Buffer.from(JSON.stringify(['budget', value, 10])).toString('base64url')
  const asked = (value: number) => [
    `/projects?budget>${value}`, `/projects?where=!(budget<${value})`, `/projects?where=(title=x|budget=*(${value}))`,
    `/projects?sort=budget&after=${after(value)}`, `/projects?after=${after(value)}`,
    `/projects/by_budget/${value}`, `/projects/by_budget?budget=${value}`, `/teams?projects.budget>=${value}`,
    `/teams/1?fields=projects(id;where=budget=${value})`, `/labels?projects.budget=${value}`
  ]
  const tell = (answer: Awaited<ReturnType<typeof get>>) =>
    [answer.statusCode, answer.body.replaceAll(/\b(99|100|101)\b/g, 'N')]
  const [less, equal, more] = await Promise.all(
    [99, 100, 101].map(async value => (await Promise.all(asked(value).map(url => get(url, red)))).map(tell))
  )
  t.strictSame(less, equal)
  t.strictSame(more, equal)
  t.ok(equal?.every(([status]) => status === 400 || status === 404))
  const [right, wrong] = [
    await send('PUT', '/projects/10', { budget: 100 }, red), await send('PUT', '/projects/10', { budget: 99 }, red)
  ]
  t.strictSame(tell(right), tell(wrong))
})

rule('no suggestion names a field that this caller may not read', async ({ t, get, send }) => {
  for (const headers of [red, reader]) {
    const answers = [
      await get('/projects?budge>1', headers), await get('/projects?sort=budge', headers),
      await get('/projects?fields=budge', headers), await get('/teams/1?fields=projects(budge)', headers),
      await send('PUT', '/projects/10', { budge: 1 }, headers)
    ]
    for (const answer of answers) t.equal(answer.body.includes('budget'), headers === reader, answer.body)
  }
})

rule('a filter through a relation finds nothing by rows that may not be seen, nor by their absence', async ({
  get, same
}) => {
  same(await get('/labels?projects.title^=B&fields=id', red), 200, [])
  same(await get('/labels?where=!(projects.title^=B)&fields=id', red), 200, [{ id: 30 }])
  same(await get('/labels?projects.tasks.text=pick&fields=id', red), 200, [])
  same(await get('/labels?projects.tasks.text=peel&fields=id', red), 200, [{ id: 30 }])
  same(await get('/labels?where=!(projects.tasks.hours>1)&fields=id', red), 200, [{ id: 30 }])
})

test('whoever is not known to a rule is refused, and it is no error of the server', async t => {
  const userOf = ({ request }: { request: object }) => (request as { user: { id: number } }).user
  const { app } = await serveThing({
    scope: context => ({ owner: userOf(context).id }),
    rules: {
      create: context => userOf(context).id === 1,
      delete: async context => userOf(context).id === 1,
      fields: { name: { read: context => userOf(context).id === 1 } }
    }
  })
  const post = await app.inject({
    method: 'POST', url: '/things', headers: { 'content-type': 'application/json' }, payload: '{}'
  })
  const answers = [
    await app.inject('/things'), await app.inject('/things/1'), post,
    await app.inject({ method: 'DELETE', url: '/things/1' }), await app.inject('/things?name=a')
  ]
  t.strictSame(answers.map(answer => answer.statusCode), [200, 404, 403, 403, 400])
  t.equal(answers[0]?.body, '[]')
})

const Room = Type.Object({
  id: Type.Integer({ identifier: true, readable: true }),
  notes: SubCollection('notes', { foreignKey: 'roomId', ...flags })
})
// Nothing leads from a note to its room.
const Note = Type.Object({
  id: Type.Integer({ identifier: true, readable: true }),
  text: Type.String({ ...flags, default: '' }),
  roomId: Type.Integer(flags)
})

everySource('a reference that only the other collection knows of leads to nothing hidden either', async ({
  send, get, same
}) => {
  const dangling = {
    status: 'conflict',
    error: 'reference',
    message: "The item referred to by 'room_id' does not exist.",
    fields: ['room_id']
  }
  for (const room of [2, 9]) {
    same(await send('PUT', '/notes/1', { room_id: room }), 409, dangling)
    same(await send('PUT', '/notes/1/room_id', room), 409, dangling)
    same(await send('POST', '/notes', { room_id: room }), 409, dangling)
  }
  same(await send('POST', '/notes', { room_id: 1 }), 201, { status: 'created', id: 2 })
  same(await get('/notes?fields=room_id'), 200, [{ room_id: 1 }, { room_id: 1 }])
}, {}, {
  tables: { rooms: [{ id: 1 }, { id: 2 }], notes: [{ id: 1, text: 'a', roomId: 1 }] },
  ddl: 'create table rooms (id key) strict; create table notes (id key, text text not null, "roomId" integer not ' +
    'null references rooms) strict;',
  collections: source => ({
    rooms: collection(Room, { source: source('rooms'), scope: () => ({ id: 1 }) }),
    notes: collection(Note, { source: source('notes') })
  })
})
