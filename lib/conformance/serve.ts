import Fastify, { type FastifyInstance, type InjectOptions } from 'fastify'
import type { DataSource } from '../sources/source.ts'
import dataApi, { frameworkErrors } from '../index.ts'
import { declare, declareOpenly } from './declare.ts'
import type { Table } from './table.ts'
import type { World } from './world.ts'

/** A database with the tables that it was given, and nothing else. */
export interface Opened {
  /** The table of that name. Its properties are called as its columns say. */
  source (table: string): DataSource
  close (): Promise<void> | void
}

/** Makes tables with their rows, in a database or schema of their own. */
export type Open = (tables: readonly Table[]) => Promise<Opened> | Opened

export interface SentRequest {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

export interface Answer {
  readonly status: number
  /** All but the date. */
  readonly headers: Readonly<Record<string, unknown>>
  readonly body: string
}

/** A world over one database. */
export interface Served {
  readonly name: string
  send (sent: SentRequest): Promise<Answer>
  /** What was logged of errors since this was last asked. */
  faults (): readonly string[]
  close (): Promise<void>
}

/** Where everything can be seen, beside the API. */
export const openPrefix = '/~'

export async function serve (name: string, open: Open, world: World): Promise<Served> {
  const opened = await open(world.tables)
  const logged: string[] = []
  const logger = { level: 'error', stream: { write (line: string) { logged.push(line) } } }
  const app = Fastify({ frameworkErrors, logger, routerOptions: { maxParamLength: 10_000 } })
  try {
    const source = sourcesOf(opened)
    await app.register(dataApi, { ...world.options, collections: declare(world, source) })
    await app.register(dataApi, { naming: 'none', prefix: openPrefix, collections: declareOpenly(world, source) })
    await app.ready()
  } catch (error) {
    await opened.close()
    throw error
  }
  return { name, send: sending(app), faults: () => logged.splice(0), close: () => closeAll(app, opened) }
}

/** A collection's source is asked for once, as an application would. */
function sourcesOf (opened: Opened): (table: string) => DataSource {
  const sources = new Map<string, DataSource>()
  return table => {
    const source = sources.get(table) ?? opened.source(table)
    sources.set(table, source)
    return source
  }
}

function sending (app: FastifyInstance): Served['send'] {
  return async ({ method, url, headers, body }) => {
    const response = await app.inject({
      method: method as NonNullable<InjectOptions['method']>,
      url,
      headers: { ...headers },
      ...body !== undefined && { payload: body }
    })
    const { date: _date, ...others } = response.headers
    return { status: response.statusCode, headers: others, body: response.body }
  }
}

async function closeAll (app: FastifyInstance, opened: Opened): Promise<void> {
  await app.close()
  await opened.close()
}
