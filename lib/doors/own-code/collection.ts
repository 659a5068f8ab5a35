import type { AnyShape, CollectionData } from '../../core/declare/data.ts'
import { identifierNotFound, invalidParameter, validation } from '../../core/errors/errors.ts'
import type { WriteMethod } from '../../core/plan/path/methods.ts'
import type { Resource } from '../../core/plan/path/walk.ts'
import type { WritePlan } from '../../core/plan/plan.ts'
import { amendmentsOf } from '../../core/plan/write/amendment.ts'
import { planWrite } from '../../core/plan/write/write.ts'
import type { Query } from '../../core/request/request.ts'
import type { Operation } from '../../core/rules/caller.ts'
import { runWrite, type WriteResult } from '../../core/run/write.ts'
import { beginCall, type Binding, type Call, type CollectionNames } from './call.ts'
import { importItems } from './import.ts'
import { bodyOf, itemResource } from './items.ts'
import { checkMembers, type Members, placeOf, queryOf, returnedOf } from './parsed.ts'
import {
  collectionResource, countItems, findItem, groupItems, listItems, readable, streamItems,
  writtenItem
} from './reads.ts'

/** A collection without the static types of its items. */
type AnyCollection = CollectionData<AnyShape, Members>

/** Returns the items of a collection for own code: each call is planned and run as a request is. */
export function makeCollection (names: CollectionNames, binding: Binding): AnyCollection {
  const begin = async () => readable(await beginCall(names, binding))
  const follow = <T>(run: () => Promise<T>): Promise<T> =>
    binding.joined === undefined ? run() : binding.joined.follow(run)
  const write = <T>(work: (call: Call) => Promise<T>): Promise<T> => follow(async () => work(await begin()))
  const find = async (id: unknown, query: Members = {}) => findItem(await begin(), id, query)
  const made = {
    list: async (query: Members = {}) => listItems(await begin(), query),
    stream: (query: Members = {}) => streamItems(begin, query),
    count: async (where?: unknown) => countItems(await begin(), where),
    groups: async (query: Members) => groupItems(await begin(), query),
    find,
    async get (id: unknown, query: Members = {}) {
      const item = await find(id, query)
      if (item === undefined) throw identifierNotFound(textOf(id))
      return item
    },
    // Who may not read may create.
    create: (values: unknown, options: Members = {}) =>
      follow(async () => createItems(await beginCall(names, binding), values, options)),
    update: (id: unknown, changes: unknown, options: Members = {}) =>
      write(call => updateItem(call, id, changes, options, false)),
    upsert: (id: unknown, values: unknown, options: Members = {}) =>
      write(call => updateItem(call, id, values, options, true)),
    updateEach: (items: unknown, options: Members = {}) => write(call => updateEach(call, items, options)),
    add: (id: unknown, name: string, addend: unknown) => write(call => addTo(call, { id, name, addend })),
    import: async (items: Parameters<typeof importItems>[1], options: Members = {}) =>
      importItems(await beginCall(names, binding), items, options),
    delete: (id: unknown) => write(call => deleteItem(call, id)),
    updateMany: (where: unknown, changes: unknown, options: Members = {}) =>
      write(call => writeMany(call, { method: 'PATCH', where, body: bodyOf(changes, call.collection), options })),
    deleteMany: (where: unknown, options: Members = {}) =>
      write(call => writeMany(call, { method: 'DELETE', where, body: undefined, options }))
  }
  // The types of the items follow from the declaration (lib/core/declare/data.ts); here they are values by name.
  return Object.freeze(made) as unknown as AnyCollection
}

const textOf = (id: unknown) =>
  (typeof id === 'object' && id !== null ? Object.values(id) : [id]).map(String).join(',')

/** Creates an item, or all items of a list. Returns them as the query selects. */
async function createItems (call: Call, values: unknown, options: Members): Promise<Members | readonly Members[]> {
  const query = returnedOf(options)
  const many = Array.isArray(values)
  const body = many ? values.map((one: unknown) => bodyOf(one, call.collection)) : bodyOf(values, call.collection)
  const { plan, result } = await write(call, collectionResource(call), { method: 'POST', may: ['create'], body, query })
  const items = writtenItems(plan, result)
  return many ? items : items[0] ?? {}
}

