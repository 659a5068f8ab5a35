// The schemas of requests and answers of the routes written by hand, for Ajv and fast-json-stringify.

const integer = { type: 'integer' } as const
const number = { type: 'number' } as const
const string = { type: 'string' } as const
const nullable = { type: 'string', nullable: true } as const

const object = <P extends Readonly<Record<string, object>>>(properties: P) => ({ type: 'object', properties } as const)
const strict = <P extends Readonly<Record<string, object>>>(
  properties: P, required: ReadonlyArray<keyof P> = Object.keys(properties)
) =>
    ({ type: 'object', properties, required, additionalProperties: false } as const)
const array = <T extends object>(items: T) => ({ type: 'array', items } as const)

const artist = object({ id: integer, name: string, country: string, founded: integer, rating: number, label: nullable })
const album = object({
  id: integer,
  title: string,
  released: string,
  genre: string,
  price: number,
  label: nullable,
  artist_id: integer
})
const track = object({
  id: integer,
  title: string,
  position: integer,
  seconds: integer,
  plays: integer,
  album_id: integer
})
const branch = object({
  id: integer,
  title: string,
  tracks: array(object({ id: integer, title: string, seconds: integer }))
})

export const rows = {
  artist,
  album,
  track,
  albums: array(album),
  tracks: array(track),
  trees: array(object({ id: integer, name: string, albums: array(branch) })),
  prolific: array(object({ id: integer, name: string, albums: object({ count: integer }) })),
  genres: array(object({ genre: string, count: integer, released: object({ max: string }) })),
  artistsByName: { type: 'object', additionalProperties: artist },
  created: object({ status: string, id: integer }),
  ok: object({ status: string })
} as const

export const params = { id: strict({ id: integer }), path: strict({ artist: integer, album: integer }) } as const

const limit = { type: 'integer', minimum: 0, maximum: 1000, default: 20 } as const

export const queries = {
  genre: strict({ genre: string, limit }, ['genre']),
  price: strict({ price: number, limit }, ['price']),
  country: strict({ country: string, limit }, ['country']),
  plays: strict({ plays: integer, limit }, ['plays']),
  after: strict({ plays: integer, id: integer, limit }, [])
} as const

const title = { type: 'string', minLength: 1 } as const

export const bodies = {
  track: strict({ title, position: integer, seconds: integer, plays: integer, album_id: integer }),
  change: strict({ title, seconds: integer }, []),
  note: strict({ meta: { type: 'object' } }),
  title
} as const
