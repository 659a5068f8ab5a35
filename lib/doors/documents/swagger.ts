import type { DocumentOptions } from '../../../schemas/openapi.ts'
import type { Document, Schema } from './objects.ts'

/** A registration of the plugin, as far as merging needs it. */
interface Registered { readonly prefix: string, openapi (options: DocumentOptions): Document }

/** An OpenAPI document of the application, as @fastify/swagger makes it. */
export interface HostDocument {
  readonly openapi?: string | undefined
  readonly paths?: object | undefined
  readonly tags?: ReadonlyArray<{ readonly name?: string | undefined }> | undefined
  readonly components?: Components | undefined
}

interface Components {
  readonly schemas?: object | undefined
  readonly responses?: object | undefined
  readonly parameters?: object | undefined
}

/**
 * Returns the application's document with the paths and components of the registrations. The names of components begin
 * with the registration's prefix, so that they clash neither with each other nor with the application's.
 */
export function mergeDocuments<D extends HostDocument> (host: D, registrations: Iterable<Registered>): D {
  let merged: HostDocument = host
  for (const one of registrations) {
    const document = one.openapi({ componentPrefix: nameOf(one.prefix), operationIds: operationIdsOf(merged) })
    merged = mergeOne(merged, isVersion30(host) ? toVersion30(document) : document, one.prefix)
  }
  return merged as D
}

const operationIdsOf = ({ paths = {} }: HostDocument): readonly string[] =>
  (Object.values(paths) as object[]).flatMap(path => Object.values(path) as Array<{ readonly operationId?: string }>)
    .flatMap(({ operationId }) => operationId ?? [])

const isVersion30 = ({ openapi = '3.0' }: HostDocument) => openapi.startsWith('3.0')

/** `/api/v1` is `ApiV1`; the root is `DataApi`. */
const nameOf = (prefix: string) => prefix.split(/[^A-Za-z0-9]+/).map(word =>
  word.slice(0, 1).toUpperCase() + word.slice(1)).join('') || 'DataApi'

function mergeOne (host: HostDocument, { paths, tags, components }: Document, prefix: string): HostDocument {
  const pathOf = (path: string) => path === '/' && prefix !== '' ? prefix : prefix + path
  const own = Object.entries(paths).map(([path, item]) => [pathOf(path), item])
  return {
    ...host,
    paths: { ...host.paths, ...Object.fromEntries(own) },
    tags: [...host.tags ?? [], ...tags.filter(({ name }) => !host.tags?.some(tag => tag.name === name))],
    components: {
      ...host.components,
      schemas: { ...host.components?.schemas, ...components.schemas },
      responses: { ...host.components?.responses, ...components.responses },
      parameters: { ...host.components?.parameters, ...components.parameters }
    }
  }
}

/** Writes a document in the schema dialect of OpenAPI 3.0, which has no type `null` and no lists of types. */
function toVersion30 (document: Document): Document {
  return mapSchemas(document, false) as Document
}

function mapSchemas (value: unknown, isNames: boolean): unknown {
  if (Array.isArray(value)) return value.map(one => mapSchemas(one, false))
  if (typeof value !== 'object' || value === null) return value
  const mapped = Object.entries(value).map(([name, one]) => [name, mapSchemas(one, !isNames && name === 'properties')])
  const members = Object.fromEntries(mapped) as Schema
  return isNames ? members : withoutNull(members)
}

function withoutNull (schema: Schema): Schema {
  const { const: constant, examples: _, type, anyOf, ...rest } = schema
  if (constant !== undefined) return { ...rest, ...type !== undefined && { type }, enum: [constant] }
  if (Array.isArray(type)) {
    const types = type.filter(one => one !== 'null') as readonly string[]
    const nullable = types.length < type.length ? { nullable: true } : {}
    if (types.length === 1) return { ...rest, type: types[0], ...nullable }
    return { ...rest, anyOf: types.map(one => ({ type: one })), ...nullable }
  }
  if (Array.isArray(anyOf) && anyOf.some(isNull)) {
    const others = anyOf.filter(one => !isNull(one)) as readonly Schema[]
    return { ...rest, anyOf: others, nullable: true }
  }
  return { ...rest, ...type !== undefined && { type }, ...anyOf !== undefined && { anyOf } }
}

// The members are mapped before the schema that holds them.
const isNull = (schema: unknown) =>
  typeof schema === 'object' && schema !== null && 'type' in schema && schema.type === 'null'
