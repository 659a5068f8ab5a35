import { Type } from '@sinclair/typebox'
import type { FastifyInstance } from 'fastify'
import dataApi, { collection, type DataApiOptions, memory, SubCollection, SubItem } from '../../lib/index.ts'
import { fastify } from './fastify.ts'

/** Serves artists and albums with the explorer. Returns a function that asks as a browser does. */
export async function serve (
  options: Partial<DataApiOptions> = {}, prepare: (app: FastifyInstance) => unknown = () => {},
  rows: { artists: ReturnType<typeof artistRows>, albums: object[] } = { artists: artistRows(), albums: albumRows() }
) {
  const app = fastify()
  await prepare(app)
  const artists = collection(Artist, { source: memory(rows.artists) })
  const albums = collection(Album, { source: memory(rows.albums as ReturnType<typeof albumRows>) })
  await app.register(dataApi, { prefix: '/api', collections: { artists, albums }, explorer: true, ...options })
  const get = async (url: string, headers: Record<string, string> = browser) => {
    const { statusCode, body, headers: answered } = await app.inject({ url, headers })
    return { status: statusCode, body, headers: answered, text: textOf(body) }
  }
  return { app, get }
}

/** The text of a page as a browser shows it, without style and script. */
const textOf = (page: string) => page.replaceAll(/<(style|script|title)>[^]*?<\/\1>/g, '').replaceAll(/<[^>]*>/g, '')
  .replaceAll(/&(lt|gt|quot|#39|amp);/g, (_, name: string) => entities[name] ?? '')
const entities: Record<string, string> = { lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' }

/** The headers with which a browser asks for a page. */
export const browser = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }

const artistRows = () => [
  { id: 1, name: 'Noisia', founded: 2003, active: false, secret: 'x' },
  { id: 2, name: 'Can', founded: 1968, active: false, secret: 'y' },
  { id: 3, name: 'Ada', founded: null, active: true, secret: 'z' }
]
const albumRows = () => [
  { id: 7, title: 'Outer Edges', notes: { length: [18] }, artistId: 1 },
  { id: 8, title: 'Tago Mago', notes: null, artistId: 2 }
]

const Artist = Type.Object({
  id: Type.Integer({ identifier: true, readable: true }),
  name: Type.String({ identifier: true, readable: true, writable: true, minLength: 1 }),
  founded: Type.Union([Type.Integer(), Type.Null()], { readable: true, writable: true }),
  active: Type.Boolean({ readable: true, writable: true }),
  secret: Type.String({ default: '' }),
  albums: SubCollection('albums', { foreignKey: 'artistId', readable: true })
})
const Album = Type.Object({
  id: Type.Integer({ identifier: true, readable: true }),
  title: Type.String({ readable: true, listed: true }),
  notes: Type.Union([Type.Any(), Type.Null()], { readable: true }),
  artistId: Type.Integer(),
  artist: SubItem('artists', { foreignKey: 'artistId', readable: true })
})
