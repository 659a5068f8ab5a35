import type { DirectoryEntry } from '../../schemas/directory.ts'
import type { Model } from '../model/model.ts'
import type { Link } from './answer.ts'
import { formatPath, type Site } from './paths.ts'

/** Returns the directory as JSON text: the collections in the order of their declaration (docs/http.md: URLs). */
export function renderDirectory (model: Model): string {
  return JSON.stringify([...model.collections.keys()].map((name): DirectoryEntry => ({ name, type: 'collection' })))
}

/** The last segment of the OpenAPI document's URL. No collection has this name: names on the wire have no full stop. */
export const documentName = 'openapi.json'

/** Returns the link from the directory to the OpenAPI document (RFC 8631). */
export function documentLink (site: Site): Link {
  return { rel: 'service-desc', target: site.origin + formatPath(site, [[documentName]]) }
}
