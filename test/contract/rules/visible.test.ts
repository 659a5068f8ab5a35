import { Type } from '@sinclair/typebox'
import { test } from 'tap'
import dataApi, { type Behaviour, collection, memory, SubCollection, SubItem } from '../../../lib/index.ts'
import { flags } from '../../fixtures/company.ts'
import { everySource, type Tools, type World } from '../../helpers/every-source.ts'
import Fastify from '../../helpers/fastify.ts'
import { everybody } from '../../helpers/everybody.ts'
import { forbidden } from '../../helpers/answers.ts'

// docs/rules.md. A condition of a scope may say that a related item must exist for the caller.

const id = Type.Integer({ identifier: true, readable: true })
const Issue = Type.Object({
  id,
  team: Type.Integer(flags),
  open: Type.Integer(flags),
  comments: SubCollection('comments', { foreignKey: 'issueId', ...flags })
})
const Comment = Type.Object({
  id, issueId: Type.Integer(flags), issue: SubItem('issues', { foreignKey: 'issueId', ...flags })
})
const File = Type.Object({
  id, commentId: Type.Integer(flags), comment: SubItem('comments', { foreignKey: 'commentId', ...flags })
})

const world: World = {
  tables: {
    issues: [{ id: 1, team: 1, open: 1 }, { id: 2, team: 2, open: 1 }, { id: 3, team: 1, open: 0 }],
    comments: [{ id: 1, issueId: 1 }, { id: 2, issueId: 2 }, { id: 3, issueId: 3 }],
    files: [{ id: 1, commentId: 1 }, { id: 2, commentId: 2 }, { id: 3, commentId: 3 }]
  },
  ddl: `create table issues (id key, team integer not null, open integer not null) strict;
create table comments (id key, "issueId" integer not null references issues) strict;
create table files (id key, "commentId" integer not null references comments) strict;`,
  collections: source => ({
    files: collection(File, {
      source: source('files'), scope: (_context, where) => where.some('comment', where.visible)
    }),
    comments: collection(Comment, {
      source: source('comments'),
      scope: {
        read: (_context, where) => where.some('issue', where.visible),
        update: (_context, where) => where.some('issue', issue => issue.all(issue.visible(), issue.equals('open', 1)))
      }
    }),
    issues: collection(Issue, {
      source: source('issues'),
      scope: ({ request: { headers } }) => headers['x-team'] === undefined || { team: Number(headers['x-team']) },
      rules: { read: ({ request: { headers } }) => headers['x-guest'] === undefined }
    })
  })
}

const rule = (name: string, run: (tools: Tools) => Promise<void>) => { everySource(name, run, {}, world) }

const team = { 'x-team': '1' }

rule('an item of which a related one must be visible is hidden with it, however far', async ({ get, same }) => {
  const ids = (...them: readonly number[]) => them.map(one => ({ id: one }))
  for (const name of ['comments', 'files']) {
    same(await get(`/${name}?fields=id`), 200, ids(1, 2, 3))
    same(await get(`/${name}?fields=id`, team), 200, ids(1, 3))
    same(await get(`/${name}?fields=id`, { 'x-team': '3' }), 200, [])
    // Who may not read issues sees none of them.
    same(await get(`/${name}?fields=id`, { 'x-guest': '1' }), 200, [])
  }
})

rule('a write does not take an item to a related one that is hidden', async ({ send, same, t }) => {
  t.equal((await send('PATCH', '/files/1', { comment_id: 2 }, team)).statusCode, 409)
  t.equal((await send('PATCH', '/comments/1', { issue_id: 2 }, team)).statusCode, 409)
  same(await send('PATCH', '/comments/3', { issue_id: 1 }, team), 403, forbidden)
  same(await send('PATCH', '/comments/1', { issue_id: 3 }, team), 200, { status: 'ok' })
})

test('scopes that need each other are a mistake: who needs them gets 500, with the name in the log', async t => {
  const parts = (foreign: string, scope: Behaviour<typeof Comment>['scope']) => collection(Type.Object({
    id, otherId: Type.Integer(), other: SubItem(foreign, { foreignKey: 'otherId', ...flags })
  }), { source: memory([{ id: 1, otherId: 1 }]), scope: scope as never })
  const logged: string[] = []
  const stream = { write: (line: string) => { logged.push((JSON.parse(line) as { err: Error }).err.message) } }
  const app = Fastify({ logger: { level: 'error', stream } })
  await app.register(dataApi, {
    rules: everybody,
    collections: {
      self: parts('self', (_context, where) => where.visible()),
      left: parts('right', (_context, where) => where.some('other', where.visible)),
      right: parts('left', (_context, where) => where.some('other', where.visible))
    }
  })
  for (const url of ['/self', '/left', '/right/1']) t.equal((await app.inject(url)).statusCode, 500, url)
  t.strictSame(logged.map(message => /^collection '(\w+)': its scope asks with 'visible'/.exec(message)?.[1]),
    ['self', 'left', 'right'])
})
