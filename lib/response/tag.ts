import { isKnown, type Tags, tagOf } from '../plan/tag.ts'
import type { Answer } from './answer.ts'

/**
 * Returns the answer with its ETag; a 304 without a body if the tag is among those of If-None-Match (docs/http.md:
 * Conditional requests). A stream has no tag, because its whole content is not known. `version` and `variant`: see
 * tagOf().
 */
export function tagged (answer: Answer, ifNoneMatch: Tags | undefined, version?: string, variant?: string): Answer {
  const { status, headers, links, body } = answer
  if (typeof body !== 'string') return answer
  const total = headers['x-total-count']
  const tag = links.length === 0 && total === undefined
    ? tagOf(body, version, variant)
    : tagWithHeaders(body, links, total)
  const etag = `"${tag}"`
  return isKnown(tag, ifNoneMatch)
    ? { status: 304, headers, links, body: undefined, etag }
    : { status, headers, links, body, etag }
}

/** Returns the tag of a body with links and a count in the headers, which can change while the body does not. */
function tagWithHeaders (body: string, links: Answer['links'], total: string | undefined): string {
  return tagOf((body.length > longestCopied ? tagOf(body) : body) + JSON.stringify([links, total]))
}

// Above this length, in characters, a copy of the body costs more than a tag of its own.
const longestCopied = 10_000
