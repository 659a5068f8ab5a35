import { DataApiError } from '../errors/errors.ts'

/** The headers by which a browser names the page that sent a form. */
export interface FormSender { readonly site: string | undefined, readonly origin: string | undefined }

const ownSites: ReadonlySet<string> = new Set(['same-origin', 'none'])

/**
 * Throws forbidden for a form that another site may have sent (docs/explorer.md: Forms). A request in JSON needs less:
 * a page of another site can send it only after a CORS preflight.
 */
export function checkSender ({ site, origin }: FormSender, own: readonly string[]): void {
  // Browsers send Sec-Fetch-Site from pages of trustworthy origins, and pages cannot set it.
  if (site === undefined ? origin !== undefined && own.includes(origin) : ownSites.has(site)) return
  throw new DataApiError('forbidden', 'Only a page of this API can send this form. Nothing was changed.')
}
