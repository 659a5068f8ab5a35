import type { FastifyInstance } from 'fastify'
import { type HostDocument, mergeDocuments } from './openapi/swagger.ts'

/** The argument that @fastify/swagger gives to `transformObject`. */
type Transformed = { readonly openapiObject: HostDocument } | { readonly swaggerObject: object }

/**
 * Returns the option `transformObject` of @fastify/swagger: it adds the collections of all registrations to the
 * application's OpenAPI document (docs/openapi.md). The document is made when it is asked for, so either plugin may be
 * registered first. A Swagger 2.0 document stays as it is.
 */
export function withDataApi (app: FastifyInstance): <T extends Transformed>(document: T) => object {
  return document => {
    if (!('openapiObject' in document)) return document.swaggerObject
    if (!app.hasDecorator('dataApi')) return document.openapiObject
    return mergeDocuments(document.openapiObject, app.dataApi.registrations.values())
  }
}
