import { type Static, Type } from '@sinclair/typebox'
import { explorerOptions } from './explorer.ts'
import { liveOptions } from './live.ts'
import { mcpOptions } from './mcp.ts'
import { openApiOptions } from './openapi.ts'
import { queryStringOptions } from './query-string.ts'
import { requestStrategies } from './request-strategies.ts'

const pageStyle = Type.Union([
  Type.Literal('auto'), Type.Literal('page'), Type.Literal('offset'), Type.Literal('keyset')
])
type Naming = 'snake_case' | 'camelCase' | 'kebab-case' | 'PascalCase' | 'none' | ((name: string) => string)

/** The options of the plugin that are data. Every member has a default; an unknown one is an error. */
export const optionsSchema = Type.Object({
  /** The path of the API's root, such as `/api`. Default: the root of the server. */
  prefix: Type.Optional(Type.String()),
  /**
   * The conversion of the application's names to names on the wire: a convention or a function. Default `snake_case`.
   */
  naming: Type.Optional(Type.Unsafe<Naming>({
    description: "one of 'snake_case', 'camelCase', 'kebab-case', 'PascalCase', 'none', or a function"
  })),
  /** Names, delimiters and operators of the query string. */
  queryString: Type.Optional(queryStringOptions),
  /** The requests that may write, for collections without strategies of their own. */
  requestStrategies: Type.Optional(requestStrategies),
  /** Limits of a body; beyond them is 400 or 413. The limit in bytes is Fastify's `bodyLimit`. */
  bodies: Type.Optional(Type.Object({
    /** Levels of nested objects and arrays. Default 32. */
    depth: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000 })),
    /** Items, including those of sub-collections. Default 1000. */
    items: Type.Optional(Type.Integer({ minimum: 1 })),
    /** Items that a write by a filter may change or delete; more is 409. Default 1000. */
    affected: Type.Optional(Type.Integer({ minimum: 1 }))
  }, { additionalProperties: false })),
  /** Whether POST creates the items of a stream of NDJSON or CSV (docs/http.md: Imports). Default false. */
  imports: Type.Optional(Type.Union([Type.Boolean(), Type.Object({
    /** Bytes of a stream; more is 413. Default 1,073,741,824. */
    bytes: Type.Optional(Type.Integer({ minimum: 1 })),
    /** Items of a stream; more is 413. Default 10,000,000. */
    rows: Type.Optional(Type.Integer({ minimum: 1 })),
    /**
     * Bytes of all streams that arrive or are written at once; a stream beyond them is 503. At least `bytes`. Default
     * 4,294,967,296.
     */
    total: Type.Optional(Type.Integer({ minimum: 1 })),
    /** Milliseconds without a byte of the stream, after which it is 408. Default 30,000. */
    idle: Type.Optional(Type.Integer({ minimum: 1, maximum: 2 ** 31 - 1 })),
    /** Milliseconds in which the whole stream must come; after them it is 408. Default 3,600,000: an hour. */
    time: Type.Optional(Type.Integer({ minimum: 1, maximum: 2 ** 31 - 1 })),
    /** Items that are checked and written together. Default 1000 on PostgreSQL, 200 on others. */
    slice: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000 }))
  }, { additionalProperties: false })])),
  /** Limits of one request and its answer, besides those of its query string and body (docs/limits.md). */
  limits: Type.Optional(Type.Object({
    /** Segments of a path after the API's root; more is 414. Default 32. */
    segments: Type.Optional(Type.Integer({ minimum: 1 })),
    /** Characters of an answer's JSON text; a longer answer is 400. Default 16,777,216. */
    length: Type.Optional(Type.Number({ minimum: 1 })),
    /** Items that one batch of a stream may hold, nested items included; it has one at least. Default 2000. */
    batchItems: Type.Optional(Type.Integer({ minimum: 1 })),
    /** Groups that a read may make of items, whatever it shows of them; more are 400. Default 10,000. */
    groups: Type.Optional(Type.Integer({ minimum: 1 })),
    /** Characters of the `Link` header; without the links that exceed it. Default 4096. */
    linkLength: Type.Optional(Type.Integer({ minimum: 1 }))
  }, { additionalProperties: false })),
  /** The content of a response besides data. */
  responseContent: Type.Optional(Type.Object({
    /** The body after a creation: status and `id`, status alone, or none. Default `id`. */
    createdBody: Type.Optional(Type.Union([Type.Literal('id'), Type.Literal('status'), Type.Literal('none')])),
    /** The place of links to other pages: the `Link` header, a wrapped page, both or none. Default `header`. */
    pageLinks: Type.Optional(Type.Union([
      Type.Literal('header'), Type.Literal('wrapped'), Type.Literal('both'), Type.Literal('none')
    ])),
    /** Whether a page links to the previous one. Default true. */
    previousLink: Type.Optional(Type.Boolean()),
    /** The parameters in links: `auto` keeps the client's style, or is `keyset` without one. Default `auto`. */
    linkStyle: Type.Optional(pageStyle),
    /** The form of error bodies: plain, or RFC 9457 problem details. Default `plain`. */
    errors: Type.Optional(Type.Union([Type.Literal('plain'), Type.Literal('problem')])),
    /**
     * The request headers that identify callers: `Vary` names them where rules make answers depend on the caller.
     * Default `Authorization` and `Cookie`.
     */
    callerHeaders: Type.Optional(Type.Array(Type.String({ minLength: 1 }))),
    /** Whether answers say in `Server-Timing` how long they and their statements took. Default false. */
    serverTiming: Type.Optional(Type.Boolean()),
    /**
     * Whether the words with which a trigger or function of the database refuses a write reach the client, as 400
     * `rejected`. Default false.
     */
    raised: Type.Optional(Type.Boolean()),
    /** Whether an unexpected error shows the client its cause and stack; not for production. Default false. */
    developerErrors: Type.Optional(Type.Boolean())
  }, { additionalProperties: false })),
  /** The OpenAPI document at `openapi.json`; `false` for none. */
  openapi: Type.Optional(Type.Union([Type.Literal(false), openApiOptions])),
  /** Whether browsers get pages (docs/explorer.md), and what these pages say. Default false. */
  explorer: Type.Optional(Type.Union([Type.Boolean(), explorerOptions])),
  /** Whether agents get a door (docs/agents.md), and what it shows. Default false. */
  mcp: Type.Optional(Type.Union([Type.Boolean(), mcpOptions])),
  /** Sizes of pages, in items, for collections without sizes of their own. `Infinity` means no limit. */
  pages: Type.Optional(Type.Object({
    /** Items on a page when the request names no size. Default 100. */
    defaultSize: Type.Optional(Type.Number({ minimum: 1 })),
    /** The largest page; a larger size in a request becomes this one. Default 1000. */
    maxSize: Type.Optional(Type.Number({ minimum: 1 }))
  }, { additionalProperties: false })),
  /**
   * Whether collections are NDJSON and CSV, and documents live, also where the application has `preSerialization` hooks
   * or a reply serializer, which do not get the items of such streams. Default false: 406 there.
   */
  rawStreams: Type.Optional(Type.Boolean()),
  /** Whether clients can follow documents by `text/event-stream` (docs/live.md). Default false. */
  live: Type.Optional(Type.Union([Type.Boolean(), liveOptions])),
  /** Logs each statement that takes at least so many milliseconds, as a warning. Default: none. */
  slowStatements: Type.Optional(Type.Number({ minimum: 0 })),
  /**
   * How long `app.close()` lets open streams run and bodies arrive, in milliseconds, before it breaks them off. Default
   * 10000.
   */
  closeGrace: Type.Optional(Type.Integer({ minimum: 0, maximum: 2 ** 31 - 1 })),
  /**
   * The absolute URL of the API's root as clients see it, without a query, for links. Default: the URL that Fastify
   * reads from the request, with its own `trustProxy`.
   */
  baseUrl: Type.Optional(Type.String({ pattern: '^https?://' }))
}, { additionalProperties: false })

/** The options of the plugin that are data. */
export type DataOptions = Static<typeof optionsSchema>
