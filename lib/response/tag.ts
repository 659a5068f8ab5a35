import { isKnown, type Tags, tagOf } from '../plan/tag.ts'
import type { Answer } from './answer.ts'

/** The same answer with its tag, or none where the client has it already (docs/http.md: Conditional requests). Only text has a tag: what flows is not known as a whole. */
export function tagged (answer: Answer, known: Tags | undefined, version?: string): Answer {
  if (typeof answer.body !== 'string') return answer
  // Links and counts are told besides the body, and would be out of date with it unchanged.
  const { links, headers: { 'x-total-count': total } } = answer
  // JSON holds no line feed, so that the body ends where the rest begins.
  const told = links.length === 0 && total === undefined ? answer.body : `${answer.body}\n${JSON.stringify([links, total])}`
  const tag = tagOf(told, version)
  const etag = `"${tag}"`
  if (isKnown(tag, known)) {
    const { 'content-type': type, ...headers } = answer.headers
    return { status: 304, headers: { ...headers, etag }, links: answer.links, body: undefined }
  }
  return { ...answer, headers: { ...answer.headers, etag } }
}
