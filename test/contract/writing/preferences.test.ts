import { deletes, writes } from '../../helpers/shop-writes.ts'
import { missing } from '../../helpers/answers.ts'

// docs/http.md: Writing

writes('Prefer: return=representation answers with the item as GET would, and Preference-Applied says so', async ({
  t, get, send, same
}) => {
  const prefer = { prefer: 'return=representation' }
  const applied = { 'preference-applied': 'return=representation' }
  const updated = await send('PUT', '/artists/1', { rating: 9 }, prefer)
  same(updated, 200, { ...(await get('/artists/1')).json() as object, rating: 9 },
    { ...applied, etag: String((await get('/artists/1')).headers.etag) })
  const created = await send('POST', '/artists?fields=name,label(code)',
    { name: 'New', email: null, label: { id: 1 } }, prefer)
  same(created, 201, { name: 'New', label: { code: 'VSN' } }, { ...applied, location: '/artists/by_id/4' })
  t.equal(created.headers.etag, (await get('/artists/4?fields=name,label(code)')).headers.etag)
  same(await send('POST', '/labels?fields=code', [{ code: 'A1' }, { code: 'A2' }], prefer), 201,
    [{ code: 'A1' }, { code: 'A2' }], applied)
  same(await send('PUT', '/artists/1/rating', 3, prefer), 200, 3,
    { ...applied, etag: String((await get('/artists/1/rating')).headers.etag) })
  same(await send('PUT', '/artists/Renamed', { email: 'r@example.org' }, prefer), 404, missing('Renamed'))
  same(await send('PUT', '/artists/New/name', 'Renamed', prefer), 200, 'Renamed', applied)
})

writes('return=minimal answers with no body', async ({ send, same }) => {
  const prefer = { prefer: 'return=minimal' }
  const applied = { 'preference-applied': 'return=minimal' }
  same(await send('PUT', '/artists/1', { rating: 9 }, prefer), 204, '', applied)
  same(await send('PUT', '/artists/1/rating', 9, prefer), 204, '', applied)
  same(await send('POST', '/labels', { code: 'NINJA' }, prefer), 201, '', { ...applied, location: '/labels/by_id/3' })
  same(await send('DELETE', '/labels/3', undefined, prefer), 204, '', applied)
}, deletes)

writes('a query parameter that a write cannot use is 400', async ({ t, send }) => {
  for (const [url, error] of [['/artists?rating>1', 'invalid_filter'], [
    '/artists?sort=name', 'invalid_sort'
  ], ['/artists?limit=1', 'invalid_page'], ['/artists?fields=name', 'invalid_fields']] as const) {
    const response = await send('POST', url, { name: 'x', email: null })
    t.strictSame([response.statusCode, response.json().error], [400, error], url)
  }
})
