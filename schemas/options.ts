import { type Static, Type } from '@sinclair/typebox'
import { queryStringOptions } from './query-string.ts'
import { requestStrategies } from './request-strategies.ts'

const pageStyle = Type.Union([Type.Literal('auto'), Type.Literal('page'), Type.Literal('offset'), Type.Literal('keyset')])

/** The options of the plugin that are data. Every member has a default; an unknown one is an error. */
export const optionsSchema = Type.Object({
  /** The path under which the API stands, such as `/api`. Default: the root. */
  prefix: Type.Optional(Type.String()),
  /** How names of the application become names on the wire: a convention, or a function of your own. Default `snake_case`. */
  naming: Type.Optional(Type.Unsafe<'snake_case' | 'camelCase' | 'kebab-case' | 'PascalCase' | 'none' | ((name: string) => string)>({
    description: "one of 'snake_case', 'camelCase', 'kebab-case', 'PascalCase', 'none', or a function"
  })),
  /** Names, delimiters and operators of the query string. */
  queryString: Type.Optional(queryStringOptions),
  /** Which requests may write, for collections that do not say so themselves. */
  requestStrategies: Type.Optional(requestStrategies),
  /** What one body may hold; beyond it is 400 or 413. Its size in bytes is Fastify's `bodyLimit`. */
  bodies: Type.Optional(Type.Object({
    /** Objects and arrays within each other. Default 32. */
    depth: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000 })),
    /** Items, those of sub-collections included. Default 1000. */
    items: Type.Optional(Type.Integer({ minimum: 1 }))
  }, { additionalProperties: false })),
  /** What a response holds besides data. */
  responseContent: Type.Optional(Type.Object({
    /** What is told of an item that was created: its state and `id`, its state, or nothing. Default `id`. */
    createdBody: Type.Optional(Type.Union([Type.Literal('id'), Type.Literal('status'), Type.Literal('none')])),
    /** Where links to other pages stand: in the `Link` header, in a wrapped page, both or nowhere. Default `header`. */
    pageLinks: Type.Optional(Type.Union([Type.Literal('header'), Type.Literal('wrapped'), Type.Literal('both'), Type.Literal('none')])),
    /** Whether links lead back as well. Default true. */
    previousLink: Type.Optional(Type.Boolean()),
    /** What links hold: `auto` keeps the client's style, and is keyset where it has none. Default `auto`. */
    linkStyle: Type.Optional(pageStyle),
    /** The form of error bodies: plain, or RFC 9457 problem details. Default `plain`. */
    errors: Type.Optional(Type.Union([Type.Literal('plain'), Type.Literal('problem')])),
    /** The request headers by which callers are told apart, named in `Vary` where rules make answers depend on them. Default `Authorization` and `Cookie`. */
    callerHeaders: Type.Optional(Type.Array(Type.String({ minLength: 1 }))),
    /** Whether an unexpected error tells the client its cause and stack. Never in production. Default false. */
    developerErrors: Type.Optional(Type.Boolean())
  }, { additionalProperties: false })),
  /** Sizes of pages, in items, for collections that do not set their own. `Infinity` is no limit. */
  pages: Type.Optional(Type.Object({
    /** Items on a page when the request names no size. Default 100. */
    defaultSize: Type.Optional(Type.Number({ minimum: 1 })),
    /** A larger size asked for becomes this one. Default 1000. */
    maxSize: Type.Optional(Type.Number({ minimum: 1 }))
  }, { additionalProperties: false })),
  /** The absolute URL of the API's root as clients see it, for links. Default: what Fastify reads off the request, trusting proxies as it is told to. */
  baseUrl: Type.Optional(Type.String({ pattern: '^https?://' }))
}, { additionalProperties: false })

/** The options of the plugin that are data. */
export type DataOptions = Static<typeof optionsSchema>
