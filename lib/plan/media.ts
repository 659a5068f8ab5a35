import Negotiator from 'negotiator'
import { notAcceptable } from '../errors.ts'
import type { ResourceKind } from './walk.ts'

/** The media types of answers. */
export const mediaTypes = { json: 'application/json', ndjson: 'application/x-ndjson', csv: 'text/csv' } as const
export type Media = keyof typeof mediaTypes

/** The media type of errors for clients that ask for it. It is used for errors only (docs/http.md: Errors). */
export const problemType = 'application/problem+json'

const collectionMedia: readonly Media[] = ['json', 'ndjson', 'csv']
const otherMedia: readonly Media[] = ['json']

/**
 * Returns the media type that the client prefers of those that the resource has (docs/http.md: Pages and links). Throws
 * not_acceptable if the client accepts none of them.
 */
export function planMedia (accept: string | undefined, resource: ResourceKind): Media {
  // Nearly every client sends one of these; they need no negotiation.
  if (accept === undefined || accept === '*/*' || accept === mediaTypes.json) return 'json'
  const available = resource === 'collection' ? collectionMedia : otherMedia
  const types = available.map(media => mediaTypes[media])
  const [chosen] = preferred(accept, [...types, problemType])
  if (chosen === undefined) throw notAcceptable(types)
  return available.find(media => mediaTypes[media] === chosen) ?? 'json'
}

/** Returns true if the client names application/problem+json in `Accept`; a wildcard is not enough. */
export const takesProblem = (accept: string | undefined) =>
  accept !== undefined && accept.includes(problemType) && preferred(accept, [problemType]).length > 0

const preferred = (accept: string, available: string[]) =>
  new Negotiator({ headers: { accept } }).mediaTypes(available)
