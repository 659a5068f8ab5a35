import { isDeepStrictEqual } from 'node:util'
import { compileOptions } from '../../../core/api/options.ts'
import { isSubCollection, isSubItem } from '../../../core/declare/relations.ts'
import { compileModel } from '../../../core/model/compile.ts'
import { memory } from '../../../core/sources/memory/memory.ts'
import { declare } from '../world/declare.ts'
import { type ChoiceSequence, makeGenerator } from '../world/generator.ts'
import { FollowedDocuments, type Stale } from '../serving/live.ts'
import { generateRequest, makeClientState, recordAnswer } from '../requests/requests.ts'
import { type ApiModel, encodeText } from '../requests/resources.ts'
import { type AnswerReceived, isRead, type SentRequest } from '../serving/send.ts'
import { type LiveWorld, type Open, type Opened, openPrefix, openWorld, serve, sharedPart } from '../serving/serve.ts'
import type { Table } from '../world/table.ts'
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
}

/**
 * Sends requests, one from each choice sequence, to the world over each database. Returns the first difference;
 * undefined where there is none. Calls `count` for each request.
 */
export async function runWorld (
  world: World, requests: readonly ChoiceSequence[], databases: Readonly<Record<string, Open>>, count: () => void
): Promise<Difference | undefined> {
  const objects = openMemory(world.tables)
  const opened: Array<readonly [string, Opened]> = []
  const served: LiveWorld[] = []
  try {
    for (const [name, open] of Object.entries({ 'memory()': () => objects, ...databases })) {
      opened.push([name, await openWorld(open, world)])
    }
    // What only some could answer would be a difference.
    const isLive = opened.every(([, one]) => one.source(world.tables[0]?.name ?? '').database.watch !== undefined)
    for (const [name, one] of opened) served.push(await serve(name, one, world, isLive))
    return await sendAll(served, world, requests, apiModelOf(world, objects), count)
  } finally {
    for (const one of [...served, ...opened.map(([, one]) => one)]) await one.close()
  }
}

/** Compiles the API over the objects that memory() serves, so that requests are generated from the current rows. */
export function apiModelOf (world: World, { source }: Opened): ApiModel {
  const collections = declare(world, source)
  const options = compileOptions({ ...world.options, collections })
  const model = compileModel(collections, {
    naming: options.naming,
    pages: options.pages,
    requestStrategies: options.requestStrategies,
    reserved: new Map()
  })
  return { model, options }
}

async function sendAll (
  served: readonly LiveWorld[], world: World, requests: readonly ChoiceSequence[], api: ApiModel, count: () => void
): Promise<Difference | undefined> {
  const client = makeClientState()
  const live = new FollowedDocuments(served)
  const sent: SentRequest[] = []
  for (const choices of requests) {
    const generator = makeGenerator(choices)
    const request = generateRequest(generator, api, client)
    sent.push(request)
    count()
    const answers = await Promise.all(served.map(async to => sharedPart(request, await to.send(request))))
    if (differ(answers)) return toDifference(sent, served, answers)
    const [answer] = answers
    if (answer !== undefined) {
      recordAnswer(client, request, answer)
      await live.begin(generator, request, answer)
    }
    const stale = isRead(request) ? undefined : await live.findStale()
    if (stale !== undefined) return { ...toDifference(sent, served, answers), stale }
  }
  for (const request of openReads(world)) {
    const answers = await Promise.all(served.map(to => to.send(request)))
    if (differ(answers)) return toDifference([...sent, request], served, answers)
  }
  return undefined
}

/** True where the answers differ. A server error counts as a difference, even if all databases give it. */
const differ = ([first, ...others]: readonly AnswerReceived[]) =>
  first === undefined || first.status >= 500 || others.some(one => !isDeepStrictEqual(one, first))

function toDifference (
  sent: readonly SentRequest[], served: readonly LiveWorld[], answers: readonly AnswerReceived[]
): Difference {
  return {
    sent,
    answers: served.flatMap(({ name, faults }, index) => {
      const answer = answers[index]
      return answer === undefined ? [] : [{ name, answer, faults: faults() }]
    })
  }
}

/** Returns requests that read all stored rows with all fields, also those that the API hides. */
function openReads ({ collections }: World): readonly SentRequest[] {
  const keyNames = new Map(collections.map(({ property, keys }) => [property, keys.map(one => one.property).join(',')]))
  return collections.map(({ property, schema }) => {
    const fields = Object.entries(schema)
      .map(([name, one]) =>
        isSubCollection(one) || isSubItem(one) ? `${name}(${keyNames.get(one.target) ?? ''})` : name)
    const url = `${openPrefix}/${encodeText(property)}?fields=${encodeText(fields.join(','))}`
    return { method: 'GET', url, headers: {} }
  })
}

/** Opens the tables as memory() sources over objects: the reference with which every other source is compared. */
export function openMemory (tables: readonly Table[]): Opened {
  const rows = Object.fromEntries(tables.map(table => [table.name, table.rows.map(row => toObject(row, table))]))
  return { source: name => memory(rows[name] ?? [], { joins: rows }), close () {} }
}

const toObject = (row: Readonly<Record<string, unknown>>, { columns }: Table) =>
  Object.fromEntries(columns.map(({ name, property }) => [property, structuredClone(row[name])]))
