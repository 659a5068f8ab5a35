import fc, { runsOf } from '../helpers/fast-check.ts'
import Fastify from '../helpers/fastify.ts'
import { test } from 'tap'
import dataApi, { type Declared, type Rules } from '../../lib/index.ts'
import { compileModel } from '../../lib/model/compile.ts'
import { compileOptions } from '../../lib/api/options.ts'
import { tables, world } from '../fixtures/notes.ts'
import { openers, type Opened } from '../helpers/sources.ts'
import { type LinkWays, type Way, waysOf } from '../helpers/ways.ts'

// docs/http.md: Rules. By every way in which a link can be written, enumerated from the model, the same rules give the
// same refusal; and each leak that was once there is found when it is put back.

const requestStrategies = { upsert: true, delete: true } as const
type Collections = Record<string, Declared>
type Leak = (declared: Collections) => Collections

function linksIn (declared: Collections): readonly LinkWays[] {
  const options = compileOptions({ collections: declared, requestStrategies })
  const { naming, pages } = options
  const model = compileModel(declared, { naming, pages, requestStrategies, reserved: new Map() })
  const own: Readonly<Record<string, number>> = { safes: 5, notes: 3, parts: 2, tags: 2 }
  return waysOf(model, { of: ({ name }) => own[name] ?? 0, unused: 99 })
}

const rowsOf = (opened: Opened) => Promise.all(Object.keys(tables).map(table => opened.rows(table)))

/** Returns true if a rule that is denied is one that the way must ask. */
const isDenied = ({ names, setter }: LinkWays, { asks }: Way, denied: readonly string[]) =>
  [...names, ...asks, ...setter ? ['setter'] : []].some(one => denied.includes(one))

/** Sends every way, each to data of its own if it is allowed. Returns the first answer that is not by the law. */
async function findBreach (
  kind: keyof typeof openers, denied: readonly string[], leak: Leak
): Promise<string | undefined> {
  const open = openers[kind]
  const links = linksIn(world.collections((await openers.memory(tables)).source))
  const headers = { deny: denied.join(' '), 'content-type': 'application/json' }
  const opened = await open(tables, world.ddl)
  const app = Fastify()
  await app.register(dataApi, { requestStrategies, collections: leak(world.collections(opened.source)) })
  const before = JSON.stringify(await rowsOf(opened))
  try {
    for (const link of links) {
      for (const way of link.ways.filter(one => isDenied(link, one, denied))) {
        const { method, url, body } = way
        const { statusCode, body: told } = await app.inject({ method, url, headers, payload: JSON.stringify(body) })
        const isRefused = [400, 403, 405].includes(statusCode) && JSON.stringify(await rowsOf(opened)) === before
        if (!isRefused) return `${denied.join()}: ${method} ${url} ${JSON.stringify(body)} is ${statusCode} ${told}`
      }
    }
    return undefined
  } finally {
    await app.close()
    await opened.close()
  }
}

const everyRule = ['safes', 'notes', 'parts', 'tags'].flatMap(name => [`${name}.create`, `${name}.update`])
const everyName = ['safes.notes', 'notes.safeId', 'notes.safe', 'notes.parts', 'parts.note', 'notes.tags', 'tags.notes']
const rules = fc.subarray([...everyRule, ...everyName, 'setter'], { minLength: 1, maxLength: 4 })
const runs = runsOf(8)

const lawful = (kind: keyof typeof openers, leak: Leak) => fc.asyncProperty(rules, async denied => {
  const breach = await findBreach(kind, denied, leak)
  if (breach !== undefined) throw new Error(breach)
})

for (const kind of Object.keys(openers) as Array<keyof typeof openers>) {
  test(`the same rules give the same refusal by every way of writing a link (${kind})`, { timeout: 0 }, async t => {
    await fc.assert(lawful(kind, declared => declared), { numRuns: runs })
    t.pass(`${runs} sets of rules`)
  })
}

test('without rules every way is open', async t => {
  const links = linksIn(world.collections((await openers.memory(tables)).source))
  t.ok(links.flatMap(({ ways }) => ways).length > 30)
  for (const { method, url, body } of links.flatMap(({ ways }) => ways)) {
    const opened = await openers.memory(tables)
    const app = Fastify()
    await app.register(dataApi, { requestStrategies, collections: world.collections(opened.source) })
    const { statusCode, body: told } = await app.inject({
      method, url, headers: { 'content-type': 'application/json' }, payload: JSON.stringify(body)
    })
    // The key of this fixture cannot be chosen by a client, so no upsert creates an item.
    t.ok([200, 201].includes(statusCode) || (url.endsWith('/99') && statusCode === 405),
      `${method} ${url} ${statusCode} ${told}`)
    await app.close()
  }
})

/** Asks a rule only if the request begins at the collection and, for a field, names the field: as it once was. */
const onlyBy = (name: string, field: string | undefined, rule: Rules['create']): Rules['create'] => rule &&
  (context => {
    const { request } = context
    const asked = `${request.url} ${JSON.stringify(request.body)}`
    const isOwn = request.url.startsWith(`/${name}`) && (field === undefined || asked.includes(field))
    return isOwn ? rule(context) : true
  })

const changing = (change: (name: string, one: Declared) => Declared): Leak => declared =>
  Object.fromEntries(Object.entries(declared).map(([name, one]) => [name, change(name, one)]))

const leaks: Readonly<Record<string, Leak>> = {
  'the rule of a foreign key is asked by its own name only': changing((name, one) => {
    const { fields = {} } = one.rules
    const own = Object.entries(fields).map(([field, rule]) =>
      [field, {
        ...rule, write: onlyBy(name, field.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`), rule?.write)
      }])
    return { ...one, rules: { ...one.rules, fields: Object.fromEntries(own) } as Rules }
  }),
  'the setter of a foreign key is passed by': changing((_name, one) => ({ ...one, setters: {} })),
  'a link asks the rules of one side only': changing((name, one) => {
    const { update } = one.rules
    return { ...one, rules: { ...one.rules, ...update && { update: onlyBy(name, undefined, update) } } as Rules }
  }),
  'relations have no rules': changing((_name, one) => ({ ...one, rules: { ...one.rules, fields: {} } }))
}

for (const [name, leak] of Object.entries(leaks)) {
  test(`a leak is found where ${name}`, { timeout: 0 }, async t => {
    const { failed, numRuns, errorInstance } = await fc.check(lawful('memory', leak),
      { numRuns: 100, seed: 1, endOnFailure: true })
    t.ok(failed, `after ${numRuns} sets of rules: ${String(errorInstance)}`)
  })
}
