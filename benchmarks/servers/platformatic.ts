import Fastify, { type FastifyInstance, type FastifyPluginAsync } from 'fastify'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'

// Platformatic is in a separate package.json, so that only those who compare with it install it. This file runs from
// dist/benchmarks/servers.
const folder = new URL('../../../benchmarks/', import.meta.url)
const require = createRequire(new URL('package.json', folder))

/** True where `npm ci --prefix benchmarks` has been run. */
export function hasPlatformatic (): boolean {
  try {
    require.resolve('@platformatic/sql-openapi')
    return true
  } catch {
    return false
  }
}

/** Returns the versions of Platformatic and of the driver that it installs. */
export const describePlatformatic = (): string =>
  `@platformatic/sql-openapi ${versionOf('@platformatic/sql-openapi')} on better-sqlite3 ${versionOf('better-sqlite3')}`

const versionOf = (name: string): string => (JSON.parse(readFileSync(
  new URL(`node_modules/${name}/package.json`, folder), 'utf8'
)) as { version: string }).version

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
