import Fastify, { type FastifyInstance } from 'fastify'
import dataApi, { type DataApiOptions, memory, postgres, type Source, sqlite } from '../../lib/index.ts'
import { collections } from '../collections.ts'
import { makeWorld } from '../world.ts'
import { mostConnections, type Setting } from './setting.ts'

/** Opens the plugin with its default options, but for those given. */
export async function openPlugin (
  setting: Setting, options: Pick<DataApiOptions, 'pages' | 'live' | 'imports'> = {}
): Promise<FastifyInstance> {
  const app = Fastify()
  await app.register(dataApi, { collections: collections(openSource(setting)), ...options })
  return app
}

function openSource (setting: Setting): (table: 'artists' | 'albums' | 'tracks') => Source {
  switch (setting.source) {
    case 'memory': {
      const world = makeWorld(setting.sizes)
      return table => memory(world[table], { statementTimeout: 0 })
    }
    case 'sqlite': {
      const db = sqlite(setting.file, { synchronous: 'normal' })
      return table => db.table(table, { columns: 'snake_case' })
    }
    case 'postgres': {
      const db = postgres({ connectionString: setting.url, max: mostConnections })
      return table => db.table(table, { columns: 'snake_case' })
    }
  }
}
