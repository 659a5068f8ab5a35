import type { DirectoryEntry } from '../../schemas/directory.ts'
import type { Model } from '../model/model.ts'

/** Returns the directory as JSON text: the collections in the order of their declaration (docs/http.md: URLs). */
export function renderDirectory (model: Model): string {
  return JSON.stringify([...model.collections.keys()].map((name): DirectoryEntry => ({ name, type: 'collection' })))
}
