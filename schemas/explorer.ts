import { type Static, Type } from '@sinclair/typebox'

/** The pages of an API for people (docs/explorer.md). */
export const explorerOptions = Type.Object({
  /** The name of the API on its pages. Default: the title of its OpenAPI document, or `Data API`. */
  title: Type.Optional(Type.String({ minLength: 1 }))
}, { additionalProperties: false })

/** The pages of an API for people. */
export type ExplorerOptions = Static<typeof explorerOptions>
