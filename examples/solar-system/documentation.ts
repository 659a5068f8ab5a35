import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance } from 'fastify'
import { withDataApi } from 'fastify-data-api'

/** Adds a page of the OpenAPI document, where requests can be tried, and returns its path. */
export async function addDocumentation (app: FastifyInstance): Promise<string> {
  const info = { title: 'The solar system', version: '1.0.0' }
  await app.register(swagger, { openapi: { openapi: '3.1.0', info }, transformObject: withDataApi(app) })
  const routePrefix = '/documentation'
  await app.register(swaggerUi, { routePrefix })
  return routePrefix
}
