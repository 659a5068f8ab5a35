import { everySource, type World } from './every-source.ts'

/** Tests that each query of a collection is 400, with its code and the beginning of its message. */
export function refusals (
  sentence: string, url: string, table: ReadonlyArray<readonly [query: string, code: string, message: string]>,
  world?: World
): void {
  everySource(sentence, async ({ get, t }) => {
    for (const [query, code, message] of table) {
      const answer = (await get(`${url}?${query}`)).json<{ error: string, message: string }>()
      t.strictSame([answer.error, answer.message.slice(0, message.length)], [code, message], query)
    }
  }, {}, world)
}
