import { keyOf } from './record.ts'
import { type Calling, requestOf, type Resource } from './resource.ts'
import type { Id, Many, ManyCall, One, OneCall, RecordOf } from './types.ts'

interface Writing extends Calling { readonly data: object }

/** Returns the calls of a data provider that write. */
export function writes (at: (name: string) => Resource, method: 'PATCH' | 'PUT') {
  const update = method === 'PATCH' ? 'update' : 'upsert'
  return {
    async create (name: string, { data, ...call }: Writing): Promise<One<RecordOf>> {
      const { collection, remember, bodyOf } = at(name)
      return { data: remember(await collection.create(bodyOf(data), { returning: true, ...requestOf(call) })) }
    },
    async update (name: string, { id, data, previousData, ...call }: OneCall & Writing): Promise<One<RecordOf>> {
      const { collection, keys, remember, bodyOf, guard } = at(name)
      const options = { returning: true, ...guard(previousData, call) } as const
      return { data: remember(await collection[update](keyOf(id, keys), bodyOf(data, previousData), options)) }
    },
    async updateMany (name: string, { ids, data, ...call }: ManyCall & Writing): Promise<Many<Id>> {
      const { collection, keys, bodyOf } = at(name)
      await Promise.all(ids.map(id => collection[update](keyOf(id, keys), bodyOf(data), requestOf(call))))
      return { data: [...ids] }
    },
    async delete (name: string, { id, previousData, ...call }: OneCall): Promise<One<object>> {
      const { collection, keys, guard } = at(name)
      await collection.delete(keyOf(id, keys), guard(previousData, call))
      return { data: previousData ?? { id } }
    },
    async deleteMany (name: string, { ids, ...call }: ManyCall): Promise<Many<Id>> {
      const { collection, keys } = at(name)
      await Promise.all(ids.map(id => collection.delete(keyOf(id, keys), requestOf(call))))
      return { data: [...ids] }
    }
  }
}
