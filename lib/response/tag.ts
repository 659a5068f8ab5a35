import { isKnown, type Tags, tagOf } from '../plan/tag.ts'
import type { Answer } from './answer.ts'

/** The same answer with its tag, or none where the client has it already (docs/http.md: Conditional requests). Only text has a tag: what flows is not known as a whole. */
export function tagged (answer: Answer, known: Tags | undefined, version?: string): Answer {
  if (typeof answer.body !== 'string') return answer
  const { 'content-type': type, ...headers } = answer.headers
  // Links and counts are told besides the body, and would be out of date with it unchanged.
  const told = answer.links.length === 0 && headers['x-total-count'] === undefined ? answer.body : JSON.stringify([answer.body, answer.links, headers['x-total-count']])
  const tag = tagOf(told, version)
  const etag = `"${tag}"`
  if (isKnown(tag, known)) return { status: 304, headers: { ...headers, etag }, links: answer.links, body: undefined }
  return { ...answer, headers: { ...answer.headers, etag } }
}
