import type { Collection } from '../model/model.ts'
import { type Address, segmentOf } from '../run/address.ts'

/** The base of the API's URLs, as clients see it. */
export interface Site {
  /** `scheme://authority`; empty if it is not known, and links are then relative. */
  readonly origin: string
  /** The path of the API's root, percent-encoded, without a final slash. */
  readonly root: string
}

/** The base of the request's URL: its origin, and the path segments before those of the API. */
export interface Addressed { origin (): string, readonly root: readonly string[] }

/** Returns the site of the option `baseUrl` if it is set, otherwise the site of the request. */
export function siteOf ({ origin, root }: Addressed, baseUrl: string | undefined): Site {
  if (baseUrl === undefined) {
    return { origin: origin(), root: root.map(segment => `/${encodeURIComponent(segment)}`).join('') }
  }
  const url = new URL(baseUrl)
  return { origin: url.origin, root: url.pathname === '/' ? '' : url.pathname }
}

/** Returns the path of a resource. Every segment is percent-encoded, so any text is safe in a header. */
export function formatPath (site: Site, segments: readonly string[]): string {
  return `${site.root}/${segments.map(encodeURIComponent).join('/')}`
}

/**
 * Returns the segments that lead from a collection to the item with the address: its identifier, after the name of the
 * identifier's dictionary if the identifier alone has another meaning.
 */
export function ownSegments (
  { specials }: Collection, { fields, values, plain }: Address, dictionaryPrefix: string
): readonly string[] {
  const identifier = segmentOf(values)
  const isSpecial = specials.some(special => special.segment === identifier)
  const isPlain = plain && identifier !== '' && !identifier.startsWith(dictionaryPrefix) && !isSpecial
  return isPlain ? [identifier] : [`${dictionaryPrefix}${fields.map(field => field.name).join(',')}`, identifier]
}
