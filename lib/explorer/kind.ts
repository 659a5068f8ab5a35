import { type Media, mediaTypes, takesPage } from '../plan/media.ts'
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
 * What the explorer does with a request: answer it with a page, take the form of a page, or give the answer the form
 * that `_format` names. Undefined for a request that it leaves alone.
 */
export type Kind = 'page' | 'form' | 'format' | undefined

/** Returns what the explorer does with a request. */
export function kindOf ({ method, url, accept, contentType }: Head, syntax: Syntax, router: RouterOptions): Kind {
  // Forms of other senders stay what they are without the explorer: 415.
  if (method === 'POST') return takesPage(accept) && mediaTypeOf(contentType) === formType ? 'form' : undefined
  if (method !== 'GET' && method !== 'HEAD') return undefined
  const isPage = takesPage(accept)
  if (!isPage && !url.includes('format=')) return undefined
  const parts = tryParts(url, syntax, router)
  const own = wordOf('_format', parts)
  if (own !== undefined) return own === 'html' ? 'page' : 'format'
  return isPage && !parts.some(({ kind }) => kind === 'format') ? 'page' : undefined
}

/** Returns the parts of the query; none for a URL that cannot be read, whose error comes later. */
export function tryParts (url: string, syntax: Syntax, router: RouterOptions): readonly Part[] {
  try {
    return partsOf(parsePath(url, router).query, syntax)
  } catch {
    return []
  }
}

/** Returns true for a format that `_format` can name besides `html`. */
export const isMedia = (text: string): text is Media => Object.hasOwn(mediaTypes, text)
