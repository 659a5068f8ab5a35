import type { FastifyInstance } from 'fastify'
import fastifyPlugin from 'fastify-plugin'
import { ArgumentError, DataApiError, DeclarationError } from './errors.ts'
import { addHooks } from './hooks.ts'
import { compileModel } from './model/compile.ts'
import type { Model } from './model/model.ts'
import { checkRules } from './model/rules.ts'
import { compileOptions, type DataApiOptions } from './options.ts'
import { makeCallers } from './rules/caller.ts'
import { reservedNames } from './request/syntax.ts'
import { makeReplies } from './replies.ts'
import { addBodyParser, addRoutes } from './routes.ts'

export { collection, computed, exactly, expression, lookup, SubCollection, SubItem } from './collection.ts'
export type {
  Behaviour, Computed, Condition, Context, Declared, Draft, Expression, Found, Hooks, Item, Lookup, Match, Pages, Rule,
  Rules, Saved, Scope, Setter, Special, Transaction, TSubCollection, TSubItem, Where, WriteContext
} from './collection.ts'
export { ArgumentError, DataApiError, DeclarationError }
export type { ErrorCode, Facts } from './errors.ts'
export { frameworkErrors } from './hooks.ts'
export type { DataApiOptions } from './options.ts'
export { memory } from './sources/memory/memory.ts'
export { kysely } from './sources/sql/postgres/kysely.ts'
export { postgres } from './sources/sql/postgres/postgres.ts'
export { sqlite } from './sources/sql/sqlite/sqlite.ts'
export type { MemoryOptions, MemorySource } from './sources/memory/memory.ts'
export type { KyselyDatabase, KyselyInstance, KyselyOptions } from './sources/sql/postgres/kysely.ts'
export type { PostgresDatabase, PostgresOptions } from './sources/sql/postgres/postgres.ts'
export type {
  PooledClient, PostgresClient, PostgresPool, PostgresQuery, PostgresRows
} from './sources/sql/postgres/driver.ts'
export type { SqliteDatabase, SqliteOptions } from './sources/sql/sqlite/sqlite.ts'
export type { SqlSource, TableDefinition, TableOptions } from './sources/sql/source.ts'
export type { Database, DataSource as Source } from './sources/source.ts'
export type { FieldFlags } from '../schemas/flags.ts'
export type { RequestStrategies } from '../schemas/request-strategies.ts'

/** One registration of the plugin, as `app.dataApi` shows it. */
export interface DataApi {
  /** The path of the API's root, with the prefixes of enclosing scopes. */
  readonly prefix: string
  /** The names of the collections on the wire, in the order of their declaration. */
  readonly collections: readonly string[]
  /** All registrations in this scope, by prefix; this one is among them. */
  readonly registrations: ReadonlyMap<string, DataApi>
}

declare module 'fastify' {
  interface FastifyInstance {
    /** The registration of fastify-data-api; the first one if the plugin is registered more than once. */
    dataApi: DataApi
  }
}

/**
 * Publishes collections as a navigable tree of URLs. Decorates the instance with `dataApi`. Routes, hooks and error
 * handler belong to a scope of their own under `prefix`, so that the host application is unchanged. Throws a
 * DeclarationError for a mistake in a declaration or option.
 */
async function dataApi (app: FastifyInstance, given: DataApiOptions): Promise<void> {
  const options = compileOptions(given)
  const { naming, pages, requestStrategies, syntax } = options
  const compiling = { naming, pages, requestStrategies, reserved: reservedNames(syntax) }
  const model = compileModel(given.collections, compiling)
  checkRules(given.collections)
  const callers = makeCallers(given.collections, model, declared => {
    return compileModel(declared, { ...compiling, whole: model })
  })
  await app.register(async scope => {
    decorate(app, scope.prefix, model)
    const replies = makeReplies(scope, { options, callers })
    addHooks(scope, options, replies)
    addBodyParser(scope)
    addRoutes(scope, { model, options, callers }, replies)
  }, { prefix: options.prefix })
}

function decorate (app: FastifyInstance, prefix: string, model: Model): void {
  const registrations = registrationsOf(app)
  if (registrations.has(prefix)) {
    throw new DeclarationError(`option 'prefix': another API is already registered under '${prefix}'`)
  }
  const registered: DataApi = { prefix, collections: [...model.collections.keys()], registrations }
  registrations.set(prefix, registered)
  if (!app.hasDecorator('dataApi')) app.decorate('dataApi', registered)
}

/** The map that the registrations of a scope share. */
const registrationsOf = (app: FastifyInstance) =>
  app.hasDecorator('dataApi') ? app.dataApi.registrations as Map<string, DataApi> : new Map<string, DataApi>()

export default fastifyPlugin(dataApi, { fastify: '5.x', name: 'fastify-data-api' })
