import { type TSchema, Type } from '@sinclair/typebox'
import { test } from 'tap'
import dataApi, { collection, expression, memory, SubCollection, SubItem } from '../../lib/index.ts'
import { Id, open, shown } from '../helpers/checked-tables.ts'
import { everySource, type World } from '../helpers/every-source.ts'
import Fastify from '../helpers/fastify.ts'
import { walkPages } from '../helpers/walk-pages.ts'
import { internal } from '../helpers/answers.ts'

// docs/declaring.md: Expressions that are null

interface Ticket { id: number, teamId: number, rank: number | null }

const teams = [{ id: 1 }, { id: 2 }]
const tickets: readonly Ticket[] = [
  { id: 1, teamId: 1, rank: 3 }, { id: 2, teamId: 1, rank: null }, { id: 3, teamId: 2, rank: 7 }
]

/** Tickets whose rank is high, which is null for those that have no rank. */
const world = (type: TSchema, nullable?: boolean): World => ({
  tables: { teams, tickets } as unknown as World['tables'],
  ddl: `create table teams (id integer primary key);
    create table tickets (id integer primary key, "teamId" integer not null, rank integer)`,
  collections: source => ({
    teams: collection(Type.Object({
      id: Id, tickets: SubCollection('tickets', { foreignKey: 'teamId', ...shown, hidden: true })
    }), { source: source('teams'), requestStrategies: { create: false } }),
    tickets: collection(Type.Object({
      id: Id,
      teamId: Type.Integer(open),
      rank: Type.Union([Type.Integer(), Type.Null()], open),
      team: SubItem('teams', { foreignKey: 'teamId', ...shown, hidden: true }),
      next: SubItem('tickets', { foreignKey: 'teamId', ...shown, hidden: true })
    }), {
      source: source('tickets'),
      requestStrategies: { create: false },
      computed: {
        isHigh: expression({
          type,
          ...nullable !== undefined && { nullable },
          sql: eb => eb('rank', '>', 5),
          memory: ({ rank }) => rank === null ? null : rank > 5
        })
      }
    })
  })
})

const Flag = Type.Boolean({ ...shown, listed: true })

everySource('an expression may be null, and is filtered and sorted as any field that may be', async ({ get, same }) => {
  const found = {
    'is_high=null': [{ id: 2 }],
    'is_high!=null': [{ id: 1 }, { id: 3 }],
    'is_high!=true': [{ id: 1 }, { id: 2 }],
    'is_high=*true,false': [{ id: 1 }, { id: 3 }],
    'is_high!=*true': [{ id: 1 }, { id: 2 }],
    'where=!(is_high=true)': [{ id: 1 }, { id: 2 }],
    'sort=is_high': [{ id: 1 }, { id: 3 }, { id: 2 }],
    'sort=-is_high': [{ id: 2 }, { id: 3 }, { id: 1 }]
  }
  for (const [query, items] of Object.entries(found)) same(await get(`/tickets?fields=id&${query}`), 200, items)
  same(await get('/tickets/2/is_high'), 200, null)
  same(await get('/tickets/by_is_high?fields=id'), 200, { false: [{ id: 1 }], true: [{ id: 3 }] })
  same(await get('/tickets/by_is_high?fields=count()'), 200, { false: { count: 1 }, true: { count: 1 } })
  same(await get('/tickets?fields=is_high,count()&sort=-is_high'), 200,
    [{ is_high: null, count: 1 }, { is_high: true, count: 1 }, { is_high: false, count: 1 }])
  same(await get('/teams?fields=tickets(is_high)'), 200,
    [{ tickets: [{ is_high: false }, { is_high: null }] }, { tickets: [{ is_high: true }] }])
}, {}, world(Flag))

everySource('cursors lead through the nulls of an expression', async ({ t, get }) => {
  for (const [sort, expected] of [['is_high', [1, 3, 2]], ['-is_high', [2, 3, 1]]] as const) {
    const found = await walkPages(get, `/tickets?sort=${sort}&fields=id&size=1`)
    t.strictSame(found.map(({ id }) => id), expected)
  }
}, {}, world(Flag))

