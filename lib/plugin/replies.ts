import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Api } from '../core/api/answer.ts'
import type { RouterOptions } from '../core/request/path.ts'
import { type Answer, doAtOnce, doInParts, hasSpecials, personal } from '../core/response/answer.ts'
import { after } from '../core/scheduling/after.ts'
import { memoizeRecent } from '../core/scheduling/memoize.ts'
import type { Closing } from './closing.ts'

/** Sends the answers of one registration. Whatever else is sent in its scope is the application's own. */
export interface Replies {
  /** Makes the text of a page in parts; not where hooks of the application get its data first, when it is sent. */
  prepare (answer: Answer): Answer | Promise<Answer>
  /** Sends the answer to a request. Does nothing if the request is answered already, as after a timeout. */
  answer (reply: FastifyReply, answer: Answer): void
  /** Sends the answer for an error. Headers of an answer that could not be sent are withdrawn. */
  fail (reply: FastifyReply, failure: Answer): void
}

// The answer of a reply. An error can follow it, as from an onSend hook, and its headers are untrue then.
const answered = Symbol('fastify-data-api.answer')

type Marked = FastifyReply & { [answered]: Answer | null }

/** Prepares the replies of a scope. Must be called before its routes are added. */
export function makeReplies (scope: FastifyInstance, api: Api, payloads: Payloads, closing: Closing): Replies {
  const { options, model, callers } = api
  // What a hook refused, or what could not be parsed, may depend on the caller too.
  const areFailuresPersonal = callers.personal || hasSpecials(model)
  const { callerHeaders } = options.responseContent
  const personalVary = memoizeRecent(vary => joinVary(callerHeaders, vary), fewVaries)
  scope.decorateReply(answered, null)
  const send = (reply: Marked, answer: Answer) => {
    // Tells caches that the answer depends on the caller (docs/http.md: Rules, Identifiers).
    if (answer.personal === true && !reply.hasHeader('cache-control')) reply.header('cache-control', 'private')
    reply[answered] = answer
    writeHead(reply, answer, answer.personal === true ? personalVary : asItIs)
    // The server closes the connections that are idle when it begins to close, and waits for the others.
    if (closing.isClosing && reply.request.raw.httpVersionMajor === 1) reply.header('connection', 'close')
    if (typeof answer.body === 'object') closing.trackStream(answer.body, reply)
    if (payloads.observed) sendValue(reply, answer, longestOf(answer))
    else sendText(reply, answer, longestOf(answer))
  }
  // The page of an error is sent, however long.
  const longestOf = ({ status }: Answer) => status < 400 ? options.answers.length : Infinity
  return {
    prepare (answer) {
      const { view, body } = answer
      if (payloads.observed || view === undefined || typeof body !== 'string') return answer
      return after(doInParts(view(body, longestOf(answer))), text => withoutView(answer, text))
    },
    answer (reply, answer) {
      const marked = reply as Marked
      if (!reply.sent && marked[answered] === null) send(marked, answer)
      else if (typeof answer.body === 'object') answer.body.destroy()
    },
    fail (reply, failure) {
      const marked = reply as Marked
      if (marked[answered] !== null) withdraw(reply, marked[answered])
      send(marked, areFailuresPersonal ? personal(failure) : failure)
    }
  }
}

/** Returns true if an answer of this plugin was given to the reply, even if it could not be sent. */
export const isAnswered = (reply: FastifyReply): boolean => (reply as Marked)[answered] !== null

const asItIs = (vary: string) => vary

function writeHead (
  reply: FastifyReply, { status, headers, links, etag }: Answer, varyOf: (vary: string) => string
): void {
  reply.code(status)
  for (const name of Object.keys(headers)) if (name !== 'vary') reply.header(name, headers[name])
  const vary = varyOf(headers['vary'] ?? '')
  if (vary !== '') reply.header('vary', joinVary(reply.getHeader('vary'), vary))
  if (etag !== undefined) reply.header('etag', etag)
  if (links.length > 0) reply.header('link', joinLinks(reply.getHeader('link'), textOf(links)))
}

const textOf = (links: Answer['links']) => links.map(({ rel, target }) => `<${target}>; rel="${rel}"`).join(', ')

/** Removes the headers of an answer. `Vary` remains: it is true of the error too. */
function withdraw (reply: FastifyReply, { headers, links, etag }: Answer): void {
  for (const name of Object.keys(headers)) if (name !== 'vary') reply.removeHeader(name)
  if (etag !== undefined) reply.removeHeader('etag')
  if (links.length > 0) withdrawLinks(reply, textOf(links))
}

