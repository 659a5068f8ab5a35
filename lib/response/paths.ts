import type { Collection } from '../model/model.ts'

/** Where the API stands, as clients see it. */
export interface Site {
  /** `scheme://authority`, or empty where it cannot be told; links are then relative. */
  readonly origin: string
  /** The path of the API's root, percent-encoded, without a slash at its end. */
  readonly root: string
}

/** Where a request says that it was sent: `root` holds the segments before the API's own. */
export interface Addressed { origin (): string, readonly root: readonly string[] }

/** The site as configured, or as the request shows it. */
export function siteOf ({ origin, root }: Addressed, baseUrl: string | undefined): Site {
  if (baseUrl === undefined) return { origin: origin(), root: root.map(segment => `/${encodeURIComponent(segment)}`).join('') }
  const url = new URL(baseUrl)
  return { origin: url.origin, root: url.pathname === '/' ? '' : url.pathname }
}

/** The path of a resource, every segment percent-encoded, so that it is safe in a header whatever it holds. */
export function formatPath (site: Site, segments: readonly string[]): string {
  return `${site.root}/${segments.map(encodeURIComponent).join('/')}`
}

/**
 * The segments behind a collection's path that lead to the item of this key and no other: its key, named as such where the plain segment means something else;
 * nothing where the key must not be told.
 */
export function ownSegments ({ key, specials }: Collection, value: unknown, dictionaryPrefix: string): readonly string[] | undefined {
  if (!key.readable) return undefined
  const identifier = String(value)
  const plain = identifier !== '' && !identifier.startsWith(dictionaryPrefix) && !specials.some(one => one.segment === identifier)
  return plain ? [identifier] : [`${dictionaryPrefix}${key.name}`, identifier]
}
