import { takesPage } from '../plan/media.ts'
import { mediaTypeOf } from '../request/body.ts'
import { formType } from '../request/parse.ts'
import { parsePath, type RouterOptions } from '../request/path.ts'
import type { Syntax } from '../request/syntax.ts'
import { type Part, partsOf, wordOf } from './words.ts'

/** The head of a request, by which the explorer knows those that are meant for it. */
export interface Head {
  readonly method: string
  readonly url: string
  readonly accept: string | undefined
  readonly contentType: string | undefined
}

/**
 * What the explorer does with a request: answer it, with a page if wantsPage() is true, send the style sheet if the
 * query asks for it, or take the form of a page. Undefined for a request that it leaves alone.
 */
export type Kind = 'page' | 'style' | 'form' | undefined

/** Returns what the explorer does with a request. */
export function kindOf ({ method, url, accept, contentType }: Head): Kind {
  // Forms of other senders stay what they are without the explorer: 415.
  if (method === 'POST') return takesPage(accept) && mediaTypeOf(contentType) === formType ? 'form' : undefined
  if (method !== 'GET' && method !== 'HEAD') return undefined
  if (url.includes('_style=')) return 'style'
  return takesPage(accept) || url.includes('format=html') ? 'page' : undefined
}

/** Returns true for a GET that is answered with a page: its query names that format, or no other. */
export const wantsPage = (accept: string | undefined, parts: readonly Part[]): boolean =>
  wordOf('_format', parts) !== undefined || (takesPage(accept) && !parts.some(({ kind }) => kind === 'format'))

/** Returns the parts of the query; none for a URL that cannot be read, whose error comes later. */
export function tryParts (url: string, syntax: Syntax, router: RouterOptions): readonly Part[] {
  try {
    return partsOf(parsePath(url, router).query, syntax)
  } catch {
    return []
  }
}
