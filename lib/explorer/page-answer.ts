import type { Answer } from '../response/answer.ts'
import { type Html, markupOf } from './html.ts'
import { pageHeaders } from './policy.ts'

/** Returns an answer as a page; `show` makes it of the JSON, which a hook of the application may have replaced. */
export function pageOf ({ status, headers, body, personal = false }: Answer, show: (json: string) => Html): Answer {
  const { vary = 'Accept', 'x-total-count': _, 'preference-applied': __, ...others } = headers
  return {
    status, headers: { ...others, vary, ...pageHeaders }, links: [], body, personal, view: json => markupOf(show(json))
  }
}

/** Returns the answer of a page that is made of no answer of the API. */
export function showing (status: number, show: () => Html): Answer {
  return pageOf({ status, headers: { vary: 'Accept' }, links: [], body: noData, personal: true }, show)
}

/** The JSON of a page that is made of no answer. A text has no preSerialization hooks. */
export const noData = '""'

/** Returns a redirect to a page. */
export const seeOther = (location: string): Answer => ({
  status: 303,
  headers: { location, vary: 'Accept', 'cache-control': 'private, no-cache' },
  links: [],
  body: undefined,
  personal: true
})
