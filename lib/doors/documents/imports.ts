import type { CollectionView } from '../../core/api/face.ts'
import { mediaTypes } from '../../core/plan/media.ts'
import type { Describing } from './describing.ts'
import type { Content, Schema } from './objects.ts'

/** Returns the content of an import, of which each line is an item (docs/http.md: Imports). */
export function importContent (collection: CollectionView, line: Schema, describing: Describing): Content {
  if (!isTaken(collection, describing)) return {}
  const { importTypes } = describing.face
  return Object.fromEntries(importTypes.map(type => [type, type === mediaTypes.csv ? text : { itemSchema: line }]))
}

/** Returns the form of the answer to an import. */
export const importedForms = (collection: CollectionView, describing: Describing): readonly Schema[] =>
  isTaken(collection, describing) ? [describing.components.named('Imported', importedSchema)] : []

const text = { schema: { type: 'string' } }

const isTaken = ({ strategies }: CollectionView, { face, profile }: Describing): boolean =>
  profile.streams && face.importTypes.length > 0 && strategies.import

/** The number of items or, with a resolution, of those that were created, and of those that existed. */
const importedSchema = (): Schema =>
  ({ anyOf: [['count'], ['created', 'updated'], ['created', 'ignored']].map(importedForm) })

const importedForm = (counts: readonly string[]): Schema => ({
  type: 'object',
  properties: {
    status: { type: 'string', enum: ['created', 'ok'] },
    ...Object.fromEntries(counts.map(name => [name, { type: 'integer', minimum: 0 }]))
  },
  required: ['status', ...counts],
  additionalProperties: false
})
