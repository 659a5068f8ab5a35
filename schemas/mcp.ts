import { type Static, Type } from '@sinclair/typebox'

/** The door for agents that speak the Model Context Protocol (docs/agents.md). */
export const mcpOptions = Type.Object({
  /** The last segment of the door's URL. Default `mcp`. */
  path: Type.Optional(Type.String({ pattern: '^[A-Za-z0-9_~-]+$' })),
  /** The collections that agents may use, by their names in the application. Default: all. */
  collections: Type.Optional(Type.Array(Type.String())),
  /**
   * The collections that agents may write in batches, by their names in the application; true for all. It needs
   * `requestStrategies.batch`. Default: none.
   */
  write: Type.Optional(Type.Union([Type.Boolean(), Type.Array(Type.String())])),
  /** The most characters of data in one answer. Default 20000. */
  length: Type.Optional(Type.Integer({ minimum: 1 })),
  /** The origins whose pages may use the door. Default: that of `baseUrl`; without it none. */
  origins: Type.Optional(Type.Array(Type.String({ pattern: '^[a-z][a-z0-9+.-]*://[^/]+$' }))),
  /** The URL of the application's metadata for OAuth (RFC 9728), which a 401 at the door names. Default: none. */
  resourceMetadata: Type.Optional(Type.String({ pattern: '^https?://[^"]+$' }))
}, { additionalProperties: false })

/** The door for agents that speak the Model Context Protocol. */
export type McpOptions = Static<typeof mcpOptions>
