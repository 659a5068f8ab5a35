import type { SentRequest } from '../serving/send.ts'
import { compareWorlds, type AnswerDifference, type Pair, staleStream } from './compare.ts'
import { applyChanges, type TwinChange } from './twin.ts'
import type { Driven } from './way.ts'

/** A difference that tells a caller what it may not know: the facts, and the request whose answers differ. */
export interface Leak {
  readonly request: Driven
  /** None for a stream that tells what GET does not. */
  readonly changes: readonly TwinChange[]
  readonly difference: AnswerDifference
}

/** Returns the simplest leak that the requests and changes have: most often one row and one plain request. */
export async function shrink (pair: Pair, leak: Leak): Promise<Leak> {
  const [one, { world }] = pair.worlds
  const attempt = async (request: Driven, changes: readonly TwinChange[]): Promise<Leak | undefined> => {
    const contents = applyChanges(one.contents, changes)
    world.fill(contents)
    const { difference } = await compareWorlds({ ...pair, worlds: [one, { world, contents }] }, request)
    // A stream that tells what GET does not, and worlds that differ, are two kinds of leaks.
    const isSame = (difference?.place === staleStream) === (leak.difference.place === staleStream)
    return difference && isSame ? { request, changes, difference } : undefined
  }
  const fewer = await withFewer(leak, attempt)
  const simpler = await simplest(pair.reads, fewer, attempt) ?? await simplify(fewer, attempt)
  world.fill(pair.worlds[1].contents)
  return simpler
}

type Attempt = (request: Driven, changes: readonly TwinChange[]) => Promise<Leak | undefined>

async function withFewer (leak: Leak, attempt: Attempt): Promise<Leak> {
  const stale = await attempt(leak.request, [])
  if (stale !== undefined) return stale
  for (const change of leak.changes) {
    const single = await attempt(leak.request, [change])
    if (single !== undefined) return single
  }
  let found = leak
  for (const change of leak.changes) {
    found = await attempt(found.request, found.changes.filter(one => one !== change)) ?? found
  }
  return found
}

/** Returns the leak by a read of a whole collection, if one of them shows it. */
async function simplest (
  reads: readonly SentRequest[], { changes }: Leak, attempt: Attempt
): Promise<Leak | undefined> {
  for (const read of reads) {
    const simple = await attempt(read, changes)
    if (simple !== undefined) return simple
  }
  return undefined
}

async function simplify (leak: Leak, attempt: Attempt): Promise<Leak> {
  for (const request of simplerThan(leak.request)) {
    const simpler = await attempt(request, leak.changes)
    if (simpler !== undefined) return simplify(simpler, attempt)
  }
  return leak
}

/** Yields requests without one of the headers that a client may leave out, of the parameters, or of the members. */
function * simplerThan (request: Driven): Generator<Driven> {
  const { method, url, headers, body, meanwhile, ...others } = request
  if (meanwhile !== undefined) {
    yield { method, url, headers: without(headers, 'accept'), ...others }
    for (let index = 0; index < meanwhile.writes.length; index++) {
      yield { ...request, meanwhile: { ...meanwhile, writes: meanwhile.writes.toSpliced(index, 1) } }
    }
  }
  if (method === 'HEAD') yield { ...request, method: 'GET' }
  if ('x-http-method-override' in headers) {
    yield { ...request, method: 'QUERY', headers: without(headers, 'x-http-method-override') }
  }
  if (method === 'QUERY') {
    yield { method: 'GET', url: `${url}?${body ?? ''}`, headers: without(headers, 'content-type') }
  }
  for (const name of ['accept', 'prefer', 'if-match', 'if-none-match']) {
    if (name in headers && meanwhile === undefined) yield { ...request, headers: without(headers, name) }
  }
  const [path = '', query = ''] = url.split(/\?(.*)/s)
  const parameters = query.split('&').filter(one => one !== '')
  for (let index = 0; index < parameters.length; index++) {
    const left = parameters.toSpliced(index, 1)
    yield { ...request, url: left.length === 0 ? path : `${path}?${left.join('&')}` }
  }
  const members = bodyMembers(body)
  for (const [name] of members) {
    yield { ...request, body: JSON.stringify(Object.fromEntries(members.filter(([other]) => other !== name))) }
  }
}

const without = (headers: SentRequest['headers'], left: string) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => name !== left))

/** Returns the members of a body that is an object, as JSON; none for any other. */
export function bodyMembers (body = ''): ReadonlyArray<readonly [string, unknown]> {
  try {
    const value = JSON.parse(body) as unknown
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : []
  } catch {
    return []
  }
}
