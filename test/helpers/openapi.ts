import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormatsModule from 'ajv-formats'
import type { OpenApiDocument } from '../../lib/index.ts'

const addFormats = addFormatsModule.default

interface Described {
  readonly parameters?: Parameters
  readonly requestBody?: { readonly content: Content }
  readonly responses: Readonly<Record<string, { readonly content?: Content, readonly $ref?: string }>>
}
type Content = Readonly<Record<string, { readonly schema?: object }>>

export interface FoundOperation {
  readonly path: string
  readonly method: string
  readonly operation: Described
  readonly pathParameters: Readonly<Record<string, string>>
}

type Parameters = NonNullable<OpenApiDocument['paths'][string]['parameters']>
type Parameter = OpenApiDocument['components']['parameters'][string]

/** Returns the parameters themselves, where some are references. */
export function resolved (parameters: Parameters = [], { components }: OpenApiDocument): readonly Parameter[] {
  return parameters.map(one => {
    const found = '$ref' in one ? components.parameters[one.$ref.split('/').at(-1) ?? ''] : one
    if (found === undefined) throw new Error(`no component ${JSON.stringify(one)}`)
    return found
  })
}

const escape = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')

/** A request that was taken. */
interface TakenRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

interface Taken { readonly status: number, readonly headers: Readonly<Record<string, unknown>> }

const decode = (text: string) => isDecodable(text) ? decodeURIComponent(text) : text

function isDecodable (text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}

/** The length of a path without its parameters: of two paths that match, the more literal one is meant. */
const literal = (path: string) => path.replaceAll(/\{\w+\}/g, '').length

/** A reader of a document: it finds operations, and validates what they answer and take. */
export function readDocument (document: OpenApiDocument) {
  const ajv = addFormats(new Ajv2020({ strict: false, allErrors: true, ownProperties: true, logger: false }))
  ajv.addSchema(document, 'document')
  const compiled = new Map<string, ValidateFunction>()
  const paths = Object.entries(document.paths).map(([path, item]) => ({
    path,
    item: item as unknown as Readonly<Record<string, Described>>,
    names: [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name),
    pattern: new RegExp(`^${path.split(/\{\w+\}/).map(escape).join('([^/]+)')}/?$`)
  })).toSorted((one, other) => one.names.length - other.names.length || literal(other.path) - literal(one.path))

  const dictionaries = paths.filter(({ path }) => /[^/]\{field\}$/.test(path)).map(({ item, pattern }) => ({
    item,
    below: new RegExp(pattern.source.replace(/\/\?\$$/, '/[^/]'))
  }))

  /** Returns true for the path of a group of a dictionary: no document lists it, and it looks like that of a field. */
  const namesGroup = (pathname: string) => dictionaries.some(({ item, below }) => {
    const [, field] = below.exec(pathname) ?? []
    return field !== undefined && fits(item, { field: decodeURIComponent(field) })
  })

  /** Returns the validator of the schema at a JSON pointer of the document. */
  function validatorAt (...tokens: readonly string[]): ValidateFunction {
    const pointer = tokens.map(token => encodeURIComponent(token.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/')
    const validate = compiled.get(pointer) ?? ajv.compile({ $ref: `document#/${pointer}` })
    compiled.set(pointer, validate)
    return validate
  }

  return {
    find (method: string, url: string): FoundOperation | undefined {
      const [pathname = ''] = url.split('?')
      // A client resolves dot segments before it sends them, and the API refuses what cannot be decoded.
      if (/\/\.\.?(\/|$)/.test(pathname) || !isDecodable(pathname)) return undefined
      if (namesGroup(pathname)) return undefined
      for (const { path, item, names, pattern } of paths) {
        const match = pattern.exec(pathname)
        const operation = item[method.toLowerCase()]
        if (match === null) continue
        const values = Object.fromEntries(
          names.map((name, index) => [name, decodeURIComponent(match[index + 1] ?? '')])
        )
        if (!fits(item, values)) continue
        if (operation === undefined || !fits({ parameters: operation.parameters }, values)) return undefined
        return { path, method: method.toLowerCase(), operation, pathParameters: values }
      }
      return undefined
    },
    /**
     * Returns what the API took of a request, though the document does not say so: headers, preferences, parameters.
     * `kindOf`: returns the kind of a parameter by its name, which is written in one of several ways.
     */
    untold (
      { operation, path, method }: FoundOperation, { url, headers }: TakenRequest, answer: Taken,
      kindOf: (name: string) => string | undefined
    ): readonly string[] {
      const parameters = resolved([...operation.parameters ?? [], ...document.paths[path]?.parameters ?? []], document)
      const isTold = (place: string, name: string, words = '') => parameters.some(one => one.in === place &&
        (place === 'query' ? kindOf(one.name) : one.name.toLowerCase()) === name && one.description.includes(words))
      const applied = String(answer.headers['preference-applied'] ?? '').split(', ')
      const preferences = [...applied, ...(/max-affected/.exec(headers['prefer'] ?? '') ?? [])]
      // What is no change and no condition of a read is ignored.
      const isConditional = answer.status === 304 || !['get', 'query'].includes(method)
      const conditions = ['if-match', 'if-none-match'].filter(name => isConditional && headers[name] !== undefined)
      const [, query = ''] = url.split('?')
      const kinds = query.split('&').flatMap(part => kindOf(/^\.?\w*(?==)/.exec(decode(part))?.[0] ?? '') ?? [])
      return [
        ...preferences.filter(one => one !== '' && !isTold('header', 'prefer', one)),
        ...conditions.filter(name => !isTold('header', name)),
        ...kinds.filter(kind => !isTold('query', kind))
      ]
    },
    /** Returns what is wrong with an answer; undefined for one as the document describes it. */
    wrong (found: FoundOperation, status: number, contentType: string, body: string): unknown {
      const { path, method, operation } = found
      const name = String(status) in operation.responses ? String(status) : 'default'
      if (name === 'default' && status < 400) return `no response ${status}`
      const response = operation.responses[name]
      if (response === undefined) return `no response ${status}`
      const component = response.$ref?.split('/').at(-1)
      const place = component === undefined
        ? ['paths', path, method, 'responses', name]
        : ['components', 'responses', component]
      const content = component === undefined ? response.content : document.components.responses[component]?.content
      if (body === '') return undefined
      const [type = ''] = contentType.split(';')
      if (content?.[type] === undefined) return `no content ${type}`
      if (!['application/json', 'application/problem+json'].includes(type)) return undefined
      const validate = validatorAt(...place, 'content', type, 'schema')
      return validate(JSON.parse(body)) ? undefined : validate.errors
    },
    validatorAt
  }

  function fits (item: Readonly<Record<string, unknown>>, values: Readonly<Record<string, string>>): boolean {
    const parameters = resolved(item['parameters'] as Parameters | undefined, document)
    return parameters.every(({ in: place, name, schema: { enum: choices } }) =>
      place !== 'path' || !Array.isArray(choices) || choices.includes(values[name]))
  }
}
