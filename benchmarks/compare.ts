import { deepStrictEqual } from 'node:assert/strict'
import type { Request } from './load.ts'
import type { Rival } from './rivals.ts'
import type { Scenario } from './scenarios.ts'

/** An answer with its parsed body. `size`: the body's length in bytes. */
export interface Answered { readonly status: number, readonly body: unknown, readonly size: number }

/** Sends a request and returns its answer. Throws for an answer that is not a success. */
export async function ask (url: string, { method, path, headers, body }: Request): Promise<Answered> {
  const response = await fetch(url + path, {
    method,
    ...headers && { headers: { ...headers } },
    ...body !== undefined && { body }
  })
  const text = await response.text()
  const isLines = response.headers.get('content-type')?.includes('ndjson') === true
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
  const json = isLines ? `[${text.trim().replaceAll('\n', ',')}]` : text
  return { status: response.status, body: JSON.parse(json), size: Buffer.byteLength(text) }
}

/**
 * Compares the answers of a rival with those of the plugin, and throws where they differ: only servers that do the same
 * may be compared. Returns the plugin's first answer.
 */
export async function compare (
  scenario: Scenario, rival: Rival, urls: { readonly plugin: string, readonly rival: string }
): Promise<Answered> {
  const [first] = scenario.requests
  if (first === undefined) throw new TypeError(`${scenario.name}: no requests`)
  for (const [index, request] of scenario.requests.slice(0, 20).entries()) {
    const other = rival.requests[index]
    if (other === undefined || rival.same === 'no') break
    const answers = { plugin: await ask(urls.plugin, request), rival: await ask(urls.rival, other) }
    check(`${scenario.name}: ${request.path} is answered alike by ${rival.label ?? rival.subject}`, answers, rival.same)
    if (scenario.readBack === undefined) continue
    const back = {
      plugin: get(scenario.readBack(request, answers.plugin.body)),
      rival: get(scenario.readBack(other, answers.rival.body))
    }
    check(
      `${scenario.name}: ${request.path} writes the same as ${rival.label ?? rival.subject}`,
      { plugin: await ask(urls.plugin, back.plugin), rival: await ask(urls.rival, back.rival) }, rival.same
    )
  }
  return ask(urls.plugin, first)
}

const get = (path: string): Request => ({ method: 'GET', path })

function check (
  what: string, { plugin, rival }: { readonly plugin: Answered, readonly rival: Answered }, same: Rival['same']
): void {
  const shown = ({ status, body }: Answered) => ({ status, body: same === 'size' ? sizeOf(body) : body })
  deepStrictEqual(shown(rival), shown(plugin), what)
}

/** Returns the number of items of a list, or of members of an item, for comparing bodies whose names differ. */
const sizeOf = (body: unknown) => Array.isArray(body) ? body.length : Object.keys(body as object).length

/** Returns the requests with the tags of their answers, which then are 304. */
export const withTags = async (url: string, requests: readonly Request[]): Promise<readonly Request[]> =>
  Promise.all(requests.map(async request => {
    const response = await fetch(url + request.path)
    await response.arrayBuffer()
    return { ...request, headers: { ...request.headers, 'if-none-match': response.headers.get('etag') ?? '' } }
  }))
