import type { ExplorerOptions } from '../../../schemas/explorer.ts'
import type { Api } from '../../core/api/answer.ts'
import type { PlannedFacts } from '../../core/api/request-facts.ts'
import type { Context } from '../../core/declare/collection.ts'
import { DataApiError } from '../../core/errors/errors.ts'
import { formType, type RequestText } from '../../core/request/parse.ts'
import { parsePath, type RouterOptions } from '../../core/request/path.ts'
import type { Answer } from '../../core/response/answer.ts'
import { siteOf } from '../../core/response/paths.ts'
import type { RunContext } from '../../core/run/context.ts'
import { takesPage } from '../../core/plan/media.ts'
import { mediaTypeOf } from '../../core/request/body.ts'
import { compileExploring, visit } from './visit.ts'
import { type AgentUse, showAgentsPage } from './agents.ts'
import { showFailure } from './failure-page.ts'
import { pageOf, showing, showStyle, withImages } from './page.ts'
import { type Exploring, newOpenings, type Part, partsOf, type Place, wordOf } from './place.ts'
import { readPage } from './read-page.ts'
import { submit } from './submit.ts'
import { orElse } from './attempt.ts'

/** Answers requests with pages (docs/explorer.md). */
export interface Explorer {
  /** Returns true for a request that the explorer answers. */
  takes (head: Head): boolean
  answer (
    text: RequestText, sender: FormSender, context: RunContext<Context>, note: (facts: PlannedFacts) => void
  ): Promise<Answer>
  /** Returns the page for people who have an agent. */
  tellAgents (uses: readonly AgentUse[], url: string, origin: () => string): Answer
  /** Returns an error as a page where the request asks for one. */
  fail (failure: Answer, head: Head, origin: () => string): Answer
}

/** The place of the API on its server. */
export interface Mount { readonly rootLength: number, readonly router: RouterOptions }

/** Makes the explorer of an API. */
export function makeExplorer (api: Api, options: ExplorerOptions, { rootLength, router }: Mount): Explorer {
  const exploring = compileExploring(api, options)
  return {
    takes: head => kindOf(head) !== undefined,
    async answer (text, sender, context, note) {
      if (text.method === 'POST') checkSender(sender, originsOf(text, exploring))
      const [, style] = /\?_style=([\w-]+)$/.exec(text.url) ?? []
      if (style !== undefined && text.method !== 'POST') return showStyle(style)
      const visited = await visit(text, exploring, context, note)
      if (text.method === 'POST') return submit(text, visited)
      return wantsPage(text.accept, visited.place.query)
        ? withImages(await readPage(visited), exploring.images)
        : visited.answer()
    },
    tellAgents (uses, url, origin) {
      const place = placeOf(url, origin, rootLength, router, exploring)
      return showing(200, () => showAgentsPage(uses, place))
    },
    fail (failure, head, origin) {
      const kind = kindOf(head)
      if (kind === undefined) return failure
      const place = placeOf(head.url, origin, rootLength, router, exploring)
      if (kind !== 'form' && !wantsPage(head.accept, place.query)) return failure
      return pageOf(failure, json => showFailure(failure.status, JSON.parse(json), place))
    }
  }
}

/** Returns the origins of the API's own pages. */
function originsOf (text: RequestText, { api: { options: { site } } }: Exploring): readonly string[] {
  return [text.origin(), ...site === undefined ? [] : [site.origin]].filter(origin => origin !== '')
}

/** Returns the place of an error: nothing but its URL is known. */
function placeOf (
  url: string, origin: () => string, rootLength: number, router: RouterOptions, exploring: Exploring
): Place {
  const { api: { options } } = exploring
  const { segments, parts, query: raw } = orElse(() => parsePath(url, router), { segments: [], parts: [], query: '' })
  const site = siteOf({ origin, root: segments.slice(0, rootLength) }, options.site)
  const query = orElse(() => partsOf(raw, options.syntax), [])
  return {
    ...exploring,
    site,
    syntax: options.syntax,
    spot: undefined,
    parts: parts.slice(rootLength),
    query,
    openings: newOpenings()
  }
}

/** The headers by which a browser names the page that sent a form. */
export interface FormSender { readonly site: string | undefined, readonly origin: string | undefined }

const ownSites: ReadonlySet<string> = new Set(['same-origin', 'none'])

/**
 * Throws forbidden for a form that another site may have sent (docs/explorer.md: Forms). A request in JSON needs less:
 * a page of another site can send it only after a CORS preflight.
 */
function checkSender ({ site, origin }: FormSender, own: readonly string[]): void {
  // Browsers send Sec-Fetch-Site from pages of trustworthy origins, and pages cannot set it.
  if (site === undefined ? origin !== undefined && own.includes(origin) : ownSites.has(site)) return
  throw new DataApiError('forbidden', 'Only a page of this API can send this form. Nothing was changed.')
}

/** The head of a request, by which the explorer knows those that are meant for it. */
export interface Head {
  readonly method: string
  readonly url: string
  readonly accept: string | undefined
  readonly contentType: string | undefined
}

/**
 * Returns what the explorer does with a request: answer it, with a page if wantsPage() is true or with the style sheet,
 * or take the form of a page. Undefined for a request that it leaves alone.
 */
function kindOf ({ method, url, accept, contentType }: Head): 'page' | 'form' | undefined {
  // Forms of other senders stay what they are without the explorer: 415.
  if (method === 'POST') return takesPage(accept) && mediaTypeOf(contentType) === formType ? 'form' : undefined
  if (method !== 'GET' && method !== 'HEAD') return undefined
  return takesPage(accept) || /\?_style=|format=html/.test(url) ? 'page' : undefined
}

/** Returns true for a GET that is answered with a page: its query names that format, or no other. */
const wantsPage = (accept: string | undefined, parts: readonly Part[]): boolean =>
  wordOf('_format', parts) !== undefined || (takesPage(accept) && !parts.some(({ kind }) => kind === 'format'))
