import cors from '@fastify/cors'
import helmet from '@fastify/helmet'
import rateLimit from '@fastify/rate-limit'
import Fastify, { type FastifyInstance } from 'fastify'
import dataApi, { corsOptions } from 'fastify-data-api'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { addActions } from './actions.ts'
import { declareDesk } from './collections.ts'
import { type Database, openDatabase } from './database.ts'
import { addFiles } from './files.ts'
import { addMetrics } from './metrics.ts'
import { addLogin, type FindCaller, verifyTokens } from './sessions.ts'

export interface DeskOptions {
  /** The tables, or where they are: a file of SQLite, or the URL of a PostgreSQL server. */
  readonly database: Database | string
  /** Signs tokens. */
  readonly secret: string
  /** The folder of attached files. */
  readonly files: string
  /** The origin of the pages that use the API, such as `https://desk.example.org`. */
  readonly origin: string
  /** The number of requests of a caller per minute. Default 600. An address may log in a twentieth as often. */
  readonly requests?: number
  /** The lifetime of a token in seconds. Default 900. */
  readonly tokenLifetime?: number
  /** Whether documents can be followed. Default true. */
  readonly live?: boolean
  /** The most bytes of an attached file. Default 10 MiB. */
  readonly largestFile?: number
  /** Finds the person of a session. Default: by the tables. */
  readonly findCaller?: FindCaller
  readonly logger?: boolean
  /** The addresses of proxies, whose headers name clients and the host, such as `uniquelocal`. Default none. */
  readonly proxies?: string | undefined
}

/** Builds the application: a desk where tenants answer the tickets of their customers. */
export async function buildDesk (options: DeskOptions): Promise<FastifyInstance> {
  const { origin, files, requests = 600, live = true, largestFile = 10 * 2 ** 20, logger = false, proxies } = options
  const db = typeof options.database === 'string' ? openDatabase(options.database) : options.database
  const collections = declareDesk(db, file => rm(join(files, file), { force: true }))
  const login = {
    secret: options.secret,
    lifetime: options.tokenLifetime ?? 900,
    logins: Math.ceil(requests / 20),
    findCaller: options.findCaller
  }

  const app = Fastify({
    logger,
    // Proxies by their addresses: who believes all names clients after a header that anybody may send, rate limits too.
    trustProxy: proxies ?? false,
    requestTimeout: 30_000,
    // Names of files are long.
    routerOptions: { maxParamLength: 500 }
  })
  // Before the hooks that reject, so that pages of the other origin can read their errors.
  await app.register(cors, { origin, ...corsOptions })
  await app.register(helmet)
  await verifyTokens(app, collections, login)
  // Routes count after the hook above, so each caller has a limit of its own.
  await app.register(rateLimit, { max: requests, keyGenerator: ({ user, ip }) => String(user?.id ?? ip) })
  addMetrics(app)
  await app.register(dataApi, {
    prefix: '/api',
    collections,
    caller: ({ user }) => user,
    // What a collection does not say, nobody may do.
    rules: { create: false, update: false, delete: false },
    requestStrategies: { delete: true, batch: true, bulk: ['PATCH', 'DELETE'] },
    idempotency: { table: db.table('data_api_keys'), caller: ({ caller }) => caller?.id },
    imports: true,
    explorer: { title: 'Desk', login: '/login' },
    mcp: { collections: ['tenants', 'people', 'customers', 'tickets', 'comments'], write: ['tickets', 'comments'] },
    live
  })
  await addLogin(app, collections, login)
  await addFiles(app, collections, files, largestFile)
  addActions(app, collections)
  app.get('/health', { config: { public: true, rateLimit: false } }, async () => {
    await db.ping()
    return { status: 'ok' }
  })
  app.addHook('onClose', () => db.close())
  return app
}
