import fc, { runsOf } from '../helpers/fast-check.ts'
import { test } from 'tap'
import { tables } from '../fixtures/notes.ts'
import {
  type Data, type Kind, lawOnEach, ownKeys, sendTo as send, tagLinks, waysFor
} from '../helpers/ways-of-notes.ts'

// docs/http.md: Rules. By every way in which a link can be written or removed, enumerated from the model, no item
// leaves the caller's scope or is created outside of it, nothing is done to items outside of it, and all else is done.

const scopes = ['no secret tags', 'no secret parts', 'open tags', 'open parts'] as const

/** Returns true if the note is in the scope: by the rows alone, independently of the library. */
function isVisible (note: unknown, data: Data, scope: typeof scopes[number]): boolean {
  const [wanted, word, relation] = scope.startsWith('no ')
    ? [false, 'secret', scope.slice('no secret '.length)]
    : [true, 'open', scope.slice('open '.length)]
  const tags = data['note_tags']?.filter(({ noteId }) => noteId === note).map(({ tagId }) => tagId) ?? []
  const has = relation === 'tags'
    ? data['tags']?.some(tag => tags.includes(tag['id']) && tag['word'] === word)
    : data['parts']?.some(({ noteId, kind }) => noteId === note && kind === word)
  return has === wanted
}

const notesIn = (data: Data) => data['notes']?.map(({ id }) => id) ?? []

/** The links of a note, and itself. */
const about = (note: unknown, data: Data) => JSON.stringify([
  data['notes']?.filter(({ id }) => id === note),
  data['note_tags']?.filter(({ noteId }) => noteId === note),
  data['parts']?.filter(({ noteId }) => noteId === note)
])

/** Returns why the data afterwards is not by the law; undefined if it is. */
function breachIn (before: Data, after: Data, scope: typeof scopes[number]): string | undefined {
  const hidden = notesIn(before).filter(note => !isVisible(note, before, scope))
  const left = notesIn(after).find(note => !hidden.includes(note) && !isVisible(note, after, scope))
  if (left !== undefined) return `note ${String(left)} is outside of the scope now`
  const changed = hidden.find(note => linksOf(note, after).some(link => !linksOf(note, before).includes(link)) ||
    JSON.stringify(ownOf(note, before)) !== JSON.stringify(ownOf(note, after)))
  return changed === undefined ? undefined : `note ${String(changed)}, which is hidden, was changed or linked`
}

const ownOf = (note: unknown, data: Data) => data['notes']?.filter(({ id }) => id === note)

const linksOf = (note: unknown, data: Data) => [...data['note_tags'] ?? [], ...data['parts'] ?? []]
  .filter(({ noteId }) => noteId === note).map(link => JSON.stringify(link))

interface Case {
  readonly scope: typeof scopes[number]
  readonly data: Data
  readonly own: Readonly<Record<string, number>>
  readonly choice: number
}

/** Sends one of the ways. Returns what is not by the law in its answer; undefined if all is. */
async function findBreach (kind: Kind, { scope, data, own, choice }: Case): Promise<string | undefined> {
  const all = waysFor(own)
  // The scope asks for tags or parts, so their links and deletions are drawn more often.
  const relation = scope.endsWith('tags') ? 'tags' : 'parts'
  const likely = all.filter(one => (one.url + JSON.stringify(one.body)).includes(relation))
  const deletions = all.filter(({ method, url }) => method === 'DELETE' && url === `/${relation}/${own[relation]}`)
  const pools = [all, likely, likely, deletions]
  const ways = pools[choice % pools.length] ?? all
  const way = ways[Math.floor(choice / pools.length) % ways.length]
  if (way === undefined) throw new TypeError('there are ways')
  const { statusCode, told, after } = await send(kind, data, way, { scope })
  const tell = (reason: string) =>
    `${scope}: ${way.method} ${way.url} ${JSON.stringify(way.body)}: ${statusCode} ${told}; ${reason}`
  if (statusCode >= 500) return tell('a fault')
  if (statusCode >= 400 && JSON.stringify(after) !== JSON.stringify(data)) return tell('and something was written')
  const breach = breachIn(data, after, scope)
  if (breach !== undefined) return tell(breach)
  if (statusCode < 400) return undefined
  const open = await send('memory', data, way)
  const isWrong = open.statusCode < 400 && isHarmless(data, open.after, scope)
  return isWrong ? tell('though nothing speaks against it') : undefined
}

