import type { CollectionView, FieldView, RelationView, Sight, ValueView } from '../../core/api/face.ts'
import type { Schema } from '../documents/objects.ts'
import { fieldSchema, timePattern } from '../documents/value-schema.ts'
import type { Uses } from './agent.ts'

export const isReadCollection = (collection: CollectionView, sight: Sight): boolean =>
  sight.at({ kind: 'collection', collection }).methods.includes('GET')

/** Returns the methods by which operations of the caller create, change and delete items of the collection. */
export function writesOf (collection: CollectionView, sight: Sight): readonly string[] {
  if (collection.strategies.batch === false) return []
  const creating = sight.at({ kind: 'collection', collection }).methods.filter(method => method === 'POST')
  return [...creating, ...sight.at({ kind: 'item', collection }).methods.filter(method => method !== 'GET')]
}

/**
 * Returns the collections of a caller as text, one a line (docs/agents.md). It is made of declarations, and of no data:
 *
 *     moons: id* integer, name* string, mean_radius_km number?; planet -> planets, missions ->> missions [slug string]
 *     notes: id* integer, text string; POST PATCH, not id; takes secret string
 *
 * `writing`: what the caller sees, to tell what it may write; undefined to tell nothing of that.
 */
export const describe = (
  collections: readonly CollectionView[], writing: Uses['sight'] | undefined
): string => collections.map(collection => {
  const line = lineOf(collection)
  return writing === undefined ? line : `${line}${writingText(collection, writing)}`
}).join('\n')

function lineOf (collection: CollectionView): string {
  const { name, description, fields } = collection
  const readable = fields.filter(field => field.readable)
  const hidden = fieldTexts(readable.filter(one => one.hidden), collection)
  const shown = fieldTexts(readable.filter(one => !one.hidden), collection)
  return `${nameText(name)}${about(description)}: ${shown}${hidden === '' ? '' : ` [${hidden}]`}`
}

function fieldTexts (fields: readonly FieldView[], collection: CollectionView): string {
  const scalars = fields.filter(field => !isRelation(field)).map(field => scalarText(field, collection))
  const relations = fields.filter(isRelation).map(relationText)
  return [scalars, relations].filter(texts => texts.length > 0).map(texts => texts.join(', ')).join('; ')
}

/** Tells the methods, which of the fields that are read are written, and the fields that are only written. */
function writingText (collection: CollectionView, sight: Sight): string {
  const methods = writesOf(collection, sight)
  if (methods.length === 0) return ''
  if (methods.every(method => method === 'DELETE')) return '; DELETE'
  const { fields } = collection
  const readable = (writable: boolean) => fields.filter(field => field.readable && field.writable === writable)
  const [written, fixed] = [readable(true), readable(false)]
  const isShorter = written.length > 0 && written.length < fixed.length
  const named = (isShorter ? written : fixed).map(({ name }) => nameText(name)).join(', ')
  const limits = fixed.length === 0 ? '' : `${isShorter ? ' only' : ', not'} ${named}`
  const unseen = fields.filter(field => !field.readable && field.writable)
  const taken = unseen.length === 0 ? '' : `; takes ${fieldTexts(unseen, collection)}`
  return `; ${methods.join(' ')}${limits}${taken}`
}

const isRelation = (field: FieldView): field is RelationView => 'target' in field

const relationText = ({ name, kind, target, schema: { description } }: RelationView): string =>
  `${nameText(name)} ${kind === 'sub-item' ? '->' : '->>'} ${nameText(target.name)}${about(description)}`

function scalarText (field: ValueView, { identifiers }: CollectionView): string {
  const schema = fieldSchema(field, field.readable ? 'answer' : 'body')
  const isNullable = field.kind === 'computed' ? JSON.stringify(schema).includes('null') : field.nullable
  const marks = identifiers.some(({ fields }) => fields?.includes(field) === true) ? '*' : ''
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
