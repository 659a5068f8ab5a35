import type { FastifyInstance } from 'fastify'
import Fastify from './fastify.ts'
import { type ApiError, createClient } from '../../lib/clients/client/index.ts'
import dataApi, { type DataApiOptions } from '../../lib/index.ts'
import { library } from '../fixtures/library.ts'

/** Serves the library on a socket. Returns a client of it, and the requests that it gets. */
export async function serve (t: { teardown: (end: () => unknown) => void }, options: Partial<DataApiOptions> = {}) {
  const app = Fastify({ forceCloseConnections: true })
  const requests: string[] = []
  app.addHook('onRequest', async request => { requests.push(`${request.method} ${decodeURIComponent(request.url)}`) })
  await app.register(
    dataApi,
    { prefix: '/api', collections: library(), requestStrategies: { upsert: true, delete: true }, ...options }
  )
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  t.teardown(() => app.close())
  const client = createClient(`${url}/api/`)
  return { app, url, requests, client, authors: client.resource('authors'), books: client.resource('books') }
}

/** Creates `count` authors. */
export const addAuthors = (app: FastifyInstance, count: number) => app.inject({
  method: 'POST',
  url: '/api/authors',
  payload: Array.from({ length: count }, (_, index) => ({ name: `A${index}`, rating: index % 10 }))
})

/** Returns a client whose requests are answered in turn, and the requests. */
export function answering (...answers: ReadonlyArray<Response | Error>) {
  const sent: Array<{ readonly url: string, readonly init: RequestInit }> = []
  const rest = [...answers]
  const fetch = async (url: string, init: RequestInit) => {
    sent.push({ url, init })
    const answer = rest.shift() ?? new Response('[]')
    if (answer instanceof Error) throw answer
    return answer
  }
  return { sent, authors: createClient('http://host', { fetch }).resource('authors') }
}

/** Takes all items. Returns their number. */
export async function drain (items: AsyncIterable<unknown>): Promise<number> {
  let count = 0
  for await (const item of items) count += item === undefined ? 0 : 1
  return count
}

/** Returns the error of a promise that rejects. */
export const failed = async (promise: Promise<unknown>): Promise<ApiError> =>
  await promise.then(() => { throw new Error('it succeeded') }, (error: unknown) => error as ApiError)
