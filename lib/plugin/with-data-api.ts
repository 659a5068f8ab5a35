import type { FastifyInstance } from 'fastify'
import { DeclarationError } from '../errors/errors.ts'
import { type HostDocument, mergeDocuments } from '../openapi/swagger.ts'
import { type DataApi, registrationsIn } from './registrations.ts'

/** The argument that @fastify/swagger gives to `transformObject`. */
type Transformed = { readonly openapiObject: HostDocument } | { readonly swaggerObject: object }

/**
 * Returns the option `transformObject` of @fastify/swagger: it adds the collections of all registrations to the
 * application's OpenAPI document, also those of encapsulated contexts (docs/openapi.md). The document is made when it
 * is asked for, so either plugin may be registered first. The function throws a DeclarationError for a document of
 * Swagger 2.0. `isShown`: returns false for a registration that is left out. Default: all are shown.
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
