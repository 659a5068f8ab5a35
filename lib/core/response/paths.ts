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

/** Returns the site of a base URL, such as `https://example.org/data`; undefined if it is none. */
export function parseSite (baseUrl: string): Site | undefined {
  if (!URL.canParse(baseUrl)) return undefined
  const { origin, pathname, search, hash } = new URL(baseUrl)
  return search === '' && hash === '' ? { origin, root: pathname.replace(/\/+$/, '') } : undefined
}

/** Returns the site of the option `baseUrl` if it is set, otherwise the site of the request. */
export const siteOf = ({ origin, root }: Addressed, own: Site | undefined): Site =>
  own ?? { origin: origin(), root: root.map(segment => `/${encodeURIComponent(segment)}`).join('') }

/** A segment of a path: its parts, which are written with commas between them. Most segments have one. */
export type PathParts = readonly unknown[]

/** Returns the path of a resource. Every segment is percent-encoded, so any text is safe in a header. */
export const formatPath = (site: Site, segments: readonly PathParts[]): string =>
  `${site.root}/${segments.map(formatSegment).join('/')}`

/** Returns a percent-encoded segment, whose only bare commas are those between its parts. */
export const formatSegment = (parts: PathParts): string =>
  parts.length === 1 ? encodePart(parts[0]) : parts.map(encodePart).join(',')

// Most parts are integers, which need no encoding.
const encodePart = (part: unknown) => Number.isSafeInteger(part) ? String(part) : encodeURIComponent(String(part))

/**
 * Returns the segments that lead from a collection to the item with the address: its identifier, after the name of the
 * identifier's dictionary if the identifier alone has another meaning.
 */
export function ownSegments (
  { specials }: Collection, { fields, values, plain }: Address, dictionaryPrefix: string
): readonly PathParts[] {
  const identifier = segmentOf(values)
  const isSpecial = specials.some(special => special.segment === identifier)
  const isPlain = plain && identifier !== '' && !identifier.startsWith(dictionaryPrefix) && !isSpecial
  return isPlain ? [values] : [dictionaryParts(fields.map(({ name }) => name).join(','), dictionaryPrefix), values]
}

/** Returns the segment of a dictionary by an identifier, whose name holds a comma if it is a key of several fields. */
export const dictionaryParts = (name: string, dictionaryPrefix: string): PathParts =>
  `${dictionaryPrefix}${name}`.split(',')
