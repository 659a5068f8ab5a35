import type { Content, Document, Operation, Reference, Schema } from './objects.ts'

/** The versions of OpenAPI. 3.2 adds the method QUERY and the items of streams. */
export const versions = ['3.1', '3.2'] as const
type Version = typeof versions[number]

/** The version in which documents are written, with all that it adds. */
export const newest = '3.2.0'

/** Returns a document that is written in the newest version in this one. `prefix`: that of its components' names. */
export const inVersion = (document: Document, version: Version = '3.1', prefix: string): Document =>
  version === '3.2' ? document : toVersion31(document, prefix)

/** Returns a document of version 3.1 in the version of the document that it is added to, if that is older. */
export const inVersionOf = ({ openapi = '3.0' }: { readonly openapi?: string | undefined }, document: Document) =>
  openapi.startsWith('3.0') ? toVersion30(document) : document

/** Leaves out the method QUERY, and describes a stream as text, since 3.1 has no schema of its items. */
function toVersion31 (document: Document, prefix: string): Document {
  const { paths, components } = document
  const newer = ['Query', 'Event'].map(name => prefix + name)
  const older = Object.entries(components.schemas).filter(([name]) => !newer.includes(name))
  return {
    ...document,
    openapi: '3.1.1',
    paths: mapMembers(paths, ({ query: _, ...path }) =>
      mapMembers(path, one => one !== undefined && 'responses' in one ? operationIn31(one) : one)),
    components: {
      ...components, schemas: Object.fromEntries(older), responses: mapMembers(components.responses, streamsAsTexts)
    }
  }
}

const operationIn31 = (operation: Operation): Operation => ({
  ...operation,
  ...operation.requestBody && { requestBody: streamsAsTexts(operation.requestBody) },
  responses: mapMembers(operation.responses, streamsAsTexts)
})

const streamsAsTexts = <One extends { readonly content?: Content } | Reference>(one: One): One =>
  'content' in one ? { ...one, content: mapMembers(one.content, textOfStream) } : one

const textOfStream = (media: Content[string]): Content[string] =>
  media.itemSchema === undefined ? media : { schema: { type: 'string' } }

/** Maps each member of an object to one of its type. */
const mapMembers = <Members extends object>(
  members: Members, map: (one: Members[keyof Members]) => Members[keyof Members]
): Members => Object.fromEntries(
    Object.entries(members).map(([name, one]) => [name, map(one as Members[keyof Members])])) as Members

/** Writes a document in the schema dialect of OpenAPI 3.0, which has no type `null` and no lists of types. */
const toVersion30 = (document: Document): Document => mapSchemas(document, false) as Document

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
