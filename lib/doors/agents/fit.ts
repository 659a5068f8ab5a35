import { DataApiError } from '../../core/errors/errors.ts'
import type { Answer } from '../../core/response/answer.ts'

/** What GET answers. `isPage`: its data has a member for each item. `isTagged`: its tag is wanted. */
interface Asked { readonly answer: Answer, readonly isPage: boolean, readonly isTagged: boolean }

/** The data of an answer. `next`: the URL of the next page. */
export interface Fitting {
  readonly data: unknown
  readonly next?: string
  readonly total?: number
  readonly etag?: string
}

/**
 * Returns the data of an answer, as many items of a page as fit into `length` characters. `ask`: sends the request for
 * so many items at most. Throws answer_too_large for one item that does not fit.
 */
export async function fit (length: number, ask: (most: number) => Promise<Asked>): Promise<Fitting> {
  for (let most = Infinity; ;) {
    const { answer: { body, links, headers, etag }, isPage, isTagged } = await ask(most)
    if (typeof body !== 'string') throw new TypeError('an agent is answered in JSON')
    const data: unknown = JSON.parse(body)
    if (body.length <= length) {
      const next = links.find(({ rel }) => rel === 'next')?.target
      const total = headers['x-total-count']
      return {
        data,
        ...next !== undefined && { next },
        ...total !== undefined && { total: Number(total) },
        ...isTagged && etag !== undefined && { etag }
      }
    }
    const held = isPage ? Object.keys(data as object).length : 1
    if (held < 2) throw tooLong(length)
    // A plan is kept for each size, so there are few sizes.
    most = 2 ** Math.floor(Math.log2(Math.max(1, held * length / body.length)))
  }
}

const tooLong = (length: number) => new DataApiError('answer_too_large',
  `The item is longer than the limit of ${length} characters. Name the fields that you need.`)
