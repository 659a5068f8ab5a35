import Negotiator from 'negotiator'
import { notAcceptable } from '../errors.ts'
import type { ResourceKind } from './walk.ts'

/** The media types in which answers are given. */
export const mediaTypes = { json: 'application/json', ndjson: 'application/x-ndjson', csv: 'text/csv' } as const
export type Media = keyof typeof mediaTypes

/** For errors only; an answer that is none is then plain JSON (docs/http.md: Errors). */
export const problemType = 'application/problem+json'

const streamed: readonly Media[] = ['json', 'ndjson', 'csv']
const plain: readonly Media[] = ['json']

/** The media type to answer in (docs/http.md: Pages and links). Throws not_acceptable where the client takes none that there is. */
export function planMedia (accept: string | undefined, resource: ResourceKind): Media {
  // What nearly every client says.
  if (accept === undefined || accept === '*/*' || accept === mediaTypes.json) return 'json'
  const available = resource === 'collection' ? streamed : plain
  const types = available.map(media => mediaTypes[media])
  const [chosen] = preferred(accept, [...types, problemType])
  if (chosen === undefined) throw notAcceptable(types)
  return available.find(media => mediaTypes[media] === chosen) ?? 'json'
}

/** Whether the client asks for problem details by name. */
export const takesProblem = (accept: string | undefined) => accept !== undefined && accept.includes(problemType) && preferred(accept, [problemType]).length > 0

const preferred = (accept: string, available: string[]) => new Negotiator({ headers: { accept } }).mediaTypes(available)
