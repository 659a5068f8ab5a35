import type { LightMyRequestResponse } from 'fastify'
import { memoize } from '../../lib/core/scheduling/memoize.ts'
import { keysDdl } from '../fixtures/keyed-notes.ts'
import { everySource, type Tools, type World } from './every-source.ts'

/** The answer to an operation. */
interface Element { status: number, location?: string, etag?: string, body?: unknown }

/**
 * Runs a test of writes on each kind of source: of single requests, and of each of them as a batch of one that has a
 * key.
 */
export function everyWrite (
  name: string, run: (tools: Tools) => Promise<void>, options: Parameters<typeof everySource>[2], world?: World
): void {
  everySource(name, run, options, world)
  const requestStrategies = { ...options?.requestStrategies, batch: true }
  // A copy would take the application, though the test may not.
  const batched = async (tools: Tools) =>
    run(Object.create(tools, { send: { value: inBatch(tools, options?.prefix) } }) as Tools)
  everySource(`${name}, in a batch of one`, batched, { ...options, requestStrategies }, world && withKeys(world))
}

/** Returns the world with a table of keys, if its tables are made by statements. */
const withKeys = memoize((world: World): World => {
  const { ddl, tables } = world
  if (ddl === undefined) return world
  return {
    ...world,
    ddl: `${ddl};${keysDdl}`,
    tables: { ...tables, data_api_keys: [] },
    options: source => ({ idempotency: { table: source('data_api_keys'), caller: () => 'test' } })
  }
})

let keys = 0

/** Returns a function that sends each write as a batch of one, and gives the answer as if it had been sent alone. */
function inBatch ({ request }: Pick<Tools, 'request'>, prefix = ''): Tools['send'] {
  return async (method, path, body, headers = {}) => {
    const { 'if-match': ifMatch, 'if-none-match': ifNoneMatch, prefer, ...others } = headers
    const returns = /return=(\w+)/.exec(prefer ?? '')?.[1]
    const conditions = { if_match: ifMatch, if_none_match: ifNoneMatch }
    const operation = { method, path: path.slice(prefix.length), body, ...conditions, return: returns }
    const response = await request({
      method: 'POST',
      url: `${prefix}/`,
      headers: { 'content-type': 'application/json', 'idempotency-key': `k${keys++}`, ...others },
      payload: JSON.stringify([operation])
    })
    return alone(response, returns)
  }
}

function alone (response: LightMyRequestResponse, returns: string | undefined): LightMyRequestResponse {
  if (response.statusCode !== 200) {
    // Allow tells the methods of the root, and the message those of the operation's path.
    const [, allow] = /Allowed methods: (.*?)\./.exec(response.body) ?? []
    const headers = { ...response.headers, ...allow !== undefined && { allow } }
    return answerOf(response.statusCode, headers, toErrorAlone(response.body))
  }
  const [{ status, location, etag, body }] = response.json<[Element]>()
  const { 'content-type': type } = response.headers
  return answerOf(status, {
    ...location !== undefined && { location },
    ...etag !== undefined && { etag },
    ...body !== undefined && { 'content-type': type },
    // An operation asks for it by a member of its own, so no header tells it.
    ...returns !== undefined && { 'preference-applied': `return=${returns}` }
  }, body === undefined ? '' : JSON.stringify(body))
}

/** Returns the error without what tells the operation: its index, and the beginnings of pointers. */
function toErrorAlone (text: string): string {
  const { operation: _operation, ...error } = JSON.parse(text) as Record<string, unknown>
  // The index stands in the place of the operation that a rule denies, which the message tells.
  const [, operation] = /^You may not (\w+) /.exec(String(error['message'])) ?? []
  const alone = { ...error, ...error['collection'] !== undefined && { operation } }
  return JSON.stringify(alone).replaceAll('"pointer":"/0/body', '"pointer":"')
}

const answerOf = (statusCode: number, headers: LightMyRequestResponse['headers'], body: string) =>
  ({ statusCode, headers, body, json: () => JSON.parse(body) as unknown }) as LightMyRequestResponse
