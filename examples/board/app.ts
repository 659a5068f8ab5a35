import { Type } from '@sinclair/typebox'
import { build } from 'esbuild'
import Fastify, { type FastifyInstance } from 'fastify'
import dataApi, { collection, memory } from 'fastify-data-api'
import { readFile } from 'node:fs/promises'

// A board that everybody shares: its API, and its page (docs/clients.md: TanStack DB). memory() stands for any source.

const shown = { readable: true, writable: true } as const
const lane = Type.Union([Type.Literal('todo'), Type.Literal('doing'), Type.Literal('done')], shown)

const Card = Type.Object({
  id: Type.String({ format: 'uuid', identifier: true, ...shown }),
  title: Type.String({ minLength: 1, maxLength: 80, ...shown }),
  lane,
  place: Type.Number(shown)
})

// What was done, and when the server was told.
const Move = Type.Object({
  id: Type.String({ format: 'uuid', identifier: true, ...shown }),
  card: Type.String({ format: 'uuid', ...shown }),
  title: Type.String(shown),
  lane,
  at: Type.String({ format: 'date-time', readable: true })
})

/** Builds the application. `folder` has the page and its script. */
export async function buildBoard (folder: string): Promise<FastifyInstance> {
  const app = Fastify({ forceCloseConnections: true })
  await app.register(dataApi, {
    prefix: '/api',
    collections: {
      cards: collection(Card, { source: memory([]) }),
      moves: collection(Move, {
        source: memory([]), hooks: { creating: move => { move.at = new Date().toISOString() } }
      })
    },
    requestStrategies: { batch: true, delete: true },
    idempotency: {},
    live: { interval: 20 }
  })
  const page = await readFile(`${folder}/index.html`)
  const { outputFiles: [script] } = await build({
    entryPoints: [`${folder}/page.js`], bundle: true, minify: true, format: 'esm', write: false
  })
  app.get('/', async (_, reply) => reply.type('text/html').send(page))
  app.get('/page.js', async (_, reply) => reply.type('text/javascript').send(script?.text))
  return app
}
