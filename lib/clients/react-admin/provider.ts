import {
  type AnyApi, ApiError, type Client, type ClientOptions, createClient, type Method, type Page, type RequestOptions
} from '../client/index.ts'
import { told } from '../client/error.ts'
import { queryText } from '../client/query.ts'
import {
  type AnsweredItem, type Calling, type DataProvider, type Id, idFilters, type List, type ListCall, type Many,
  recordKey, type ManyCall, type One, type OneCall, recordOf, type RecordOf, type ReferenceCall, requestOf,
  type AdminResource, type ResourceOptions, resourcesOf
} from './records.ts'

/** The options of a data provider. */
export interface DataProviderOptions extends ClientOptions {
  /** What the provider cannot know of the collections, by their names. */
  readonly resources?: Readonly<Record<string, ResourceOptions>>
  /** The method of updates, for an API that does not take PATCH. Default: `PATCH`. */
  readonly update?: 'PATCH' | 'PUT'
}

/** Returns a data provider of react-admin for the API at a URL (docs/clients.md#react-admin). */
export function createDataProvider (
  url: string | URL, { resources = {}, update = 'PATCH', maxQuery = 4000, ...options }: DataProviderOptions = {}
): DataProvider {
  const client = createClient(url, { maxQuery, ...options })
  const at = resourcesOf(client, resources)
  const calls = Object.entries({
    ...reads(at, maxQuery), ...writes(at, update), ...writesOfMany(at, update, makeSendAll(client), maxQuery)
  } as Readonly<Record<string, Call>>)
  // The types of records are the application's.
  return {
    supportAbortSignal: true,
    ...Object.fromEntries(calls.map(([name, call]) => [name, telling(call, at)]))
  } as DataProvider
}

type Call = (resource: string, call: never) => Promise<unknown>
type At = (name: string) => AdminResource

/** Returns a call whose errors are those of react-admin. */
const telling = (call: Call, at: At): Call => async (resource, params) => {
  try {
    return await call(resource, params)
  } catch (error) {
    throw asHttpError(error, at(resource), params)
  }
}

/**
 * Returns the error as react-admin takes it: with its facts as `body`, whose `errors` are the messages by field, which
 * forms show beside their inputs. Other errors stay what they are.
 */
function asHttpError (error: unknown, { inputsAt }: AdminResource, { data }: { readonly data?: object }): unknown {
  if (!(error instanceof ApiError)) return error
  const { details, facts: { fields = [], pointer }, message } = error
  const places = pointer === undefined ? fields : [pathOf(pointer)]
  const told = details.length > 0
    ? details.map(detail => [pathOf(detail.pointer), detail.message])
    : places.map(place => [place, message])
  // The first message of a field is the most precise one.
  const errors = Object.fromEntries(told.reverse().flatMap(([place = '', message = '']) =>
    inputsAt(place, data).map(input => [input, message])))
  return Object.assign(error, { body: { ...error.facts, ...Object.keys(errors).length > 0 && { errors } } })
}

/** Returns the path of a JSON pointer as forms write it: `/moons/0/name` is `moons.0.name`. */
const pathOf = (pointer: string): string =>
  pointer.split('/').slice(1).map(part => part.replaceAll('~1', '/').replaceAll('~0', '~')).join('.')

interface Writing extends Calling { readonly data: object }

/** Returns the calls of a data provider that write. */
function writes (at: At, method: 'PATCH' | 'PUT') {
  const update = method === 'PATCH' ? 'update' : 'upsert'
  return {
    async create (name: string, { data, ...call }: Writing): Promise<One<RecordOf>> {
      const { collection, remember, bodyOf } = at(name)
      return { data: remember(await collection.create(bodyOf(data), { returning: true, ...requestOf(call) })) }
    },
    async update (name: string, { id, data, previousData, ...call }: OneCall & Writing): Promise<One<RecordOf>> {
      const { collection, keys, remember, bodyOf, guard } = at(name)
      const options = { returning: true, ...guard(previousData, call) } as const
      return { data: remember(await collection[update](recordKey(id, keys), bodyOf(data, previousData), options)) }
    },
    async delete (name: string, { id, previousData, ...call }: OneCall): Promise<One<object>> {
      const { collection, keys, guard } = at(name)
      await collection.delete(recordKey(id, keys), guard(previousData, call))
      return { data: previousData ?? { id } }
    }
  }
}

