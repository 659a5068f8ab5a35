import { Type } from '@sinclair/typebox'
import { test } from 'tap'
import dataApi, { collection, computed, type Context, memory, SubCollection, SubItem } from '../../lib/index.ts'
import { ProofError, proveRules, type ProveOptions } from '../../lib/tools/testing/prove/index.ts'
import { read, programsIn, writeProgram } from '../helpers/documents.ts'
import Fastify from '../helpers/fastify.ts'
import { buildDesk } from './desk.ts'
import { buildNotes, member, type Mistake } from './notes.ts'
import { everybody } from '../helpers/everybody.ts'

// docs/testing.md: Prove.

/** Returns the error of a proof that finds something. */
async function failureOf (options: ProveOptions): Promise<ProofError> {
  try {
    await proveRules(options)
  } catch (error) {
    if (error instanceof ProofError) return error
    throw error
  }
  throw new Error('nothing was found')
}

const callers = { member }
const shown = Type.String({ readable: true, writable: true })

test('an application without a mistake answers alike in both worlds, and all of it is driven', async t => {
  const { requests, report } = await proveRules({ app: () => buildNotes(), callers, requests: 500, seed: 1 })
  t.ok(requests >= 500)
  t.match(report, 'No difference in')
  t.match(report, 'Hidden, and so different in both worlds: notes, notes.salary, notes.teamId, notes.text, teams.')
  t.notMatch(report, 'Not driven')
  for (const way of ['notes.text grouped', 'notes.text by number', 'teams.notes count()', 'teams.notes by count()']) {
    t.match(report, `| ${way} | `)
  }
  for (const method of ['PATCH', 'DELETE']) t.match(report, `| notes written by a filter and ${method} | `)
})

const leaks: Readonly<Record<Mistake, RegExp>> = {
  'forgotten scope': /^A member can tell .* `notes/,
  computed: /^A member can tell \d+ from \d+ in `notes.salary` by /,
  lookup: /^A member can tell \d+ from \d+ in `notes.salary` by `\w+ \/notes\//,
  hook: /^A member can tell "?.*`notes.* by `(?:POST|PUT|PATCH) \//
}

for (const [mistake, leak] of Object.entries(leaks)) {
  test(`a leak is found, reduced to one request: ${mistake}`, async t => {
    const { message, requests } = await failureOf({ app: () => buildNotes(mistake as Mistake), callers, seed: 1 })
    const [sentence = ''] = message.split('\n')
    t.match(sentence, leak, sentence)
    t.ok(requests <= 2000, `after ${requests} requests`)
  })
}

test('a computed field that tells to which hidden item a visible one refers is found', async t => {
  const id = Type.Integer({ identifier: true, readable: true })
  const Case = Type.Object({ id, title: shown, ownerId: Type.Integer({ default: 1 }) })
  const Owner = Type.Object({ id, cases: SubCollection('cases', { foreignKey: 'ownerId', readable: true }) })
  const build = (more: object) => async () => {
    const app = Fastify()
    await app.register(dataApi, {
      rules: everybody,
      collections: {
        cases: collection(Case, { source: memory([]), ...more }),
        owners: collection(Owner, { source: memory([]), scope: () => false })
      }
    })
    return app
  }
  const isOdd = computed({
    type: Type.Boolean({ readable: true }),
    from: ['ownerId'],
    get: ({ ownerId }: { ownerId: number }) => ownerId % 2 > 0
  })
  const { message } = await failureOf({ app: build({ computed: { isOdd } }), callers, seed: 1 })
  t.match(message, /^A member can tell \d from \d in `cases.ownerId` by /)
  const allow = ['owners by key', 'owners.id alone', 'owners.cases as a path']
  const { report } = await proveRules({ app: build({}), callers, requests: 500, seed: 1, allow })
  t.match(report, 'Hidden, and so different in both worlds: cases.ownerId')
})

test('so is one that tells of the parts of a foreign key, or that there is none', async t => {
  const R = { readable: true }
  const Owner = Type.Object({ team: Type.Integer(R), number: Type.Integer(R) })
  const part = Type.Union([Type.Integer(), Type.Null()], { default: null })
  const Case = Type.Object({
    id: Type.Integer({ identifier: true, ...R }),
    team: part,
    number: part,
    owner: SubItem('owners', { foreignKey: ['team', 'number'] })
  })
  type Parts = { readonly team: number | null, readonly number: number | null }
  const build = (get: (parts: Parts) => boolean) => async () => {
    const app = Fastify()
    const told = computed({ type: Type.Boolean(R), from: ['team', 'number'], get })
    await app.register(dataApi, {
      rules: everybody,
      collections: {
        cases: collection(Case, { source: memory([]), computed: { told } }),
        owners: collection(Owner, { source: memory([]), key: ['team', 'number'], scope: () => false })
      }
    })
    return app
  }
  const sum = ({ team, number }: Parts) => (team ?? 0) + (number ?? 0)
  const odd = await failureOf({ app: build(parts => sum(parts) % 3 === 0), callers, seed: 1 })
  t.match(odd.message, /^A member can tell \S+ from \S+ in `cases.team`, \S+ from \S+ in `cases.number` by /)
  const free = await failureOf({ app: build(({ team }) => team === null), callers, seed: 1 })
  t.match(free.message, / `null`.* in `cases.team`/)
})

