import { byHand, everywhere, type Rival, tagged } from './rivals.ts'
import type { Request } from './load.ts'
import { albumKeys, get, type Scenario, send, trackKeys } from './scenarios.ts'
import { ownerOf, type Sizes, times } from './world.ts'

/** What needs more than the plain routes: rules of callers, merge patches, tags that clients send, and many items. */
export function special (sizes: Sizes): readonly Scenario[] {
  return [...ruled(sizes), merged(), unchanged(sizes), ...many(sizes)]
}

/** The routes by hand of servers/special.ts. */
const specially = (requests: readonly Request[], same: Rival['same'] = 'whole'): Rival =>
  ({ ...byHand(requests), subject: 'special', label: 'by hand', sources: ['sqlite'], same })

/** For callers with a scope and two rules of fields, one of which hides a field. */
function ruled ({ albumsEach, tracksEach, ...sizes }: Sizes): readonly Scenario[] {
  const as = (request: Request, owner: number): Request =>
    ({ ...request, headers: { ...request.headers, 'x-owner': String(owner), 'x-role': 'member' } })
  const all = { ...sizes, albumsEach, tracksEach }
  const item = albumKeys(all).map(id => as(get(`/albums/${id}`), ownerOf(id, albumsEach)))
  const updated = trackKeys(all).map((id, index) => as(
    send('PATCH', `/tracks/${id}`, { title: `Changed ${index}`, seconds: 60 + index }), ownerOf(id, tracksEach)
  ))
  const common = { subject: 'ruled plugin', sources: ['sqlite'], isSmall: true } as const
  return [
    { ...common, name: 'item by id, under rules', requests: item, rivals: [specially(item)] },
    { ...common, name: 'update, under rules', requests: updated, rivals: [specially(updated)] }
  ]
}

/** Merge patches of a value of JSON, beside json_patch() of SQLite. */
function merged (): Scenario {
  const requests = times(100, index => ({
    ...send('PATCH', `/notes/${index + 1}`, { meta: { plays: index, places: { home: null, away: index } } }),
    headers: { 'content-type': 'application/merge-patch+json' }
  }))
  const common = { subject: 'ruled plugin', sources: ['sqlite'], isSmall: true } as const
  return { ...common, name: 'merge patch', requests, rivals: [specially(requests)] }
}

/** Answers of 304. */
function unchanged (sizes: Sizes): Scenario {
  const requests = albumKeys(sizes).map(id => get(`/albums/${id}`))
  const name = 'item by id, not modified'
  return { name, sources: everywhere, isConditional: true, requests, rivals: [tagged(requests)], isSmall: true }
}

function many (sizes: Sizes): readonly Scenario[] {
  const albums = albumKeys(sizes)
  const bodies = times(10, body => times(1_000, index => ({
    title: `New ${body} ${index}`,
    position: index,
    seconds: 100 + index,
    plays: index,
    album_id: albums[index % albums.length]
  })))
  const created = (path: string) => bodies.map(body => send('POST', path, body))
  const rows = Math.min(4_000, sizes.artists * sizes.albumsEach)
  const common = { sources: ['sqlite'], isSmall: false } as const
  return [{
    ...common,
    name: 'create 1,000',
    requests: created('/tracks'),
    rivals: [specially(created('/tracks-many'), 'size')]
  }, {
    ...common,
    name: `a row of NDJSON, of ${rows.toLocaleString('en')}`,
    rows,
    requests: [get(`/albums?id<${rows + 1}&format=ndjson`)],
    rivals: [specially([get(`/albums-ndjson?below=${rows + 1}`)])]
  }]
}