/** A collection of a client or of a batch. */
type Write = (id: Id | readonly Id[], ...rest: unknown[]) => unknown
type Writes = Readonly<Record<'update' | 'upsert' | 'delete', Write>>

/** A write of several items by one request, which `Allow` of their collection lists; false where there is none. */
type Whole = ((options: RequestOptions) => Promise<unknown>) | false

/** Writes items of a collection: by one request, as one batch, or each by its own, as the API takes them. */
type SendAll = (
  name: string, ids: readonly Id[], call: Calling, write: (to: Writes, id: Id, options?: RequestOptions) => unknown,
  method: Method, whole: Whole
) => Promise<Many<Id>>

/** Returns a function that asks once what the API takes. */
function makeSendAll (client: Client<AnyApi>): SendAll {
  const asked: Record<string, Promise<readonly Method[]>> = {}
  const takes = async (name: string, method: Method) => {
    const { allowed } = (name ? client.resource(name) : client) as Pick<Client<AnyApi>, 'allowed'>
    asked[name] ??= told(allowed())
    asked[name].catch(() => delete asked[name])
    return (await asked[name]).includes(method)
  }
  return async (name, ids, call, write, method, whole) => {
    const options = requestOf(call)
    const batch = () => client.batch(batch => {
      for (const id of ids) write(batch.resource(name) as Writes, id)
    }, options)
    const isSent = ids.length > 1 && (
      (whole && await takes(name, method) && await whole(options).then(() => true, unless(unfit))) ||
      (await takes('', 'POST') && await batch().then(() => true, unless(method === 'DELETE' ? unbatched : tooMany)))
    )
    const writeOne = async (id: Id) => write(client.resource(name) as Writes, id, options)
    const passed = method === 'DELETE' && ids.length > 1 ? gone : never
    if (!isSent) await Promise.all(ids.map(id => writeOne(id).catch(unless(passed))))
    return { data: [...ids] }
  }
}

// An item that is to be deleted and is gone fails a batch, though not a filter.
const gone = /^404identifier_not_found/
const unbatched = /^4(05|13|04identifier_not_found)/
const never = /^$/

// More than the limit, or a collection that takes no part.
const tooMany = /^4(05|13)/
// Also a lower limit, a key without filters, or the text of a key that is a number.
const unfit = /^4(05|13)|too_many|valid/

/** Returns a function that returns false for these errors, which the next form of the write may not have. */
const unless = (kinds: RegExp) => (error: unknown): false => {
  if (error instanceof ApiError && kinds.test(error.status + error.code)) return false
  throw error
}

/** Returns the calls of a data provider that write several items. `maxQuery`: the longest query of a deletion. */
function writesOfMany (at: At, method: 'PATCH' | 'PUT', sendAll: SendAll, maxQuery: number) {
  const update = method === 'PATCH' ? 'update' : 'upsert'
  return {
    updateMany (name: string, { ids, data, ...call }: ManyCall & Writing): Promise<Many<Id>> {
      const { collection, keys, bodyOf } = at(name)
      const [key = '', other] = keys
      const each = (options: RequestOptions) =>
        collection.updateEach(ids.map(id => ({ ...bodyOf(data), [key]: id })), options)
      const write: Parameters<SendAll>[3] = (to, id, options) => to[update](recordKey(id, keys), bodyOf(data), options)
      return sendAll(name, ids, call, write, 'PATCH', !other && method === 'PATCH' && each)
    },
    deleteMany (name: string, { ids, ...call }: ManyCall): Promise<Many<Id>> {
      const { collection, keys } = at(name)
      const fits = (where: object) => queryText({ where }).length <= maxQuery
      const [where = {}, other] = idFilters(ids, keys, fits)
      const all = (options: RequestOptions) => collection.deleteMany(where, options)
      const write: Parameters<SendAll>[3] = (to, id, options) => to.delete(recordKey(id, keys), options)
      return sendAll(name, ids, call, write, 'DELETE', !other && all)
    }
  }
}

