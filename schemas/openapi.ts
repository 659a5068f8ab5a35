import { type Static, Type } from '@sinclair/typebox'

const anything = Type.Record(Type.String(), Type.Unknown())

/** Members of every OpenAPI document of an API (docs/openapi.md). */
export const openApiOptions = Type.Object({
  /** Title, version, description and other members of `info`. */
  info: Type.Optional(Type.Object({
    title: Type.Optional(Type.String()),
    version: Type.Optional(Type.String())
  }, { additionalProperties: true })),
  /** The URLs of the API. Default: its root on the server that the document came from. */
  servers: Type.Optional(Type.Array(Type.Object({
    url: Type.String(),
    description: Type.Optional(Type.String())
  }, { additionalProperties: true }))),
  /** The schemes that every operation needs. */
  security: Type.Optional(Type.Array(Type.Record(Type.String(), Type.Array(Type.String())))),
  /** The schemes by name, as in `components.securitySchemes`. */
  securitySchemes: Type.Optional(anything)
}, { additionalProperties: false })

/** Members of every OpenAPI document of an API. */
export type OpenApiOptions = Static<typeof openApiOptions>