/** Changes an item; with `upsert`, creates it where there is none. Returns it as the query selects. */
async function updateItem (
  call: Call, id: unknown, values: unknown, options: Members, upsert: boolean
): Promise<Members> {
  const query = returnedOf(options)
  const named = itemResource(id, call)
  const resource = upsert ? named : { ...named, pathValues: undefined }
  const body = bodyOf(values, call.collection)
  const may: readonly Operation[] = upsert ? ['update', 'create'] : ['update']
  const { plan, result } = await write(call, resource, { method: 'PATCH', may, body, query })
  return writtenItems(plan, result)[0] ?? {}
}

/** Changes items, each by the identifier that it has. Returns them as the query selects. */
async function updateEach (call: Call, items: unknown, options: Members): Promise<readonly Members[]> {
  const query = returnedOf(options)
  if (!Array.isArray(items)) throw new TypeError('updateEach() takes an array of items')
  const body = items.map((one: unknown) => bodyOf(one, call.collection))
  const resource = { ...collectionResource(call), pathValues: undefined }
  const { plan, result } = await write(call, resource, { method: 'PATCH', may: ['update'], body, query })
  return writtenItems(plan, result)
}

/** Adds to a value of an item. Returns the new value. */
async function addTo (
  call: Call, { id, name, addend }: { readonly id: unknown, readonly name: string, readonly addend: unknown }
): Promise<unknown> {
  const { collection } = call
  const { walked } = itemResource(id, call)
  const field = collection.fields.get(name)
  if (field?.kind !== 'stored' || !field.writable || !amendmentsOf(field).includes('add')) {
    throw validation([{ pointer: `/${name}`, message: 'is no number that can be written' }])
  }
  const body = { add: typeof addend === 'bigint' ? String(addend) : addend }
  const resource = { kind: 'scalar', collection, field, walked } as const
  const { plan, result } = await write(call, resource, { method: 'POST', may: ['update'], body, query: returnedOf({}) })
  return writtenItems(plan, result)[0]?.[name]
}

/** Deletes an item. */
async function deleteItem (call: Call, id: unknown): Promise<void> {
  const resource = itemResource(id, call)
  await write(call, resource, { method: 'DELETE', may: ['delete'], body: undefined, query: returnedOf({}) })
}

interface WritingMany {
  readonly method: 'PATCH' | 'DELETE'
  readonly where: unknown
  readonly body: unknown
  readonly options: Members
}

/** Writes all items that a condition finds. Returns their number. */
async function writeMany (call: Call, { method, where, body, options }: WritingMany): Promise<number> {
  checkMembers(options, ['max'])
  const may: readonly Operation[] = [method === 'PATCH' ? 'update' : 'delete']
  const most = options['max'] ?? Infinity
  const isNumber = most === Infinity || (Number.isInteger(most) && Number(most) >= 0)
  if (!isNumber) throw invalidParameter("'max' must be a whole number.", placeOf('max'))
  const { result } = await write(call, collectionResource(call), {
    method, may, body, query: queryOf({ where }, ['where']), most: Number(most)
  })
  return result.kind === 'affected' ? result.affected : 0
}

interface Writing {
  readonly method: WriteMethod
  /** The operations that the write may do: one of them must be allowed. */
  readonly may: readonly Operation[]
  readonly body: unknown
  readonly query: Query
  /** The most items that a condition may find; undefined for a write that has none. */
  readonly most?: number | undefined
}

async function write (
  call: Call, resource: Resource, { method, may, body: value, query, most }: Writing
): Promise<{ readonly plan: WritePlan, readonly result: WriteResult }> {
  const { caller, collection, database, binding: { context, limits, joined } } = call
  const denials = may.map(operation => caller.denial(operation, collection))
  if (denials[0] !== undefined && !denials.includes(undefined)) throw denials[0]
  const isShown = method !== 'DELETE' && most === undefined
  const represent = isShown && caller.denial('read', collection) === undefined
  const { plan, walked } = planWrite(resource, {
    method,
    query: represent || !isShown ? query : returnedOf({}),
    body: { contentType: undefined, bytes: undefined, value, refusal: undefined },
    conditions: { ifMatch: undefined, ifNoneMatch: undefined },
    represent,
    maxAffected: most
  }, limits.writes)
  try {
    const result = await runWrite(plan, database, context, caller)
    if (result.kind === 'missing' || result.kind === 'ambiguous') throw identifierNotFound(walked[0]?.segment ?? '')
    return { plan, result }
  } catch (error) {
    joined?.fail(error)
    throw error
  }
}

function writtenItems (plan: WritePlan, result: WriteResult): readonly Members[] {
  const select = 'representation' in plan ? plan.representation?.show : undefined
  if (result.kind === 'updated') return [writtenItem(result.row, select)]
  return 'items' in result ? result.items.map(({ row }) => writtenItem(row, select)) : []
}
