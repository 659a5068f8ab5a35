import fc, { runsOf } from '../helpers/fast-check.ts'
import type { FastifyRequest } from 'fastify'
import { test } from 'tap'
import type { Declared, Rule, Rules } from '../../lib/index.ts'
import { openers } from '../helpers/sources.ts'
import type { Way } from '../helpers/ways.ts'
import { type Kind, linksOf, serve } from '../helpers/ways-of-notes.ts'

// docs/http.md: Rules. By every way in which a link can be made or removed, enumerated from the model, the same rules
// give the same answer: it is refused if a rule that it asks denies it, and else done. Each fault that was once there
// is found when it is put back.

type Collections = Record<string, Declared>
type Leak = (declared: Collections) => Collections

/** A way, the names of its link, and whether a setter sees the link. */
interface Linking { readonly names: readonly string[], readonly setter: boolean, readonly way: Way }

const isDeletion = ({ asks }: Way) => asks.some(one => one.endsWith('.delete'))

/** The ways of making links between items that have none, and of removing those of items that have them. */
const linkings: readonly Linking[] = [
  ...linksOf({ safes: 5, notes: 3, parts: 2, tags: 2 }).flatMap(({ ways, ...link }) =>
    ways.map(way => ({ ...link, way }))),
  ...linksOf({ safes: 6, notes: 2, parts: 3, tags: 1 }).flatMap(({ unlinking, ...link }) =>
    unlinking.filter(way => !isDeletion(way)).map(way => ({ ...link, way })))
]

/** The rules of the drawn ones that deny a way. */
const deniedBy = ({ names, setter, way: { asks } }: Linking, denied: readonly string[]) =>
  [...names, ...asks, ...setter ? ['setter'] : []].filter(one => denied.includes(one))

/** Sends every way; those that are allowed as a dry run. Returns the first answer that is not by the law. */
async function findBreach (kind: Kind, denied: readonly string[], leak: Leak): Promise<string | undefined> {
  const { send, rows, close } = await serve(kind, undefined, leak)
  const before = JSON.stringify(await rows())
  try {
    for (const linking of linkings) {
      const { way } = linking
      const denying = deniedBy(linking, denied)
      const { statusCode, told } = await send(way,
        { deny: denied.join(' '), ...denying.length === 0 && { prefer: 'dry-run' } })
      const isLawful = denying.length === 0
        // The keys of this fixture cannot be chosen by a client: an upsert creates an item behind a parent alone.
        ? statusCode === 200 || (statusCode === 405 && way.url.endsWith('/99'))
        : refusalsOf(denying).includes(statusCode) && JSON.stringify(await rows()) === before
      if (!isLawful) return `${denied.join()}: ${JSON.stringify(way)} is ${statusCode} ${told}`
    }
    return undefined
  } finally {
    await close()
  }
}

/** What leads to a collection that may not be read is unknown, and an item of it does not exist. */
const refusalsOf = (denying: readonly string[]) =>
  denying.some(one => one.endsWith('.read')) ? [400, 403, 404, 405, 409] : [400, 403, 405]

const everyRule = ['safes', 'notes', 'parts', 'tags'].flatMap(name =>
  [`${name}.read`, `${name}.create`, `${name}.update`])
const everyName = ['safes.notes', 'notes.safeId', 'notes.safe', 'notes.parts', 'parts.note', 'notes.tags', 'tags.notes']
const rules = fc.subarray([...everyRule, ...everyName, 'setter'], { minLength: 1, maxLength: 4 })
const runs = runsOf(8)

const lawful = (kind: Kind, leak: Leak) => fc.asyncProperty(rules, async denied => {
  const breach = await findBreach(kind, denied, leak)
  if (breach !== undefined) throw new Error(breach)
})

for (const kind of Object.keys(openers) as Array<Kind>) {
  test(`the same write has one answer by every way of writing a link (${kind})`, { timeout: 0 }, async t => {
    await fc.assert(lawful(kind, declared => declared), { numRuns: runs })
    t.pass(`${runs} sets of rules`)
  })
}

test('without rules every way is open', async t => {
  t.ok(linkings.length > 50)
  for (const { way } of linkings) {
    const { send, close } = await serve('memory')
    const { statusCode, told } = await send(way)
    t.ok([200, 201].includes(statusCode) || (way.url.endsWith('/99') && statusCode === 405),
      `${JSON.stringify(way)} ${statusCode} ${told}`)
    await close()
  }
})

/** Asks a rule only if the request begins at the collection and, for a field, names the field: as it once was. */
function onlyBy (name: string, field: string | undefined, rule: Rules['create']): Rules['create'] {
  if (typeof rule !== 'function') return rule
  return context => {
    const { request } = context
    const asked = `${request.url} ${JSON.stringify(request.body)}`
    const isOwn = request.url.startsWith(`/${name}`) && (field === undefined || asked.includes(field))
    return isOwn ? rule(context) : true
  }
}

const changing = (change: (name: string, one: Declared) => Declared): Leak => declared =>
  Object.fromEntries(Object.entries(declared).map(([name, one]) => [name, change(name, one)]))

/** Denies, beside what the rule denies, requests for which `test` is false. */
const onlyWhere = (rule: Rules['create'], test: (request: FastifyRequest) => boolean): Rule =>
  context => typeof rule === 'function' && test(context.request) && rule(context)

/** True for a request that begins at another collection whose `update` is denied. */
function isOfParent (name: string, { url, headers }: FastifyRequest): boolean {
  const [, root = ''] = url.split('/')
  return root !== name && String(headers['deny']).includes(`${root}.update`)
}

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
  // Each of these closes a way, and leaves others open.
  'POST at the URL of a parent asks `update` of it': changing((name, one) => ({
    ...one, rules: { ...one.rules, create: onlyWhere(one.rules.create, request => !isOfParent(name, request)) }
  })),
  'DELETE behind a parent asks `update` of it': changing((name, one) => ({
    ...one,
    rules: {
      ...one.rules,
      update: onlyWhere(one.rules.update, request => request.method !== 'DELETE' || !isOfParent(name, request))
    }
  })),
  'relations have no rules': changing((_name, one) => ({ ...one, rules: { ...one.rules, fields: {} } }))
}

for (const [name, leak] of Object.entries(leaks)) {
  test(`a leak is found where ${name}`, { timeout: 0 }, async t => {
    const { failed, numRuns, errorInstance } = await fc.check(lawful('memory', leak),
      { numRuns: 100, seed: 1, endOnFailure: true })
    t.ok(failed, `after ${numRuns} sets of rules: ${String(errorInstance)}`)
  })
}