/** Leaves the links of the application, which joinLinks() put before those of the answer. */
function withdrawLinks (reply: FastifyReply, links: string): void {
  const all = String(reply.getHeader('link'))
  const others = all.slice(0, -`, ${links}`.length)
  if (all.endsWith(`, ${links}`)) reply.header('link', others)
  else reply.removeHeader('link')
}

function withoutView ({ view: _, ...answer }: Answer, body: string): Answer {
  return { ...answer, body }
}

/** Sends an answer as it was rendered. */
function sendText (reply: FastifyReply, { body, view }: Answer, longest: number): void {
  if (body === undefined) reply.removeHeader('content-type').send()
  else if (view !== undefined && typeof body === 'string') reply.serializer(asIs).send(doAtOnce(view(body, longest)))
  else reply.serializer(asIs).send(body)
}

// The body is text already.
const asIs = (body: string) => body

/**
 * Sends the value of an answer, as a handler of the application would: its preSerialization hooks and its serializer
 * get the value. As in any route, text and null have no such hooks.
 */
function sendValue (reply: FastifyReply, answer: Answer, longest: number): void {
  const value: unknown = typeof answer.body === 'string' ? JSON.parse(answer.body) : undefined
  if (value === undefined || value === null || typeof value === 'string') sendText(reply, answer, longest)
  else if (answer.view === undefined) reply.send(value)
  else reply.serializer(viewing(answer.view, longest)).send(value)
}

const viewing = (view: NonNullable<Answer['view']>, longest: number) => (value: unknown) =>
  doAtOnce(view(JSON.stringify(value), longest))

/** `observed`: the application has hooks or a serializer that get the data of answers. */
interface Payloads { readonly observed: boolean }

/** Returns whether the application observes the payloads of routes, which is known when the routes are added. */
export function watchPayloads (scope: FastifyInstance): Payloads {
  const payloads = { observed: hasPayloadHooks(scope) }
  scope.addHook('onRoute', ({ preSerialization }) => {
    if (preSerialization !== undefined && [preSerialization].flat().length > 0) payloads.observed = true
  })
  return payloads
}

/**
 * Returns true if the scope inherits preSerialization hooks or a reply serializer. Fastify has no function for this.
 * If its own state is not where it is expected, the result is true: that is always right, only slower.
 */
function hasPayloadHooks (scope: FastifyInstance): boolean {
  const hooks = internalOf(scope, 'fastify.hooks')
  const isKnown = typeof hooks === 'object' && hooks !== null && 'preSerialization' in hooks
  if (!isKnown || !Array.isArray(hooks.preSerialization) || hooks.preSerialization.length > 0) return true
  return internalOf(scope, 'fastify.replySerializerDefault') !== null
}

/** Returns the nearest state of Fastify that has a symbol of this name. */
function internalOf (scope: object, name: string): unknown {
  for (let holder: object | null = scope; holder !== null; holder = Object.getPrototypeOf(holder) as object | null) {
    const symbol = Object.getOwnPropertySymbols(holder).find(one => one.description === name)
    if (symbol !== undefined) return (holder as Record<symbol, unknown>)[symbol]
  }
  return undefined
}

/** Adds the names that are missing to the `Vary` that a hook of the application, such as @fastify/cors, has set. */
const joinVary = (current: unknown, vary: string): string =>
  current === undefined ? vary : varyAfter(vary)([current].flat().join(', '))

// A header is as long as the application makes it.
const fewVaries = { most: 20, longest: 500 }

const varyAfter = memoizeRecent(vary => memoizeRecent(current => {
  const names = namesIn(current)
  const present = new Set(names.map(name => name.toLowerCase()))
  return [...names, ...namesIn(vary).filter(name => !present.has(name.toLowerCase()))].join(', ')
}, fewVaries), fewVaries)

const namesIn = (list: string) => list.split(',').map(name => name.trim()).filter(name => name !== '')

/** Adds to the `Link` that a hook of the application has set. */
const joinLinks = (current: unknown, links: string): string => [current ?? [], links].flat().join(', ')

/** Returns the options of the host's router that change the meaning of a path. Fastify takes them in two places. */
export function routerOptionsOf ({ initialConfig }: FastifyInstance): RouterOptions {
  const { ignoreDuplicateSlashes = false, useSemicolonDelimiter = false } = initialConfig
  const { routerOptions } = initialConfig as { readonly routerOptions?: Partial<RouterOptions> }
  return {
    ignoreDuplicateSlashes: routerOptions?.ignoreDuplicateSlashes ?? ignoreDuplicateSlashes,
    useSemicolonDelimiter: routerOptions?.useSemicolonDelimiter ?? useSemicolonDelimiter
  }
}
