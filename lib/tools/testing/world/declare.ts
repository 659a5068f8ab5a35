import { OptionalKind, Type, type TSchema } from '@sinclair/typebox'
import { collection, type Declared, exactly, lookup } from '../../../core/declare/collection.ts'
import { computed } from '../../../core/declare/computed.ts'
import { relationOf } from '../../../core/declare/relations.ts'
import { ArgumentError } from '../../../core/errors/errors.ts'
import type { DataSource } from '../../../core/sources/source.ts'
import type { ColumnKind } from './table.ts'
import { uuid } from './values.ts'
import type { GeneratedCollection } from './collection.ts'
import type { World } from './world.ts'

/** The values of an item. */
type ItemValues = Record<string, unknown>

export type Sources = (table: string) => DataSource

/** Returns the declarations of the world's collections, over the sources of its tables. */
export function declare ({ collections, guarded }: World, sources: Sources): Record<string, Declared> {
  const replaced = { count: 0 }
  return Object.fromEntries(collections.map(generated => {
    const { keys, schema, expressions, table, requestStrategies, pages, extras } = generated
    const [key] = keys
    const { scope, rules } = guarded?.guards[generated.property] ?? {}
    return [generated.property, collection(Type.Object(schema), {
      source: sources(table),
      ...keyOf(generated),
      ...scope && { scope },
      ...rules && { rules },
      requestStrategies,
      pages,
      ...(extras.hooks || lacksValues(generated)) && {
        hooks: {
          creating: (item, { request }) => {
            const given = `${request?.raw.url ?? ''} ${JSON.stringify(request?.body) ?? ''}`
            if (key?.kind === 'uuid' && keys.length === 1) replaceRandomKey(item, key.property, given, replaced)
          }
        }
      },
      ...extras.setter && { setters: settersOf(generated) },
      computed: {
        ...Object.fromEntries([...expressions].map(([property, { declared }]) => [property, declared])),
        ...extras.computed && { getEverything: computedFrom(computableProperties(generated)) }
      },
      identifiers: {
        ...extras.lookup && {
          nick: lookup({
            type: Type.String(),
            find: text => text.startsWith('~') ? findKey(text.slice(1), generated) : undefined
          })
        },
        ...extras.special && { first: exactly('me', () => findKey('1', generated)) }
      }
    })]
  }))
}

/** Returns the part of a declaration that names a key of several fields. */
const keyOf = ({ keys }: GeneratedCollection) => keys.length > 1 ? { key: keys.map(({ property }) => property) } : {}

/**
 * Returns true if a field must have a value that no client may give. A source may refuse such a declaration, unless
 * code of the application could fill the field.
 */
const lacksValues = ({ schema, keys }: GeneratedCollection) => Object.entries(schema).some(([property, one]) => {
  const [key, other] = keys
  if (relationOf(one) !== undefined || one['writable'] === true || one['version'] === true) return false
  // The database makes a key that counts, and the plugin a random one.
  const isMade = key?.kind === 'key' || key?.kind === 'uuid'
  if (property === key?.property && other === undefined && isMade) return false
  return !(OptionalKind in one) && !acceptsNull(one) && (one['default'] ?? undefined) === undefined
})

const acceptsNull = ({ anyOf }: TSchema) =>
  Array.isArray(anyOf) && (anyOf as readonly TSchema[]).some(one => one['type'] === 'null')

/** Returns declarations that hide nothing, to read all that the tables hold. */
export function declareOpenly ({ collections }: World, sources: Sources): Record<string, Declared> {
  return Object.fromEntries(collections.map(generated => {
    const { property, schema, table } = generated
    const open = Object.fromEntries(Object.entries(schema).map(([name, one]) => [name, withOpenFlags(one)]))
    return [
      property,
      collection(Type.Object(open), { source: sources(table), ...keyOf(generated), pages: unlimited })
    ]
  }))
}

const unlimited = { defaultSize: Infinity, maxSize: Infinity }

const withOpenFlags = (schema: TSchema): TSchema => ({
  ...schema,
  readable: true,
  writable: false,
  hidden: false,
  listed: false,
  filterable: true,
  sortable: true,
  version: false
})

/** Replaces a random key by the next of a sequence, so that answers can be compared, unless the client gave it. */
function replaceRandomKey (
  item: ItemValues, key: string, given: string, replaced: { count: number }
): void {
  if (!given.toLowerCase().includes(String(item[key]))) item[key] = uuid(0xabc000 + replaced.count++)
}

/** Returns a setter for the first writable text, which refuses the text `forbidden`. */
function settersOf ({ schema }: GeneratedCollection) {
  const [property] = Object.entries(schema).find(([, one]) =>
    one['writable'] === true && one['type'] === 'string' && one['format'] === undefined
  ) ?? []
  if (property === undefined) return {}
  return {
    [property]: (item: ItemValues, value: unknown) => {
      if (value === 'forbidden') throw new ArgumentError('This is forbidden.')
      item[property] = value
    }
  }
}

/** Returns a computed field: an array of the values of those properties. */
const computedFrom = (from: readonly string[]) => computed<ItemValues, string, ReturnType<typeof Type.Unknown>>({
  type: Type.Unknown({ readable: true }),
  from,
  get: item => from.map(name => item[name] ?? null)
})

const computableProperties = ({ schema }: GeneratedCollection) =>
  Object.entries(schema).filter(([, one]) => relationOf(one) === undefined).map(([name]) => name).slice(0, 3)

/** Returns the key of the item that a lookup of that text finds; undefined for a text that is not a key. */
function findKey (text: string, { keys }: GeneratedCollection): ItemValues | undefined {
  const parts = text.split(',')
  const values = keys.map(({ kind }, index) => toKeyPart(parts[index] ?? '', kind))
  if (values.includes(undefined)) return undefined
  return Object.fromEntries(keys.map(({ property }, index) => [property, values[index]]))
}

function toKeyPart (text: string, kind: ColumnKind): unknown {
  if (kind === 'text') return text
  if (!/^\d{1,6}$/.test(text)) return undefined
  if (kind === 'key' || kind === 'integer') return Number(text)
  return kind === 'uuid' ? uuid(Number(text)) : undefined
}
