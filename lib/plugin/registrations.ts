import type { FastifyInstance } from 'fastify'
import type { DocumentOptions } from '../../schemas/openapi.ts'
import type { Data } from '../core/declare/data.ts'
import { DeclarationError } from '../core/errors/errors.ts'
import type { LiveNumbers } from '../doors/live/documents.ts'
import type { Document } from '../doors/documents/objects.ts'
import { type HostDocument, mergeDocuments } from '../doors/documents/swagger.ts'
import { memoize } from '../core/scheduling/memoize.ts'

/** One registration of the plugin, as `app.dataApi` shows it. */
export interface DataApi extends Data {
  /** The path of the API's root, with the prefixes of enclosing scopes. */
  readonly prefix: string
  /** The names of the collections on the wire, in the order of their declaration. */
  readonly collections: readonly string[]
  /**
   * Returns the OpenAPI document of the whole API, whatever rules hide from callers (docs/clients.md: OpenAPI). Throws
   * a DeclarationError for a wrong option.
   */
  openapi (options?: DocumentOptions): Document
  /** Returns a TypeScript module with the types of the whole API for the client (docs/clients.md: Types). */
  types (): string
  /** Returns numbers of the live documents, for metrics; undefined without the option `live`. */
  live (): LiveNumbers | undefined
  /** All registrations in this scope, by prefix; this one is among them. */
  readonly registrations: ReadonlyMap<string, DataApi>
}

/** A registration, and the instance on which the plugin was registered. */
interface Registered { readonly scope: FastifyInstance, readonly api: DataApi }

/** The registrations of each server, in their order. */
const registeredOn = memoize((_server: object): Registered[] => [])

/** Remembers a registration, so that enclosing contexts find it. */
export function addRegistration (scope: FastifyInstance, api: DataApi): void {
  registeredOn(scope.server).push({ scope, api })
}

/**
 * Returns the registrations that an instance has, with those of the contexts that it encapsulates, which it has no
 * decorators of, and of those that enclose it. Other contexts belong to other plugins.
 */
export function registrationsIn (app: FastifyInstance): readonly DataApi[] {
  return registeredOn(app.server)
    .filter(({ scope }) => app === scope || isWithin(scope, app) || isWithin(app, scope))
    .map(({ api }) => api)
}

// An encapsulated instance inherits from the one that encloses it.
const isWithin = (inner: FastifyInstance, outer: FastifyInstance) => Object.prototype.isPrototypeOf.call(outer, inner)

/** The argument that @fastify/swagger gives to `transformObject`. */
type Transformed = { readonly openapiObject: HostDocument } | { readonly swaggerObject: object }

/**
 * Returns the option `transformObject` of @fastify/swagger: it adds the collections of all registrations to the
 * application's OpenAPI document, also those of encapsulated contexts (docs/clients.md: OpenAPI). The document is made
 * when it is asked for, so either plugin may be registered first. The function throws a DeclarationError for a document
 * of Swagger 2.0. `isShown`: returns false for a registration that is left out. Default: all are shown.
 */
export function withDataApi (
  app: FastifyInstance, isShown: (api: DataApi) => boolean = () => true
): <T extends Transformed>(document: T) => object {
  return document => {
    if (!('openapiObject' in document)) {
      const advice = "register @fastify/swagger with { openapi: { openapi: '3.1.0' } }"
      throw new DeclarationError(`withDataApi(app): expected a document of OpenAPI 3; found Swagger 2.0; ${advice}`)
    }
    return mergeDocuments(document.openapiObject, registrationsIn(app).filter(isShown))
  }
}
