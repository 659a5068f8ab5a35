import { identifierNotFound, validation } from '../../errors/errors.ts'
import type { WriteMethod } from '../../plan/path/methods.ts'
import type { Resource } from '../../plan/path/walk.ts'
import type { WritePlan } from '../../plan/plan.ts'
import { amendmentsOf } from '../../plan/write/amendment.ts'
import { planWrite } from '../../plan/write/write.ts'
import { mergePatchType } from '../../request/body.ts'
import type { Query } from '../../request/request.ts'
import type { Operation } from '../../rules/caller.ts'
import { runWrite, type WriteResult } from '../../run/write.ts'
import type { Members } from '../own-face.ts'
import type { OwnCall } from './call.ts'
import { bodyOf, itemResource } from './items.ts'
import { collectionResource, writtenItem } from './reads.ts'

/** Creates an item, or all items of a list. Returns them as the query selects. */
export async function createItems (
  call: OwnCall, values: unknown, query: Query
): Promise<Members | readonly Members[]> {
  const many = Array.isArray(values)
  const body = many ? values.map((one: unknown) => bodyOf(one, call.collection)) : bodyOf(values, call.collection)
  const { plan, result } = await write(call, collectionResource(call), { method: 'POST', may: ['create'], body, query })
  const items = writtenItems(plan, result)
  return many ? items : items[0] ?? {}
}

interface Changing { readonly query: Query, readonly upsert?: boolean, readonly merge?: boolean }

/** Changes an item; with `upsert`, creates it where there is none. Returns it as the query selects. */
export async function changeItem (
  call: OwnCall, id: unknown, values: unknown, { query, upsert = false, merge = false }: Changing
): Promise<Members> {
  const named = itemResource(id, call)
  const resource = upsert ? named : { ...named, pathValues: undefined }
  const body = bodyOf(values, call.collection)
  const may: readonly Operation[] = upsert ? ['update', 'create'] : ['update']
  const { plan, result } = await write(call, resource, { method: 'PATCH', may, body, query, merge })
  return writtenItems(plan, result)[0] ?? {}
}

/** Changes items, each by the identifier that it has. Returns them as the query selects. */
export async function updateEach (call: OwnCall, items: unknown, query: Query): Promise<readonly Members[]> {
  if (!Array.isArray(items)) throw new TypeError('updateEach() takes an array of items')
  const body = items.map((one: unknown) => bodyOf(one, call.collection))
  const resource = { ...collectionResource(call), pathValues: undefined }
  const { plan, result } = await write(call, resource, { method: 'PATCH', may: ['update'], body, query })
  return writtenItems(plan, result)
}

/** Adds to a value of an item. Returns the new value. */
export async function addTo (
  call: OwnCall, { id, name, addend }: { readonly id: unknown, readonly name: string, readonly addend: unknown }
): Promise<unknown> {
  const { collection } = call
  const { walked } = itemResource(id, call)
  const field = collection.fields.get(name)
  if (field?.kind !== 'stored' || !field.writable || !amendmentsOf(field).includes('add')) {
    throw validation([{ pointer: `/${name}`, message: 'is no number that can be written' }])
  }
  const body = { add: typeof addend === 'bigint' ? String(addend) : addend }
  const resource = { kind: 'scalar', collection, field, walked } as const
  const { plan, result } = await write(call, resource, { method: 'POST', may: ['update'], body, query: all })
  return writtenItems(plan, result)[0]?.[name]
}

export async function deleteItem (call: OwnCall, id: unknown): Promise<void> {
  const resource = itemResource(id, call)
  await write(call, resource, { method: 'DELETE', may: ['delete'], body: undefined, query: all })
}

interface WritingMany {
  readonly method: 'PATCH' | 'DELETE'
  readonly query: Query
  readonly changes: unknown
  readonly most: number
}

/** Writes all items that the filters of a query find. Returns their number. */
export async function writeMany (call: OwnCall, { method, query, changes, most }: WritingMany): Promise<number> {
  const may: readonly Operation[] = [method === 'PATCH' ? 'update' : 'delete']
  const body = bodyOf(changes, call.collection)
  const { result } = await write(call, collectionResource(call), { method, may, body, query, most })
  return result.kind === 'affected' ? result.affected : 0
}

/** The query that selects the scalars of an item. */
const all: Query = { filters: [], page: {}, at: {} }

interface Writing {
  readonly method: WriteMethod
  /** The operations that the write may do: one of them must be allowed. */
  readonly may: readonly Operation[]
  readonly body: unknown
  readonly query: Query
  /** The most items that a condition may find; undefined for a write that has none. */
  readonly most?: number | undefined
  /** True if the body is a merge patch. Default false. */
  readonly merge?: boolean
}

async function write (
  call: OwnCall, resource: Resource, { method, may, body: value, query, most, merge = false }: Writing
): Promise<{ readonly plan: WritePlan, readonly result: WriteResult }> {
  const { caller, collection, database, binding: { context, limits, joined } } = call
  const denials = may.map(operation => caller.denial(operation, collection))
  if (denials[0] !== undefined && !denials.includes(undefined)) throw denials[0]
  const isShown = method !== 'DELETE' && most === undefined
  const represent = isShown && caller.denial('read', collection) === undefined
  const { plan, walked } = planWrite(resource, {
    method,
    query: represent || !isShown ? query : all,
    body: { contentType: merge ? mergePatchType : undefined, bytes: undefined, value, refusal: undefined },
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