/** Returns true if a write without rules changed data, none of hidden notes, and brought no note out of the scope. */
function isHarmless (before: Data, after: Data, scope: typeof scopes[number]): boolean {
  const hidden = notesIn(before).filter(note => !isVisible(note, before, scope))
  if (JSON.stringify(before) === JSON.stringify(after)) return false
  const isUntouched = hidden.every(note => about(note, before) === about(note, after))
  return isUntouched && breachIn(before, after, scope) === undefined
}

const cases: fc.Arbitrary<Case> = fc.record({
  scope: fc.constantFrom(...scopes),
  choice: fc.nat({ max: 100_000 }),
  words: fc.array(fc.constantFrom('open', 'secret'), { minLength: 2, maxLength: 2 }),
  parts: fc.array(fc.record({
    kind: fc.constantFrom('open', 'secret'), noteId: fc.constantFrom(1, 2, 3, null)
  }), { minLength: 3, maxLength: 3 }),
  links: tagLinks,
  own: ownKeys
}).map(({ scope, choice, words, parts, links, own }) => ({
  scope,
  choice,
  own,
  data: {
    ...tables,
    parts: parts.map((part, index) => ({ id: index + 1, ...part })),
    tags: words.map((word, index) => ({ id: index + 1, word })),
    note_tags: links.map(([noteId, tagId]) => ({ noteId, tagId }))
  }
}))

lawOnEach('by every way of writing a link no item leaves the scope', cases, 8,
  { memory: 32, sqlite: 4, postgres: 1 }, findBreach)

// A collection that may not be read: its items can be named in a path (docs/http.md: Rules), but not in a body.
const unreadable = fc.record({
  name: fc.constantFrom('safes', 'notes', 'parts', 'tags'), choice: fc.nat({ max: 10_000 })
})

// A member of the items of each collection, and of no other.
const members: Readonly<Record<string, string>> = { safes: 'email', notes: 'text', parts: 'kind', tags: 'word' }

test('no way of writing a link tells of an item of a collection that may not be read', { timeout: 0 }, async t => {
  await fc.assert(fc.asyncProperty(cases, unreadable, async ({ data, own }, { name, choice }) => {
    const ways = waysFor(own)
    const any = ways[choice % ways.length]
    if (any === undefined) return
    const shown = await send('memory', data, any, { deny: `${name}.read`, prefer: 'return=representation' })
    if (shown.told.includes(`"${members[name]}":`)) throw new Error(`${any.method} ${any.url} shows ${shown.told}`)
    const absent = waysFor({ ...own, [name]: 77 })
    const pairs = waysFor(own).map((way, index) => [way, absent[index]] as const).filter(([way, other]) =>
      way.url === other?.url && JSON.stringify(way.body) !== JSON.stringify(other.body))
    const [way, other] = pairs[choice % pairs.length] ?? []
    if (way === undefined || other === undefined) return
    const answers = await Promise.all([way, other].map(one => send('memory', data, one, { deny: `${name}.read` })))
    const [told, toldOther] = answers.map(answer => `${answer.statusCode} ${answer.told}`)
    // A reference that the item has already can be sent back; its value is no secret.
    const isSame = answers[0]?.statusCode === 200 && JSON.stringify(answers[0].after) === JSON.stringify(data)
    if (told === toldOther || isSame) return
    throw new Error(`${name}: ${way.method} ${way.url} ${JSON.stringify(way.body)}: ${told}, ${toldOther}`)
  }), { numRuns: runsOf(4) * 16, endOnFailure: true, includeErrorInReport: true })
  t.pass()
})
