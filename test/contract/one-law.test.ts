import fc, { runsOf } from '../helpers/fast-check.ts'
import { test } from 'tap'
import { openers } from '../helpers/sources.ts'
import type { Way } from '../helpers/ways.ts'
import { type Kind, linksOf, serve } from '../helpers/ways-of-notes.ts'

// docs/http.md: Rules. By every way in which a link can be made or removed, enumerated from the model, the same rules
// give the same answer: it is refused if a rule that it asks denies it, and else done.

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
async function findBreach (kind: Kind, denied: readonly string[]): Promise<string | undefined> {
  const { send, rows, close } = await serve(kind)
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

for (const kind of Object.keys(openers) as Array<Kind>) {
  test(`the same write has one answer by every way of writing a link (${kind})`, { timeout: 0 }, async t => {
    await fc.assert(fc.asyncProperty(rules, async denied => {
      const breach = await findBreach(kind, denied)
      if (breach !== undefined) throw new Error(breach)
    }), { numRuns: runs })
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