test('the same seed finds the same by the same requests', async t => {
  const [one, other] = [
    await failureOf({ app: () => buildNotes('lookup'), callers, seed: 7 }),
    await failureOf({ app: () => buildNotes('lookup'), callers, seed: 7 })
  ]
  t.equal(one.report, other.report)
})

test('an upsert by the key of a hidden row is refused in both worlds: the row is in both', async t => {
  const id = Type.String({ identifier: true, readable: true })
  const Thing = Type.Object({ id, team: Type.Integer({ default: 1 }) })
  const app = async () => {
    const built = Fastify()
    const things = collection(Thing, {
      source: memory([]), scope: () => ({ team: 1 }), requestStrategies: { create: false, upsert: true }
    })
    await built.register(dataApi, { rules: everybody, collections: { things } })
    return built
  }
  const { report } = await proveRules({ app, requests: 300, seed: 1, allow: ['things changed by PUT'] })
  t.match(report, 'No difference in')
})

test('fields that are unique together are alike in both worlds: a duplicate of a hidden item is refused', async t => {
  const id = Type.Integer({ identifier: true, readable: true })
  const Label = Type.Object({ id, name: shown, rank: Type.Integer({ default: 1 }), team: Type.Integer({ default: 1 }) })
  const app = async () => {
    const built = Fastify()
    const labels = collection(Label, { source: memory([]), scope: () => ({ team: 1 }), unique: [['team', 'name']] })
    await built.register(dataApi, { rules: everybody, collections: { labels } })
    return built
  }
  const { report } = await proveRules({ app, requests: 200, seed: 1 })
  t.match(report, 'Hidden, and so different in both worlds: labels, labels.rank.')
})

test('a field whose values callers may learn is alike in both worlds', async t => {
  const allow = ['notes.salary']
  const { report } = await proveRules({ app: () => buildNotes('computed'), callers, requests: 300, seed: 1, allow })
  t.match(report, '- notes.salary: allowed')
})

test('a scope that may be missing is worth a look, where nobody says what callers see', async t => {
  const { headers = {} } = member
  const { report } = await proveRules({
    app: () => buildNotes('forgotten scope'), callers: { member: { headers } }, requests: 300, seed: 1, allow: ['notes']
  }).catch((error: unknown) => error as ProofError)
  t.match(report, '- member: notes, whose items belong to teams')
})

