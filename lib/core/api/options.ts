import { Type } from '@sinclair/typebox'
import { type DataOptions, optionsSchema } from '../../../schemas/options.ts'
import type { ExplorerOptions } from '../../../schemas/explorer.ts'
import type { LiveOptions } from '../../../schemas/live.ts'
import type { McpOptions } from '../../../schemas/mcp.ts'
import type { OpenApiOptions } from '../../../schemas/openapi.ts'
import type { RequestStrategies } from '../../../schemas/request-strategies.ts'
import type { CallerOf, Context, Declared, OperationRules, Pages } from '../declare/collection.ts'
import { functionSchema, operationRules, type SchemaOf } from '../declare/shapes.ts'
import type { Source } from '../declare/source.ts'
import { DeclarationError } from '../errors/errors.ts'
import { isObject } from '../errors/is-object.ts'
import { compileCheck } from '../model/check.ts'
import type { PageLimits } from '../model/model.ts'
import type { Naming } from '../model/names.ts'
import type { BatchLimits } from './batch.ts'
import type { Resource } from '../plan/path/walk.ts'
import type { ReadOptions } from '../plan/read/read.ts'
import type { WriteLimits } from '../plan/write/limits.ts'
import type { BodyLimits } from '../request/body.ts'
import type { ImportLimits } from '../request/receive.ts'
import { compileSyntax, type Syntax } from '../request/syntax.ts'
import { parseSite, type Site } from '../response/paths.ts'

/** The options of `fastify.register(dataApi, options)`. */
export interface DataApiOptions extends DataOptions {
  /** The collections by their name in the application. */
  collections: Record<string, Declared>
  /**
   * Returns the facts about the caller of a request, for the context of rules, scopes, setters and hooks. Called once
   * for each request, when one of them asks for the facts, and again when its body has come. Default: none.
   */
  caller?: CallerOf
  /**
   * Who may do what, for each operation of which a collection says nothing itself (docs/rules.md: Who may do what).
   * Default: none; in an API with rules, each collection says it.
   */
  rules?: OperationRules
  /** Keeps the answers to writes that have an `Idempotency-Key`, which may be repeated. Default: no key is read. */
  idempotency?: IdempotencyOptions
}

/** How the answers to writes under a key are kept (docs/writing.md: Writes that may be repeated). */
export interface IdempotencyOptions {
  /**
   * The table of the keys, or one for each database whose collections are written: `npx fastify-data-api sql
   * idempotency` prints it. memory() needs none.
   */
  table?: Source | readonly Source[]
  /**
   * Returns whose key it is; undefined or null for a caller who may send none. Needed where collections have rules or a
   * scope. Default: all share one set of keys.
   */
  caller?: (context: Context) => string | number | undefined | null
  /** How long a key is kept, in seconds; at least 3600. Default 86,400: a day. */
  expires?: number
}

/** The options of keys, with every default filled in. */
interface IdempotencyLimits extends Required<Omit<IdempotencyOptions, 'table' | 'caller'>> {
  readonly tables: readonly Source[]
  readonly caller: IdempotencyOptions['caller']
}

/** The options of live documents, with every default filled in. All times are in milliseconds. */
export interface LiveLimits extends Required<Omit<LiveOptions, 'collections'>> {
  readonly collections: readonly string[] | undefined
}

/** The options of the door for agents, with every default filled in. */
export type McpLimits = Required<Pick<McpOptions, 'path' | 'length' | 'write'>> &
  Pick<McpOptions, 'collections' | 'origins' | 'resourceMetadata'>

type ResponseContent = Required<NonNullable<DataOptions['responseContent']>>

