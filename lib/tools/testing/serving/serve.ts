import Fastify from 'fastify'
import type { Api } from '../../../core/api/answer.ts'
import { relationOf } from '../../../core/declare/relations.ts'
import { memory } from '../../../core/sources/memory/memory.ts'
import type { DataSource } from '../../../core/sources/source.ts'
import dataApi, { frameworkErrors } from '../../../index.ts'
import { standIns } from '../../../plugin/stand-ins.ts'
import { declare, declareOpenly } from '../world/declare.ts'
import { type Follow, follower } from './follow.ts'
import { type AnswerReceived, type SendRequest, sender, type SentRequest } from './send.ts'
import type { Column, ColumnKind, Table } from '../world/table.ts'
import type { World } from '../world/world.ts'

/** A database that holds the given tables and nothing else. */
export interface Opened {
  /** Returns a source over the table with that name; the source names properties as the table's columns do. */
  source (table: string): DataSource
  close (): Promise<void> | void
}

/** Creates the tables with their rows, in a database or schema of their own. */
export type Open = (tables: readonly Table[]) => Promise<Opened> | Opened

/** A world that is served over one database. */
export interface ServedWorld {
  readonly name: string
  readonly send: SendRequest
  /** Opens the streams of documents, where they are live. */
  readonly follow: Follow
  /** The API, of whose collections requests are generated. */
  readonly api: Api
  /** Returns the errors that were logged since the last call. */
  faults (): readonly string[]
  close (): Promise<void>
}

/** The prefix of a second API over the same tables, in which nothing is hidden. */
export const openPrefix = '/~'

/** Serves a world over its tables in a database. `live`: true if its documents are live. */
export async function serve (name: string, opened: Opened, world: World, live: boolean): Promise<ServedWorld> {
  const logged: string[] = []
  const logger = { level: 'error', stream: { write (line: string) { logged.push(line) } } }
  const app = Fastify({ frameworkErrors, logger, routerOptions: { maxParamLength: 10_000 } })
  const source = sourcesOf(opened)
  const apis: Api[] = []
  const registering = () => ({ registered: (api: Api) => { apis.push(api) } })
  await standIns.run({ registering }, async () => {
    await app.register(dataApi, {
      ...world.options,
      imports: { slice: 3 },
      // There is one caller.
      idempotency: { table: source(keyTable.name), ...world.guarded && { caller: () => 'me' } },
      live: live && { interval: 1 },
      collections: declare(world, source)
    })
    await app.register(dataApi, { naming: 'none', prefix: openPrefix, collections: declareOpenly(world, source) })
    await app.ready()
  })
  const [api] = apis
  if (api === undefined) throw new TypeError('the world is registered')
  return {
    name, send: sender(app), follow: follower(app), api, faults: () => logged.splice(0), close: () => app.close()
  }
}

/** Returns requests that read all stored rows with all fields, also those that the API hides. */
export function openReads ({ collections }: World) {
  const keyNames = new Map(collections.map(({ property, keys }) => [property, keys.map(one => one.property).join(',')]))
  return collections.map(collection => {
    const { property, schema } = collection
    const fields = Object.entries(schema)
      .map(([name, one]) => {
        const relation = relationOf(one)
        return relation === undefined ? name : `${name}(${keyNames.get(relation.target) ?? ''})`
      })
    const url = `${openPrefix}/${encodeURIComponent(property)}?fields=${encodeURIComponent(fields.join(','))}`
    return { collection, request: { method: 'GET', url, headers: {} } }
  })
}

/** Returns all rows of a world that is served, as text. */
export async function storedIn ({ send }: ServedWorld, world: World): Promise<string> {
  const answers = await Promise.all(openReads(world).map(({ request }) => send(request)))
  return answers.map(({ body }) => body).join('\n')
}

/** Creates the tables of a world, or of its twin, in a database. */
export const openTables = async (open: Open, tables: readonly Table[]): Promise<Opened> => open([...tables, keyTable])

const keyColumn = (name: string, kind: ColumnKind, nullable = false): Column =>
  ({ name, property: name, kind, nullable, unique: false })

/** The table of the keys of writes. */
const keyTable: Table = {
  name: 'data_api_keys',
  columns: [
    keyColumn('caller', 'text'), keyColumn('key', 'text'), keyColumn('fingerprint', 'text'),
    keyColumn('results', 'text', true), keyColumn('at', 'date-time')
  ],
  primaryKey: ['caller', 'key'],
  naming: 'none',
  rows: []
}

/** Returns a function that opens the source of each table once, as an application does. */
function sourcesOf (opened: Opened): (table: string) => DataSource {
  const sources = new Map<string, DataSource>()
  return table => {
    const source = sources.get(table) ?? opened.source(table)
    sources.set(table, source)
    return source
  }
}

/**
 * Returns the part of an answer that is the same over every database. An OpenAPI document tells what the columns of its
 * database may show.
 */
export function sharedPart ({ url }: SentRequest, answer: AnswerReceived): AnswerReceived {
  if (!/^[^?]*\/openapi\.json(?:\?|$)/.test(url)) return answer
  const { etag: _etag, 'content-length': _length, ...headers } = answer.headers
  return { status: answer.status, headers, body: '' }
}

/** Opens the tables as memory() sources over objects: the reference with which every other source is compared. */
export function openMemory (tables: readonly Table[]): Opened {
  const rows = Object.fromEntries(tables.map(table => [table.name, table.rows.map(row => toObject(row, table))]))
  return { source: name => memory(rows[name] ?? [], { joins: rows }), close () {} }
}

const toObject = (row: Readonly<Record<string, unknown>>, { columns }: Table) =>
  Object.fromEntries(columns.map(({ name, property }) => [property, structuredClone(row[name])]))
