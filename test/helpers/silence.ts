import { type TProperties, Type } from '@sinclair/typebox'
import dataApi, {
  collection, type DataApiOptions, type Declared, memory, type OperationRules, type RequestStrategies
} from '../../lib/index.ts'
import Fastify from './fastify.ts'

// docs/rules.md: Silence.

export const shown = { readable: true, writable: true } as const
export const id = Type.Integer({ identifier: true, readable: true })
export const text = Type.String(shown)
export const noteId = Type.Optional(Type.Integer({ readable: true }))

export const nothing: RequestStrategies = { create: false, update: [], delete: false }
export const reads: OperationRules = { read: true }

/** A collection of one item, which takes no writes but those of these strategies. */
export const things = (
  fields: TProperties, requestStrategies: RequestStrategies = {}, behaviour: object = {}
): Declared =>
  collection(Type.Object({ id, ...fields }), {
    source: memory([{ id: 1, text: 'a', count: 1 }], { joins: { links: [] } }),
    requestStrategies: { ...nothing, ...requestStrategies },
    ...behaviour
  }) as Declared

export type Collections = Readonly<Record<string, Declared>>

export async function start (collections: Collections, options: Partial<DataApiOptions> = {}) {
  const app = Fastify()
  await app.register(dataApi, { imports: true, collections, ...options })
  await app.ready()
  return app
}

/** Returns collections with these rules. */
export const saying = (collections: Collections, rules: OperationRules): Collections =>
  Object.fromEntries(Object.entries(collections).map(([name, one]) => [name, { ...one, rules }]))

/** Returns what is silent in an API: the switches of operations, by collection. */
export async function silenceOf (collections: Collections, options: Partial<DataApiOptions> = {}): Promise<Silent> {
  try {
    const app = await start(collections, options)
    await app.close()
    return {}
  } catch (error) {
    if (!(error instanceof Error) || !error.message.includes('says nothing of')) throw error
    return Object.fromEntries(error.message.split('\n').flatMap(silenceIn))
  }
}

type Silent = Readonly<Record<string, Readonly<Record<string, string>>>>

function silenceIn (line: string): ReadonlyArray<readonly [string, Readonly<Record<string, string>>]> {
  const form = /collection '(\w+)' says nothing of (.*): add rules: \{ .* \}, or true for everybody$/
  const [, name, said = ''] = form.exec(line) ?? []
  const operations = said.matchAll(/'(read|create|update|delete)'(?:, which (.*?) switches on)?/g)
  return name === undefined ? [] : [[name, Object.fromEntries([...operations].map(([, one, by = '']) => [one, by]))]]
}
