import './node-version.ts'
import type { FastifyInstance } from 'fastify'
import fastifyPlugin from 'fastify-plugin'
import { ArgumentError, DataApiError, DeclarationError } from './core/errors/errors.ts'
import type { DataApi } from './plugin/registrations.ts'
import type { DataApiOptions } from './core/api/options.ts'
import type { RequestFacts } from './core/api/request-facts.ts'

export { collection, exactly, lookup } from './core/declare/collection.ts'
export { computed, expression } from './core/declare/computed.ts'
export { input } from './core/declare/collection.ts'
export { SubCollection, SubItem } from './core/declare/relations.ts'
export { standard } from './core/declare/standard.ts'
export type { ObjectOf, RelationProperties, StandardSchema } from './core/declare/standard.ts'
export type {
  AnyContext, Behaviour, Caller, Context, Declaration, Declared, Draft, Found, Hooks, Item, ItemRule, Lookup, Match,
  OperationRules, Pages, Rule, Rules, Saved, Scope, Scopes, Setter, Special, SystemContext, Transaction, WriteContext
} from './core/declare/collection.ts'
export type { Computed, Expression } from './core/declare/computed.ts'
export type { Input } from './core/declare/collection.ts'
export type { Condition, Where } from './core/declare/conditions.ts'
export type {
  CollectionData, Collections, Data, Id, Query, RequestData, Selected, Shape, ShapeIn, SystemData, UnboundCollection,
  Values
} from './core/declare/data.ts'
export type { Page } from './clients/client/page.ts'
export type { TSubCollection, TSubItem } from './core/declare/relations.ts'
export { ArgumentError, DataApiError, DeclarationError }
export type { ErrorCode, Facts } from './core/errors/errors.ts'
export { corsOptions } from './plugin/cors.ts'
export { frameworkErrors } from './plugin/failures.ts'
export type { DataApiOptions, IdempotencyOptions } from './core/api/options.ts'
export type { DataApi } from './plugin/registrations.ts'
export type { LiveNumbers } from './doors/live/documents.ts'
export type { RequestFacts, RequestKind } from './core/api/request-facts.ts'
export type { Document as OpenApiDocument } from './doors/documents/objects.ts'
export type { DocumentOptions } from '../schemas/openapi.ts'
export { withDataApi } from './plugin/registrations.ts'
export { memory } from './core/sources/memory/memory.ts'
export { kysely } from './core/sources/sql/postgres/kysely.ts'
export { postgres } from './core/sources/sql/postgres/postgres.ts'
export { sqlite } from './core/sources/sql/sqlite/sqlite.ts'
export type { MemoryOptions, MemorySource } from './core/sources/memory/memory.ts'
export type { KyselyDatabase, KyselyInstance, KyselyOptions } from './core/sources/sql/postgres/kysely.ts'
export type { PostgresDatabase, PostgresOptions } from './core/sources/sql/postgres/postgres.ts'
export type { SessionOf, SessionSettings } from './core/sources/sql/postgres/request-session.ts'
export type {
  PooledClient, PostgresClient, PostgresPool, PostgresQuery, PostgresRows
} from './core/sources/sql/postgres/driver.ts'
export type { SqliteDatabase, SqliteOptions } from './core/sources/sql/sqlite/sqlite.ts'
export type { SqlSource, TableDefinition, TableOptions } from './core/sources/sql/source.ts'
export type { Database, DataSource as Source } from './core/sources/source.ts'
export type { StatementEvent, StatementKind } from './core/sources/statement-events.ts'
export type { FieldFlags } from '../schemas/flags.ts'
export type { RequestStrategies } from '../schemas/request-strategies.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** The registration of fastify-data-api; the first one if the plugin is registered more than once. */
    dataApi: DataApi
  }
  interface FastifyRequest {
    /** The collection and the kind of a request of the API, for labels of metrics; undefined for any other request. */
    dataApi: RequestFacts | undefined
  }
  interface FastifyContextConfig {
    /** The door of the plugin's own route for agents. */
    dataApiDoor?: 'mcp'
  }
}

/**
 * Publishes collections as a navigable tree of URLs. Decorates the instance with `dataApi`. Routes, hooks and error
 * handler belong to a scope of their own under `prefix`, so that the host application is unchanged. Throws a
 * DeclarationError for a mistake in a declaration or option.
 */
async function dataApi (app: FastifyInstance, options: DataApiOptions): Promise<void> {
  // Loaded here, so that importing the package costs what a declaration needs; the application's own import of TypeBox,
  // which the schemas of the options need too, has come first by now.
  const { register } = await import('./plugin/register.ts')
  await register(app, options)
}

export default fastifyPlugin(dataApi, { fastify: '5.x', name: 'fastify-data-api' })
