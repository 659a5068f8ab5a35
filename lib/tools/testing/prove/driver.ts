import type { ValueGenerator } from '../world/generator.ts'
import { generateRequest, makeClientState, recordAnswer } from '../requests/requests.ts'
import { encodeText, textOfValue } from '../requests/resources.ts'
import type { AnswerReceived, SentRequest } from '../serving/send.ts'
import { statusOf } from './agents.ts'
import type { TableShape } from './rows.ts'
import type { ProvedCaller, CallerSight } from './sight.ts'
import { waysOf } from './sweep.ts'
import { type Driven, type Guess, ownCode, type Way } from './way.ts'
import { bodyMembers } from './shrink.ts'
import type { TwinChange } from './twin.ts'
import type { ProvedWorld } from './world.ts'

/** What is proved, and by how many requests of each caller. */
export interface Proving {
  readonly worlds: readonly [ProvedWorld, ProvedWorld]
  readonly shapes: readonly TableShape[]
  readonly allow: ReadonlySet<string>
  readonly routes: ReadonlyArray<string | SentRequest>
  readonly random: () => number
  readonly requests: number
}

/** How often a way was driven, was answered without an error, and was 401 or 403. */
interface Count { readonly sent: number, readonly answered: number, readonly refused: number }

/** The counts of all ways by their names: the ledger of what was driven. */
export type Ways = Map<string, Count>

const none: Count = { sent: 0, answered: 0, refused: 0 }

// A way that is not answered by then is reported as not driven.
const mostTries = 40

/** Returns true for a way that was not answered yet. One that is refused again and again will not be. */
export const isOpen = ({ sent, answered, refused }: Count) =>
  answered === 0 && sent < (refused === sent ? mostTries / 8 : mostTries)

/** Makes the requests of a caller: each way until it is answered, and drawn ones. */
interface Driver {
  /** Returns the next request, and the way that it drives; undefined for a drawn one. */
  next (generator: ValueGenerator): { readonly request: Driven, readonly way: Way | undefined }
  answered (request: SentRequest, answer: AnswerReceived, way: Way | undefined): void
}

export function makeDriver (
  { routes, worlds: [world] }: Proving, { known }: CallerSight, { headers = {} }: ProvedCaller, ways: Ways,
  changes: readonly TwinChange[]
): Driver {
  const client = makeClientState()
  const guess = guessing(changes, world)
  const all: readonly Way[] = [
    ...[...known].flatMap(([served, callers]) => waysOf(served, callers, guess)),
    ...routes.map(route => toWay(route, guess))
  ]
  const often = all.flatMap(way => Array.from({ length: way.weight ?? 1 }, () => way))
  for (const { name } of all) ways.set(name, ways.get(name) ?? none)
  const models = modelsOf(known)
  return {
    next (generator) {
      const open = often.filter(({ name }) => isOpen(ways.get(name) ?? none))
      const api = generator.from(models)
      const way = api === undefined || generator.chance(50) ? generator.from(open) ?? generator.of(often) : undefined
      const request: Driven | undefined = way?.make(generator) ?? (api && generateRequest(generator, api, client))
      if (request === undefined) throw new TypeError('nothing to send')
      const guessed = generator.chance(25) ? withGuess(generator, request, guess) : request
      return { request: { ...guessed, headers: { ...request.headers, ...headers } }, way }
    },
    answered (request, answer, way) {
      recordAnswer(client, request, answer)
      if (way !== undefined) ways.set(way.name, counted(ways.get(way.name) ?? none, answer))
    }
  }
}

/** A deletion of an item that others refer to, or a duplicate, has passed the rules: 409 is an answer. */
function counted ({ sent, answered, refused }: Count, answer: AnswerReceived): Count {
  const status = statusOf(answer)
  return {
    sent: sent + 1,
    answered: answered + Number(status < 400 || status === 409),
    refused: refused + Number(isRefusal(answer))
  }
}

export function isRefusal (answer: AnswerReceived): boolean {
  const status = statusOf(answer)
  return status === 401 || status === 403
}

/** The models to draw requests from: what the caller knows, and what there is, for who guesses names. */
const modelsOf = (known: CallerSight['known']) => [...known].flatMap(([{ prefix, api }, callers]) => {
  const options = { ...api.options, prefix }
  const models = new Set([...callers.values()].map(one => one.caller.model))
  return [...models].flatMap(model => [model, model, model, api.model]).map(model => ({ model, options }))
})

/**
 * Returns the way of a route, such as `POST /notes/:id/archive {"why":"old"}`. Names with a colon in its URL, and texts
 * that are such names in its body, become values of rows.
 */
function toWay (route: string | SentRequest, guess: Guess): Way {
  const [method = 'GET', url = '/', body = ''] = typeof route === 'string'
    ? route.split(/ +(\S+) *(.*)/s)
    : [route.method, route.url, route.body]
  const given = typeof route === 'string' ? {} : route.headers
  const headers = body === '' ? given : { 'content-type': 'application/json', ...given }
  return {
    name: `${method} ${url}`,
    weight: 2 * ownCode,
    make (generator) {
      const filled = url.replaceAll(/:\w+/g, () => encodeText(textOfValue(guess(generator))))
      const sent = body.replaceAll(/":\w+"/g, () => JSON.stringify(guess(generator) ?? null))
      return { method, url: filled, headers, ...body !== '' && { body: sent } }
    }
  }
}

/** Returns the request with a guessed value in one of the members of its body. */
function withGuess (generator: ValueGenerator, request: Driven, guess: Guess): Driven {
  const members = bodyMembers(request.body)
  const value = guess(generator)
  const [name] = generator.from(members.filter(([, other]) => typeof other === typeof value)) ?? []
  if (name === undefined) return request
  return { ...request, body: JSON.stringify({ ...Object.fromEntries(members), [name]: value }) }
}

/** Returns a function that guesses: two times of three a value of a changed fact, or the key of its row. */
function guessing (changes: readonly TwinChange[], { tables }: ProvedWorld): Guess {
  const secrets = [...new Set(changes.flatMap(({ row, values = row, shape }) =>
    [...Object.keys(values), ...shape.key].map(one => row[one])))]
  const values = [...tables.values()].flatMap(rows => rows.flatMap(row => Object.values(row)))
  return generator => generator.from(secrets.length > 0 && generator.chance(66) ? secrets : values)
}
