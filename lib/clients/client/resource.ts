import { brokenOff, readJson } from './error.ts'
import { follow } from './follow.ts'
import { groupsQuery } from './groups.ts'
import { type AnyImportOptions, importing } from './import.ts'
import { list } from './page.ts'
import { textParts } from './parts.ts'
import { type AnyQuery, encode } from './query.ts'
import type { Call, KeyedOptions, RequestOptions, Send } from './send.ts'

/** The member of a resource that tells where it is and what sends its calls, for other rooms that make calls of it. */
export const origin = Symbol('origin')

export interface ResourceOrigin { readonly send: Send, readonly path: string }

/**
 * Returns the functions of the resource at a path, and a property for each resource below it. The resource can be a
 * collection or an item, so a function of an item takes an identifier first where the resource is a collection.
 * `write`: takes the writes. `more`: further functions.
 */
export function resource (send: Send, path: string, write: SendWrite, more?: object): unknown {
  const below = (name: unknown) => resource(send, path + segment(name), write)
  const call = (query: AnyQuery = {}, options?: RequestOptions) => ({ ...options, path, query })
  const methods = {
    list: (query?: AnyQuery, options?: RequestOptions) => list(send, call(query, options)),
    stream: (query?: AnyQuery, options?: RequestOptions) => stream(send, call(query, options)),
    live: (query?: AnyQuery, options?: RequestOptions) => follow(send, call(query, options)),
    count: async (where?: object, options?: RequestOptions) =>
      (await list(send, call({ where, size: 0, count: true }, options))).total,
    groups: async (query: AnyQuery = {}, options?: RequestOptions) =>
      (await list(send, call(groupsQuery(query), options))).items,
    get: async (...given: unknown[]) => {
      const at = located(path, given)
      const [query = {}, options] = given as [AnyQuery?, RequestOptions?]
      return send({ ...options, path: at, query }, readItem)
    },
    allowed: async (...given: unknown[]) => {
      const at = located(path, given)
      return send({ ...given[0] as RequestOptions, path: at, query: {}, method: 'OPTIONS' }, async response =>
        response.headers.get('allow')?.split(', '))
    },
    create: writer(write, path, 'POST'),
    replace: writer(write, path, 'PUT'),
    update: writer(write, path, 'PATCH'),
    upsert: writer(write, path, 'PUT'),
    delete: writer(write, path, 'DELETE'),
    updateEach: (body: unknown, options?: ManyOptions) => write(() => many('PATCH', path, {}, options, body)),
    updateMany: (where?: object, body?: unknown, options?: ManyOptions) =>
      write(() => many('PATCH', path, where, options, body)),
    import: (items: AsyncIterable<unknown>, options?: AnyImportOptions) => write(() => importing(path, items, options)),
    deleteMany: (where?: object, options?: ManyOptions) => write(() => many('DELETE', path, where, options)),
    ...{ item: below, resource: below, add: writer(write, path, 'POST', true) },
    // A resource is not thenable, so that `await` returns it.
    then: undefined,
    [origin]: { send, path },
    ...more
  }
  return new Proxy<Readonly<Record<PropertyKey, unknown>>>(methods, {
    get: (target, name) => name in target || typeof name === 'symbol' ? target[name] : below(name)
  })
}

/**
 * Returns the items of one answer in NDJSON. The request is sent when the first item is asked for. Throws an ApiError
 * after the last whole item if the answer breaks off.
 */
async function * stream (send: Send, call: Call): AsyncGenerator<unknown, void, undefined> {
  const response = await send({ ...call, own: { accept: 'application/x-ndjson' } }, async response => response)
  try {
    for await (const line of textParts(response, '\n')) yield readJson(line, response)
  } catch (cause) {
    throw brokenOff(cause, response, call.signal)
  }
}

/** The options of a write, as this room takes them. types/ types them for users. */
interface AnyWriteOptions extends KeyedOptions {
  readonly unchanged?: object
  readonly returning?: true | readonly unknown[]
  readonly dryRun?: boolean
  readonly merge?: boolean
}

