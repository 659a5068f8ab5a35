import type { FastifyInstance, LightMyRequestResponse } from 'fastify'
import type { Test } from 'tap'

type Item = Readonly<Record<string, unknown>>

/** With a count, a database writes the page by another statement than without. */
export const counted = { prefer: 'count=exact' } as const

type Get = (url: string, headers?: Record<string, string>) => Promise<LightMyRequestResponse>

/** Returns a link of an answer as a browser sends it when it is pasted there; undefined if there is none. */
export function linkOf ({ headers }: Pick<LightMyRequestResponse, 'headers'>, rel: string): string | undefined {
  const [, target] = new RegExp(`<(http[^>]*)>; rel="${rel}"`).exec(String(headers.link)) ?? []
  if (target === undefined) return undefined
  const { pathname, search } = new URL(target)
  return pathname + search
}

export const idsOf = (response: LightMyRequestResponse): number[] => response.json<Item[]>().map(({ id }) => Number(id))

/** Follows links from page to page. Returns the ids on each page, and the URL of the last. */
export async function followLinks (
  get: Get, start: string | undefined, rel: string, headers: Record<string, string> = {},
  between: (page: number) => void | Promise<void> = () => {}
): Promise<{ readonly pages: number[][], readonly last: string }> {
  const pages: number[][] = []
  let last = ''
  for (let url = start; url !== undefined && pages.length < 100;) {
    const response = await get(url, headers)
    last = url
    pages.push(idsOf(response))
    await between(pages.length)
    url = linkOf(response, rel)
  }
  return { pages, last }
}

/** Follows `next` from a URL to the last page, and returns all items; stops after 100 pages. */
export async function walkPages (
  from: FastifyInstance | Get, url: string, headers: Record<string, string> = {}
): Promise<readonly Item[]> {
  const get = typeof from === 'function' ? from : (url: string) => from.inject({ url, headers })
  const seen: Item[] = []
  let next: string | undefined = url
  for (let pages = 0; next !== undefined && pages < 100; pages++) {
    const response = await get(next, headers)
    if (response.statusCode !== 200) throw new Error(`${next}: ${response.statusCode} ${response.body}`)
    seen.push(...response.json<Item[]>())
    next = linkOf(response, 'next')
  }
  return seen
}

/**
 * Asserts for each of the fields that paging over it in both directions visits each item of the collection once, as a
 * stream does, and that each value that is shown finds its item, by every way of asking for it.
 */
export async function visitsOnce (t: Test, app: FastifyInstance, collection: string, fields: readonly string[]) {
  const items = (await app.inject(`/${collection}?limit=1000`)).json<Item[]>()
  const all = items.map(({ id }) => id).toSorted()
  for (const field of fields) {
    for (const direction of ['asc', 'desc']) {
      for (const limit of [1, 3]) {
        const listing = `/${collection}?sort=${field}+${direction}&limit=${limit}`
        for (const [fields, headers] of [['id', {}], [`id,${field}`, {}], [`id,${field}`, counted]] as const) {
          const url = `${listing}&fields=${fields}`
          const seen = await walkPages(app, url, headers)
          t.strictSame(seen.map(({ id }) => id).toSorted(), all, url)
        }
      }
    }
    const shown = new Map(items.map(item => [String(item[field]), item]).filter(([, item]) =>
      typeof item === 'object' && item[field] !== null) as Array<[string, Item]>)
    for (const [text, { id }] of shown) {
      const value = encodeURIComponent(JSON.stringify(text))
      for (const url of [
        `/${collection}?${field}=${value}`, `/${collection}?${field}=*${value}`, `/${collection}?${field}>=${value}`,
        `/${collection}?where=!(${field}>${value})`
      ]) {
        t.ok((await app.inject(url)).json<Item[]>().some(item => item['id'] === id), url)
      }
      for (const url of [`/${collection}?${field}!=${value}`, `/${collection}?${field}<${value}`]) {
        t.notOk((await app.inject(url)).json<Item[]>().some(item => item['id'] === id), url)
      }
      if (text === '') continue
      t.ok((await app.inject(`/${collection}/by_${field}/${encodeURIComponent(text)}`)).json<Item[]>().some(
        item => item['id'] === id
      ), `by_${field}/${text}`)
    }
  }
}
