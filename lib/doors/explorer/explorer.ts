import type { ExplorerOptions } from '../../../schemas/explorer.ts'
import type { Face, Who } from '../../core/api/face.ts'
import { DataApiError } from '../../core/errors/errors.ts'
import type { Answer } from '../../core/response/answer.ts'
import { takesPage } from '../../core/plan/media.ts'
import { compileExploring, visit } from './visit.ts'
import { type AgentUse, showAgentsPage } from './agents.ts'
import { showFailure } from './failure-page.ts'
import { pageOf, showing, showStyle, withImages } from './page.ts'
import { type Exploring, newOpenings, type Part, queryParts, type Place, wordOf } from './place.ts'
import { readPage } from './read-page.ts'
import { submit } from './submit.ts'
import { orElse } from './attempt.ts'

/** Answers requests with pages (docs/explorer.md). */
export interface Explorer {
  /** Returns true for a request that the explorer answers. */
  takes (head: Head): boolean
  answer (who: Who, sender: FormSender): Promise<Answer>
  /** Returns the page for people who have an agent. */
  tellAgents (uses: readonly AgentUse[], url: string, origin: () => string): Answer
  /** Returns an error as a page where the request asks for one. */
  fail (failure: Answer, head: Head, origin: () => string): Answer
}

/** The place of the API on its server. */
type Mount = Pick<Who['text'], 'rootLength' | 'router'>

export function makeExplorer (face: Face, options: ExplorerOptions, mount: Mount): Explorer {
  const exploring = compileExploring(face, options)
  return {
    takes: head => kindOf(head) !== undefined,
    async answer (who, sender) {
      const { text } = who
      if (text.method === 'POST') checkSender(sender, originsOf(text, exploring))
      const [, style] = /\?_style=([\w-]+)$/.exec(text.url) ?? []
      if (style !== undefined && text.method !== 'POST') return showStyle(style)
      const visited = await visit(who, exploring)
      if (text.method === 'POST') return submit(text, visited)
      return wantsPage(text.accept, visited.place.query)
        ? withImages(await readPage(visited), exploring.images)
        : visited.answer()
    },
    tellAgents (uses, url, origin) {
      const place = placeOf({ ...mount, url, origin }, exploring)
      return showing(200, () => showAgentsPage(uses, place))
    },
    fail (failure, head, origin) {
      const kind = kindOf(head)
      if (kind === undefined) return failure
      const place = placeOf({ ...mount, url: head.url, origin }, exploring)
      if (kind !== 'form' && !wantsPage(head.accept, place.query)) return failure
      return pageOf(failure, json => showFailure(failure.status, JSON.parse(json), place))
    }
  }
}

/** Returns the origins of the API's own pages. */
function originsOf (text: Who['text'], { face: { site } }: Exploring): readonly string[] {
  return [text.origin(), ...site === undefined ? [] : [site.origin]].filter(origin => origin !== '')
}

/** Returns the place of an error: nothing but its URL is known. */
function placeOf (text: Parameters<Face['locate']>[0], exploring: Exploring): Place {
  const { locate, site: own, syntax } = exploring.face
  const nowhere = { site: own ?? { origin: text.origin(), root: '' }, root: '', parts: [], query: '' }
  const { site, parts, query: raw } = orElse(() => locate(text), nowhere)
  const query = orElse(() => queryParts(raw, syntax), [])
  return { ...exploring, site, syntax, spot: undefined, parts, query, openings: newOpenings() }
}

/** The headers by which a browser names the page that sent a form. */
interface FormSender { readonly site: string | undefined, readonly origin: string | undefined }

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
  /** True for a body of the type in which browsers send forms. */
  readonly isForm: boolean
}

/**
 * Returns what the explorer does with a request: answer it, with a page if wantsPage() is true or with the style sheet,
 * or take the form of a page. Undefined for a request that it leaves alone.
 */
function kindOf ({ method, url, accept, isForm }: Head): 'page' | 'form' | undefined {
  // Forms of other senders stay what they are without the explorer: 415.
  if (method === 'POST') return isForm && takesPage(accept) ? 'form' : undefined
  if (method !== 'GET' && method !== 'HEAD') return undefined
  return takesPage(accept) || /\?_style=|format=html/.test(url) ? 'page' : undefined
}

/** Returns true for a GET that is answered with a page: its query names that format, or no other. */
const wantsPage = (accept: string | undefined, parts: readonly Part[]): boolean =>
  wordOf('_format', parts) !== undefined || (takesPage(accept) && !parts.some(({ kind }) => kind === 'format'))
