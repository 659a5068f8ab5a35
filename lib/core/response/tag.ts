import { preconditionFailed } from '../errors/errors.ts'
import { type Conditions, isKnown, partLength, tagOf, tagOfLong } from '../plan/tag.ts'
import type { Answer } from './answer.ts'

/**
 * Returns the answer with its ETag; a 304 without a body if the tag is among those of If-None-Match (docs/http.md:
 * Conditional requests). Throws precondition_failed if it is not among those of If-Match. A stream has no tag, because
 * its whole content is not known. `version` and `variant`: see tagOf().
 */
export function tagged (answer: Answer, conditions: Conditions, version?: string, variant?: string): Answer {
  const { body } = answer
  return typeof body === 'string' ? withTag(answer, conditions, { body, version, variant }) : answer
}

/** As tagged(), in parts where the body is long, so that other requests are answered meanwhile. */
export function taggedInParts (
  answer: Answer, conditions: Conditions, version?: string, variant?: string
): Answer | Promise<Answer> {
  const { body } = answer
  const isShort = typeof body !== 'string' || body.length <= partLength
  if (isShort || variant !== undefined) return tagged(answer, conditions, version, variant)
  return tagOfLong(body).then(digest => withTag(answer, conditions, { body, version, variant, digest }))
}

/** What a tag is made of. `digest`: that of the body, where it is known. */
interface Tagging {
  readonly body: string
  readonly version: string | undefined
  readonly variant: string | undefined
  readonly digest?: string
}

function withTag (answer: Answer, conditions: Conditions, tagging: Tagging): Answer {
  const { status, headers, links, body } = answer
  const total = headers['x-total-count']
  const tag = links.length === 0 && total === undefined ? tagOfBody(tagging) : tagWithHeaders(tagging, links, total)
  const etag = `"${tag}"`
  if (conditions.ifMatch !== undefined && !isKnown(tag, conditions.ifMatch)) {
    throw preconditionFailed("What was read no longer matches 'If-Match'. Read it again without this header.")
  }
  return isKnown(tag, conditions.ifNoneMatch)
    ? { status: 304, headers, links, body: undefined, etag }
    : { status, headers, links, body, etag }
}

const tagOfBody = ({ body, version, variant, digest }: Tagging) =>
  version === undefined && digest !== undefined ? digest : tagOf(body, version, variant ?? digest)

/** Returns the tag of a body with links and a count in the headers, which can change while the body does not. */
function tagWithHeaders ({ body, digest }: Tagging, links: Answer['links'], total: string | undefined): string {
  const content = digest ?? (body.length > longestCopied ? tagOf(body) : body)
  let told = total ?? ''
  for (const { rel, target } of links) told += `\n${rel} ${target}`
  return tagOf(`${content}\n${told}`)
}

// Above this length, in characters, a copy of the body costs more than a tag of its own.
const longestCopied = 10_000
