import { Type } from '@sinclair/typebox'
import type { LightMyRequestResponse } from 'fastify'
import { type ClientOptions, createClient } from '../../lib/clients/client/index.ts'
import dataApi, { collection, type DataApiOptions, memory, SubCollection, SubItem } from '../../lib/index.ts'
import fc from './fast-check.ts'
import Fastify from './fastify.ts'
import { everybody } from './everybody.ts'

// Things with every kind of value, each perhaps in a folder, its group, for the tests of collections of TanStack DB.

const flags = { readable: true, writable: true }

const Thing = Type.Object({
  id: Type.Integer({ identifier: true, ...flags }),
  text: Type.String({ ...flags, maxLength: 5 }),
  title: Type.Union([Type.String(), Type.Null()], flags),
  size: Type.Integer(flags),
  weight: Type.Union([Type.Number(), Type.Null()], flags),
  done: Type.Union([Type.Boolean(), Type.Null()], flags),
  groupId: Type.Union([Type.Integer(), Type.Null()], { writable: true }),
  group: SubItem('folders', { foreignKey: 'groupId', ...flags })
})

const Folder = Type.Object({
  id: Type.Integer({ identifier: true, ...flags }),
  name: Type.String(flags),
  rank: Type.Union([Type.Integer(), Type.Null()], flags),
  things: SubCollection('things', { foreignKey: 'groupId', readable: true })
})

export interface Thing {
  readonly id: number
  readonly text: string
  readonly title: string | null
  readonly size: number
  readonly weight: number | null
  readonly done: boolean | null
  readonly groupId: number | null
}

/** The types of this API, as the command writes them. */
export interface ThingsApi {
  things: {
    item: Omit<Thing, 'groupId'>
    listed: keyof Omit<Thing, 'groupId'>
    hidden: never
    unfilterable: never
    unsortable: never
    identifiers: 'id'
    one: { group: 'folders' }
    many: object
    create: object
    update: object
    upsert: never
    delete: true
    elements: object
    created: { status: 'created', id: number }
  }
  folders: {
    item: { id: number, name: string, rank: number | null }
    listed: 'id' | 'name' | 'rank'
    hidden: never
    unfilterable: never
    unsortable: never
    identifiers: 'id'
    one: object
    many: { things: 'things' }
    create: object
    update: object
    upsert: never
    delete: true
    elements: { things: object }
    created: { status: 'created', id: number }
  }
}

const folders = [{ id: 1, name: 'a', rank: 2 }, { id: 2, name: 'null', rank: null }, { id: 3, name: '', rank: 1 }]

/** `mayRead`: the rule who may read things. */
export type ThingsOptions = Partial<DataApiOptions> & { readonly mayRead?: () => boolean }

/** What becomes of a request: `deliver` sends it to the API. */
export type Fate = (deliver: () => Promise<Response>, init: RequestInit) => Promise<Response>

/** Serves things. Returns a client of them, and the requests that it sends. Pages have seven items at most. */
export async function serveThings (
  things: readonly Thing[], { mayRead, ...options }: ThingsOptions = {}, fate: Fate = deliver => deliver(),
  more: ClientOptions = { retries: 0 }
) {
  const app = Fastify({ forceCloseConnections: true })
  await app.register(dataApi, {
    rules: everybody,
    collections: {
      things: collection(Thing, {
        source: memory(things.map(one => ({ ...one }))), ...mayRead && { rules: { read: mayRead } }
      }),
      folders: collection(Folder, { source: memory(folders.map(one => ({ ...one }))) })
    },
    requestStrategies: { delete: true, batch: true },
    pages: { maxSize: 7 },
    ...options
  })
  const sent: string[] = []
  const fetch = async (url: string, init: RequestInit): Promise<Response> => {
    const method = init.method ?? 'GET'
    sent.push([method, decodeURIComponent(url.slice('http://host'.length)), init.body].filter(Boolean).join(' '))
    return fate(async () => answerOf(await app.inject({
      method: method as 'GET',
      url,
      headers: init.headers as Record<string, string>,
      ...typeof init.body === 'string' && { payload: init.body }
    })), init)
  }
  return { app, sent, client: createClient<ThingsApi>('http://host', { fetch, ...more }) }
}

const answerOf = ({ statusCode, headers, body }: LightMyRequestResponse): Response =>
  new Response(statusCode === 204 ? null : body, { status: statusCode, headers: headers as Record<string, string> })

export const odd = fc.constantFrom('', 'a', 'A', 'ab', 'b', 'null', '%', '_', 'é', '"', '\\', '*', 'a,b', '😀')
export const integer = fc.integer({ min: -2, max: 3 })
const number = fc.constantFrom(-1.5, 0, 0.1, 2, 3)
export const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null, freq: 2 })

/** The members of a thing but its key. */
export const members = {
  text: odd,
  title: maybe(odd),
  size: integer,
  weight: maybe(number),
  done: maybe(fc.boolean()),
  groupId: maybe(fc.integer({ min: 1, max: 3 }))
}

export const things: fc.Arbitrary<Thing[]> = fc.uniqueArray(
  fc.record({ id: fc.integer({ min: 1, max: 60 }), ...members }), { selector: ({ id }) => id, maxLength: 30 }
)

type Value = string | number | boolean | null

/** The paths of a row by which queries compare, with values for them. */
export const paths: ReadonlyArray<readonly [readonly string[], fc.Arbitrary<Value>]> = [
  [['text'], odd], [['title'], odd], [['size'], integer], [['weight'], number], [['done'], fc.boolean()],
  [['group', 'id'], integer], [['group', 'name'], odd], [['group', 'rank'], integer]
]
