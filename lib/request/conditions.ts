/** The entity tags of a precondition: any, or those listed (RFC 9110, 8.8.3). */
export type Tags = 'any' | readonly Tag[]

export interface Tag { readonly weak: boolean, readonly opaque: string }

/** The preconditions of a request (docs/http.md: Conditional requests). */
export interface Conditions { readonly ifMatch: Tags | undefined, readonly ifNoneMatch: Tags | undefined }

/**
 * `*`, or tags between commas, each `"opaque"` or `W/"opaque"`. What is none of these is no tag, and so matches nothing. Without the header, nothing.
 */
export function parseTags (header: string | undefined): Tags | undefined {
  if (header === undefined) return undefined
  if (header.trim() === '*') return 'any'
  return [...header.matchAll(/(W\/)?"([^"]*)"/g)].map(([, weak, opaque = '']) => ({ weak: weak !== undefined, opaque }))
}
