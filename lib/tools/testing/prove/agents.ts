import { toOperation } from '../requests/batches.ts'
import type { AnswerReceived, SentRequest } from '../serving/send.ts'
import { ownCode, type Way } from './way.ts'
import type { ServedApi } from './world.ts'

/** The ways to read a collection. */
export interface CollectionReads { readonly name: string, readonly ways: readonly Way[] }

/**
 * Returns what an agent can do: read what is described, and each URL that a client can read, and write what a client
 * can write (docs/agents.md).
 */
export function agentWays (
  { prefix, api: { options: { mcp }, keys } }: ServedApi, all: readonly CollectionReads[], writes: readonly Way[]
): readonly Way[] {
  if (mcp === undefined) return []
  const call = (name: string, given: string): SentRequest => ({
    method: 'POST',
    url: `${prefix}/${mcp.path}`,
    headers: { 'content-type': 'application/json' },
    body: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${name}","arguments":${given}}}`
  })
  const written: Way = {
    name: `${prefix}/ written by an agent`,
    weight: 3 * ownCode,
    make (generator) {
      const sent = generator.of(writes).make(generator)
      const operations = sent.url === `${prefix}/` ? sent.body : `[${toOperation(sent, prefix)}]`
      const key = keys === undefined ? '' : `,"key":"key-${generator.below(1e9)}"`
      return call('write', `{"operations":${operations}${key},"dry_run":${generator.chance(10)}}`)
    }
  }
  return [
    { name: `${prefix}/ described to an agent`, make: () => call('describe', '{}') },
    ...all.map(({ name, ways }): Way => ({
      name: `${name} read by an agent`,
      weight: ownCode,
      make (generator) {
        const { url } = generator.of(ways).make(generator)
        return call('get', JSON.stringify({ url: url.slice(prefix.length), count: generator.chance(50) }))
      }
    })),
    ...mcp.write === false || writes.length === 0 ? [] : [written]
  ]
}

/** Returns the status of an answer. The error of a tool has none, and stands in a 200. */
export function statusOf ({ status, body }: AnswerReceived): number {
  if (status !== 200 || !body.includes('"isError":true')) return status
  return /"error\\":\\"(?:forbidden|unauthorized)/.test(body) ? 403 : 400
}
