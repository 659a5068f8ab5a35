import type { DirectoryEntry } from '../../schemas/directory.ts'
import type { Model } from '../model/model.ts'

/** The directory as JSON text: the collections, in the order declared (docs/http.md: URLs). */
export function renderDirectory (model: Model): string {
  return JSON.stringify([...model.collections.keys()].map((name): DirectoryEntry => ({ name, type: 'collection' })))
}
