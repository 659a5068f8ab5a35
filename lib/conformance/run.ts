import { isDeepStrictEqual } from 'node:util'
import { isSubCollection, isSubItem } from '../collection.ts'
import { compileModel } from '../model/compile.ts'
import { compileOptions } from '../options.ts'
import { reservedNames } from '../request/syntax.ts'
import { declare } from './declare.ts'
import { makeGenerator } from './generator.ts'
import { openMemory } from './memory.ts'
import { type ApiModel, encode } from './resources.ts'
import { generateRequest, recordAnswer, makeClientState } from './requests.ts'
import { type Answer, type Open, type Opened, openPrefix, type SentRequest, serve, type Served } from './serve.ts'
import type { ChoiceSequence } from './choice-sequence.ts'
import type { World } from './world.ts'

/** Where a database answered otherwise than memory(): the last of the requests told them apart. */
export interface Difference {
  readonly sent: readonly SentRequest[]
  /** Of memory() first. */
  readonly answers: ReadonlyArray<{
    readonly name: string
    readonly answer: Answer
    readonly faults: readonly string[]
  }>
}

/** Sends the requests that the tapes mean to the world over each database, and gives the first difference. `count` is told of each request. */
export async function runWorld (
  world: World, requests: readonly ChoiceSequence[], databases: Readonly<Record<string, Open>>, count: () => void
): Promise<Difference | undefined> {
  const objects = openMemory(world.tables)
  const served: Served[] = []
  try {
    for (const [name, open] of Object.entries({ 'memory()': () => objects, ...databases })) {
      served.push(await serve(name, open, world))
    }
    return await sendAll(served, world, requests, apiModelOf(world, objects), count)
  } finally {
    for (const one of served) await one.close()
  }
}

/** The model over the very objects that memory() serves, so that requests are drawn from what there is at the moment. */
function apiModelOf (world: World, { source }: Opened): ApiModel {
  const collections = declare(world, source)
  const options = compileOptions({ ...world.options, collections })
  const model = compileModel(collections, {
    naming: options.naming,
    pages: options.pages,
    requestStrategies: options.requestStrategies,
    reserved: reservedNames(options.syntax)
  })
  return { model, options }
}

async function sendAll (
  served: readonly Served[], world: World, requests: readonly ChoiceSequence[], api: ApiModel, count: () => void
): Promise<Difference | undefined> {
  const client = makeClientState()
  const sent: SentRequest[] = []
  for (const tape of requests) {
    const one = generateRequest(makeGenerator(tape), api, client)
    sent.push(one)
    count()
    const answers = await Promise.all(served.map(to => to.send(one)))
    if (differ(answers)) return tell(sent, served, answers)
    const [answer] = answers
    if (answer !== undefined) recordAnswer(client, one, answer)
  }
  for (const one of openReads(world)) {
    const answers = await Promise.all(served.map(to => to.send(one)))
    if (differ(answers)) return tell([...sent, one], served, answers)
  }
  return undefined
}

/** An error of the server is one even if all agree on it. */
const differ = ([first, ...others]: readonly Answer[]) =>
  first === undefined || first.status >= 500 || others.some(one => !isDeepStrictEqual(one, first))

const tell = (sent: readonly SentRequest[], served: readonly Served[], answers: readonly Answer[]): Difference =>
  ({
    sent,
    answers: served.flatMap(({ name, faults }, index) => answers[index] === undefined
      ? []
      : [{ name, answer: answers[index], faults: faults() }])
  })

/** Requests that show everything that is held, whether a client may see it or not. */
function openReads ({ collections }: World): readonly SentRequest[] {
  const keys = new Map(collections.map(({ property, key }) => [property, key.property]))
  return collections.map(({ property, schema }) => {
    const fields = Object.entries(schema)
      .map(([name, one]) => isSubCollection(one) || isSubItem(one) ? `${name}(${keys.get(one.target) ?? ''})` : name)
    return { method: 'GET', url: `${openPrefix}/${encode(property)}?fields=${encode(fields.join(','))}`, headers: {} }
  })
}
