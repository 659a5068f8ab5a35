import type { Facts } from './scenarios.ts'

interface Track { readonly plays: number, readonly id: number }

const size = 10
const largest = 1000

/**
 * Follows the API's links to a page deep in the charts, in pages of 1,000: their cursors are the same.
 * Throws where there is no such page.
 */
export async function findDeepPage (url: string, page: number): Promise<Facts['deep']> {
  let path = `/tracks?sort=plays+desc&limit=${largest}`
  for (let left = (page - 1) * size; ; left -= largest) {
    const response = await fetch(url + path.replace(`limit=${largest}`, `limit=${Math.min(left, largest)}`))
    const last = (await response.json() as readonly Track[]).at(-1)
    const next = /<([^>]+)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1]
    if (last === undefined || next === undefined) throw new Error(`there is no page ${page}`)
    const { pathname, search } = new URL(next)
    if (left <= largest) {
      return { page, path: (pathname + search).replace(/limit=\d+/, `limit=${size}`), plays: last.plays, id: last.id }
    }
    path = pathname + search
  }
}
