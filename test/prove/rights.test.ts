import { Type } from '@sinclair/typebox'
import type { FastifyInstance } from 'fastify'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { test } from 'tap'
import dataApi, { collection, type Context, type DataApiOptions, memory, SubItem } from '../../lib/index.ts'
import { expectRights, readRights } from '../../lib/tools/testing/prove/index.ts'
import { runLine } from '../command/helpers.ts'
import { root, writeProgram } from '../helpers/documents.ts'
import { browser } from '../helpers/explorer-pages.ts'
import Fastify from '../helpers/fastify.ts'

// docs/testing.md: Rights.

const id = Type.Integer({ identifier: true, readable: true })
const shown = { readable: true, writable: true } as const

const Note = Type.Object({
  id,
  text: Type.String(shown),
  salary: Type.Optional(Type.Integer(shown)),
  teamId: Type.Integer(),
  team: SubItem('teams', { foreignKey: 'teamId', ...shown })
})
const Team = Type.Object({ id, name: Type.String(shown) })
const Mail = Type.Object({ id, text: Type.String(shown) })

const roleOf = ({ request }: Context) => request.headers['x-role']
const isKnown = (context: Context) => roleOf(context) !== undefined
const isLead = (context: Context) => roleOf(context) === 'lead'

async function build (options: Partial<DataApiOptions> = {}, hook?: (app: FastifyInstance) => void) {
  const app = Fastify()
  hook?.(app)
  await app.register(dataApi, {
    prefix: '/api',
    requestStrategies: { delete: true },
    explorer: true,
    collections: {
      notes: collection(Note, {
        source: memory([]),
        scope: context => isKnown(context) && { teamId: 1 },
        rules: {
          create: isKnown,
          update: isKnown,
          delete: isLead,
          fields: { salary: { read: isLead, write: isLead }, text: { writeItem: () => true } }
        }
      }),
      teams: collection(Team, {
        source: memory([]),
        scope: { update: context => isLead(context) || { name: 'own' } },
        rules: { read: isKnown, create: isLead, update: isKnown, delete: false }
      }),
      mails: collection(Mail, {
        source: memory([]), rules: { read: false, create: true, update: false, delete: false }
      })
    },
    ...options
  })
  return app
}

const callers = { member: { headers: { 'x-role': 'member' } }, lead: { headers: { 'x-role': 'lead' } } }

test('the rights of callers stand in one table, and no data is read', async t => {
  const statuses = new Set<number>()
  const noting = async () => build({}, app => {
    app.addHook('onResponse', async (_request, { statusCode }) => { statuses.add(statusCode) })
  })
  const { notes, teams, mails } = await readRights(noting, callers)
  t.strictSame([...statuses].toSorted(), [400, 403])
  t.strictSame(notes?.callers, {
    visitor: 'nothing', member: 'read own, create, update', lead: 'read own, create, update, delete'
  })
  t.strictSame(teams?.callers, {
    visitor: 'nothing', member: 'read, update by item', lead: 'read, create, update'
  })
  t.strictSame(mails?.callers, { visitor: 'create', member: 'create', lead: 'create' })
  t.strictSame(notes?.fields, {
    id: { read: 'member, lead', write: 'nobody' },
    text: { read: 'member, lead', write: 'member by item, lead by item' },
    salary: { read: 'lead', write: 'lead' },
    team_id: { read: 'nobody', write: 'nobody' },
    team: { read: 'member, lead', write: 'member, lead' }
  })
  t.strictSame(mails?.fields['text'], { read: 'nobody', write: 'everybody' })
})

test('callers are made for the application, and of two APIs the names have paths', async t => {
  const twice = async () => {
    const app = await build()
    await app.register(dataApi, {
      prefix: '/open',
      collections: { mails: collection(Mail, { source: memory([]) }) },
      caller: () => undefined,
      rules: { read: true, create: false, update: false, delete: false }
    })
    return app
  }
  const rights = await readRights(twice, app => ({ [`${app.printPlugins().length > 0}`]: callers.lead }))
  t.strictSame(Object.keys(rights), ['/api/notes', '/api/teams', '/api/mails', '/open/mails'])
  t.strictSame(rights['/open/mails']?.callers, { visitor: 'read', true: 'read' })
})