test('where agents have a door, what they read is driven, and a field that is open to them alone is found', async t => {
  const Thing = Type.Object({ id: Type.Integer({ identifier: true, readable: true }), text: shown, secret: shown })
  const app = (door: 'http' | 'mcp') => async () => {
    const built = Fastify()
    const rules = { fields: { secret: { read: (context: Context) => context.door === 'mcp' && door === 'mcp' } } }
    const things = collection(Thing, { source: memory([]), rules })
    await built.register(dataApi, { rules: everybody, collections: { things }, mcp: true })
    return built
  }
  const { report } = await proveRules({ app: app('http'), callers, requests: 500, seed: 1 })
  t.match(report, /\| things read by an agent \| \d+ \| [1-9]\d* \|/)
  t.match(report, /described to an agent \| \d+ \| [1-9]\d* \|/)
  const { message } = await failureOf({ app: app('mcp'), callers, seed: 1 })
  t.match(message, /`things.secret` by `POST \/mcp/)
})

test('where documents are live, they are followed', async t => {
  const app = () => buildDesk({ options: { live: true } })
  const { report } = await proveRules({ app, callers, seed: 1, requests: 100 })
  for (const name of ['teams', 'users', 'tickets', 'comments']) {
    t.match(report, new RegExp(`\\| ${name} followed \\| \\d+ \\| [1-9]\\d* \\|`))
  }
  const some = await proveRules({
    app: () => buildDesk({ options: { live: { collections: ['users'] } } }), callers, seed: 1, requests: 100
  })
  t.match(some.report, '| users followed | ')
  t.notMatch(some.report, '| tickets followed | ')
})

test('where agents may write, what they write is driven, with a key where one is needed', async t => {
  const Thing = Type.Object({ id: Type.Integer({ identifier: true, readable: true }), text: shown })
  const app = async () => {
    const built = Fastify()
    await built.register(dataApi, {
      rules: everybody,
      collections: { things: collection(Thing, { source: memory([]) }) },
      requestStrategies: { batch: true, requireIdempotencyKey: ['PATCH'] },
      idempotency: { caller: () => 'member' },
      mcp: { write: true }
    })
    return built
  }
  const { report } = await proveRules({ app, callers: { member: {} }, requests: 200, seed: 1 })
  t.match(report, /written by an agent \| \d+ \| [1-9]\d* \|/)
})

test('where batches are on, items are changed and changed back by them', async t => {
  const app = async () => {
    const built = Fastify()
    const things = collection(Type.Object({ id: Type.Integer({ identifier: true, readable: true }), text: shown }), {
      source: memory([])
    })
    await built.register(dataApi, { rules: everybody, collections: { things }, requestStrategies: { batch: true } })
    return built
  }
  const { report } = await proveRules({ app, requests: 300, seed: 1 })
  const [, sent, answered] = /\| things changed and changed back in a batch \| (\d+) \| (\d+) \|/.exec(report) ?? []
  t.ok(Number(sent) >= 10, `${sent} sent`)
  t.ok(Number(answered) >= 5, `${answered} answered`)
})

test('where writes need keys, each has one', async t => {
  const build = async () => {
    const app = Fastify()
    const Note = Type.Object({ id: Type.Integer({ identifier: true, readable: true }), text: shown })
    await app.register(dataApi, {
      rules: everybody,
      collections: { notes: collection(Note, { source: memory([]) }) },
      requestStrategies: { delete: true, requireIdempotencyKey: ['POST', 'PATCH', 'DELETE'] },
      idempotency: { caller: () => 'member' }
    })
    return app
  }
  const { report } = await proveRules({ app: build, callers: { member: {} }, requests: 300, seed: 1 })
  t.notMatch(report, 'Not driven')
})

test('what cannot be driven fails the proof, unless it is allowed', async t => {
  const app = async () => {
    const built = await buildNotes()
    built.get('/broken', async () => { throw new Error('broken') })
    return built
  }
  const { message, report } = await failureOf({ app, callers, requests: 300, seed: 1, routes: ['GET /broken'] })
  t.match(message, /^Not all was driven: 'GET \/broken' gave member errors only/)
  t.match(report, '- member: `GET /broken`')
  await proveRules({ app, callers, requests: 300, seed: 1, routes: ['GET /broken'], allow: ['GET /broken'] })
})

test('a leak of an own route is found', async t => {
  const app = async () => {
    const built = await buildNotes()
    built.get('/highest', async () => {
      const { items } = await built.dataApi.asSystem().collection('notes').list({ sort: ['-salary'], size: 1 })
      return { salary: items[0]?.['salary'] }
    })
    return built
  }
  const { message } = await failureOf({ app, callers, seed: 1, routes: ['GET /highest'] })
  t.match(message, /^A member can tell .* by `GET \/highest`/)
})

test('callers whom the application does not know, and applications without an API, are told', async t => {
  const app = async () => {
    const built = await buildNotes()
    built.addHook('onRequest', async (_request, reply) => reply.code(401).send({}))
    return built
  }
  t.match((await failureOf({ app, callers, requests: 200, seed: 1 })).message, /^The application refused every request/)
  await t.rejects(proveRules({ app: () => Fastify() }), /does not register fastify-data-api/)
})

test('docs/testing.md#prove begins with what its program finds', async t => {
  const page = read('docs/testing.md#prove')
  const [program = ''] = programsIn(page)
  const [sentence = ''] = programsIn(page, 'text')
  const { proved } = await import(writeProgram('prove.ts', program).href) as { proved: Promise<unknown> }
  await t.rejects(proved, { message: new RegExp(`^${sentence.trim().replaceAll(/[`/.]/g, '\\$&')}\n`) })
})

test('the sentences of what callers can learn are those of docs/http.md', async t => {
  const { report } = await proveRules({ app: () => buildNotes(), callers, requests: 1, seed: 1 })
  const [, listed = ''] = report.split('callers may learn it\n')
  const sentences = [...listed.matchAll(/: "(.*)"/g)].map(([, sentence = '']) => sentence)
  const http = read('docs/http.md').replaceAll(/\s+/g, ' ')
  t.equal(sentences.length, 3)
  for (const sentence of sentences) t.ok(http.includes(sentence), sentence)
})
