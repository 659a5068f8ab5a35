import autocannon, { type Request } from 'autocannon'

export type { Request }

/** The load on a server: the number of connections, and the duration in seconds. */
export interface Pressure { readonly connections: number, readonly seconds: number }

/** The result of a round: the number of answers, its duration in seconds, and latencies in milliseconds. */
export interface Round {
  readonly requests: number
  readonly seconds: number
  readonly p50: number
  readonly p99: number
}

/**
 * Sends the requests again and again over a fixed number of connections. Throws if any answer is an error, because a
 * failure must not count as a fast answer.
 */
export async function press (
  url: string, requests: readonly Request[], { connections, seconds }: Pressure
): Promise<Round> {
  let clients = 0
  const result = await autocannon({
    url,
    connections,
    duration: seconds,
    sampleInt: 20,
    // setupClient() gives each connection all requests, from a start of its own, so that the connections do
    // not send the same one at once. autocannon would prepare requests that are listed here again for each connection.
    requests: requests.slice(0, 1),
    setupClient (client) {
      const start = Math.floor(requests.length * (clients++ % connections) / connections)
      client.setRequests([...requests.slice(start), ...requests.slice(0, start)])
    }
  })
  if (result.non2xx > 0 || result.errors > 0) {
    const { method, path } = { ...requests[0] }
    const { non2xx, errors } = result
    throw new Error(`${method} ${path}: ${non2xx} answers were no success, ${errors} requests failed`)
  }
  // A short round on a busy machine may end before its first answer.
  if (result['2xx'] === 0) return press(url, requests, { connections, seconds: seconds * 2 })
  const { p50, p99 } = result.latency
  return { requests: result['2xx'], seconds: (result.finish.getTime() - result.start.getTime()) / 1000, p50, p99 }
}
