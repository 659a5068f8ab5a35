import { isKnown, type Tags, tagOf } from '../plan/tag.ts'
import type { Answer } from './answer.ts'

/** The same answer with its tag, or none where the client has it already (docs/http.md: Conditional requests). Only text has a tag: what flows is not known as a whole. */
export function tagged (answer: Answer, known: Tags | undefined, version?: string, variant?: string): Answer {
  const { status, headers, links, body } = answer
  if (typeof body !== 'string') return answer
  const total = headers['x-total-count']
  // Links and counts are told besides the body, and would be out of date with it unchanged.
  const tag = links.length === 0 && total === undefined ? tagOf(body, version, variant) : tagOf((body.length > longestCopied ? tagOf(body) : body) + JSON.stringify([links, total]))
  const etag = `"${tag}"`
  return isKnown(tag, known) ? { status: 304, headers, links, body: undefined, etag } : { status, headers, links, body, etag }
}

// A copy of a longer body costs more than a tag of its own.
const longestCopied = 10_000
