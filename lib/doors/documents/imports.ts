import type { Collection } from '../../core/model/model.ts'
import { mediaTypes } from '../../core/plan/media.ts'
import { importTypes } from '../../core/request/import.ts'
import type { Describing } from './describing.ts'
import type { Content, Schema } from './objects.ts'

/** Returns the content of an import, of which each line is an item (docs/http.md: Imports). */
export function importContent (collection: Collection, line: Schema, describing: Describing): Content {
  if (!isTaken(collection, describing)) return {}
  const text = { schema: { type: 'string' } }
  const lines = describing.version === '3.2' ? { itemSchema: line } : text
  return Object.fromEntries(importTypes.map(type => [type, type === mediaTypes.csv ? text : lines]))
}

/** Returns the form of the answer to an import. */
export const importedForms = (collection: Collection, describing: Describing): readonly Schema[] =>
  isTaken(collection, describing) ? [describing.components.named('Imported', importedSchema)] : []

const isTaken = ({ strategies }: Collection, { imports, profile }: Describing): boolean =>
  profile.streams && imports !== undefined && strategies.import

const importedSchema = (): Schema => ({
  type: 'object',
  properties: { status: { type: 'string', enum: ['created', 'ok'] }, count: { type: 'integer', minimum: 0 } },
  required: ['status', 'count'],
  additionalProperties: false
})
