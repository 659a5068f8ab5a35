import { parseJson } from './error.ts'
import { located } from './path.ts'
import type { RequestOptions, Send } from './send.ts'

/** The options of a write, as this room takes them. types/ types them for users. */
interface AnyWriteOptions extends RequestOptions {
  readonly unchanged?: object
  readonly returning?: true | readonly unknown[]
}

/** The tags of items that were got. They are kept apart, so that an item is plain data. */
const tags = new WeakMap<object, string | null>()

/** Reads the item of an answer, and keeps its tag for a write that names the item as `unchanged`. */
export async function readItem (response: Response): Promise<unknown> {
  const item = parseJson(await response.text(), response) as object | null
  if (item) tags.set(item, response.headers.get('etag'))
  return item
}

/**
 * Returns the function that sends a write to a resource: of an identifier, if it is a collection, a body, if it is not
 * DELETE, and options. It returns the item if that is asked for, otherwise the acknowledgement.
 */
export const writer = (send: Send, resource: string, method: string) => async (...given: unknown[]) => {
  const path = located(resource, given)
  const body = method === 'DELETE' ? undefined : given.shift()
  const [{ unchanged, returning, ...options } = {}] = given as [AnyWriteOptions?]
  const tag = unchanged && tags.get(unchanged)
  if (unchanged && !tag) throw new TypeError('unchanged: no ETag')
  const own = { 'if-match': tag as string | undefined, prefer: returning && 'return=representation' }
  const query = { fields: returning }
  return send({ ...options, method, path, body, query, own }, readItem)
}
