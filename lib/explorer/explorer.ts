import type { ExplorerOptions } from '../../schemas/explorer.ts'
import { answer, type Api } from '../api/answer.ts'
import type { Context } from '../declare/collection.ts'
import type { RunContext } from '../run/context.ts'
import { invalidParameter } from '../errors/errors.ts'
import { suggest } from '../errors/suggest.ts'
import { mediaTypes } from '../plan/media.ts'
import type { RequestText } from '../request/parse.ts'
import { parsePath, type RouterOptions } from '../request/path.ts'
import { parameterOf } from '../request/syntax.ts'
import type { RequestFacts } from '../api/request-facts.ts'
import type { Answer } from '../response/answer.ts'
import { siteOf } from '../response/paths.ts'
import { compileExploring, type Exploring } from './exploring.ts'
import { showFailure } from './failure.ts'
import { type Head, isMedia, kindOf, tryParts } from './kind.ts'
import type { Place } from './place.ts'
import { pageOf } from './page-answer.ts'
import { readPage } from './read-page.ts'
import { checkSender, type FormSender } from './sender.ts'
import { submit } from './submit.ts'
import { visit, withQuery } from './visit.ts'
import { partsOf, wordOf } from './words.ts'

/** Answers requests with pages (docs/explorer.md). */
export interface Explorer {
  /** Returns true for a request that the explorer answers. */
  takes (head: Head): boolean
  answer (
    text: RequestText, sender: FormSender, context: RunContext<Context>, note: (facts: RequestFacts) => void
  ): Promise<Answer>
  /** Returns an error as a page where the request asks for one. */
  fail (failure: Answer, head: Head, origin: () => string): Answer
}

/** The place of the API on its server. */
export interface Mount { readonly rootLength: number, readonly router: RouterOptions }

/** Makes the explorer of an API. */
export function makeExplorer (api: Api, options: ExplorerOptions, { rootLength, router }: Mount): Explorer {
  const exploring = compileExploring(api, options)
  const { syntax } = api.options
  return {
    takes: head => kindOf(head, syntax, router) !== undefined,
    async answer (text, sender, context, note) {
      const { method, url, accept, body: { contentType } } = text
      switch (kindOf({ method, url, accept, contentType }, syntax, router)) {
        case 'page': return readPage(await visit(text, exploring, context, note), exploring)
        case 'form':
          checkSender(sender, originsOf(text, exploring))
          return submit(text, await visit(text, exploring, context, note))
        default: return answer(withFormat(text, exploring), api, context, note)
      }
    },
    fail (failure, head, origin) {
      const kind = kindOf(head, syntax, router)
      if (kind !== 'page' && kind !== 'form') return failure
      const place = placeOf(head.url, origin, rootLength, router, exploring)
      return pageOf(failure, json => showFailure(failure.status, JSON.parse(json), place))
    }
  }
}

/** Returns the origins of the API's own pages. */
function originsOf (text: RequestText, { api: { options: { site } } }: Exploring): readonly string[] {
  return [text.origin(), ...site === undefined ? [] : [site.origin]].filter(origin => origin !== '')
}

/** Returns the request with the format that `_format` names. Throws invalid_parameter. */
function withFormat (text: RequestText, { api: { options: { syntax } } }: Exploring): RequestText {
  const { query } = parsePath(text.url, text.router)
  const parts = partsOf(query, syntax)
  const format = wordOf('_format', parts) ?? ''
  if (!isMedia(format)) {
    const formats = [...Object.keys(mediaTypes), 'html']
    const message = `'${format}' is not a format. Formats: ${formats.join(', ')}.`
    throw invalidParameter(message, { parameter: '_format', position: 1 }, suggest(format, formats))
  }
  const others = parts.filter(({ kind }) => kind !== 'own').map(({ raw }) => raw)
  if (![...syntax.parameters.values()].includes('format')) {
    return { ...text, url: withQuery(text.url, query, others.join('&')), accept: mediaTypes[format] }
  }
  const named = [...others, `${encodeURIComponent(parameterOf('format', syntax))}=${format}`]
  return { ...text, url: withQuery(text.url, query, named.join('&')) }
}

/** Returns the place of an error: nothing but its URL is known. */
function placeOf (
  url: string, origin: () => string, rootLength: number, router: RouterOptions, { api: { options }, title }: Exploring
): Place {
  const { segments, parts } = tryPath(url, router)
  const site = siteOf({ origin, root: segments.slice(0, rootLength) }, options.site)
  const query = tryParts(url, options.syntax, router)
  return { title, site, syntax: options.syntax, spot: undefined, parts: parts.slice(rootLength), query }
}

function tryPath (url: string, router: RouterOptions) {
  try {
    return parsePath(url, router)
  } catch {
    return { segments: [], parts: [] }
  }
}
