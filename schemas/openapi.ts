import { type Static, Type } from '@sinclair/typebox'

const anything = Type.Record(Type.String(), Type.Unknown())

/** Members of every OpenAPI document of an API (docs/clients.md: OpenAPI). */
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

/** The choice of a document (docs/clients.md: OpenAPI). */
export const documentOptions = Type.Object({
  /** The readers of the document: people, generators of clients, or language models. Default `docs`. */
  profile: Type.Optional(Type.Union([Type.Literal('docs'), Type.Literal('types'), Type.Literal('tools')])),
  /** The version of OpenAPI. 3.2 adds the method QUERY and the items of streams. Default `3.1`. */
  version: Type.Optional(Type.Union([Type.Literal('3.1'), Type.Literal('3.2')])),
  /** The names on the wire of the collections to describe. Default: all. */
  collections: Type.Optional(Type.Array(Type.String())),
  /** Put before the names of all components, so that they fit into another document. Default: nothing. */
  componentPrefix: Type.Optional(Type.String()),
  /** The operations' identifiers that another document has. Default: none. */
  operationIds: Type.Optional(Type.Array(Type.String()))
}, { additionalProperties: false })

type Choice = Static<typeof documentOptions>
/** The choice of a document. An option that is undefined has its default. */
export type DocumentOptions = { readonly [Name in keyof Choice]?: Readonly<Choice[Name]> | undefined }
