import type { AnyApi, Client, Collection, RequestOptions } from '../client/index.ts'

/** What the provider cannot know of a collection. */
export interface ResourceOptions {
  /** The field or the fields of the key, in the order of the path. Default: `id`. */
  readonly key?: string | Keys
  /**
   * The fields of lists, as `fields` of the client (docs/clients.md: The typed client). Default: those that the API
   * lists.
   */
  readonly fields?: readonly unknown[]
  /** The fields in which the filter `q` looks for a text, ignoring case. Default: none, and `q` is a field. */
  readonly search?: readonly string[]
  /** The resources of writable relations, by field. Writes send only the keys of such items. */
  readonly references?: Readonly<Record<string, string>>
  /** False if lists are not counted: react-admin then knows only if there is another page. Default: true. */
  readonly count?: boolean
}

/** The parts of a call that are those of its request. */
export interface Calling { readonly meta?: CallOptions | undefined, readonly signal?: AbortSignal | undefined }

/** A collection as the calls use it. */
export interface AdminResource {
  readonly collection: Collection<AnyApi, string>
  readonly keys: Keys
  readonly options: ResourceOptions
  /** Returns a selection with the key; undefined for none. */
  selecting (fields: readonly unknown[] | undefined): Fields | undefined
  /** Returns the body of a write, which leaves out what is the same in the record before. */
  bodyOf (data: object, previous?: object): AnsweredItem
  /** Returns the inputs of a form for a path in the body of its data. */
  inputsAt (path: string, data: object | undefined): readonly string[]
  /** Returns the record of an item, and remembers the item for a guard. */
  remember (item: unknown): RecordOf
  /** Returns the options of a write that fails if the item is not as the record says. */
  guard (record: object | undefined, call: Calling): RequestOptions & { readonly unchanged?: object | undefined }
}

/** Fields of any API. */
type Fields = Array<string & Readonly<Record<string, never>>>

export function resourcesOf (
  client: Client<AnyApi>, all: Readonly<Record<string, ResourceOptions>>
): (name: string) => AdminResource {
  const known = new Map<string, AdminResource>()
  const keysOf = (name: string) => [all[name]?.key ?? 'id'].flat()
  return name => {
    const resource = known.get(name) ?? makeResource(client.resource(name), keysOf(name), all[name] ?? {}, keysOf)
    known.set(name, resource)
    return resource
  }
}

function makeResource (
  collection: Collection<AnyApi, string>, keys: Keys, options: ResourceOptions, keysOf: (name: string) => Keys
): AdminResource {
  const items = makeMemory(keys)
  const links = new Map(Object.entries(options.references ?? {}).map(([field, target]) => [field, keysOf(target)]))
  return {
    collection,
    keys,
    options,
    selecting: fields => fields && [...new Set([...keys, ...fields])] as Fields,
    bodyOf: (data, previous) => writeBody(data, previous, keys, links),
    inputsAt: (path, data) => inputsAt(path, data, links),
    remember: item => items.add(item as AnsweredItem),
    guard: (record, call) => ({ ...requestOf(call), unchanged: call.meta?.overwrite ? undefined : items.find(record) })
  }
}

export const requestOf = ({ signal, meta }: Calling): RequestOptions => ({ signal, headers: meta?.headers })

/** The most items of a resource that are remembered. */
const most = 1000

/** The items of single reads, which have tags. */
function makeMemory (keys: Keys) {
  const items = new Map<RecordOf['id'], AnsweredItem>()
  return {
    add (item: AnsweredItem): RecordOf {
      const record = recordOf(item, keys)
      items.delete(record.id)
      items.set(record.id, item)
      for (const oldest of items.keys()) if (items.size > most) items.delete(oldest)
      return record
    },
    /** React-admin merges records with those of its cache, so only their values can be compared. */
    find (record: object | undefined): AnsweredItem | undefined {
      const item = items.get((record as Partial<RecordOf> | undefined)?.id ?? '')
      return item && isSame(recordOf(item, keys), record) ? item : undefined
    }
  }
}

type Keys = readonly string[]
export type AnsweredItem = Readonly<Record<string, unknown>>

/** The member that every record of react-admin has. */
const id = 'id'

const isKey = (keys: Keys): boolean => keys.length === 1 && keys[0] === id

/** Returns an item as a record. The `id` of a key of several fields is the text of the item's path. */
export function recordOf (item: AnsweredItem, keys: Keys): RecordOf {
  const [first = id, ...others] = keys
  if (isKey(keys)) return item as RecordOf
  const values = others.length === 0 ? item[first] as Id : keys.map(key => encodeURIComponent(String(item[key]))).join()
  return { ...item, id: values }
}

/** Returns the values of the key of a record. */
export const recordKey = (given: Id, keys: Keys): Id | readonly Id[] =>
  keys.length === 1 ? given : String(given).split(',').map(decodeURIComponent)

/**
 * Returns the filters for the items with these ids, as many as fit, each for at most 100 comparisons, which is the
 * API's limit.
 */
export function idFilters (
  ids: readonly Id[], keys: Keys, fits: (where: object) => boolean = () => true
): readonly object[] {
  const [first = id, ...others] = keys
  const isOf = (one: Id) =>
    Object.fromEntries([recordKey(one, keys)].flat().map((value, index) => [keys[index], value]))
  const where = others.length === 0 ? { [first]: ids } : { or: ids.map(isOf) }
  const most = others.length === 0 ? 1000 : 100 / keys.length
  if (ids.length < 2 || (ids.length <= most && fits(where))) return ids.length === 0 ? [] : [where]
  const half = Math.ceil(ids.length / 2)
  return [ids.slice(0, half), ids.slice(half)].flatMap(some => idFilters(some, keys, fits))
}

