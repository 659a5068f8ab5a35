import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { ExplorerOptions } from '../../schemas/explorer.ts'
import type { Face } from '../core/api/face.ts'
import type { AgentUse } from '../doors/explorer/agents.ts'
import type { Explorer, Head } from '../doors/explorer/explorer.ts'
import type { Options } from '../core/api/options.ts'
import { mediaTypeOf } from '../core/request/body.ts'
import { formType, type RequestText } from '../core/request/parse.ts'
import type { PlannedFacts } from '../core/api/request-facts.ts'
import type { Answer } from '../core/response/answer.ts'
import { methodOf, readOrigin } from './routes.ts'
import { routerOptionsOf } from './replies.ts'

/** The pages of a registration. */
export interface ServedPages {
  /** Returns true for a request that a page answers. */
  take (request: FastifyRequest): boolean
  answer (request: FastifyRequest, text: RequestText): Promise<Answer>
  /** Returns the page that tells what an agent of the caller may do. */
  tellAgents (request: FastifyRequest, uses: readonly AgentUse[]): Answer
  /** Returns the answer for an error: as a page, for a request that a page would answer. */
  fail (request: FastifyRequest, failure: Answer): Answer
}

/** Prepares the pages of an API; undefined if the application has not switched them on. */
export async function makePages (
  scope: FastifyInstance, face: Face, options: ExplorerOptions | undefined
): Promise<ServedPages | undefined> {
  if (options === undefined) return undefined
  // Most applications have no pages, and need not load them.
  const { makeExplorer } = await import('../doors/explorer/explorer.ts')
  const rootLength = scope.prefix.split('/').filter(segment => segment !== '').length
  return pagesOf(makeExplorer(face, options, { rootLength, router: routerOptionsOf(scope) }))
}

/** Returns the names that no field may have where an API has pages, each with the reason for the error message. */
export async function reservedByPages ({ explorer }: Options): Promise<ReadonlyMap<string, string>> {
  if (explorer === undefined) return new Map()
  const { placeWords } = await import('../doors/explorer/place.ts')
  return new Map(placeWords.map(word => [word, 'a parameter of the explorer has this name; rename the field']))
}

const pagesOf = (explorer: Explorer): ServedPages => ({
  take: request => explorer.takes(headOf(request)),
  answer (request, text) {
    const note = (facts: PlannedFacts) => { request.dataApi = { ...facts, door: 'http', method: text.method } }
    const { 'sec-fetch-site': site, origin } = request.headers
    const sender = { site: [site].flat()[0], origin: [origin].flat()[0] }
    return explorer.answer({ request, text, note }, sender)
  },
  tellAgents: (request, uses) => explorer.tellAgents(uses, headOf(request).url, () => readOrigin(request)),
  fail: (request, failure) => explorer.fail(failure, headOf(request), () => readOrigin(request))
})

function headOf (request: FastifyRequest): Head {
  const { raw: { url = '/' }, headers } = request
  const isForm = mediaTypeOf(headers['content-type']) === formType
  return { method: methodOf(request), url, accept: headers.accept, isForm }
}
