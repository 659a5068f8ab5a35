import type { Page } from '../client/index.ts'
import { filtersOf, type Item, keyOf, recordOf } from './record.ts'
import { requestOf, type Resource } from './resource.ts'
import type { List, ListCall, Many, ManyCall, One, OneCall, RecordOf, ReferenceCall } from './types.ts'

/** Returns the calls of a data provider that read. */
export const reads = (at: (name: string) => Resource) => ({
  async getOne (name: string, { id, ...call }: OneCall): Promise<One<RecordOf>> {
    const { collection, keys, selecting, remember } = at(name)
    const item = await collection.get(keyOf(id, keys), { fields: selecting(call.meta?.fields) }, requestOf(call))
    return { data: remember(item) }
  },
  async getList (name: string, call: ListCall): Promise<List<RecordOf>> {
    return list(at(name), call, filterOf(at(name), call))
  },
  async getManyReference (name: string, call: ReferenceCall): Promise<List<RecordOf>> {
    return list(at(name), call, { and: [filterOf(at(name), call), { [call.target]: call.id }] })
  },
  async getMany (name: string, { ids, ...call }: ManyCall): Promise<Many<RecordOf>> {
    const lists = filtersOf(ids, at(name).keys).map(where => {
      return list(at(name), { ...call, pagination: { page: 1, perPage: ids.length } }, where, false)
    })
    return { data: (await Promise.all(lists)).flatMap(({ data }) => data) }
  }
})

/** Returns a page of as many records as react-admin asks for. The API can limit its own pages to fewer. */
async function list (
  { collection, keys, selecting, options: { fields, count = true } }: Resource, call: ListCall, where: object,
  counted = count
): Promise<List<RecordOf>> {
  const { pagination: { page, perPage } = { page: 1, perPage: 25 }, sort, meta } = call
  const query = { where, sort: sortOf(sort, keys), fields: selecting(meta?.fields ?? fields) }
  const load = (offset: number | string, limit: number, count: boolean): Promise<Page<Item[]>> =>
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

/** The order by `id` is that of the key. */
function sortOf (sort: ListCall['sort'], keys: readonly string[]): string[] | undefined {
  if (sort === undefined) return undefined
  const fields = sort.field === 'id' ? keys : [sort.field]
  return fields.map(field => sort.order === 'DESC' ? `-${field}` : field)
}

/** `q` looks in several fields, if the resource has options for it. */
function filterOf ({ options: { search } }: Resource, { filter = {} }: ListCall): object {
  const { q, ...rest } = filter as { readonly q?: unknown }
  if (search === undefined || q === undefined) return filter
  return { and: [rest, { or: search.map(field => ({ [field]: { containsIgnoreCase: q } })) }] }
}
