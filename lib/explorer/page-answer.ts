import { answerTooLarge } from '../errors/errors.ts'
import type { Answer } from '../response/answer.ts'
import type { InParts } from '../response/in-parts.ts'
import { type Html, textsOf } from './html.ts'
import { pageHeaders } from './policy.ts'
import { script } from './script.ts'
import { style } from './style.ts'

/** Returns an answer as a page; `show` makes it of the JSON, which a hook of the application may have replaced. */
export function pageOf (
  { status, headers, body, personal = false }: Answer, show: (json: string) => Html | InParts<Html>
): Answer {
  const { vary = 'Accept', 'x-total-count': _, 'preference-applied': __, ...others } = headers
  return {
    status,
    headers: { ...others, vary, ...pageHeaders },
    links: [],
    body,
    personal,
    * view (json, longest) {
      const shown = show(json)
      return yield * write('next' in shown ? yield * shown : shown, longest)
    }
  }
}

/** Writes markup. Throws answer_too_large if it is longer than `longest` characters, beside its style and script. */
function * write (made: Html, longest: number): InParts<string> {
  const most = longest + style.length + script.length
  let page = ''
  for (const step of textsOf(made)) {
    if (typeof step === 'string') page += step
    if (page.length > most) throw answerTooLarge(longest)
    yield typeof step === 'string' ? step.length : step
  }
  return page
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
