import Fastify, { type FastifyInstance, type FastifyPluginAsync } from 'fastify'
import { readFileSync } from 'node:fs'
import type { Server } from 'node:http'
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import { sqliteQueries } from './by-hand-sqlite.ts'
import * as schemas from './schemas.ts'
import { sqlitePragmas } from './setting.ts'

// What people write otherwise, and Platformatic. Their packages are in a separate package.json, so that only those who
// compare with them install them. This file runs from dist/benchmarks/servers.
const folder = new URL('../../../benchmarks/', import.meta.url)
const require = createRequire(new URL('package.json', folder))

/** True where `npm ci --prefix benchmarks` has been run. */
export function hasRivals (): boolean {
  try {
    return packages.every(name => require.resolve(name) !== '')
  } catch {
    return false
  }
}

const packages = ['@platformatic/sql-openapi', 'better-sqlite3', 'drizzle-orm', 'express', '@feathersjs/koa', 'knex']

/** Returns the versions of the rivals' packages. */
export const describeRivals = (): string => `Rivals: ${packages.map(name => `${name} ${versionOf(name)}`).join(', ')}`

const versionOf = (name: string): string => (JSON.parse(readFileSync(
  new URL(`node_modules/${name}/package.json`, folder), 'utf8'
)) as { version: string }).version

interface Rival { open (tools: Readonly<Record<string, unknown>>): FastifyInstance | Server }

/** Opens what is written in benchmarks/rivals, which finds its packages there. */
export async function openRival (
  name: 'express' | 'drizzle' | 'feathers', file: string
): Promise<FastifyInstance | Server> {
  const { open } = await import(new URL(`rivals/${name}.mjs`, folder).href) as Rival
  return open({ file, pragmas: sqlitePragmas, Fastify, schemas, prepared: sqliteQueries(file) })
}

/** Opens Platformatic's REST API over the same SQLite data. */
export async function openPlatformatic (file: string): Promise<FastifyInstance> {
  const app = Fastify()
  await app.register(await load('@platformatic/sql-mapper'), {
    connectionString: `sqlite://${file}`,
    limit: { default: 20, max: 1000 }
  })
  await app.register(await load('@platformatic/sql-openapi'))
  return app
}

async function load (name: string): Promise<FastifyPluginAsync<Readonly<Record<string, unknown>>>> {
  const { default: plugin } = await import(pathToFileURL(require.resolve(name)).href) as {
    default: FastifyPluginAsync<Readonly<Record<string, unknown>>>
  }
  return plugin
}
