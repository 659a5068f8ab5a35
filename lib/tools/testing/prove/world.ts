import type { FastifyInstance } from 'fastify'
import type { Api } from '../../../core/api/answer.ts'
import { type Follow, follower } from '../serving/follow.ts'
import { type SendRequest, sender, type SentRequest } from '../serving/send.ts'
import type { Declared } from '../../../core/declare/collection.ts'
import { DeclarationError } from '../../../core/errors/errors.ts'
import { registrationsIn } from '../../../plugin/registrations.ts'
import { standIns } from '../../../plugin/stand-ins.ts'
import { memory } from '../../../core/sources/memory/memory.ts'
import { exampleOf } from '../world/examples.ts'
import { throughOf } from '../world/visible.ts'
import { type KnownCaller, watch } from './callers.ts'
import { plain } from './plain.ts'

/** A row of a throw-away table, by the application's names. */
export type WorldRow = Record<string, unknown>

/** Rows by the names of tables. */
export type Contents = ReadonlyMap<string, readonly WorldRow[]>

/** An application over throw-away tables. */
export interface ProvedWorld {
  readonly apis: readonly ServedApi[]
  readonly tables: ReadonlyMap<string, WorldRow[]>
  /** The fields whose values are made up, because memory() cannot compute them: `collection.property`. */
  readonly madeUp: ReadonlySet<string>
  readonly send: SendRequest
  readonly follow: Follow
  /** Returns the number of followed documents that are to be read again. */
  waiting (): number
  /** Replaces all rows, and tells those who follow documents. */
  fill (contents: Contents): void
  close (): Promise<void>
}

/** One registration of the application. */
export interface ServedApi {
  readonly prefix: string
  readonly api: Api
  tableOf (collection: { readonly source: unknown }): string
  joinOf (collection: { readonly source: unknown }, through: string): string
  /** The callers of the requests since it was cleared, by the names of collections. */
  readonly callers: Map<string, KnownCaller>
}

/** The names of a collection's table and of its join tables. */
interface Names { readonly table: string, readonly joins: ReadonlyMap<string, string> }

/** Builds an application whose collections are those it declares, over throw-away tables without rows. */
export async function buildWorld (build: () => Promise<FastifyInstance> | FastifyInstance): Promise<ProvedWorld> {
  const tables = new Map<string, WorldRow[]>()
  const names = makeNames()
  const madeUp = new Set<string>()
  const apis: ServedApi[] = []
  const sources = new Map<unknown, Names & { readonly source: ReturnType<typeof memory> }>()
  const rowsOf = (name: string) => tables.get(name) ?? tables.set(name, []).get(name) ?? []
  const collections = (declared: Readonly<Record<string, Declared>>) =>
    Object.fromEntries(Object.entries(declared).map(([property, one]) => {
      const table = names.ofTable(one.source)
      const joins = new Map(throughsOf(one).map(through => [through, names.ofJoin(one.source, through)]))
      const source = memory(rowsOf(table), {
        joins: Object.fromEntries([...joins].map(([through, name]) => [through, rowsOf(name)])), statementTimeout: 0
      })
      sources.set(source, { source, table, joins })
      return [property, { ...one, source, computed: inMemory(property, one, madeUp) }]
    }))
  const tableOf: ServedApi['tableOf'] = ({ source }) => sources.get(source)?.table ?? ''
  const joinOf: ServedApi['joinOf'] = ({ source }, through) =>
    sources.get(source)?.joins.get(through) ?? ''
  const registering = (prefix: string) => {
    const known = new Map<string, KnownCaller>()
    const registered = (api: Api) => { apis.push({ prefix, api, callers: known, tableOf, joinOf }) }
    return { options: withoutClocks, callers: (callers: Api['callers']) => watch(callers, known), registered }
  }
  const app = await standIns.run({ collections, registering }, async () => {
    const built = await build()
    await built.ready()
    return built
  })
  if (apis.length === 0) throw new DeclarationError('prove: the application does not register fastify-data-api')
  const fill = (contents: Contents) => {
    for (const [name, rows] of tables) rows.splice(0, Infinity, ...structuredClone(contents.get(name) ?? []))
    for (const { source } of sources.values()) source.refresh()
  }
  return { apis, tables, madeUp, fill, ...doorsOf(app) }
}

const doorsOf = (app: FastifyInstance): Pick<ProvedWorld, 'send' | 'follow' | 'waiting' | 'close'> => ({
  send: sender(app),
  follow: follower(app),
  waiting: () => registrationsIn(app).reduce((sum, one) => sum + (one.live()?.waiting ?? 0), 0),
  close: () => app.close()
})

// The longest that a timer takes.
const never = 2 ** 31 - 1

/** Has followed documents be read when rows change, at once and only then, so that streams of both worlds are alike. */
const withoutClocks = ({ live, ...options }: Api['options']): Api['options'] => ({
  ...options,
  live: live && {
    ...live, interval: 0, recheck: never, heartbeat: never, lifetime: never, buffer: never, longest: never
  }
})

/** What tells the tables of sources apart: a name in a database, or the objects of memory(). */
interface TableSource {
  readonly database: object
  readonly table?: unknown
  readonly schema?: string | undefined
  readonly joins?: ReadonlyMap<string, object>
}

function makeNames () {
  const known: unknown[] = []
  const number = (object: unknown) => known.includes(object) ? known.indexOf(object) : known.push(object) - 1
  const name = (database: object, schema: string | undefined, table: unknown) => typeof table === 'string'
    ? `${number(database)}.${table.includes('.') || schema === undefined ? '' : `${schema}.`}${table}`
    : `objects ${number(table)}`
  return {
    ofTable: (source: unknown) => {
      const { database, schema, table } = source as TableSource
      return name(database, schema, table ?? source)
    },
    ofJoin: (source: unknown, through: string) => {
      const { database, schema, joins } = source as TableSource
      return name(database, schema, joins?.get(through) ?? through)
    }
  }
}

const throughsOf = ({ schema }: Declared) => Object.values(schema.properties).flatMap(one => throughOf(one) ?? [])

/** Gives expressions that only SQL can compute a value of their type. Those that may be null are null in some rows. */
function inMemory (collection: string, declared: Declared, madeUp: Set<string>): Declared['computed'] {
  const { computed } = declared
  return Object.fromEntries(Object.entries(computed).map(([property, one]) => {
    if (one.kind !== 'expression' || one.memory !== undefined) return [property, one]
    madeUp.add(`${collection}.${property}`)
    const value = exampleOf(one.type, 0)
    const isNull = one.nullable === false ? () => false : nullIn(property, declared)
    return [property, { ...one, memory: item => isNull(item) ? null : value }]
  }))
}

/** Returns a function that chooses a third of the rows. Their keys decide: these are alike in both worlds. */
function nullIn (property: string, { key, schema: { properties } }: Declared): (item: Readonly<WorldRow>) => boolean {
  const keys = key ?? Object.keys(properties).filter(name => properties[name]?.['identifier'] === true).slice(0, 1)
  // A key that is random in each world must not tell them apart.
  return item => [...plain(JSON.stringify([property, ...keys.map(name => item[name])]))]
    .reduce((sum, one) => sum + one.charCodeAt(0), 0) % 3 === 0
}

export type { SentRequest }
