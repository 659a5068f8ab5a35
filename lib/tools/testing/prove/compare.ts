import { isDeepStrictEqual } from 'node:util'
import { type AnswerReceived, isRead, type SentRequest } from '../serving/send.ts'
import { type Following, followIn } from './live.ts'
import { plain } from './plain.ts'
import type { Driven } from './way.ts'
import type { Contents, ProvedWorld } from './world.ts'

/** A world with the contents that it has again after each write. */
export interface FilledWorld { readonly world: ProvedWorld, readonly contents: Contents }

/** Both worlds, and the requests that show what a write has changed. */
export interface Pair {
  readonly worlds: readonly [FilledWorld, FilledWorld]
  readonly reads: readonly SentRequest[]
  /** Returns other contents of both worlds, for what is followed from before. */
  turned (places: number): Contents
}

/** What a caller gets: the answer to a request and, if it wrote, what can be read afterwards. */
interface Outcome {
  readonly answer: AnswerReceived
  readonly after: readonly AnswerReceived[]
  readonly stale?: Following['stale']
}

/** Sends a request to a world, and undoes what it wrote. */
async function ask ({ worlds, reads, turned }: Pair, which: 0 | 1, request: Driven): Promise<Outcome> {
  const { world, contents } = worlds[which]
  const { meanwhile } = request
  if (meanwhile !== undefined) {
    // What differs goes and comes again in one of the worlds.
    const told = { first: turned(meanwhile.turned), contents, others: worlds[0].contents }
    const { answer, stale } = await followIn(world, { ...request, meanwhile }, told)
    return { answer: withoutTime(answer), after: [], stale }
  }
  const answer = withoutTime(await world.send(request))
  if (isRead(request)) return { answer, after: [] }
  const after: AnswerReceived[] = []
  if (answer.status < 400) for (const read of reads) after.push(await world.send(read))
  world.fill(contents)
  return { answer, after }
}

// Headers that tell the time, and what is left of a limit of requests.
const timed = /^(?:x-)?ratelimit|^retry-after$|^server-timing$/i

const withoutTime = ({ headers, ...answer }: AnswerReceived): AnswerReceived =>
  ({ ...answer, headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !timed.test(name))) })

/** The place of a difference between a stream and what GET answers. */
export const staleStream = 'the stream, beside GET'

/** A part of the answers that differs: its place, with both of its texts. */
export interface AnswerDifference { readonly place: string, readonly texts: readonly [string, string] }

/**
 * Sends a request to both worlds. Returns the answer of the first, and a difference that is there every time: between
 * the worlds, or between a stream and what GET answers.
 */
export async function compareWorlds (pair: Pair, request: Driven): Promise<{
  readonly answer: AnswerReceived
  readonly difference: AnswerDifference | undefined
}> {
  const [first, second] = [await ask(pair, 0, request), await ask(pair, 1, request)]
  const stale = first.stale && { place: staleStream, texts: first.stale }
  const difference = isDeepStrictEqual(first, second) ? stale : await confirm(pair, request) ?? stale
  return { answer: first.answer, difference }
}

const times = 4

/** Sends a request again and again. What differs from time to time, such as a random key, tells nothing. */
async function confirm (pair: Pair, request: Driven): Promise<AnswerDifference | undefined> {
  const outcomes: Array<readonly [Parts, Parts]> = []
  for (let left = times; left > 0; left--) {
    outcomes.push([
      partsOf(await ask(pair, 0, request), pair.reads), partsOf(await ask(pair, 1, request), pair.reads)
    ])
  }
  for (const place of new Set(outcomes.flatMap(both => both.flatMap(parts => [...parts.keys()])))) {
    const texts = ([0, 1] as const).map(which => new Set(outcomes.map(both => both[which].get(place) ?? 'nothing')))
    const [[first = '', ...more] = [], [second = '', ...others] = []] = texts.map(all => [...all])
    if (more.length + others.length === 0 && first !== second) return { place, texts: [first, second] }
  }
  return undefined
}

/** The parts of an outcome by their places. */
type Parts = ReadonlyMap<string, string>

function partsOf ({ answer, after }: Outcome, reads: readonly SentRequest[]): Parts {
  const parts = new Map([['the status', String(answer.status)]])
  addLeaves(parts, 'the body', parse(answer.body))
  for (const [index, { status, body }] of after.entries()) {
    const place = `what ${reads[index]?.method ?? ''} ${reads[index]?.url ?? ''} then answers`
    const items = parse(body)
    // As a set: a new item with a random key may stand anywhere.
    if (!Array.isArray(items)) parts.set(place, plain(`${status} ${body}`))
    else for (const item of items) parts.set(`${place}: ${plain(JSON.stringify(item))}`, 'an item')
  }
  for (const [name, value] of Object.entries(answer.headers)) parts.set(`the header '${name}'`, plain(String(value)))
  return parts
}

function addLeaves (parts: Map<string, string>, place: string, value: unknown): void {
  if (typeof value !== 'object' || value === null) parts.set(place, plain(String(value)))
  else for (const [name, member] of Object.entries(value)) addLeaves(parts, `${place}/${name}`, member)
}

function parse (body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return body
  }
}
