import { Type } from '@sinclair/typebox'
import { collection, SubCollection } from '../../../lib/index.ts'
import { everySource, type World } from '../../helpers/every-source.ts'
import fc, { runsOf, seed } from '../../helpers/fast-check.ts'
import { boss, flags, red, rule } from '../../fixtures/company.ts'
import { ambiguous, created, dangling, duplicate, forbidden, missing, reference } from '../../helpers/answers.ts'

// docs/http.md: Rules. Items outside a caller's scope do not exist for the caller.

rule('a row outside the scope is as absent as one that does not exist, on every path', async ({ get, same }) => {
  same(await get('/projects?fields=title', red), 200, [{ title: 'Apple' }, { title: 'Cherry' }])
  same(await get('/projects?fields=title', boss), 200,
    [{ title: 'Apple' }, { title: 'Berry' }, { title: 'Cherry' }, { title: 'a' }])
  for (const segment of ['11', 'Berry', 'b', 'berry', '99']) {
    same(await get(`/projects/${segment}`, red), 404, missing(segment))
  }
  same(await get('/projects/mine', red), 404, missing('mine'))
  same(await get('/projects/11/title', red), 404, missing('11'))
  same(await get('/projects/11/tasks', red), 404, missing('11'))
  same(await get('/projects/by_title', red), 200, {
    Apple: { id: 10, title: 'Apple', code: 'a', team_id: 1 },
    Cherry: { id: 12, title: 'Cherry', code: null, team_id: 1 }
  })
  same(await get('/projects/by_team_id?fields=id', red), 200, { 1: [{ id: 10 }, { id: 12 }] })
  same(await get('/teams/2', red), 404, missing('2'))
  same(await get('/teams/1/projects/11', red), 404, missing('11'))
  same(await get('/tasks?fields=text', red), 200, [{ text: 'peel' }, { text: 'pit' }])
  same(await get('/tasks/21/project', red), 404, missing('21'))
})

rule('a row outside the scope makes no segment ambiguous, is not counted, and is on no page', async ({ get, same }) => {
  same(await get('/projects/a?fields=id', red), 200, { id: 10 })
  same(await get('/projects/a?fields=id', boss), 409, ambiguous('a', '/projects/by_title/a', '/projects/by_code/a'))
  same(await get('/projects?size=1&fields=id', { ...red, prefer: 'count=exact' }), 200, [{ id: 10 }],
    { 'x-total-count': '2' })
  same(await get('/projects/by_team_id?fields=id', { ...red, prefer: 'count=exact' }), 200,
    { 1: [{ id: 10 }, { id: 12 }] }, { 'x-total-count': '1' })
  same(await get('/projects?size=2&fields=id', red), 200, [{ id: 10 }, { id: 12 }], { link: undefined })
  same(await get('/projects?fields=id&sort=title+desc&size=1', red), 200, [{ id: 12 }])
})

rule('embedded items and lists, and filters through relations, know the scope of every collection', async ({
  get, same
}) => {
  same(await get('/projects/10?fields=labels(word),tasks(text),team(name)', red), 200,
    { labels: [{ word: 'fruit' }], tasks: [{ text: 'peel' }], team: { name: 'red' } })
  same(await get('/projects/10?fields=team(name)', { ...boss, 'x-team': '2' }), 200, { team: null })
  same(await get('/labels/30?fields=projects(title)', red), 200, { projects: [{ title: 'Apple' }] })
  same(await get('/labels?projects.title=Berry&fields=word', red), 200, [])
  same(await get('/projects?labels.word=secret&fields=id', boss), 200, [])
  same(await get('/tasks/21?fields=project(title)', { 'x-team': '2' }), 200, { project: { title: 'Berry' } })
  same(await get('/projects?where=!(tasks.hours>1)&fields=id', red), 200, [{ id: 10 }])
  same(await get('/labels?where=!(projects.title^=B)&fields=id', red), 200, [{ id: 30 }])
  same(await get('/labels?projects.tasks.text=pick&fields=id', red), 200, [])
  same(await get('/projects/10/labels/31', red), 404, missing('31'))
})

