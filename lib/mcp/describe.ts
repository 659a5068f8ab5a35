import type { Collection, Field, RelationField, ScalarField } from '../model/model.ts'
import { listOf, methodsOf, type View } from '../openapi/describing.ts'
import type { Schema } from '../openapi/objects.ts'
import { fieldSchema, timePattern } from '../openapi/values.ts'

/** Returns true for a collection that the caller may read. */
export const isRead = (view: View): boolean => methodsOf(listOf(view.collection), view).includes('GET')

/**
 * Returns the collections of a caller as text, one a line (docs/mcp.md). It is made of declarations, and of no data:
 *
 *     moons: id* integer, name* string, mean_radius_km number?; planet -> planets, missions ->> missions [slug string]
 */
export const describe = (views: readonly View[]): string => views.map(({ collection }) => lineOf(collection)).join('\n')

function lineOf (collection: Collection): string {
  const { name, description, fields } = collection
  const readable = [...fields.values()].filter(field => field.readable)
  const textOf = (hidden: boolean) => {
    const some = readable.filter(field => field.hidden === hidden)
    const scalars = some.filter(isScalar).map(field => scalarText(field, collection))
    const relations = some.filter(isRelation).map(relationText)
    return [scalars, relations].filter(texts => texts.length > 0).map(texts => texts.join(', ')).join('; ')
  }
  const hidden = textOf(true)
  return `${nameText(name)}${about(description)}: ${textOf(false)}${hidden === '' ? '' : ` [${hidden}]`}`
}

const isRelation = (field: Field): field is RelationField =>
  field.kind === 'sub-item' || field.kind === 'sub-collection'

const isScalar = (field: Field): field is ScalarField => !isRelation(field) && field.kind !== 'input'

const relationText = ({ name, kind, target, schema: { description } }: RelationField): string =>
  `${nameText(name)} ${kind === 'sub-item' ? '->' : '->>'} ${nameText(target.name)}${about(description)}`

function scalarText (field: ScalarField, { identifiers }: Collection): string {
  const schema = fieldSchema(field, 'answer')
  const isNullable = field.kind === 'computed' ? JSON.stringify(schema).includes('null') : field.nullable
  const parts = identifiers.flatMap(one => one.kind === 'field' ? [one.field] : one.kind === 'key' ? one.fields : [])
  const marks = parts.some(part => part === field) ? '*' : ''
  return `${nameText(field.name)}${marks} ${typeText(schema)}${isNullable ? '?' : ''}${about(schema['description'])}`
}

function typeText (schema: Schema): string {
  const { enum: choices, anyOf, type, format, pattern, items } = schema
  if (Array.isArray(choices)) return choicesText(choices.filter(choice => choice !== null))
  if (Array.isArray(anyOf)) {
    return [...new Set((anyOf as Schema[]).map(typeText))].filter(one => one !== 'null').join('|')
  }
  const [only = 'null'] = [type ?? 'json'].flat().filter(one => one !== 'null').map(String)
  if (only === 'array') return `${typeText((items ?? {}) as Schema)}[]`
  if (only !== 'string') return only
  return pattern === timePattern ? 'time' : typeof format === 'string' ? format : only
}

function choicesText (choices: readonly unknown[]): string {
  const texts = choices.slice(0, mostChoices).map(choice => JSON.stringify(choice))
  return [...texts, ...choices.length > mostChoices ? ['...'] : []].join('|')
}

const mostChoices = 20

/** A name comes from the database of others, perhaps: one that is no name in a query string is quoted. */
export const nameText = (name: string): string => /^[\p{L}\p{N}_-]+$/u.test(name) ? name : JSON.stringify(name)

/** Returns the application's words about a part, in one line of at most 200 characters. */
function about (description: unknown): string {
  return typeof description === 'string' ? ` (${description.replaceAll(/[\s\p{C}]+/gu, ' ').slice(0, 200)})` : ''
}
