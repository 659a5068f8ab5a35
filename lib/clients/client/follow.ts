import { ApiError, brokenOff } from './error.ts'
import { textParts } from './parts.ts'
import { type Call, pause, type Send } from './send.ts'

/** A list that is followed. */
export interface LivePage<T> {
  /** The items of the page. All that did not change are the same objects as before. */
  readonly items: readonly T[]
  /** Those of them that are new or have changed since the last value. None of the first value. */
  readonly changed: readonly T[]
}

/**
 * Follows the document of a call (docs/live.md): returns it whole, first as it is and then whenever it has changed.
 * Connects again with the tag of what it has, and without it if that got no answer. Throws an ApiError once the
 * document cannot be read any more.
 */
export async function * follow (send: Send, call: Call): AsyncGenerator<unknown, never, undefined> {
  let document: unknown
  let page: LivePage<unknown> | undefined
  let tag: string | undefined
  let wait = 0
  let isAnew = false
  for (let failures = 0; ;) {
    let response: Response | undefined
    let isEnd = false
    const known: string | undefined = isAnew ? undefined : tag
    isAnew = false
    try {
      const own = { accept: 'text/event-stream', 'last-event-id': known }
      // Once it has begun, it is this function that waits.
      response = await send({ ...call, own }, begun, tag ? Infinity : 0)
      for await (const part of textParts(response, '\n\n', silence)) {
        const { event, data = '', id, retry } = eventFields(part)
        failures = 0
        if (retry) wait = +retry
        isEnd = event === 'end'
        if (!id) continue
        tag = id
        const told: unknown = JSON.parse(data, (_, value: unknown) => Object.freeze(value))
        document = event === 'patch' ? (told as readonly PatchOperation[]).reduce(patched, document) : told
        const items = itemsOf(document)
        if (items) yield page = pageOf(items, page?.items)
        else yield document
      }
    } catch (cause) {
      const error = brokenOff(cause, response, call.signal)
      if (!tag || /^4(?!29)/.test(error.status as unknown as string)) throw error
      // A browser does not send a tag to another origin whose CORS lacks its header.
      isAnew = !error.status && !!known
    }
    // Instead of the end, the next request gets the error itself.
    if (!isEnd && !isAnew) await pause(Math.min(wait * 2 ** failures++, 30_000), call.signal)
  }
}

function pageOf (items: readonly unknown[], last: readonly unknown[] = items): LivePage<unknown> {
  const before = new Map(last.map(one => [JSON.stringify(one), one]))
  const now = items.map(one => before.get(JSON.stringify(one)) ?? one)
  const known = new Set(last)
  return { items: Object.freeze(now), changed: now.filter(one => !known.has(one)) }
}

// Three comments of a server with the default options.
const silence = 45_000

async function begun (response: Response): Promise<Response> {
  if (response.headers.get('content-type')?.startsWith('text/event-stream')) return response
  throw new ApiError(await response.text(), 'not_api', response)
}

type EventField = 'event' | 'data' | 'id' | 'retry'

export const eventFields = (event: string) =>
  Object.fromEntries(event.split('\n').map(line => line.split(/: (.*)/s))) as { readonly [F in EventField]?: string }

/** Returns the items of a list, also of a wrapped one; undefined for any other document. */
function itemsOf (document: unknown): readonly unknown[] | undefined {
  if (Array.isArray(document)) return document
  const { items, page, ...rest } = Object(document) as Readonly<Record<string, unknown>>
  return Array.isArray(items) && page && !Object.keys(rest)[0] ? items : undefined
}

/** An operation of a JSON Patch (RFC 6902). */
export interface PatchOperation {
  readonly op: 'add' | 'remove' | 'replace'
  readonly path: string
  readonly value?: unknown
}

export function patched (document: unknown, { op, path, value }: PatchOperation): unknown {
  const names = path.split('/').slice(1).map(name => name.replaceAll('~1', '/').replaceAll('~0', '~'))
  return at(document, names)

  function at (one: unknown, [name, ...below]: readonly string[]): unknown {
    if (name === undefined) return value
    if (Array.isArray(one)) {
      const rest = one.slice(+name + +(op !== 'add'))
      return Object.freeze([...one.slice(0, +name), ...op === 'remove' ? [] : [value], ...rest])
    }
    const { [name]: old, ...others } = one as Readonly<Record<string, unknown>>
    // A computed name is a member of its own, also where it is `__proto__`.
    return Object.freeze(op === 'remove' && !below[0] ? others : { ...others, [name]: at(old, below) })
  }
}
