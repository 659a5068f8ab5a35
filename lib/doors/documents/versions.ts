import { isObject } from '../../core/errors/is-object.ts'
import type { Content, Document, PathItem, Response, Schema } from './objects.ts'
import type { Parts } from './parts.ts'

/** The versions of OpenAPI. 3.2 adds the method QUERY and the items of streams. */
export const versions = ['3.1', '3.2'] as const
type Version = typeof versions[number]

/** The version in which documents are written, with all that it adds. */
export const newest = '3.2.0'

/** Writes a document of the newest version in this one. `prefix`: that of the names of its components. */
export function * inVersion (document: Document, version: Version = '3.1', prefix: string): Parts<Document> {
  return version === '3.2' ? document : yield * toVersion31(document, prefix)
}

/** Returns a document of version 3.1 in the version of the document that it is added to, if that is older. */
export const inVersionOf = ({ openapi = '3.0' }: { readonly openapi?: string | undefined }, document: Document) =>
  openapi.startsWith('3.0') ? toVersion30(document) : document

/** Leaves out the method QUERY, and describes a stream as text, since 3.1 has no schema of its items. */
function * toVersion31 (document: Document, prefix: string): Parts<Document> {
  const { components } = document
  const newer = ['Query', 'Event'].map(name => prefix + name)
  const paths: Record<string, PathItem> = {}
  for (const [path, { query: _, ...item }] of Object.entries(document.paths)) {
    const { post } = item
    const body = post?.requestBody && { requestBody: withoutStreams(post.requestBody) }
    paths[path] = body ? { ...item, post: { ...post, ...body } } : item
    yield
  }
  const responses: Record<string, Response> = {}
  for (const [name, response] of Object.entries(components.responses)) {
    responses[name] = withoutStreams(response)
    yield
  }
  const schemas = Object.fromEntries(Object.entries(components.schemas).filter(([name]) => !newer.includes(name)))
  return { ...document, openapi: '3.1.1', paths, components: { ...components, schemas, responses } }
}

function withoutStreams<One extends { readonly content?: Content }> (one: One): One {
  const contents = Object.entries(one.content ?? {})
  if (contents.every(([, { itemSchema }]) => itemSchema === undefined)) return one
  const texts = contents.map(([type, media]) => [type, media.itemSchema ? { schema: { type: 'string' } } : media])
  return { ...one, content: Object.fromEntries(texts) }
}

/** Writes a document in the schema dialect of OpenAPI 3.0, which has no type `null` and no lists of types. */
const toVersion30 = (document: Document): Document => mapSchemas(document, false) as Document

function mapSchemas (value: unknown, isNames: boolean): unknown {
  if (Array.isArray(value)) return value.map(one => mapSchemas(one, false))
  if (!isObject(value)) return value
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
const isNull = (schema: unknown) => isObject(schema) && schema['type'] === 'null'
