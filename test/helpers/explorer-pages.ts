import { Type } from '@sinclair/typebox'
import type { FastifyInstance } from 'fastify'
import dataApi, { collection, type DataApiOptions, memory, SubCollection, SubItem } from '../../lib/index.ts'
import { everybody } from './everybody.ts'
import { fastify } from './fastify.ts'

/** Serves an API with the explorer. Returns functions that ask for pages and JSON, and send forms, as browsers do. */
export async function explore (options: DataApiOptions, prepare: (app: FastifyInstance) => unknown = () => {}) {
  const app = fastify()
  await prepare(app)
  await app.register(dataApi, { rules: everybody, explorer: true, ...options })
  const get = async (url: string, headers: Record<string, string> = browser) => {
    const { statusCode, body, headers: answered } = await app.inject({ url, headers })
    return { status: statusCode, body, headers: answered, text: textOf(body), location: answered.location }
  }
  const post = async (url: string, form: Record<string, string>, headers: Record<string, string> = {}) => {
    const { statusCode, body, headers: { location } } = await app.inject({
      method: 'POST', url, headers: { ...sent, ...headers }, payload: new URLSearchParams(form).toString()
    })
    return { status: statusCode, body, location }
  }
  const json = async (url: string) => (await app.inject({ url })).json<Record<string, unknown> & { length: number }>()
  return { app, get, post, json, page: async (url: string) => (await get(url)).body }
}

/** Serves artists and albums with the explorer. */
export async function serve (
  options: Partial<DataApiOptions> = {}, prepare: (app: FastifyInstance) => unknown = () => {},
  rows: { artists: ReturnType<typeof artistRows>, albums: object[] } = { artists: artistRows(), albums: albumRows() }
) {
  const artists = collection(Artist, { source: memory(rows.artists) })
  const albums = collection(Album, { source: memory(rows.albums as ReturnType<typeof albumRows>) })
  return explore({ prefix: '/api', collections: { artists, albums }, ...options }, prepare)
}

/** The text of a page as a browser shows it, without style and script. */
const textOf = (page: string) =>
  plain(page.replaceAll(/<(style|script|title)>[^]*?<\/\1>/g, '').replaceAll(/<[^>]*>/g, ''))

/** A text of HTML without its entities. */
export const plain = (text: string) =>
  text.replaceAll(/&(lt|gt|quot|#39|amp);/g, (_, name: string) => entities[name] ?? '')
const entities: Record<string, string> = { lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' }

/** The headers with which a browser asks for a page. */
export const browser = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }

/** The headers with which a browser sends a form of a page. */
export const sent = {
  accept: 'text/html', 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin'
}

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
