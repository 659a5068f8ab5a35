import type { SentRequest } from '../conformance/serve.ts'
import { ownCode, type Way } from './way.ts'
import type { ServedApi } from './world.ts'

/** The ways to read a collection. */
export interface Reads { readonly name: string, readonly ways: readonly Way[] }

/** Returns what an agent can do: read what is described, and each URL that a client can read (docs/mcp.md). */
export function agentWays ({ prefix, api: { options: { mcp } } }: ServedApi, all: readonly Reads[]): readonly Way[] {
  if (mcp === undefined) return []
  const call = (name: string, given: object): SentRequest => ({
    method: 'POST',
    url: `${prefix}/${mcp.path}`,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: given } })
  })
  return [
    { name: `${prefix}/ described to an agent`, make: () => call('describe', {}) },
    ...all.map(({ name, ways }): Way => ({
      name: `${name} read by an agent`,
      weight: ownCode,
      make (generator) {
        const { url } = generator.of(ways).make(generator)
        return call('get', { url: url.slice(prefix.length), count: generator.chance(50) })
      }
    }))
  ]
}
