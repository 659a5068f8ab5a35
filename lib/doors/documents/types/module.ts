import { componentOf } from '../components.ts'
import type { Document, DocumentOperation, PathItem, Response, Schema } from '../objects.ts'
import { scalarsOf, type Traits, traitsIn, typeName, typeOf, union } from './type-of.ts'
import { memberName, plainText, quoteLiteral } from './typescript-source.ts'

/** The parts of a document that types are made from. It may come from any server. */
interface Described {
  readonly paths: Document['paths']
  readonly components: Pick<Document['components'], 'schemas' | 'responses'>
}

/** A collection in a document. `component`: the name of its item's schema. */
interface Collection {
  readonly component: string
  readonly traits: Traits
  readonly scalars: ReadonlyArray<readonly [string, Schema]>
  readonly bodies: Bodies
}

/**
 * Returns a TypeScript module with the type `Api` for `createClient<Api>()`, and the types of items and bodies, made
 * from a document of the profile `types` (docs/clients.md: Types). It imports nothing.
 */
export function writeTypes ({ paths, components: { schemas, responses } }: Described): string {
  const collections = Object.entries(schemas).flatMap(([component, schema]): readonly Collection[] => {
    const traits = traitsIn(schema)
    if (traits === undefined) return []
    return [{ component, traits, scalars: scalarsOf(schema, traits), bodies: bodiesOf(traits, paths, responses) }]
  })
  const known = new Set(collections.map(({ traits }) => traits.collection))
  const parts = [
    `export interface Api {\n${collections.map(one => apiMember(one, known)).join('')}}\n`,
    ...collections.map(itemType),
    ...referred(collections, schemas).map(([name, schema]) => `export type ${typeName(name)} = ${typeOf(schema)}\n`)
  ]
  return `${typesHead}${parts.join('\n')}`
}

/** The beginning of every module of types. */
export const typesHead = `/* eslint-disable */
// The types of an API, written by \`npx fastify-data-api types\`; write them again when the API changes.

`

function apiMember ({ component, traits, scalars, bodies }: Collection, known: ReadonlySet<string>): string {
  const { elements, created, deletes } = bodies
  const bodyType = (body: Schema | undefined) => body === undefined ? 'never' : typeOf(body)
  const isScalar = (name: string) => scalars.some(([one]) => one === name)
  // In the order of the client's ApiCollection.
  const members = [
    `item: ${typeName(component)}`,
    `listed: ${names(traits.listed)}`,
    `hidden: ${names(traits.hidden)}`,
    `unfilterable: ${names(traits.unfilterable)}`,
    `unsortable: ${names(traits.unsortable)}`,
    `identifiers: ${names(traits.identifiers.filter(isScalar))}`,
    `one: ${targets(traits.one, known)}`,
    `many: ${targets(traits.many, known)}`,
    `create: ${bodyType(bodies.create)}`,
    `update: ${bodyType(bodies.update)}`,
    `upsert: ${bodyType(bodies.upsert)}`,
    `delete: ${String(deletes)}`,
    `elements: ${object(elements.map(([name, schema]) => `${memberName(name)}: ${typeOf(schema)}`))}`,
    `created: ${created === undefined ? 'null' : typeOf(created)}`
  ]
  return `  ${memberName(traits.collection)}: {\n${members.map(member => `    ${member}\n`).join('')}  }\n`
}

const names = (list: readonly string[]) => union(list.map(quoteLiteral))

const object = (members: readonly string[]) => members.length === 0 ? '{}' : `{ ${members.join(', ')} }`

/** The relations to collections that the document has. */
const targets = (relations: Readonly<Record<string, string>>, known: ReadonlySet<string>) =>
  object(Object.entries(relations).filter(([, target]) => known.has(target))
    .map(([name, target]) => `${memberName(name)}: ${quoteLiteral(target)}`))

