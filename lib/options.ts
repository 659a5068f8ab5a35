import { Ajv } from 'ajv'
import { type DataOptions, optionsSchema } from '../schemas/options.ts'
import type { Declared, Pages } from './collection.ts'
import { DeclarationError } from './errors.ts'
import type { PageLimits } from './model/model.ts'
import type { Naming } from './model/names.ts'
import { compileSyntax, parameterOf, type Syntax } from './request/syntax.ts'
import type { PageNames } from './response/links.ts'

/** What `fastify.register(dataApi, options)` takes. */
export interface DataApiOptions extends DataOptions {
  /** The collections by their name in the application. */
  collections: Record<string, Declared>
}

type ResponseContent = Required<NonNullable<DataOptions['responseContent']>>

/** The options with every default filled in. */
export interface Options {
  readonly prefix: string
  readonly naming: Naming
  readonly syntax: Syntax
  /** The parameters that links use. */
  readonly pageNames: PageNames
  readonly responseContent: Readonly<ResponseContent>
  readonly pages: PageLimits
  readonly baseUrl: string | undefined
}

/** Checks the options and fills in defaults. Throws a DeclarationError that names the option at fault. */
export function compileOptions ({ collections, ...data }: DataApiOptions): Options {
  if (typeof collections !== 'object' || collections === null) throw new DeclarationError("option 'collections': expected an object of collections by name")
  check(data)
  const syntax = compileSyntax(data.queryString ?? {})
  return {
    prefix: (data.prefix ?? '').replace(/\/+$/, ''),
    naming: compileNaming(data.naming),
    syntax,
    pageNames: { page: parameterOf('page', syntax), offset: parameterOf('offset', syntax), after: parameterOf('after', syntax), before: parameterOf('before', syntax) },
    responseContent: withDefaults(data.responseContent ?? {}),
    pages: pageLimits(data.pages ?? {}),
    baseUrl: data.baseUrl?.replace(/\/+$/, '')
  }
}

function withDefaults ({ pageLinks = 'header', previousLink = true, linkStyle = 'auto', errors = 'plain', developerErrors = false }: Partial<ResponseContent>): ResponseContent {
  return { pageLinks, previousLink, linkStyle, errors, developerErrors }
}

// strictNumbers would refuse Infinity, which is no limit.
const validate = new Ajv({ strictNumbers: false }).compile(optionsSchema)

function check (data: DataOptions): void {
  if (validate(data)) return
  const errors = validate.errors ?? []
  const [error] = errors
  const path = (error?.instancePath ?? '').slice(1).replaceAll('/', '.')
  const extra: unknown = error?.params['additionalProperty']
  if (typeof extra === 'string') throw new DeclarationError(`option '${path === '' ? extra : `${path}.${extra}`}': there is no such option`)
  const choices = errors.flatMap(({ params }) => 'allowedValue' in params ? [JSON.stringify(params['allowedValue'])] : [])
  throw new DeclarationError(`option '${path}': ${choices.length > 0 ? `must be one of ${choices.join(', ')}` : error?.message ?? 'is not valid'}`)
}

const conventions: ReadonlySet<unknown> = new Set(['snake_case', 'camelCase', 'kebab-case', 'PascalCase', 'none'])

function compileNaming (naming: DataOptions['naming'] = 'snake_case'): Naming {
  if (typeof naming === 'function' || conventions.has(naming)) return naming
  throw new DeclarationError(`option 'naming': expected ${[...conventions].join(', ')} or a function`)
}

function pageLimits ({ maxSize = 1000, defaultSize = Math.min(100, maxSize) }: Pages): PageLimits {
  return { defaultSize, maxSize }
}
