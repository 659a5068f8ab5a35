import { isDeepStrictEqual } from 'node:util'
import { generateRequest, makeClientState, recordAnswer } from '../requests/requests.ts'
import { FollowedDocuments, type Stale } from '../serving/live.ts'
import { type AnswerReceived, isRead, type SentRequest } from '../serving/send.ts'
import {
  type Open, type Opened, openMemory, openReads, openTables, serve, type ServedWorld, sharedPart
} from '../serving/serve.ts'
import { relationOf } from '../../../core/declare/relations.ts'
import { type ChoiceSequence, makeGenerator } from '../world/generator.ts'
import type { GeneratedCollection } from '../world/collection.ts'
import { namesHiddenRow } from '../world/twin.ts'
import type { World } from '../world/world.ts'

/** A difference between the answers of memory() and a database to the last of the requests. */
export interface Difference {
  readonly sent: readonly SentRequest[]
  /** The first answer is that of memory(). `faults`: the errors that were logged. */
  readonly answers: ReadonlyArray<{
    readonly name: string
    readonly answer: AnswerReceived
    readonly faults: readonly string[]
  }>
  /** What differs instead, where the answers are alike: a document that is followed. */
  readonly stale?: Stale
  /** Or the rows that the rules hide, which nobody may have changed: before and after the requests. */
  readonly hidden?: readonly [before: string, after: string]
}

/** The databases that are compared, by their names. `reference`: the first of them, whose answers are right. */
export interface Compared { readonly reference?: Open, readonly databases: Readonly<Record<string, Open>> }

/**
 * Sends requests, one from each choice sequence, to the world over each database and, where rules hide a part of it, to
 * its twin. Returns the first difference; undefined where there is none. Calls `count` for each request.
 */
export async function runWorld (
  world: World, requests: readonly ChoiceSequence[], { reference = openMemory, databases }: Compared,
  count: () => void = () => {}
): Promise<Difference | undefined> {
  const opened: Array<readonly [string, Opened]> = []
  const served: ServedWorld[] = []
  try {
    for (const [name, open] of Object.entries({ 'memory()': reference, ...databases })) {
      opened.push([name, await openTables(open, world.tables)])
      const twin = world.guarded?.twin
      if (twin !== undefined) opened.push([`${name}, the twin`, await openTables(open, twin)])
    }
    // What only some could answer would be a difference.
    const isLive = opened.every(([, one]) => one.source(world.tables[0]?.name ?? '').database.watch !== undefined)
    for (const [name, one] of opened) served.push(await serve(name, one, world, isLive))
    return await sendAll(served, world, requests, count)
  } finally {
    for (const one of [...served, ...opened.map(([, one]) => one)]) await one.close()
  }
}

async function sendAll (
  served: readonly ServedWorld[], world: World, requests: readonly ChoiceSequence[], count: () => void
): Promise<Difference | undefined> {
  const [first] = served
  if (first === undefined) return undefined
  const before = await hiddenRows(served, world)
  const client = makeClientState()
  const live = new FollowedDocuments(served)
  const sent: SentRequest[] = []
  for (const choices of requests) {
    const generator = makeGenerator(choices)
    // Requests are generated from the current rows of memory().
    const request = generateRequest(generator, first.api, client)
    if (world.guarded !== undefined && !isRead(request) && namesHiddenRow(request.url + (request.body ?? ''))) continue
    sent.push(request)
    count()
    const answers = await Promise.all(served.map(to => to.send(request)))
    if (differ(request, answers, world)) return toDifference(sent, served, answers)
    const [answer] = answers
    if (answer !== undefined) {
      recordAnswer(client, request, sharedPart(request, answer))
      await live.begin(generator, request, answer)
    }
    const stale = isRead(request) ? undefined : await live.findStale()
    if (stale !== undefined) return { ...toDifference(sent, served, answers), stale }
  }
  return await findChanged(served, world, sent) ?? await findHiddenChange(served, world, { sent, before })
}

/**
 * True where the answers differ: a world from its twin in anything, a database from the first one in what is the same
 * over every database. A server error counts as a difference, even if all databases give it.
 */
function differ (request: SentRequest, answers: readonly AnswerReceived[], { guarded }: World): boolean {
  const [first, ...others] = answers.map(answer => sharedPart(request, answer))
  if (first === undefined || first.status >= 500 || others.some(one => !isDeepStrictEqual(one, first))) return true
  return guarded !== undefined &&
    answers.some((answer, place) => !isDeepStrictEqual(answer, answers[place - place % 2]))
}

function toDifference (
  sent: readonly SentRequest[], served: readonly ServedWorld[], answers: readonly AnswerReceived[]
): Difference {
  return {
    sent,
    answers: served.flatMap(({ name, faults }, index) => {
      const answer = answers[index]
      return answer === undefined ? [] : [{ name, answer, faults: faults() }]
    })
  }
}

/** Finds a difference between the rows of memory() and those of another database: all that they hold in the end. */
async function findChanged (
  served: readonly ServedWorld[], world: World, sent: readonly SentRequest[]
): Promise<Difference | undefined> {
  const isTwin = (_one: ServedWorld, place: number) => world.guarded !== undefined && place % 2 === 1
  for (const some of [served.filter((one, place) => !isTwin(one, place)), served.filter(isTwin)]) {
    for (const { request } of openReads(world)) {
      const answers = await Promise.all(some.map(to => to.send(request)))
      const isAlike = answers.every(one => one.status < 500 && isDeepStrictEqual(one, answers[0]))
      if (!isAlike) return toDifference([...sent, request], some, answers)
    }
  }
  return undefined
}

async function findHiddenChange (
  served: readonly ServedWorld[], world: World,
  { sent, before }: { readonly sent: readonly SentRequest[], readonly before: string }
): Promise<Difference | undefined> {
  const after = await hiddenRows(served, world)
  return after === before ? undefined : { sent, answers: [], hidden: [before, after] }
}

/**
 * Returns the rows of memory() that the rules hide from the caller, and those of its twin. In their lists are hidden
 * items alone: the caller may delete an item that it sees, or take it elsewhere.
 */
async function hiddenRows (served: readonly ServedWorld[], world: World): Promise<string> {
  const { guarded } = world
  if (guarded === undefined) return ''
  const shown = await Promise.all(served.slice(0, 2).flatMap((one, which) => {
    const isHidden = ({ property, keys }: GeneratedCollection, row: ShownRow) =>
      guarded.hidden[property]?.[which as 0 | 1].includes(JSON.stringify(keys.map(key => row[key.property]))) === true
    const targetOf = ({ schema }: GeneratedCollection, name: string) => {
      const target = relationOf(schema[name])?.target
      return world.collections.find(({ property }) => property === target)
    }
    const withoutSeen = (collection: GeneratedCollection, row: ShownRow) => Object.entries(row).map(([name, value]) => {
      const target = Array.isArray(value) ? targetOf(collection, name) : undefined
      return target === undefined ? value : (value as readonly ShownRow[]).filter(element => isHidden(target, element))
    })
    return openReads(world).map(async ({ request, collection }) => {
      const rows = JSON.parse((await one.send(request)).body) as readonly ShownRow[]
      const hidden = rows.filter(row => isHidden(collection, row))
      return JSON.stringify(hidden.map(row => withoutSeen(collection, row)))
    })
  }))
  return shown.join('\n')
}

type ShownRow = Readonly<Record<string, unknown>>