test('a caller whom the application refuses is an error, and a visitor has no rights then', async t => {
  const closed = async () => build({}, app => {
    app.addHook('onRequest', async ({ headers }) => {
      if (headers['x-role'] !== 'lead') throw Object.assign(new Error('Log in.'), { statusCode: 401 })
    })
  })
  const { mails } = await readRights(closed, { lead: callers.lead })
  t.strictSame(mails?.callers, { visitor: 'nothing', lead: 'create' })
  await t.rejects(readRights(closed, callers), /refused member at \/api\/notes \(401 /)
  await t.rejects(readRights(() => Fastify()), /does not register/)
})

test('expectRights() compares with a file, and tells what differs', async t => {
  const file = join(t.testdir(), 'rights.json')
  await t.rejects(expectRights(build, callers, file), /UPDATE_RIGHTS=1 writes it/)
  process.env['UPDATE_RIGHTS'] = '1'
  t.teardown(() => { delete process.env['UPDATE_RIGHTS'] })
  await expectRights(build, callers, file)
  delete process.env['UPDATE_RIGHTS']
  await expectRights(build, callers, file)
  const open = async () => build({
    collections: {
      mails: collection(Mail, { source: memory([]), rules: { read: true, create: true, update: false } })
    },
    rules: { delete: false }
  })
  const told = await expectRights(open, callers, file).then(() => '', ({ message }: Error) => message)
  for (const line of [
    '- mails, member: create', '+ mails, member: read, create', '- mails.text: read nobody; write everybody',
    '+ mails.text: read everybody; write everybody', '- notes, visitor: nothing'
  ]) {
    t.ok(told.split('\n').includes(line), line)
  }
  t.match(JSON.parse(readFileSync(file, 'utf8')), { notes: { callers: { visitor: 'nothing' } } })
})

test('the page "Your rights" has those of the caller who looks, and no field that it may not know', async t => {
  const app = await build()
  const page = async (role?: string) => {
    const { body, headers } = await app.inject({
      url: '/api?_rights', headers: { ...browser, ...role !== undefined && { 'x-role': role } }
    })
    const rows = [...body.matchAll(/<tr><th scope="row">(.*?)<\/tr>/gs)].map(([, row = '']) =>
      row.replaceAll(/<[^>]*>|\n/g, ' ').replaceAll(/ +/g, ' ').trim())
    return { rows, cache: headers['cache-control'] }
  }
  t.strictSame(await page('member'), {
    rows: [
      'notes own yes yes no', 'teams yes no by item no', 'mails no yes no no', 'notes id yes no',
      'notes text yes by item', 'notes team yes yes', 'teams id yes no', 'teams name yes yes', 'mails text no yes'
    ],
    cache: 'private, no-cache'
  })
  t.match((await page('lead')).rows, ['notes own yes yes yes'])
  t.notMatch((await page()).rows.join('\n'), /salary|name/)
  t.match((await app.inject({ url: '/api', headers: browser })).body, '<a href="/api/?_rights">Your rights</a>')
})

test('npx fastify-data-api rights prints the tables, or the file', async t => {
  const file = fileURLToPath(writeProgram('rights.mjs', `
    import { Type } from '@sinclair/typebox'
    import { collection, memory } from '${fileURLToPath(new URL('lib/index.ts', root))}'
    const id = Type.Integer({ identifier: true, readable: true })
    const read = ({ request }) => request.headers['x-role'] === 'lead'
    export const collections = { notes: collection(Type.Object({ id }), { source: memory([]), rules: { read } }) }
    export const people = () => ({ lead: { headers: { 'x-role': 'lead' } } })`))
  const given = ['--caller', 'member=x-role: member', '--callers', 'people', '--export', 'collections']
  const { code, out, error } = await runLine('rights', file, ...given)
  t.strictSame([code, error], [0, ''])
  t.equal(out, `|       | visitor | lead | member  |
| ----- | ------- | ---- | ------- |
| notes | nothing | read | nothing |

| Field    | Read | Write  |
| -------- | ---- | ------ |
| notes.id | lead | nobody |
`)
  const json = await runLine('rights', file, ...given, '--json')
  t.strictSame(JSON.parse(json.out), {
    notes: {
      callers: { visitor: 'nothing', lead: 'read', member: 'nothing' },
      fields: { id: { read: 'lead', write: 'nobody' } }
    }
  })
  t.match(await runLine('rights', file, '--caller', 'lead'), { code: 2, error: /expected a name and a header/ })
  t.match(await runLine('rights'), { code: 2, error: /rights <module>/ })
})
