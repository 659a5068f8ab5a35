import { setImmediate } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { ValueGenerator } from '../world/generator.ts'
import type { Follower } from '../serving/follow.ts'
import type { AnswerReceived, SentRequest } from '../serving/send.ts'
import type { CollectionReads } from './agents.ts'
import type { TableShape } from './rows.ts'
import { ownCode, type Way } from './way.ts'
import type { Contents, WorldRow, ServedApi, ProvedWorld } from './world.ts'

/** What happens while a document is followed. */
export interface Meanwhile {
  /** By how many places the values of rows are turned at first, so that the caller sees others then. */
  readonly turned: number
  readonly writes: readonly SentRequest[]
}

/** Returns the ways to follow what can be read, while data changes (docs/live.md). `writes`: the ways to write. */
export function liveWays (
  { api: { options: { live, streams }, model } }: ServedApi, all: readonly CollectionReads[], writes: readonly Way[]
): readonly Way[] {
  if (live === undefined || !streams()) return []
  const names = live.collections
  const isLive = ({ name }: CollectionReads) => names?.includes(model.collections.get(name)?.property ?? '') ?? true
  return all.filter(isLive).map(({ name, ways }): Way => ({
    name: `${name} followed`,
    weight: 2 * ownCode,
    make (generator) {
      const { url } = generator.of(ways).make(generator)
      const meanwhile = { turned: generator.below(4), writes: drawn(generator, writes) }
      return { method: 'GET', url, headers: { accept: 'text/event-stream' }, meanwhile }
    }
  }))
}

const drawn = (generator: ValueGenerator, ways: readonly Way[]): readonly SentRequest[] =>
  Array.from({ length: generator.below(3) }, () => generator.from(ways)?.make(generator) ?? []).flat()

/** The contents that a world has while a document is followed. */
interface Told {
  readonly first: Contents
  readonly contents: Contents
  /** Those of the other world, which a caller may not tell from its own. */
  readonly others: Contents
}

/** What a client that follows a document is told. */
export interface Following {
  readonly answer: AnswerReceived
  /** What the client has at the end, and what GET gives instead; undefined where both are the same. */
  readonly stale: readonly [string, string] | undefined
}

/** Follows a document: while the caller's view changes, while what it may not see does, and while it writes. */
export async function followIn (
  world: ProvedWorld, { meanwhile, ...request }: SentRequest & { readonly meanwhile: Meanwhile }, told: Told
): Promise<Following> {
  world.fill(told.first)
  const follower = await world.follow(request)
  try {
    for (const contents of [told.contents, told.others, told.contents]) {
      world.fill(contents)
      await settle(world)
    }
    for (const { headers, ...write } of meanwhile.writes) {
      await world.send({ ...write, headers: { ...headers, ...callerOf(request) } })
      await settle(world)
    }
    const stale = await compareToGet(world, request, follower)
    const { status, headers, events, body } = follower
    return { answer: { status, headers, body: events.length > 0 ? JSON.stringify(events) : body }, stale }
  } finally {
    follower.leave()
    world.fill(told.contents)
  }
}

const callerOf = ({ headers: { accept: _accept, ...headers } }: SentRequest) => headers

/** Waits until all that was told of changes is read. */
async function settle (world: ProvedWorld): Promise<void> {
  do await setImmediate()
  while (world.waiting() > 0)
}

// What was read is with its client sooner than that.
const turns = 50

async function compareToGet (
  world: ProvedWorld, request: SentRequest, follower: Follower
): Promise<readonly [string, string] | undefined> {
  const get = async () => {
    const { status, body } = await world.send({ ...request, headers: callerOf(request) })
    return { status, document: JSON.parse(body) as unknown, body }
  }
  if (follower.status !== 200) return undefined
  const answer = await get()
  const isRight = () => {
    const last = follower.events.at(-1)
    const document = last?.event === 'end' ? last.data : follower.state.document
    return (last?.event === 'end') === (answer.status !== 200) && isDeepStrictEqual(document, answer.document)
  }
  for (let left = turns; left > 0 && !isRight(); left--) await setImmediate()
  // What differs each time, such as a random number, is not stale.
  if (isRight() || (await get()).body !== answer.body) return undefined
  return [JSON.stringify(follower.events.at(-1)?.data), answer.body]
}

/** Returns the contents with the values of each row at another row, but for keys and other unique values. */
export function turn (contents: Contents, shapes: readonly TableShape[], places: number): Contents {
  return new Map([...contents].map(([name, rows]) => {
    const shape = shapes.find(one => one.name === name)
    if (shape === undefined || !shape.isCollection) return [name, rows]
    const isOwn = (property: string) => [shape.key, ...shape.unique].flat().includes(property) ||
      shape.fields.get(property)?.identifier === true
    const part = (row: WorldRow, own: boolean) => Object.entries(row).filter(([property]) => isOwn(property) === own)
    return [name, rows.map((row, index) => Object.fromEntries([
      ...part(row, true), ...part(rows[(index + places) % rows.length] ?? row, false)
    ]))]
  }))
}
