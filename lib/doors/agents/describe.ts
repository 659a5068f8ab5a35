import {
  type Collection, type Field, type InputField, isRelation, type RelationField, type ScalarField
} from '../../core/model/model.ts'
import { itemOf, listOf, methodsOf, type View } from '../documents/describing.ts'
import type { Schema } from '../documents/objects.ts'
import { fieldSchema, timePattern } from '../documents/values.ts'
import { isWrite, type Method } from '../../core/plan/path/methods.ts'

/** Returns true for a collection that the caller may read. */
export const isRead = (view: View): boolean => methodsOf(listOf(view.collection), view).includes('GET')

/** Returns the methods by which operations of the caller create, change and delete items of the collection. */
export function writesOf (view: View): readonly Method[] {
  const { collection } = view
  if (collection.strategies.batch === false) return []
  const creating = methodsOf(listOf(collection), view).filter(method => method === 'POST')
  return [...creating, ...methodsOf(itemOf(collection), view).filter(isWrite)]
}

/**
 * Returns the collections of a caller as text, one a line (docs/mcp.md). It is made of declarations, and of no data:
 *
 *     moons: id* integer, name* string, mean_radius_km number?; planet -> planets, missions ->> missions [slug string]
 *     notes: id* integer, text string; POST PATCH, not id; takes secret string
 *
 * `writing`: whether to tell what the caller may write.
 */
export const describe = (views: readonly View[], writing: boolean): string => views.map(view => {
  const line = lineOf(view.collection)
  return writing ? `${line}${writingText(view)}` : line
}).join('\n')

function lineOf (collection: Collection): string {
  const { name, description, fields } = collection
  const readable = [...fields.values()].filter(field => field.readable)
  const hidden = fieldTexts(readable.filter(one => one.hidden), collection)
  const shown = fieldTexts(readable.filter(one => !one.hidden), collection)
  return `${nameText(name)}${about(description)}: ${shown}${hidden === '' ? '' : ` [${hidden}]`}`
}

function fieldTexts (fields: readonly Field[], collection: Collection): string {
  const scalars = fields.filter(isScalar).map(field => scalarText(field, collection))
  const relations = fields.filter(isRelation).map(relationText)
  return [scalars, relations].filter(texts => texts.length > 0).map(texts => texts.join(', ')).join('; ')
}

/** Tells the methods, which of the fields that are read are written, and the fields that are only written. */
function writingText (view: View): string {
  const methods = writesOf(view)
  if (methods.length === 0) return ''
  if (methods.every(method => method === 'DELETE')) return '; DELETE'
  const fields = [...view.collection.fields.values()]
  const readable = (writable: boolean) => fields.filter(field => field.readable && field.writable === writable)
  const [written, fixed] = [readable(true), readable(false)]
  const isShorter = written.length > 0 && written.length < fixed.length
  const named = (isShorter ? written : fixed).map(({ name }) => nameText(name)).join(', ')
  const limits = fixed.length === 0 ? '' : `${isShorter ? ' only' : ', not'} ${named}`
  const unseen = fields.filter(field => !field.readable && field.writable)
  const taken = unseen.length === 0 ? '' : `; takes ${fieldTexts(unseen, view.collection)}`
  return `; ${methods.join(' ')}${limits}${taken}`
}

const isScalar = (field: Field): field is ScalarField | InputField => !isRelation(field)

const relationText = ({ name, kind, target, schema: { description } }: RelationField): string =>
  `${nameText(name)} ${kind === 'sub-item' ? '->' : '->>'} ${nameText(target.name)}${about(description)}`

function scalarText (field: ScalarField | InputField, { identifiers }: Collection): string {
  const schema = fieldSchema(field, field.readable ? 'answer' : 'body')
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