rule('streams hold only what is in the scope', async ({ get, t }) => {
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
  same(await send('POST', '/projects', { title: 'New', team_id: 1 }, red), 201, created(14))
  // Whoever may not see the other team cannot name it either.
  same(await send('PUT', '/projects/10/team_id', 2, red), 409, dangling('team_id'))
  same(await send('PUT', '/projects/10/team_id', 9, red), 409, dangling('team_id'))
  same(await send('POST', '/tasks', { text: 'x', project_id: 11 }, red), 409, dangling('project_id'))
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
  same(await send('POST', '/projects', { title: 'Apple' }, red), 409, duplicate('title'))
  const unnamed = { error: 'constraint', message: 'The database does not accept this item.', fields: [] }
  same(await send('POST', '/projects', { title: 'Berry' }, red), 400, unnamed)
  same(await send('PUT', '/projects/by_title/Berry', {}, red), 400, unnamed)
  same(await send('PUT', '/projects/10/title', 'Berry', red), 400, unnamed)
  same(await send('POST', '/projects', { title: 'Apple', code: 'b' }, red), 409, duplicate('title'))
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

const Seat = Type.Object({
  row: Type.Integer({ ...flags }),
  place: Type.Integer({ ...flags }),
  code: Type.Integer({ identifier: true, ...flags }),
  badge: Type.Integer({ ...flags }),
  keeper: Type.Integer({ default: 1 })
})
const seats: World = {
  tables: {
    seats: [1, 2, 3, 4, 5, 6].map(n => ({ row: n % 2, place: n % 3, code: n, badge: n % 3, keeper: n % 2 + 1 }))
  },
  ddl: `create table seats ("row" integer not null, place integer not null, code integer not null unique,
    badge integer not null, keeper integer not null, primary key ("row", place), unique ("row", badge)) strict;`,
  collections: source => ({
    seats: collection(Seat, { source: source('seats'), key: ['row', 'place'], scope: () => ({ keeper: 1 }) })
  })
}
const number = fc.integer({ min: 0, max: 3 })
const seat = fc.record({ row: number, place: number, code: fc.integer({ min: 0, max: 9 }), badge: number })

everySource('a duplicate names fields that a seen item has all, and what is hidden no fields', async ({
  opened, send, t
}) => {
  // memory() knows of no constraint but those of keys and identifiers.
  const constraints = [['row', 'place'], ['code'], ...opened.kind === 'memory' ? [] : [['row', 'badge']]] as const
  const conflicts = async (item: Readonly<Record<string, number>>) => {
    const taken = (await opened.rows('seats')).flatMap(row => constraints
      .filter(fields => fields.every(field => row[field] === item[field]))
      .map(fields => ({ fields, isSeen: row['keeper'] === 1 })))
    // A database names a constraint of its own only where no key and no identifier is taken.
    const known = taken.filter(({ fields }) => !fields.some(field => field === 'badge'))
    return known.length > 0 ? known : taken
  }
  for (const item of fc.sample(seat, { numRuns: runsOf(30), seed })) {
    const found = await conflicts(item)
    const seen = new Set(found.filter(one => one.isSeen).flatMap(one => one.fields))
    const { statusCode, body } = await send('POST', '/seats', item)
    const { error, fields = [] } = JSON.parse(body) as { readonly error?: string, readonly fields?: string[] }
    const expected = found.length === 0 ? [201] : seen.size > 0 ? [409, 'duplicate', ...seen] : [400, 'constraint']
    t.strictSame([statusCode, error, ...fields].filter(one => one !== undefined).sort(), [...expected].sort(),
      `${JSON.stringify(item)} ${body}`)
  }
}, {}, seats)

rule('in a body, what is hidden can be neither named nor linked', async ({ send, same, get }) => {
  same(await send('PUT', '/tasks/20', { project: { id: 11 } }, red), 409,
    reference('There is no project with the id 11.', ['project'], '/project'))
  same(await send('PUT', '/tasks/20', { project: { id: 99 } }, red), 409,
    reference('There is no project with the id 99.', ['project'], '/project'))
  same(await send('PUT', '/projects/10', { labels: [{ id: 31 }] }, red), 409,
    reference('There is no label with the id 31.', ['labels'], '/labels/0'))
  same(await get('/tasks/20/project_id', red), 200, 10)
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
  same(await get('/projects/11?fields=id', red), 404, missing('11'))
  same(await get('/projects/by_id/11?fields=id', red), 404, missing('11'))
  same(await get('/projects/13?fields=id', red), 404, missing('13'))
  same(await get('/projects?id=11&fields=id', red), 200, [])
  same(await send('DELETE', '/projects/13', undefined, red), 404, missing('13'))
  same(await get('/projects?fields=id', boss), 200, [{ id: 10 }, { id: 11 }, { id: 12 }, { id: 13 }])
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
  const refused = dangling('room_id')
  for (const room of [2, 9]) {
    same(await send('PUT', '/notes/1', { room_id: room }), 409, refused)
    same(await send('PUT', '/notes/1/room_id', room), 409, refused)
    same(await send('POST', '/notes', { room_id: room }), 409, refused)
  }
  same(await send('POST', '/notes', { room_id: 1 }), 201, created(2))
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
