import { makeBatch } from './batch.ts'
import { brokenOff, readJson } from './error.ts'
import { queryText } from './query.ts'
import { readItem, resource } from './resource.ts'
import { type Call, type ClientOptions, type HeadersLike, pause } from './send.ts'
import type { AnyApi, Api, Client } from './types/index.ts'

/**
 * Returns a client of the API at a URL (docs/clients.md: The typed client). It sends no request itself.
 *
 * @param url the URL of the API's root. Browsers take a path as well, such as `/api`.
 */
export function createClient<A extends Api<A> = AnyApi> (
  url: string | URL,
  { headers: given, fetch: send = fetch, retries = 2, maxQuery = 4000, idempotent }: ClientOptions = {}
): Client<A> {
  // What lies before the API may know no QUERY: a POST then stands for it (docs/http.md: URLs).
  let knowsQuery = true
  // The functions are the same for every resource; A says which of them a resource has, and what they return.
  return resource(request, '', async build => request(build(), readItem), { batch: makeBatch(request) }) as Client<A>

  async function request<T> (call: Call, read: (response: Response) => Promise<T>, attempt = 0): Promise<T> {
    const { method, path, query, body, stream, own, signal, headers, cache } = call
    const isKeyed = idempotent === true ? /^[PD]/.test(method as string) : idempotent && method === idempotent
    // Unlike randomUUID(), these are there on pages of http too.
    const key = call.key ?? (isKeyed && !stream ? crypto.getRandomValues(new Uint32Array(4)).join('-') : undefined)
    const parameters = queryText(query)
    // Only reads of lists take QUERY.
    const isQuery = !method && query['where'] && parameters.length > maxQuery
    const override = isQuery && !knowsQuery ? 'QUERY' : undefined
    const payload = isQuery ? parameters : JSON.stringify(body) as string | undefined
    let response: Response | undefined
    try {
      response = await send(String(url).replace(/\/*$/, path) + (isQuery || !parameters ? '' : `?${parameters}`), {
        method: override ? 'POST' : isQuery ? 'QUERY' : method,
        // Without members that are undefined.
        headers: JSON.parse(JSON.stringify({
          'content-type': payload && `application/${isQuery ? 'x-www-form-urlencoded' : 'json'}`,
          ...own,
          'x-http-method-override': override,
          'idempotency-key': key,
          ...typeof given === 'function' ? await given() : given,
          ...headers
        })) as HeadersLike,
        ...stream ? { body: stream, duplex: 'half' } : { body: payload },
        signal,
        ...cache && { cache }
      } as RequestInit)
      if (!response.ok) readJson(await response.text(), response)
      return await read(response)
    } catch (cause) {
      const error = brokenOff(cause, response, signal)
      const what = error.code + error.status
      // A page of another origin sees no answer where that of a proxy lacks CORS.
      if (isQuery && !override && /405|501|not_api40[03]|network0/.test(what)) {
        knowsQuery = false
        return request(call, read, attempt)
      }
      // There is no answer to a POST either.
      if (override && what === 'network0') knowsQuery = true
      // Nobody knows what became of a write that the API did not answer, or answered with outcome_unknown.
      if (method && !/4..$|internal|unavailable|rejected/.test(what)) error.outcome = 'unknown'
      const after = response?.headers.get('retry-after') ?? 2 ** attempt / 5
      const wait = 1000 * (after as number) || Date.parse(after as string) - Date.now()
      if ((method && !key) || attempt >= retries || !/network|429|50[234]/.test(what) || !(wait < 30_000)) throw error
      // If it is aborted, fetch() throws the reason.
      await pause(wait, signal)
    }
    return request({ ...call, key }, read, attempt + 1)
  }
}
