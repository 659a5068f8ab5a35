import { type Static, Type } from '@sinclair/typebox'

/** The pages of an API for people (docs/explorer.md). */
export const explorerOptions = Type.Object({
  /** The name of the API on its pages. Default: the title of its OpenAPI document, or `Data API`. */
  title: Type.Optional(Type.String({ minLength: 1 })),
  /** The URL of the application's page for logging in. A 401 leads to it, with the path to come back to as `next`. */
  login: Type.Optional(Type.String({ pattern: '^(?:/(?!/)|https?://)' })),
  /** The hosts that images come from, such as `files.example.com` or `localhost:8080`. Default none. */
  images: Type.Optional(Type.Array(Type.String({ pattern: '^[\\w.-]+(?::\\d+)?$' })))
}, { additionalProperties: false })

/** The pages of an API for people. */
export type ExplorerOptions = Static<typeof explorerOptions>
