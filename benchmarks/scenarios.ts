import type { Request } from './load.ts'
import {
  byHand, everywhere, feathers, larger, others, platformatic, type Rival, small, tagged
} from './rivals.ts'
import type { Subject } from './servers/protocol.ts'
import type { SourceName } from './servers/setting.ts'
import { special } from './special.ts'
import { countries, genres, ownerOf, type Sizes, times } from './world.ts'

/** A task of clients, with the requests for it to the plugin and to its rivals. */
export interface Scenario {
  readonly name: string
  readonly sources: readonly SourceName[]
  readonly requests: readonly Request[]
  readonly rivals: readonly Rival[]
  /** True for requests and answers of a few hundred bytes: these are measured with several numbers of connections. */
  readonly isSmall: boolean
  /** The plugin's server, where it is not that with the default options. */
  readonly subject?: Subject
  /** True for reads that send the tag of what they would get. */
  readonly isConditional?: boolean
  /** The rows of each answer, where the figures are those of a row. */
  readonly rows?: number
  /** Returns the path that reads the written item again. */
  readonly readBack?: (request: Request, answer: unknown) => string
}

/** Facts about the data that requests need. */
export interface Facts {
  readonly sizes: Sizes
  /** The path of a keyset page deep in the charts, from the API's own links, and the last track before that page. */
  readonly deep: { readonly page: number, readonly path: string, readonly plays: number, readonly id: number }
}

export const databases: readonly SourceName[] = ['sqlite', 'postgres']
const many = 200

export const get = (path: string): Request => ({ method: 'GET', path })
export const send = (method: string, path: string, body: unknown): Request => ({
  method,
  path,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body)
})

/** Returns all scenarios in the order of measuring. Writes are last, because they change the data that others read. */
export function scenarios (facts: Facts): readonly Scenario[] {
  return [
    ...items(facts.sizes),
    ...listings(),
    ...nested(),
    ...paths(facts.sizes),
    ...pages(facts),
    dictionary(),
    ...writes(facts.sizes),
    ...special(facts.sizes)
  ]
}

/**
 * Returns the same scenario against the plugin of another checkout, and the route by hand beside both. The two plugins
 * may answer in other words, so that only the sizes of their answers are compared.
 */
export const againstOther = (scenario: Scenario): Scenario => ({
  ...scenario,
  rivals: [
    { subject: 'other checkout', sources: everywhere, same: 'size', requests: scenario.requests },
    ...scenario.rivals.filter(({ subject }) => subject === 'by hand')
  ]
})

/** Returns keys from all parts of a table, the same for each subject. */
const keys = (count: number) => times(many, index => 1 + Math.floor(index * 7919 % count))
export const albumKeys = ({ artists, albumsEach }: Sizes) => keys(artists * albumsEach)
export const trackKeys = ({ artists, albumsEach, tracksEach }: Sizes) => keys(artists * albumsEach * tracksEach)

function items (sizes: Sizes): readonly Scenario[] {
  const ids = albumKeys(sizes)
  const item = ids.map(id => get(`/albums/${id}`))
  const either = keys(sizes.artists).map(id => get(`/artists/${id}`))
  const scalar = ids.map(id => get(`/albums/${id}/title`))
  return [
    {
      name: 'item by id',
      sources: everywhere,
      requests: item,
      rivals: [byHand(item, small), tagged(item), ...others(item), feathers(item), platformatic(item, 3)],
      isSmall: true
    },
    {
      name: 'item by id, where names are identifiers too',
      sources: everywhere,
      requests: either,
      rivals: [byHand(either)],
      isSmall: false
    },
    {
      name: 'scalar',
      sources: everywhere,
      requests: scalar,
      rivals: [byHand(scalar, small), tagged(scalar), ...others(scalar)],
      isSmall: true
    }
  ]
}

function listings (): readonly Scenario[] {
  const routes = (limit: number) => genres.map(genre => get(`/albums?genre=${genre}&limit=${limit}`))
  const listing = (limit: number, sqlite: number, peer?: number): Scenario => ({
    name: `listing of ${limit}`,
    sources: everywhere,
    isSmall: false,
    requests: genres.map(genre => get(`/albums?genre=${genre}&sort=released+desc&limit=${limit}`)),
    rivals: [
      byHand(routes(limit), { sqlite, postgres: 1 }),
      ...others(routes(limit)),
      feathers(genres.map(genre => get(`/albums?genre=${genre}&$sort[released]=-1&$sort[id]=1&$limit=${limit}`))),
      platformatic(genres.map(genre =>
        get(`/albums/?where.genre.eq=${genre}&orderby.released=desc&orderby.id=asc&limit=${limit}`)), peer)
    ]
  })
  const prices = times(10, index => 20 + index)
  const prolific = 'fields=id,name,albums.count()&sort=-albums.count(),name'
  const once = times(1000, index => 500_000 + index * 431) // More queries than the plugin's cache has entries.
  return [listing(20, 1.2, 2), listing(100, 1.7, 2.5), listing(1000, 1.8), {
    name: 'listing of 20, no query twice',
    sources: databases,
    requests: once.map(plays => get(`/tracks?plays<${plays}&sort=plays+desc&limit=20`)),
    rivals: [byHand(once.map(plays => get(`/tracks-under?plays=${plays}&limit=20`)), larger)],
    isSmall: true
  }, {
    name: 'listing of 20, scanned and sorted',
    sources: everywhere,
    requests: prices.map(price => get(`/albums?price<${price}&sort=price+desc&limit=20`)),
    rivals: [byHand(prices.map(price => get(`/albums-under?price=${price}&limit=20`)), { memory: 1 })],
    isSmall: false
  }, {
    name: 'listing of 20, sorted through a relation',
    sources: everywhere,
    requests: prices.map(price => get(`/albums?price<${price}&sort=artist.name&limit=20`)),
    rivals: [byHand(prices.map(price => get(`/albums-by-artist?price=${price}&limit=20`)), { postgres: 1.1 })],
    isSmall: false
  }, {
    name: 'listing of 20, by the numbers of related items',
    sources: everywhere,
    requests: countries.map(country => get(`/artists?country=${country}&${prolific}&limit=20`)),
    rivals: [byHand(countries.map(country => get(`/prolific?country=${country}&limit=20`)), { postgres: 1.1 })],
    isSmall: false
  }, {
    name: 'groups with their numbers',
    sources: everywhere,
    requests: prices.map(price => get(`/albums?price<${price}&fields=genre,count(),released.max()&sort=-count()`)),
    rivals: [byHand(prices.map(price => get(`/genres-under?price=${price}&limit=20`)))],
    isSmall: false
  }]
}

