import autocannon, { type Request } from 'autocannon'

export type { Request }

/** How hard a server is pressed. */
export interface Pressure { readonly connections: number, readonly seconds: number }

/** What came of a round: requests answered, in how many seconds. Latencies in milliseconds. */
export interface Round {
  readonly requests: number
  readonly seconds: number
  readonly p50: number
  readonly p99: number
}

/** Sends the requests again and again over a fixed number of connections. Throws if any answer is an error: what failed must not be taken for fast. */
export async function press (url: string, requests: readonly Request[], { connections, seconds }: Pressure): Promise<Round> {
  let clients = 0
  const result = await autocannon({
    url,
    connections,
    duration: seconds,
    sampleInt: 20,
    // Each connection has its own, which begin elsewhere, so that they do not all ask for the same at once. What stands here every one of them would make anew.
    requests: requests.slice(0, 1),
    setupClient (client) {
      const start = Math.floor(requests.length * (clients++ % connections) / connections)
      client.setRequests([...requests.slice(start), ...requests.slice(0, start)])
    }
  })
  if (result.non2xx > 0 || result.errors > 0) {
    throw new Error(`${requests[0]?.method} ${requests[0]?.path}: ${result.non2xx} answers were no success, ${result.errors} requests failed`)
  }
  // A short round on a busy machine may end before its first answer.
  if (result['2xx'] === 0) return press(url, requests, { connections, seconds: seconds * 2 })
  const { p50, p99 } = result.latency
  return { requests: result['2xx'], seconds: (result.finish.getTime() - result.start.getTime()) / 1000, p50, p99 }
}
