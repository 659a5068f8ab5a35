import type { AnyShape, CollectionData } from '../declare/data.ts'
import { identifierNotFound } from '../errors/errors.ts'
import { beginCall, type Binding, type Call, type CollectionNames } from './call.ts'
import { countItems, findItem, listItems, streamItems } from './reads.ts'
import type { Members } from './where.ts'
import { createItems, deleteItem, updateItem } from './writes.ts'

/** A collection without the static types of its items. */
export type AnyCollection = CollectionData<AnyShape, Members>

/** Returns the items of a collection for own code: each call is planned and run as a request is. */
export function makeCollection (names: CollectionNames, binding: Binding): AnyCollection {
  const begin = () => beginCall(names, binding)
  const write = async <T>(work: (call: Call) => Promise<T>): Promise<T> => {
    const run = async () => work(await begin())
    return binding.joined === undefined ? run() : binding.joined.follow(run)
  }
  const find = async (id: unknown, query: Members = {}) => findItem(await begin(), id, query)
  const made = {
    list: async (query: Members = {}) => listItems(await begin(), query),
    stream: (query: Members = {}) => streamItems(begin, query),
    count: async (query: Members = {}) => countItems(await begin(), query),
    find,
    async get (id: unknown, query: Members = {}) {
      const item = await find(id, query)
      if (item === undefined) throw identifierNotFound(textOf(id))
      return item
    },
    create: (values: unknown, query: Members = {}) => write(call => createItems(call, values, query)),
    update: (id: unknown, changes: unknown, query: Members = {}) =>
      write(call => updateItem(call, id, changes, query, false)),
    upsert: (id: unknown, values: unknown, query: Members = {}) =>
      write(call => updateItem(call, id, values, query, true)),
    delete: (id: unknown) => write(call => deleteItem(call, id))
  }
  // The types of the items follow from the declaration (lib/declare/data.ts); here they are values by name.
  return Object.freeze(made) as unknown as AnyCollection
}

const textOf = (id: unknown) =>
  (typeof id === 'object' && id !== null ? Object.values(id) : [id]).map(String).join(',')