/** The options with every default filled in. */
export interface Options {
  readonly prefix: string
  readonly caller: CallerOf
  /** Undefined where the registration has neither rules nor facts about callers. */
  readonly rules: OperationRules | undefined
  readonly naming: Naming
  readonly syntax: Syntax
  /** The most segments of a path. */
  readonly segments: number
  readonly requestStrategies: RequestStrategies
  /** The limits of batches; undefined where the root takes none. */
  readonly batch: BatchLimits | undefined
  /** Undefined if no write has a key. */
  readonly idempotency: IdempotencyLimits | undefined
  readonly writes: WriteLimits
  /** The limits of imports; undefined where none are taken. */
  readonly imports: ImportLimits | undefined
  /** Options for planning reads: of answers in pages, and of whole collections as streams. */
  readonly reads: { readonly paged: ReadOptions, readonly whole: ReadOptions }
  /** Returns true if collections are answered as NDJSON and CSV too. */
  streams (): boolean
  /** Returns true if clients can follow how the resource changes. */
  isLive (resource: Resource): boolean
  /** The live documents; undefined if there are none. */
  readonly live: LiveLimits | undefined
  readonly responseContent: Readonly<ResponseContent>
  /** Options for rendering answers. */
  readonly answers: Readonly<ResponseContent> & {
    readonly dictionaryPrefix: string
    readonly length: number
    readonly linkLength: number
    /** True if the directory links to the OpenAPI document. */
    readonly describes: boolean
  }
  readonly pages: PageLimits
  /** Members of every OpenAPI document; undefined if no URL serves one. */
  readonly openapi: OpenApiOptions | undefined
  /** The pages for people; undefined if there are none. */
  readonly explorer: ExplorerOptions | undefined
  /** The door for agents; undefined if there is none. */
  readonly mcp: McpLimits | undefined
  /** The site of the option `baseUrl`; undefined if clients see that of the request. */
  readonly site: Site | undefined
  /** In milliseconds; undefined for no log of slow statements. */
  readonly slowStatements: number | undefined
  /** In milliseconds. */
  readonly closeGrace: number
}

/** Checks the options and fills in the defaults. Throws a DeclarationError that names the offending option. */
export function compileOptions (given: DataApiOptions): Options {
  checkOptions(given)
  const { caller = () => undefined, rules = given.caller && {}, idempotency, ...data } = given
  const syntax = compileSyntax(data.queryString ?? {})
  const content = withDefaults(data.responseContent ?? {})
  const { segments, length, batchItems, groups: mostGroups, linkLength } = answerLimits(data.limits ?? {})
  const { items: mostItems, cost: mostCost } = syntax.limits
  const paged = { linkStyle: content.linkStyle, mostItems, mostCost, batchItems, length, mostGroups, whole: false }
  return {
    prefix: (data.prefix ?? '').replace(/\/+$/, ''),
    caller,
    rules,
    naming: compileNaming(data.naming),
    syntax,
    requestStrategies: data.requestStrategies ?? {},
    batch: batchLimits(data.requestStrategies?.batch ?? false),
    idempotency: idempotency && idempotencyLimits(idempotency),
    reads: { paged, whole: { ...paged, whole: true } },
    writes: { ...bodyLimits(data.bodies ?? {}), reads: paged },
    imports: importLimits(data.imports ?? false),
    streams: () => true,
    isLive: () => false,
    live: liveLimits(data.live ?? false),
    responseContent: content,
    segments,
    answers: {
      ...content, dictionaryPrefix: syntax.dictionaryPrefix, length, linkLength, describes: data.openapi !== false
    },
    openapi: data.openapi === false ? undefined : data.openapi ?? {},
    explorer: explorerOptions(data.explorer ?? false),
    mcp: mcpLimits(data.mcp ?? false, data.requestStrategies?.batch ?? false),
    pages: pageLimits(data.pages ?? {}),
    site: data.baseUrl === undefined ? undefined : compileSite(data.baseUrl),
    slowStatements: data.slowStatements,
    closeGrace: data.closeGrace ?? 10_000
  }
}

const batchLimits = (given: NonNullable<RequestStrategies['batch']>): BatchLimits | undefined =>
  given === false ? undefined : { operations: 100, ...given !== true && given }

function compileSite (baseUrl: string): Site {
  const site = parseSite(baseUrl)
  if (site !== undefined) return site
  throw new DeclarationError(`option 'baseUrl': expected the URL of the API's root without a query; found '${baseUrl}'`)
}

