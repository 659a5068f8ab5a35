import Fastify, { type FastifyInstance } from 'fastify'
import dataApi from '../index.ts'
import { declare } from './scaffold/declare.ts'
import type { Design } from './scaffold/design.ts'
import { guardHost, guardSite } from './guard.ts'
import { makeLogger } from './logger.ts'
import type { OpenedDatabase } from './open.ts'
import type { Terminal } from './terminal.ts'

/** How a design is served. `write`: clients may write. */
export interface Serving { readonly host: string, readonly prefix: string, readonly write: boolean }

// No route of this application has schemas of Fastify's, whose compilers take 50 ms to load.
const never = () => () => { throw new Error('no route has a schema') }
const schemaController = { compilersFactory: { buildValidator: never, buildSerializer: never } }

/** Returns the application that serves a design. */
export async function makeApp (
  database: OpenedDatabase, design: Design, { host, prefix, write }: Serving, terminal: Pick<Terminal, 'error'>
): Promise<FastifyInstance> {
  // A large catalogue may take long on a slow machine, and that is no error.
  const app = Fastify({ loggerInstance: makeLogger(terminal), pluginTimeout: 0, schemaController })
  guardHost(app, host)
  guardSite(app)
  await app.register(dataApi, {
    prefix,
    collections: declare(design, database.db),
    openapi: { info: { title: database.label } },
    explorer: true,
    ...write && { requestStrategies: { delete: true } }
  })
  await app.ready()
  return app
}