function nested (): readonly Scenario[] {
  const of = (path: string) => countries.map(country => get(`${path}?country=${country}&limit=10`))
  const fields = 'id,name,albums(id,title,tracks(id,title,seconds))'
  return [{
    name: 'three levels nested',
    sources: everywhere,
    isSmall: false,
    requests: countries.map(country => get(`/artists?country=${country}&sort=name&limit=10&fields=${fields}`)),
    rivals: [
      byHand(of('/trees'), { label: 'by hand, a query a level and parent', sqlite: 2.2, memory: 1, postgres: 0.7 }),
      {
        ...byHand(of('/trees-text'), { label: 'by hand, the same single statement', sqlite: 0.95, postgres: 1.1 }),
        sources: databases
      },
      ...others(of('/trees'))
    ]
  }]
}

function paths (sizes: Sizes): readonly Scenario[] {
  const requests = albumKeys(sizes).map(id => get(`/artists/${ownerOf(id, sizes.albumsEach)}/albums/${id}/tracks`))
  const rivals = [byHand(requests, larger)]
  return [{ name: 'path of five segments', sources: everywhere, requests, rivals, isSmall: true }]
}

function pages ({ deep }: Facts): readonly Scenario[] {
  const first = [get('/tracks?sort=plays+desc&limit=10')]
  const self: Rival = {
    subject: 'plugin',
    label: 'page 1 of the plugin',
    sources: databases,
    same: 'no',
    requests: first,
    sqlite: 0.85,
    postgres: 1.15
  }
  return [
    {
      name: 'page 1 by keyset',
      sources: databases,
      requests: first,
      rivals: [byHand([get('/tracks?limit=10')])],
      isSmall: false
    },
    {
      isSmall: false,
      name: `page ${deep.page.toLocaleString('en')} by keyset`,
      sources: databases,
      requests: [get(deep.path)],
      rivals: [byHand([get(`/tracks?plays=${deep.plays}&id=${deep.id}&limit=10`)]), self]
    }
  ]
}

function dictionary (): Scenario {
  return {
    name: 'dictionary of 100',
    sources: everywhere,
    requests: countries.map(country => get(`/artists/by_name?country=${country}&limit=100`)),
    rivals: [byHand(countries.map(country => get(`/artists-by-name?country=${country}&limit=100`)), larger)],
    isSmall: true
  }
}

function writes (sizes: Sizes): readonly Scenario[] {
  const albums = albumKeys(sizes)
  const tracks = trackKeys(sizes)
  const created = albums.map((id, index) => send('POST', '/tracks', {
    title: `New ${index}`,
    position: index,
    seconds: 100 + index,
    plays: index,
    album_id: id
  }))
  const updated = tracks.map((id, index) => send('PATCH', `/tracks/${id}`, {
    title: `Changed ${index}`,
    seconds: 60 + index
  }))
  const written = tracks.map((id, index) => send('PUT', `/tracks/${id}/title`, `Written ${index}`))
  const same = ({ path }: Request) => path.split('/').slice(0, 3).join('/')
  return [
    {
      name: 'create',
      // The tracks are as many objects as memory() takes.
      sources: databases,
      requests: created,
      // Each comparison has the plugin create items, so that the numbers of later ones differ.
      rivals: [byHand(created, small), ...others(created, 'size'), feathers(created, 'no')],
      isSmall: true,
      readBack: (_request, answer) => `/tracks/${(answer as { id: number }).id}`
    },
    {
      name: 'update',
      sources: everywhere,
      requests: updated,
      rivals: [byHand(updated, small), ...others(updated), feathers(updated, 'no')],
      isSmall: true,
      readBack: same
    },
    {
      name: 'scalar write',
      sources: everywhere,
      requests: written,
      rivals: [byHand(written, small)],
      isSmall: true,
      readBack: same
    }
  ]
}
