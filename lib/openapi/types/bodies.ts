import { componentOf } from '../components.ts'
import type { Operation, PathItem, Response, Schema } from '../objects.ts'
import type { Traits } from './traits.ts'

/** The schemas of the bodies that a collection takes; undefined where it takes none. */
export interface Bodies {
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
export function bodiesOf (
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

const bodyOf = (operation: Operation | undefined): Schema | undefined => operation?.requestBody?.content[json]?.schema

/** Bodies of creations are one item or a list of them. */
const oneOf = (operation: Operation | undefined): Schema | undefined => firstOf(bodyOf(operation))

/** The first alternative is that for one item without preferences. */
function createdBy (operation: Operation | undefined, responses: Responses): Schema | undefined {
  const given = operation?.responses['201']
  const response = given !== undefined && '$ref' in given ? responses[componentOf(given)] : given
  return firstOf(response?.content?.[json]?.schema)
}

const firstOf = (schema: Schema | undefined): Schema | undefined =>
  Array.isArray(schema?.['anyOf']) ? schema['anyOf'][0] as Schema : schema
