import type { DirectoryEntry } from '../../../schemas/directory.ts'
import { ambiguousIdentifier } from '../errors/errors.ts'
import type { Model } from '../model/model.ts'
import type { Walked } from '../plan/path/walk.ts'
import { isStreamed } from '../plan/media.ts'
import type { OptionsPlan } from '../plan/request.ts'
import { type Conditions, noConditions } from '../plan/tag.ts'
import type { ReadOutcome, Result } from '../run/run.ts'
import { type AcknowledgementOptions, renderWrite, type WriteEcho } from './acknowledgement.ts'
import { type Answer, empty, type AnswerLink, ok } from './answer.ts'
import { groupLines } from './groups.ts'
import type { PageName } from './links.ts'
import { countHeaders, type PageEcho, type PageOptions } from './page.ts'
import { type Addressed, dictionaryParts, formatPath, type PathParts, type Site, siteOf } from './paths.ts'
import { renderJson, renderMissing, renderRead } from './read.ts'
import { itemLines, type Lines, renderStream } from './stream.ts'
import { tagged } from './tag.ts'

interface RenderOptions {
  readonly site: Site | undefined
  readonly answers: PageOptions & AcknowledgementOptions & {
    /** True if the directory links to the OpenAPI document. */
    readonly describes: boolean
  }
}

/** A request, of which its answer repeats these parts or depends on them. */
interface Echo {
  readonly request: Addressed & {
    readonly method: string
    readonly parts: readonly PathParts[]
    readonly returns: WriteEcho['returns']
    readonly conditions: Conditions
  }
  readonly queryText: { otherParameters (): string, readonly pageName: PageName }
}

interface AnswerEcho extends PageEcho, WriteEcho { readonly method: string }

/**
 * Returns the answer for the result of a plan; a promise of it where its text is long. Throws identifier_not_found and
 * ambiguous_identifier.
 */
export function render (
  result: Result, { request, queryText }: Echo, model: Model, { site, answers }: RenderOptions
): Answer | Promise<Answer> {
  const { method, parts, returns } = request
  const { otherParameters, pageName } = queryText
  // A live document that the client has already is not over.
  const isLive = 'format' in result && result.format.media === 'events'
  const conditions = isLive ? noConditions : request.conditions
  const echo = { method, parts, otherParameters, pageName, returns, conditions, site: () => siteOf(request, site) }
  switch (result.kind) {
    case 'options': return renderOptions(result)
    case 'directory': return tagged(renderRoot(model, echo, answers), conditions)
    case 'read': return renderFound(result, echo, answers)
    case 'write': {
      const { write, result: written, identifiers, address } = result
      if (written.kind === 'ambiguous') throw ambiguous(write.walked[written.step], identifiers, echo, answers)
      return renderWrite(write, written, address, echo, answers)
    }
  }
}

function renderRoot (model: Model, { site }: AnswerEcho, { describes }: RenderOptions['answers']): Answer {
  return ok(renderDirectory(model), undefined, describes ? [documentLink(site())] : [])
}

function renderFound (
  { read, format, result, identifiers, rows, address }: ReadOutcome, echo: AnswerEcho, options: RenderOptions['answers']
): Answer | Promise<Answer> {
  if (result.kind === 'ambiguous') throw ambiguous(read.walked[result.step], identifiers, echo, options)
  if (result.kind === 'missing') return renderMissing(read, result.step, echo)
  if (result.kind === 'values' || result.kind === 'items') return renderJson(read, result, echo, options)
  const lines = isStreamed(format) ? linesOf(read) : undefined
  if (lines !== undefined && rows !== undefined) {
    const batches = echo.method === 'HEAD' ? headOnly() : rows
    return renderStream(batches, lines, format, countHeaders(result))
  }
  return renderRead(read, result, address, echo, options)
}

/** Returns the lines of a stream; undefined for what is no stream. */
function linesOf (read: ReadOutcome['read']): Lines | undefined {
  if (read.kind === 'list') return itemLines(read.plan.listing.select)
  return read.kind === 'aggregate' ? groupLines(read.show) : undefined
}

/** The batches of an answer to HEAD: none, as it has the headers of GET alone. */
async function * headOnly (): AsyncGenerator<never> {}

function renderOptions ({ allow, accepts, takesKeys }: OptionsPlan): Answer {
  const headers: Record<string, string> = { allow: allow.join(', ') }
  if (takesKeys) headers['idempotency-key'] = 'supported'
  for (const method of allow) {
    const types = accepts[method]
    if (types !== undefined) headers[`accept-${method.toLowerCase()}`] = types.join(', ')
  }
  return empty(204, headers)
}

function ambiguous (
  walked: Walked | undefined, identifiers: readonly string[], { parts, site }: AnswerEcho,
  { dictionaryPrefix }: PageOptions
) {
  const { segment = '', length = 0 } = walked ?? {}
  const before = parts.slice(0, length - 1)
  const own = parts.slice(length - 1, length)
  const paths = identifiers.map(name =>
    formatPath(site(), [...before, dictionaryParts(name, dictionaryPrefix), ...own]))
  return ambiguousIdentifier(segment, paths)
}

/** Returns the directory as JSON text: the collections in the order of their declaration (docs/http.md: URLs). */
function renderDirectory (model: Model): string {
  return JSON.stringify([...model.collections.keys()].map((name): DirectoryEntry => ({ name, type: 'collection' })))
}

/** The last segment of the OpenAPI document's URL. No collection has this name: names on the wire have no full stop. */
export const documentName = 'openapi.json'

/** Returns the link from the directory to the OpenAPI document (RFC 8631). */
function documentLink (site: Site): AnswerLink {
  return { rel: 'service-desc', target: site.origin + formatPath(site, [[documentName]]) }
}
