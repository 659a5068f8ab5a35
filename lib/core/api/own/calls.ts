import { identifierNotFound } from '../../errors/errors.ts'
import type { Query } from '../../request/request.ts'
import type { Members, OwnImport, OwnItems } from '../own-face.ts'
import { beginCall, type Binding, type OwnCall, type CollectionNames } from './call.ts'
import { importItems } from './import.ts'
import { countFound, findItem, groupItems, listItems, allowRead, streamItems } from './reads.ts'
import { addTo, createItems, deleteItem, updateEach, changeItem, writeMany } from './writes.ts'

/** The calls on a collection: each is planned and run as a request is. */
export class OwnCalls implements OwnItems {
  readonly #names: CollectionNames
  readonly #binding: Binding

  constructor (names: CollectionNames, binding: Binding) {
    this.#names = names
    this.#binding = binding
  }

  async list (query: Query, count: boolean) { return listItems(await this.#begin(), query, count) }

  stream (query: Query) { return streamItems(() => this.#begin(), query) }

  async count (query: Query) { return countFound(await this.#begin(), query) }

  async groups (query: Query) { return groupItems(await this.#begin(), query) }

  async find (id: unknown, query: Query) { return findItem(await this.#begin(), id, query) }

  async get (id: unknown, query: Query) {
    const item = await this.find(id, query)
    if (item === undefined) throw identifierNotFound(textOf(id))
    return item
  }

  // Who may not read may create.
  create (values: unknown, query: Query) {
    return this.#follow(async () => createItems(await beginCall(this.#names, this.#binding), values, query))
  }

  update (id: unknown, changes: unknown, query: Query, merge: boolean) {
    return this.#write(call => changeItem(call, id, changes, { query, merge }))
  }

  upsert (id: unknown, values: unknown, query: Query) {
    return this.#write(call => changeItem(call, id, values, { query, upsert: true }))
  }

  updateEach (items: unknown, query: Query) { return this.#write(call => updateEach(call, items, query)) }

  add (id: unknown, name: string, addend: unknown) { return this.#write(call => addTo(call, { id, name, addend })) }

  delete (id: unknown) { return this.#write(call => deleteItem(call, id)) }

  updateMany (query: Query, changes: unknown, most: number) {
    return this.#write(call => writeMany(call, { method: 'PATCH', query, changes, most }))
  }

  deleteMany (query: Query, most: number) {
    return this.#write(call => writeMany(call, { method: 'DELETE', query, changes: undefined, most }))
  }

  async import (items: Parameters<OwnItems['import']>[0], how: OwnImport): Promise<Members> {
    return importItems(await beginCall(this.#names, this.#binding), items, how)
  }

  async #begin (): Promise<OwnCall> { return allowRead(await beginCall(this.#names, this.#binding)) }

  #write<T> (work: (call: OwnCall) => Promise<T>): Promise<T> {
    return this.#follow(async () => work(await this.#begin()))
  }

  #follow<T> (run: () => Promise<T>): Promise<T> {
    const { joined } = this.#binding
    return joined === undefined ? run() : joined.follow(run)
  }
}

const textOf = (id: unknown) =>
  (typeof id === 'object' && id !== null ? Object.values(id) : [id]).map(String).join(',')