function withDefaults ({
  createdBody = 'id',
  pageLinks = 'header',
  previousLink = true,
  linkStyle = 'auto',
  errors = 'plain',
  callerHeaders = ['Authorization', 'Cookie'],
  serverTiming = false,
  raised = false,
  developerErrors = false
}: Partial<ResponseContent>): ResponseContent {
  return {
    createdBody, pageLinks, previousLink, linkStyle, errors, callerHeaders, serverTiming, raised, developerErrors
  }
}

const optionalFunction = Type.Optional(functionSchema)
const idempotency: SchemaOf<IdempotencyOptions> = Type.Object({
  table: Type.Optional(Type.Unknown()),
  caller: optionalFunction,
  expires: Type.Optional(Type.Integer({ minimum: 3600, title: 'seconds' }))
}, { additionalProperties: false })

const check = compileCheck(Type.Object({
  ...optionsSchema.properties,
  collections: Type.Object({}, { expected: 'an object of collections by name' }),
  caller: optionalFunction,
  rules: Type.Optional(operationRules),
  idempotency: Type.Optional(idempotency)
}))

function checkOptions (given: DataApiOptions): void {
  if (isObject(given.rules) && 'fields' in given.rules) {
    throw new DeclarationError("option 'rules': fields are of one collection; give 'fields' to its rules")
  }
  check(given, path => `option '${path}'`)
}

function idempotencyLimits ({ table = [], caller, expires = 86_400 }: IdempotencyOptions): IdempotencyLimits {
  return { tables: [table].flat(), caller, expires }
}

const conventions: ReadonlySet<unknown> = new Set(['snake_case', 'camelCase', 'kebab-case', 'PascalCase', 'none'])

function compileNaming (naming: DataOptions['naming'] = 'snake_case'): Naming {
  if (typeof naming === 'function' || conventions.has(naming)) return naming
  throw new DeclarationError(`option 'naming': expected ${[...conventions].join(', ')} or a function`)
}

function bodyLimits (
  { depth = 32, items = 1000, affected = 1000 }: NonNullable<DataOptions['bodies']>
): BodyLimits & Pick<WriteLimits, 'affected'> {
  return { depth, items, affected, bytes: Infinity }
}

function importLimits (given: NonNullable<DataOptions['imports']>): ImportLimits | undefined {
  if (given === false) return undefined
  const asked = given === true ? {} : given
  const { total = Math.max(2 ** 32, asked.bytes ?? 0), rows = 10_000_000, idle = 30_000, time = 3_600_000 } = asked
  const { bytes = Math.min(2 ** 30, total), slice } = asked
  if (bytes <= total) return { bytes, rows, total, idle, time, slice }
  throw new DeclarationError(`option 'imports.total': must be at least 'imports.bytes', ${bytes}; found ${total}`)
}

function answerLimits ({
  segments = 32, length = 2 ** 24, batchItems = 2000, groups = 10_000, linkLength = 4096
}: NonNullable<DataOptions['limits']>) {
  return { segments, length, batchItems, groups, linkLength }
}

const explorerOptions = (given: NonNullable<DataOptions['explorer']>): ExplorerOptions | undefined =>
  given === false ? undefined : given === true ? {} : given

function mcpLimits (
  given: NonNullable<DataOptions['mcp']>, batch: NonNullable<RequestStrategies['batch']>
): McpLimits | undefined {
  if (given === false) return undefined
  const limits = { path: 'mcp', length: 20_000, write: false, ...given !== true && given }
  if (limits.write === false || batch !== false) return limits
  throw new DeclarationError("option 'mcp.write': agents write in batches; set 'requestStrategies.batch' too")
}

function liveLimits (given: NonNullable<DataOptions['live']>): LiveLimits | undefined {
  if (given === false) return undefined
  const {
    interval = 100, recheck = 60_000, heartbeat = 15_000, lifetime = 900, buffer = 65_536, max = 10_000,
    longest = 2 ** 20, collections
  } = given === true ? {} : given
  return { interval, recheck, heartbeat, lifetime: lifetime * 1000, buffer, max, longest, collections }
}

function pageLimits ({ maxSize = 1000, defaultSize = Math.min(100, maxSize) }: Pages): PageLimits {
  return { defaultSize, maxSize }
}
