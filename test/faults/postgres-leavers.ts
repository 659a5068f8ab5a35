import { get } from 'node:http'
import { setTimeout } from 'node:timers/promises'
import { Follower } from '../helpers/follow.ts'
import type { Api } from './api.ts'
import { startLoad } from './load.ts'
import type { Effort, Outcome } from './outcome.ts'
import { startPostgres } from './postgres.ts'
import { servePostgres } from './postgres-api.ts'

// Clients that follow documents and leave at any moment, while others follow the same ones and everything is written.

const supply = 20_000
const urls = ['/cells', '/counters', '/cells/by_id', '/cells/1', '/slots?sort=-id&limit=20']
// The read of a document that has failed is tried again after a second, and the interval is far below that.
const patience = 20_000

interface Following { readonly url: string, readonly follower: Follower }

/** Has followers come and leave under mixed writes. Those who stay must have what GET gives. */
export async function postgresLeavers (effort: Effort): Promise<readonly Outcome[]> {
  const { random, quick } = effort
  const server = await startPostgres(supply)
  const served = await servePostgres({ effort, supply, options: { connectionString: server.url } })
  const following: Following[] = []
  const come = async (url: string) => { following.push({ url, follower: await follow(served.api, url) }) }
  for (const url of [...urls, ...urls, ...urls]) await come(url)
  const wrong: string[] = []
  const [rounds, leavers] = quick ? [2, 10] : [20, 100]
  for (let round = 0; round < rounds; round++) {
    const load = startLoad(served.writer, { random, clients: 6 })
    for (let n = 0; n < leavers; n++) {
      // The oldest follower of a document is the one in whose name it is read.
      const [{ url, follower } = { url: '' }] = following.splice(random.between(0, 3), 1)
      follower?.response.socket.resetAndDestroy()
      await come(url)
      await setTimeout(random.between(0, 10))
    }
    await load.stop()
    for (const one of following) if (!await isCurrent(served.api, one)) wrong.push(`round ${round}: ${one.url} is old`)
  }
  for (const { follower } of following) follower.response.destroy()
  const seen = { name: 'followers who leave', struck: rounds * leavers, heals: [], wrong }
  const outcome = await served.judge(server.url, seen)
  await server.close()
  return [outcome.log === '' ? outcome : { ...outcome, wrong: [...wrong, `the log says: ${outcome.log}`] }]
}

const follow = ({ port }: Api, path: string) => new Promise<Follower>((resolve, reject) => {
  get({ port, path, agent: false, headers: { accept: 'text/event-stream' } }, response => {
    resolve(new Follower(response))
  }).on('error', reject)
})

/** Returns true once the follower has what GET gives. */
async function isCurrent ({ port }: Api, { url, follower }: Following): Promise<boolean> {
  const end = performance.now() + patience
  while (performance.now() < end) {
    const { headers } = await fetch(`http://127.0.0.1:${port}${url}`)
    if (headers.get('etag') === follower.tag) return true
    await setTimeout(50)
  }
  return false
}
