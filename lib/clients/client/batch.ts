import { readJson } from './error.ts'
import { queryText } from './query.ts'
import { keep, WriteReference, resource, type SendWrite } from './resource.ts'
import type { KeyedOptions, Send } from './send.ts'

/**
 * Returns the function that sends the writes of a function as one batch. It returns the results of those writes that
 * the function returns; of all, where it returns none.
 */
export const makeBatch = (send: Send) => async (
  collect: (batch: unknown) => readonly WriteReference[] | undefined,
  { dryRun, ...options }: KeyedOptions & { readonly dryRun?: boolean } = {}
): Promise<unknown[]> => {
  const written: WriteReference[] = []
  const operations: object[] = []
  const write: SendWrite = build => {
    const { method, path, query, body, own } = build()
    if (own?.['prefer'] && own['prefer'] !== 'return=representation') throw new TypeError('batch: no such option')
    const reference = new WriteReference(written.length)
    written.push(reference)
    operations.push({
      method,
      // The path of an item that is not written yet begins with its name.
      path: path.replace(/.*(?=\/\$)/, '') + queryText(query, '?'),
      body,
      merge: own?.['content-type'] && true,
      get as () { return reference.used && reference.name },
      if_match: own?.['if-match'],
      return: own?.['prefer'] && 'representation'
    })
    return reference
  }
  const chosen = collect(resource(send, '', write)) ?? written
  // Only then is known which of them are referred to.
  JSON.stringify(operations)
  const own = { prefer: dryRun ? 'dry-run' : undefined }
  const results = await send({ ...options, method: 'POST', path: '', query: {}, body: operations, own }, readResults)
  return chosen.map(({ index }) => results[index])
}

interface Result { readonly body?: object, readonly etag?: string }

const readResults = async (response: Response) =>
  // A dry run has no results.
  ([readJson(await response.text(), response)].flat() as readonly Result[]).map(({ body, etag }) => keep(body, etag))
