import type { FastifyInstance } from 'fastify'
import { isIP } from 'node:net'
import { hostname } from 'node:os'

/**
 * Refuses requests whose `Host` is not the server's own: a web page whose name was made to lead to this machine (DNS
 * rebinding) could otherwise read every answer.
 */
export function guardHost (app: FastifyInstance, listened: string): void {
  const isAllowed = hostCheck(listened)
  app.addHook('onRequest', async ({ headers: { host = '' } }, reply) => {
    if (isAllowed(nameIn(host))) return
    const message = 'This server answers only under its own name; open it under the address that it was started with.'
    return reply.code(403).send({ error: 'forbidden', message })
  })
}

/**
 * Refuses what a page of another site asks for, which could tell by `onload` and `onerror` of a script, image or object
 * which items exist. A link that leads here is followed. Browsers set these headers (W3C, Fetch Metadata).
 */
export function guardSite (app: FastifyInstance): void {
  app.addHook('onRequest', async ({ method, headers }, reply) => {
    const { 'sec-fetch-site': site, 'sec-fetch-mode': mode, 'sec-fetch-dest': destination } = headers
    if (site !== 'cross-site' && site !== 'same-site') return
    if (method === 'GET' && mode === 'navigate' && destination === 'document') return
    const message = 'Pages of other sites cannot use this server; a link to it can be followed.'
    return reply.code(403).send({ error: 'forbidden', message })
  })
}

/** Returns a check of the names under which a server is reached that listens on an address. */
export function hostCheck (listened: string): (name: string) => boolean {
  const own = nameIn(listened.includes(':') ? `[${listened}]` : listened)
  const isOpen = isWildcard(own)
  // A page cannot have a name that is an address, so no address needs to be refused where all are listened on.
  const names = new Set(['localhost', '127.0.0.1', '::1', own, ...isOpen ? [hostname().toLowerCase()] : []])
  return name => names.has(name) || (isOpen && isIP(name) > 0)
}

/** Returns true for an address that only this machine reaches. */
export const isLoopback = (address: string): boolean => /^(?:localhost|127(?:\.\d+){3}|\[?::1\]?)$/i.test(address)

const isWildcard = (name: string) => name === '0.0.0.0' || name === '::'

/** Returns the name or address in a `Host`, without its port and brackets. */
function nameIn (host: string): string {
  const [, address, name = ''] = /^(?:\[([^\]]*)\]|([^:]*))(?::\d*)?$/.exec(host) ?? []
  return (address ?? name).toLowerCase().replace(/\.$/, '')
}