for (const [nullable, type, line] of [
  [undefined, /\["boolean","null"\]/, /: boolean \| null\n/], [false, /"boolean"/, /: boolean\n/]
] as const) {
  everySource(`documents say whether an expression may be null: nullable is ${nullable}`, async ({ t, app }) => {
    t.match(JSON.stringify(app.dataApi.openapi()), new RegExp(`"is_high":\\{[^}]*"type":${type.source}`))
    t.match(app.dataApi.types(), new RegExp(`is_high${line.source}`))
  }, {}, world(Flag, nullable))
}

everySource('a null that was excluded is an error wherever it would be shown', async ({ t, get, same, send }) => {
  const failed = internal
  const urls = [
    '/tickets', '/tickets/2', '/tickets/2/is_high', '/tickets?fields=is_high', '/tickets?fields=is_high,team',
    '/tickets?fields=is_high,team(id)', '/tickets/2?fields=is_high,team(id)', '/tickets/by_id', '/tickets/by_id/2',
    '/tickets?size=1&page=2', '/teams?fields=id,tickets', '/teams/1?fields=tickets(is_high)',
    '/teams/1/tickets', '/teams/1/tickets/2/is_high', '/teams/1/tickets?fields=is_high', '/teams/by_id?fields=tickets',
    '/tickets?fields=is_high,count()', '/tickets?fields=is_high,rank.max()', '/tickets?fields=next(is_high)'
  ]
  for (const url of urls) {
    const response = await get(url)
    t.equal(response.statusCode, 500, `${url} ${response.body}`)
    same(response, 500, failed)
  }
  for (const accept of ['application/x-ndjson', 'text/csv']) {
    same(await get('/tickets', { accept }), 500, failed)
    same(await get('/tickets?fields=is_high', { accept }), 500, failed)
  }
  same(await send('PATCH', '/tickets/1', { rank: null }, { prefer: 'return=representation' }), 500, failed)
  same(await get('/tickets/1?fields=rank'), 200, { rank: 3 })
  same(await get('/tickets?rank!=null&fields=is_high'), 200, [{ is_high: false }, { is_high: true }])
  same(await get('/tickets?fields=id,rank'), 200, tickets.map(({ id, rank }) => ({ id, rank })))
  same(await get('/tickets/3'), 200, { id: 3, team_id: 2, rank: 7, is_high: true })
}, {}, world(Flag, false))

test('the log names the collection, the field and the key', async t => {
  const logged: string[] = []
  const write = (line: string) => { logged.push((JSON.parse(line) as { err: { message: string } }).err.message) }
  const app = Fastify({ logger: { level: 'error', stream: { write } } })
  const one = collection(Type.Object({ a: Type.Integer(shown), b: Type.String(shown) }), {
    source: memory([{ a: 1, b: 'x' }]),
    key: ['a', 'b'],
    computed: { isLate: expression({ type: Flag, nullable: false, memory: () => null as unknown as boolean }) }
  })
  await app.register(dataApi, { collections: { tickets: one } })
  t.equal((await app.inject('/tickets?fields=is_late')).statusCode, 500)
  t.equal((await app.inject('/tickets?fields=is_late,count()')).statusCode, 500)
  await t.rejects(app.dataApi.asSystem().collection(one).list(), { code: 'internal' })
  const advice = "is null, but it says 'nullable: false'; remove that, or have the SQL return another value"
  t.strictSame(logged, [
    `collection 'tickets', computed.isLate: the value of the item {"a":1,"b":"x"} ${advice}`,
    `collection 'tickets', computed.isLate: the value of a group ${advice}`
  ])
})

test('a type with null contradicts nullable: false', async t => {
  for (const type of [Type.Union([Type.Boolean(), Type.Null()], shown), Type.Optional(Type.Boolean(shown))]) {
    const tickets = collection(Type.Object({ id: Id }), {
      source: memory([]), computed: { late: expression({ type: type as TSchema, nullable: false, memory: () => true }) }
    })
    await t.rejects(async () => Fastify().register(dataApi, { collections: { tickets } }),
      { message: "collection 'tickets', field 'late': says 'nullable: false', but its type takes null" })
  }
})
