import { everySource } from '../helpers/every-source.ts'

// docs/own-code.md: Queries

everySource('own code pages by the position that a page holds, counts, and streams', async ({ t, app }) => {
  const artists = app.dataApi.asSystem().collection('artists')
  const seen: unknown[] = []
  const query = { sort: '-age', fields: ['id'], limit: 4, count: true } as const
  let page = await artists.list(query)
  t.equal(page.total, 10)
  t.equal(page.previous, undefined)
  for (;;) {
    seen.push(...page.items.map(({ id }) => id))
    if (page.next === undefined) break
    page = await artists.list({ ...query, ...page.next })
  }
  t.strictSame(seen, [5, 6, 7, 9, 10, 2, 3, 4, 1, 8])
  const { next, previous, total } = await artists.list({ page: 2, size: 3, fields: ['id'] })
  const none = { page: undefined, offset: undefined, after: undefined, before: undefined }
  t.strictSame([next, previous, total], [{ ...none, page: 3 }, { ...none, page: 1 }, null])
  t.strictSame((await artists.list({ offset: 8, limit: 3, fields: ['id'] })).items, [{ id: 9 }, { id: 10 }])
  t.equal(await artists.count({ age: { ne: null } }), 5)
  const streamed: unknown[] = []
  for await (const { id } of artists.stream({ where: { id: { lt: 4 } }, sort: '-id' })) streamed.push(id)
  t.strictSame(streamed, [3, 2, 1])
})