/** The scalars of an item, in every form; relations have the types of their collections. */
function itemType ({ component, scalars }: Collection): string {
  const members = scalars.map(([name, schema]) =>
    `${comment(schema['description'], '  ')}  ${memberName(name)}: ${typeOf(schema)}\n`)
  return `export interface ${typeName(component)} {\n${members.join('')}}\n`
}

/** Returns the schemas that scalars and bodies refer to, directly or not. */
function referred (
  collections: readonly Collection[], schemas: Readonly<Record<string, Schema>>
): ReadonlyArray<readonly [string, Schema]> {
  const items = new Set(collections.map(({ component }) => component))
  const found = new Set<string>()
  const waiting: unknown[] = collections.map(({ scalars, bodies }) => [scalars, bodies])
  for (const value of waiting) {
    if (typeof value !== 'object' || value === null) continue
    for (const [keyword, part] of Object.entries(value)) {
      waiting.push(part)
      const [, name = ''] = keyword === '$ref' ? /^#\/components\/schemas\/(.+)$/.exec(String(part)) ?? [] : []
      if (!Object.hasOwn(schemas, name) || found.has(name) || items.has(name)) continue
      found.add(name)
      waiting.push(schemas[name])
    }
  }
  return Object.entries(schemas).filter(([name]) => found.has(name))
}

/** Returns a text as a comment on one line before a member; an empty text without one. */
function comment (text: unknown, indent: string): string {
  const line = typeof text === 'string' ? plainText(text).replaceAll(/\s+/g, ' ').trim() : ''
  return line === '' ? '' : `${indent}/** ${line} */\n`
}

/** The schemas of the bodies that a collection takes; undefined where it takes none. */
interface Bodies {
  readonly create: Schema | undefined
  readonly update: Schema | undefined
  /** That of PUT, where it creates items, or is the only method of updates. */
  readonly upsert: Schema | undefined
  /** True if items can be deleted. */
  readonly deletes: boolean
  /** Those of elements, by the name of the sub-collection. */
  readonly elements: ReadonlyArray<readonly [string, Schema]>
  /** The schema of the answer to a creation; undefined for an answer without a body. */
  readonly created: Schema | undefined
}

/** Returns the bodies that the paths of a document describe. */
function bodiesOf (
  { collection, many }: Traits, paths: Readonly<Record<string, PathItem>>, responses: Responses
): Bodies {
  const list = `/${encodeURIComponent(collection)}`
  const item = `${list}/{identifier}`
  const { patch, put, delete: deletion } = paths[item] ?? {}
  const update = patch ?? put
  const isUpsert = patch === undefined || patch.responses['201'] !== undefined
  const elements = Object.keys(many).flatMap(name => {
    const schema = oneOf(paths[`${item}/${encodeURIComponent(name)}`]?.post)
    return schema === undefined ? [] : [[name, schema] as const]
  })
  return {
    create: oneOf(paths[list]?.post),
    update: bodyOf(patch),
    upsert: isUpsert ? bodyOf(update) : undefined,
    deletes: deletion !== undefined,
    elements,
    created: createdBy(paths[list]?.post, responses)
  }
}

type Responses = Readonly<Record<string, Response>>

const json = 'application/json'

const bodyOf = (operation: DocumentOperation | undefined): Schema | undefined =>
  operation?.requestBody?.content[json]?.schema

/** Bodies of creations are one item or a list of them. */
const oneOf = (operation: DocumentOperation | undefined): Schema | undefined => firstOf(bodyOf(operation))

/** The first alternative is that for one item without preferences. */
function createdBy (operation: DocumentOperation | undefined, responses: Responses): Schema | undefined {
  const given = operation?.responses['201']
  const response = given !== undefined && '$ref' in given ? responses[componentOf(given)] : given
  return firstOf(response?.content?.[json]?.schema)
}

const firstOf = (schema: Schema | undefined): Schema | undefined =>
  Array.isArray(schema?.['anyOf']) ? schema['anyOf'][0] as Schema : schema
