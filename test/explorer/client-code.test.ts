import { Type } from '@sinclair/typebox'
import fc, { runsOf } from '../helpers/fast-check.ts'
import { test } from 'tap'
import { createClient } from '../../lib/client/index.ts'
import dataApi, { collection, memory, SubCollection, SubItem } from '../../lib/index.ts'
import { fastify } from '../helpers/fastify.ts'

// docs/explorer.md: What a page has. The code of a page, run.

const Artist = Type.Object({
  id: Type.Integer({ identifier: true, readable: true }),
  name: Type.String({ identifier: true, readable: true }),
  genre: Type.String({ readable: true }),
  founded: Type.Union([Type.Integer(), Type.Null()], { readable: true }),
  albums: SubCollection('albums', { foreignKey: 'artistId', readable: true })
})
const Album = Type.Object({
  id: Type.Integer({ identifier: true, readable: true }),
  title: Type.String({ readable: true }),
  in: Type.Integer({ readable: true }),
  artistId: Type.Integer(),
  artist: SubItem('artists', { foreignKey: 'artistId', readable: true })
})

const app = fastify()
await app.register(dataApi, {
  prefix: '/api',
  explorer: true,
  collections: {
    artists: collection(Artist, {
      source: memory([
        { id: 1, name: "O'Can \"x\"", genre: 'rock', founded: 1968 },
        { id: 2, name: 'Noisia', genre: 'dnb', founded: 2003 },
        { id: 3, name: 'null', genre: 'a,b', founded: null }
      ])
    }),
    albums: collection(Album, {
      source: memory([
        { id: 7, title: 'Outer Edges', in: 2016, artistId: 2 },
        { id: 8, title: 'Tago Mago', in: 1971, artistId: 1 },
        { id: 9, title: 'Future\\Days\n', in: 1973, artistId: 1 }
      ])
    })
  }
})

interface Init { method?: string, body?: string, headers?: Record<string, string> }

/** Runs the program of a page, and returns what it has got. */
async function run (url: string): Promise<unknown> {
  const { body } = await app.inject({ url, headers: { accept: 'text/html' } })
  const [, escaped = ''] = /The client for JavaScript <\/figcaption><pre tabindex="0">([^]*?)<\/pre>/.exec(body) ?? []
  const code = escaped.replaceAll(/&(lt|gt|quot|#39|amp);/g, (_, name: string) => entities[name] ?? '')
  const send = async (input: unknown, init: Init) => {
    const { statusCode, body, headers } = await app.inject({
      method: (init.method ?? 'GET') as 'GET',
      url: String(input),
      headers: init.headers ?? {},
      ...init.body !== undefined && { payload: init.body }
    })
    return new Response(body, { status: statusCode, headers: headers as Record<string, string> })
  }
  const make = (root: string) => createClient(root, { fetch: send as typeof fetch })
  const program = code.replace(/^import .*\n/, '').replace(/const (\{ items.*?\}|found) =/, 'const result =')
  // eslint-disable-next-line no-new-func
  const start = new Function('createClient', `return (async () => {${program}\nreturn result})()`)
  const result = await (start as (make: unknown) => Promise<unknown>)(make)
  const { items } = Object(result) as { items?: unknown }
  return url.includes('_count') ? Object(result) : items ?? result
}
const entities: Record<string, string> = { lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' }

const filter = fc.constantFrom(
  'name=Noisia', 'name!=Noisia', 'name="null"', 'name^="O\'Can "x"', 'founded=null', 'founded!=null', 'founded>1968',
  'founded<=2003', 'id=*1,3', 'id!=*1', 'name*~=CAN', 'albums.title^=Out', 'albums.id>7', 'albums.in<1972',
  'where=(founded<1970|name=Noisia)', 'where=!(genre=rock,founded>1)', 'where=albums(in>1970,title=*"Tago Mago",x)',
  'genre="a,b"', 'albums.title*=Days'
)
const others = fc.record({
  sort: fc.constantFrom('', 'name', '-founded', 'founded desc,name'),
  fields: fc.constantFrom('', 'name', 'id,albums(title)', 'name,albums(title,in;sort=-in;limit=1;where=in>1970)'),
  size: fc.constantFrom('', '2')
})

test('the code of a page gets what its JSON has', async t => {
  for (const url of [
    '/api/artists', '/api/artists/1', '/api/artists/Noisia?fields=name', '/api/artists/1/albums?in>1972',
    '/api/albums/7/artist', '/api/albums/7/artist/albums', '/api/artists/by_name/Noisia', '/api/artists/by_genre/rock',
    '/api/artists/by_name', '/api/artists/by_genre?founded>1', '/api/artists?page=2&size=1'
  ]) t.strictSame(await run(url), (await app.inject({ url })).json(), url)
  t.hasStrict(await run('/api/artists?_count&size=1'), { total: 3 })
  await fc.assert(fc.asyncProperty(fc.array(filter, { maxLength: 4 }), others, async (filters, rest) => {
    const given = Object.entries(rest).filter(([, text]) => text !== '').map(([name, text]) => `${name}=${text}`)
    const query = [...filters, ...given].map(part => encodeURIComponent(part)).join('&')
    const json = await app.inject({ url: `/api/artists?${query}` })
    if (json.statusCode !== 200) return
    t.strictSame(await run(`/api/artists?${query}`), json.json(), query)
  }), { numRuns: runsOf(30) })
})