interface ManyOptions extends AnyWriteOptions { readonly max?: number }

/** Returns the write of all items that a filter finds: `max` of them at most. */
function many (method: string, path: string, where?: object, given: ManyOptions = {}, body?: unknown): Call {
  const { returning, max, dryRun, ...options } = given
  const preferences = [dryRun && 'dry-run', returning && 'return=representation', max != null && `max-affected=${max}`]
  const prefer = preferences.filter(Boolean).join()
  return { ...options, method, path, body, query: { where, fields: returning }, own: { prefer: prefer || undefined } }
}

/** The tags of items that were got. They are kept apart, so that an item is plain data. */
const tags = new WeakMap<object, string | null | undefined>()

// A copy of an item has none, and a proxy may have removed it.
const noTag =
  'unchanged: no ETag; give what get() returned, answer with Cache-Control: no-transform, or send a version field'

/** Reads the item of an answer, and keeps its tag for a write that names the item as `unchanged`. */
export const readItem = async (response: Response): Promise<unknown> =>
  keep(readJson(await response.text(), response) as object | null, response.headers.get('etag'))

export function keep (item: object | null | undefined, tag: string | null | undefined): unknown {
  if (item) tags.set(item, tag)
  return item
}

/** Sends a write that `build` returns, or gathers it for a batch. */
export type SendWrite = (build: () => Call) => unknown

/** A write of a batch: in the paths and bodies of later ones, it is its item. */
export class WriteReference {
  readonly index: number
  used?: boolean

  constructor (index: number) { this.index = index }

  get name () { return `_${this.index}` }

  toJSON () {
    this.used = true
    return { $: this.name }
  }
}

/**
 * Returns the function that sends a write to a resource: of an identifier, if it is a collection, a body, if it is not
 * DELETE, and options. It returns the item if that is asked for, otherwise the acknowledgement. `adds`: the body is
 * added to the field whose name precedes it.
 */
const writer = (write: SendWrite, resource: string, method: string, adds?: true) =>
  (...given: unknown[]) => write(() => {
    const path = located(resource, given, adds ? 'PATCH' : method) + (adds ? segment(given.shift()) : '')
    const value = method === 'DELETE' ? undefined : given.shift()
    const body = adds ? { add: value } : value
    const [{ unchanged, returning, dryRun, merge, ...options } = {}] = given as [AnyWriteOptions?]
    const tag = unchanged && tags.get(unchanged)
    if (unchanged && !tag) throw new TypeError(noTag)
    const prefer = dryRun ? 'dry-run' : returning && 'return=representation'
    const own = {
      'if-match': tag as string | undefined, prefer, ...merge && { 'content-type': 'application/merge-patch+json' }
    }
    const query = { fields: returning }
    return { ...options, method, path, body, query, own }
  })

/**
 * Returns the path that a function works on: of an item, if the first argument is its identifier, which it removes;
 * otherwise of the resource itself. Objects are queries and bodies. Nothing, where it should be an identifier, is
 * refused: the body of PUT and POST may be null and an empty list, a query may be left out.
 */
const located = (path: string, given: unknown[], method?: string): string => {
  const [id] = given
  const isNothing = given.length && [id].flat()[0] == null &&
    (id === undefined ? method : !/^P[^A]/.test(method as string))
  const isNamed = id instanceof WriteReference && method !== 'POST'
  return path + (isNothing || isNamed || isValue([id].flat()[0]) ? segment(given.shift()) : '')
}

const isValue = (value: unknown) => /^[snb]/.test(typeof value)

/** Returns the segment of a name, or of an item's values. Throws a TypeError for one that no URL can hold. */
function segment (id: unknown): string {
  if (id instanceof WriteReference) return `/$${id.toJSON().$}`
  const text = [id].flat().map(encode).join()
  // URLs drop the dots.
  if (/^\.{0,2}$/.test(text) || ![id].flat().every(isValue)) throw new TypeError(`identifier: ${text}`)
  return `/${text}`
}
