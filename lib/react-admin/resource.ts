import type { AnyApi, Client, Collection, RequestOptions } from '../client/index.ts'
import { bodyOf, isSame, type Item, type Keys, recordOf } from './record.ts'
import type { CallOptions, RecordOf } from './types.ts'

/** What the provider cannot know of a collection. */
export interface ResourceOptions {
  /** The field or the fields of the key, in the order of the path. Default: `id`. */
  readonly key?: string | Keys
  /** The fields of lists, as `fields` of the client (docs/client.md). Default: those that the API lists. */
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
export interface Resource {
  readonly collection: Collection<AnyApi, string>
  readonly keys: Keys
  readonly options: ResourceOptions
  /** Returns a selection with the key; undefined for none. */
  selecting (fields: readonly unknown[] | undefined): Fields | undefined
  /** Returns the body of a write, which leaves out what is the same in the record before. */
  bodyOf (data: object, previous?: object): Item
  /** Returns the record of an item, and remembers the item for a guard. */
  remember (item: unknown): RecordOf
  /** Returns the options of a write that fails if the item is not as the record says. */
  guard (record: object | undefined, call: Calling): RequestOptions & { readonly unchanged?: object | undefined }
}

/** Fields of any API. */
type Fields = Array<string & Readonly<Record<string, never>>>

/** Returns a function that finds the resource of a name. */
export function resourcesOf (
  client: Client<AnyApi>, all: Readonly<Record<string, ResourceOptions>>
): (name: string) => Resource {
  const known = new Map<string, Resource>()
  const keysOf = (name: string) => [all[name]?.key ?? 'id'].flat()
  return name => {
    const resource = known.get(name) ?? makeResource(client.resource(name), keysOf(name), all[name] ?? {}, keysOf)
    known.set(name, resource)
    return resource
  }
}

function makeResource (
  collection: Collection<AnyApi, string>, keys: Keys, options: ResourceOptions, keysOf: (name: string) => Keys
): Resource {
  const items = makeMemory(keys)
  const links = new Map(Object.entries(options.references ?? {}).map(([field, target]) => [field, keysOf(target)]))
  return {
    collection,
    keys,
    options,
    selecting: fields => fields && [...new Set([...keys, ...fields])] as Fields,
    bodyOf: (data, previous) => bodyOf(data, previous, keys, links),
    remember: item => items.add(item as Item),
    guard: (record, call) => ({ ...requestOf(call), unchanged: call.meta?.overwrite ? undefined : items.find(record) })
  }
}

export const requestOf = ({ signal, meta }: Calling): RequestOptions => ({ signal, headers: meta?.headers })

/** The most items of a resource that are remembered. */
const most = 1000

/** The items of single reads, which have tags. */
function makeMemory (keys: Keys) {
  const items = new Map<RecordOf['id'], Item>()
  return {
    add (item: Item): RecordOf {
      const record = recordOf(item, keys)
      items.delete(record.id)
      items.set(record.id, item)
      for (const oldest of items.keys()) if (items.size > most) items.delete(oldest)
      return record
    },
    /** React-admin merges records with those of its cache, so only their values can be compared. */
    find (record: object | undefined): Item | undefined {
      const item = items.get((record as Partial<RecordOf> | undefined)?.id ?? '')
      return item && isSame(recordOf(item, keys), record) ? item : undefined
    }
  }
}