/** Returns the calls of a data provider that read. `maxQuery`: the longest query that is a GET. */
const reads = (at: At, maxQuery: number) => ({
  async getOne (name: string, { id, ...call }: OneCall): Promise<One<RecordOf>> {
    const { collection, keys, selecting, remember } = at(name)
    const item = await collection.get(recordKey(id, keys), { fields: selecting(call.meta?.fields) }, requestOf(call))
    return { data: remember(item) }
  },
  async getList (name: string, call: ListCall): Promise<List<RecordOf>> {
    return list(at(name), call, filterOf(at(name), call))
  },
  async getManyReference (name: string, call: ReferenceCall): Promise<List<RecordOf>> {
    return list(at(name), call, { and: [filterOf(at(name), call), { [call.target]: call.id }] })
  },
  async getMany (name: string, { ids, ...call }: ManyCall): Promise<Many<RecordOf>> {
    const paged = { ...call, pagination: { page: 1, perPage: ids.length } }
    // Not every server takes a QUERY.
    const fits = (where: object) => {
      const query = { ...queryOf(at(name), paged, where), offset: ids.length, limit: ids.length }
      return queryText(query).length <= maxQuery
    }
    const lists = idFilters(ids, at(name).keys, fits).map(where => list(at(name), paged, where, false))
    return { data: (await Promise.all(lists)).flatMap(({ data }) => data) }
  }
})

/** Returns a page of as many records as react-admin asks for. The API can limit its own pages to fewer. */
async function list (
  resource: AdminResource, call: ListCall, where: object, counted = resource.options.count ?? true
): Promise<List<RecordOf>> {
  const { collection, keys } = resource
  const { pagination: { page, perPage } = { page: 1, perPage: 25 } } = call
  const query = queryOf(resource, call, where)
  const load = (offset: number | string, limit: number, count: boolean): Promise<Page<AnsweredItem[]>> =>
    collection.list({ ...query, offset, limit, count }, requestOf(call))
  const first = await load((page - 1) * perPage, perPage, counted)
  const items = [...first.items]
  let { next } = first
  while (next?.offset !== undefined && items.length < perPage) {
    const more = await load(next.offset, perPage - items.length, false)
    items.push(...more.items)
    next = more.next
  }
  const data = items.map(item => recordOf(item, keys))
  return first.total === null
    ? { data, pageInfo: { hasNextPage: next !== undefined, hasPreviousPage: page > 1 } }
    : { data, total: first.total }
}

/** Returns the query of a list, but for its page. */
const queryOf = (
  { keys, selecting, options: { fields } }: AdminResource, { sort, meta }: ListCall, where: object
) => ({ where, sort: sortOf(sort, keys), fields: selecting(meta?.fields ?? fields) })

/** The order by `id` is that of the key. */
function sortOf (sort: ListCall['sort'], keys: readonly string[]): string[] | undefined {
  if (sort === undefined) return undefined
  const fields = sort.field === 'id' ? keys : [sort.field]
  return fields.map(field => sort.order === 'DESC' ? `-${field}` : field)
}

/** `q` looks in several fields, if the resource has options for it. */
function filterOf ({ options: { search } }: AdminResource, { filter = {} }: ListCall): object {
  const { q, ...rest } = filter as { readonly q?: unknown }
  if (search === undefined || q === undefined) return filter
  return { and: [rest, { or: search.map(field => ({ [field]: { containsIgnoreCase: q } })) }] }
}
