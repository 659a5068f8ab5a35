/** The entity tags of a precondition: any tag, or the texts between the quotes of a list of tags (RFC 9110, 8.8.3). */
export type Tags = 'any' | readonly string[]

/** The preconditions of a request (docs/http.md: Conditional requests). */
export interface Conditions { readonly ifMatch: Tags | undefined, readonly ifNoneMatch: Tags | undefined }

export const noConditions: Conditions = { ifMatch: undefined, ifNoneMatch: undefined }

/**
 * Parses `*`, or tags separated by commas, each `"opaque"` or `W/"opaque"`; returns undefined without a header. Any
 * other text is skipped: it is not a tag, so it cannot match one. So is the mark of a weak tag, which tells of bytes
 * (docs/http.md: Conditional requests).
 */
export function parseTags (header: string | undefined): Tags | undefined {
  if (header === undefined) return undefined
  if (header.trim() === '*') return 'any'
  return [...header.matchAll(/"([^"]*)"/g)].map(([, opaque = '']) => opaque)
}