/**
 * Returns the body of a write: the members of `data` that are not the same in the record before. `links` has the key
 * fields of the items that a member refers to: only these are sent.
 */
function writeBody (
  data: object, previous: object | undefined, keys: Keys, links: ReadonlyMap<string, Keys>
): AnsweredItem {
  const linked = (record: object): AnsweredItem => Object.fromEntries(Object.entries(record)
    .map(([name, value]) => [name, linkOf(value, links.get(name))]))
  const before = linked(previous ?? {})
  // As it will be sent: dates are texts, and members that are undefined are none.
  return Object.fromEntries(Object.entries(linked(JSON.parse(JSON.stringify(data)) as AnsweredItem))
    .filter(([name, value]) => (name !== id || isKey(keys)) && !(name in before && isSame(value, before[name]))))
}

/**
 * Returns the key of an item that exists; an item without one is new. One item is null if its key is blank: an input of
 * `artist.id` makes an object of null, and leaves the other members of an artist when it is cleared.
 */
function linkOf (value: unknown, keys: Keys | undefined, isOne = true): unknown {
  if (keys === undefined || Object(value) !== value) return value
  if (Array.isArray(value)) return value.map(one => linkOf(one, keys, false))
  const item = value as AnsweredItem
  const isBlank = keys.every(key => (item[key] ?? '') === '')
  if (isOne && isBlank && (isSame(item, {}) || keys.some(key => key in item))) return null
  return keys.every(key => item[key] != null) ? Object.fromEntries(keys.map(key => [key, item[key]])) : value
}

/** A relation has an input for each key of its item, such as `artist.id`; its mistakes are those of `artist`. */
function inputsAt (path: string, data: object | undefined, links: ReadonlyMap<string, Keys>): readonly string[] {
  const [, name = '', place] = /^([^.]+)(\.\d+)?$/.exec(path) ?? []
  const isItem = place !== undefined || !Array.isArray((data as AnsweredItem | undefined)?.[name])
  return (isItem && links.get(name)?.map(key => `${path}.${key}`)) || [path]
}

/** Returns true for equal JSON values. A member that is undefined is none. */
function isSame (one: unknown, other: unknown): boolean {
  if (Object(one) !== one || Object(other) !== other) return one === other
  if (Array.isArray(one) !== Array.isArray(other)) return false
  const [left, right] = [one, other] as [AnsweredItem, AnsweredItem]
  return Object.keys({ ...left, ...right }).every(name => isSame(left[name], right[name]))
}

// The types of react-admin's data providers, as far as this one uses them. ra-core's own declarations do not compile in
// projects that check their libraries; a test holds these to them (test/client/react-admin.test.ts).

export type Id = string | number

/** A record of react-admin: an item of the API with its `id`. */
export interface RecordOf { readonly id: Id, readonly [field: string]: unknown }

/** What every call can have. */
interface Call {
  readonly meta?: CallOptions | undefined
  readonly signal?: AbortSignal | undefined
}

/** The member `meta` of a call. */
export interface CallOptions {
  /** The fields of the answer, as `fields` of the client (docs/clients.md: The typed client). The key is added. */
  readonly fields?: readonly unknown[] | undefined
  /** True if the write replaces what others have written since the record was read. */
  readonly overwrite?: boolean | undefined
  /** Headers to add to the request. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly [other: string]: unknown
}

export interface ListCall extends Call {
  readonly pagination?: { readonly page: number, readonly perPage: number }
  readonly sort?: { readonly field: string, readonly order: 'ASC' | 'DESC' }
  /** A filter as `where` of the client (docs/clients.md: Filters). */
  readonly filter?: object
}
export interface ReferenceCall extends ListCall { readonly target: string, readonly id: Id }
export interface OneCall extends Call { readonly id: Id, readonly previousData?: object }
export interface ManyCall extends Call { readonly ids: readonly Id[] }
interface Writing { readonly data: object }

export interface One<R> { data: R }
export interface Many<R> { data: R[] }
export interface List<R> extends Many<R> {
  total?: number
  pageInfo?: { hasNextPage: boolean, hasPreviousPage: boolean }
}

/** A type and not an interface, so that it is assignable to react-admin's, which has an index signature. */
export type DataProvider = {
  readonly supportAbortSignal: true
  readonly getList: <R = RecordOf>(resource: string, call: ListCall) => Promise<List<R>>
  readonly getOne: <R = RecordOf>(resource: string, call: OneCall) => Promise<One<R>>
  readonly getMany: <R = RecordOf>(resource: string, call: ManyCall) => Promise<Many<R>>
  readonly getManyReference: <R = RecordOf>(resource: string, call: ReferenceCall) => Promise<List<R>>
  readonly create: <R = RecordOf>(resource: string, call: Call & Writing) => Promise<One<R>>
  readonly update: <R = RecordOf>(resource: string, call: OneCall & Writing) => Promise<One<R>>
  readonly updateMany: (resource: string, call: ManyCall & Writing) => Promise<Many<Id>>
  readonly delete: <R = RecordOf>(resource: string, call: OneCall) => Promise<One<R>>
  readonly deleteMany: (resource: string, call: ManyCall) => Promise<Many<Id>>
}
