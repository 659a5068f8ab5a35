/** The entity tags of a precondition: any tag, or the tags of a list (RFC 9110, 8.8.3). */
export type Tags = 'any' | readonly Tag[]

/** An entity tag; `opaque` is the text between the quotes. */
interface Tag { readonly weak: boolean, readonly opaque: string }

/** The preconditions of a request (docs/http.md: Conditional requests). */
export interface Conditions { readonly ifMatch: Tags | undefined, readonly ifNoneMatch: Tags | undefined }

/**
 * Parses `*`, or tags separated by commas, each `"opaque"` or `W/"opaque"`; returns undefined without a header. Any
 * other text is skipped: it is not a tag, so it cannot match one.
 */
export function parseTags (header: string | undefined): Tags | undefined {
  if (header === undefined) return undefined
  if (header.trim() === '*') return 'any'
  return [...header.matchAll(/(W\/)?"([^"]*)"/g)].map(([, weak, opaque = '']) => ({ weak: weak !== undefined, opaque }))
}
