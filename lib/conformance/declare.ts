import { Type, type TSchema } from '@sinclair/typebox'
import {
  type Behaviour, collection, computed, type Declared, exactly, isSubCollection, isSubItem, lookup, type Values,
  type WriteContext
} from '../collection.ts'
import { ArgumentError } from '../errors.ts'
import type { DataSource } from '../sources/source.ts'
import { uuid } from './values.ts'
import type { GeneratedCollection, World } from './world.ts'

/** Where a table of the world is. */
export type Sources = (table: string) => DataSource

/** The world's collections over such sources. */
export function declare ({ collections }: World, sources: Sources): Record<string, Declared> {
  const drawn = { count: 0 }
  return Object.fromEntries(collections.map(plan => {
    const { key, schema, table, requestStrategies, pages, extras } = plan
    return [plan.property, collection(Type.Object(schema), {
      source: sources(table),
      requestStrategies,
      pages,
      ...extras.hooks && {
        hooks: {
          creating: (item: Values, context: WriteContext) => {
            if (key.kind === 'uuid') replaceDrawn(item, key.property, context, drawn)
          }
        }
      },
      ...extras.setter && { setters: refusing(plan) },
      ...extras.computed && { computed: { getEverything: computing(computable(plan)) } },
      identifiers: {
        ...extras.lookup && {
          nick: lookup({
            type: Type.String(),
            find: text => text.startsWith('~') ? findKey(text.slice(1), plan) : undefined
          })
        },
        ...extras.special && { first: exactly('me', () => findKey('1', plan)) }
      }
    } as Behaviour<never>)]
  }))
}

/** The same with nothing hidden, to see what is really there. */
export function declareOpenly ({ collections }: World, sources: Sources): Record<string, Declared> {
  return Object.fromEntries(collections.map(({ property, schema, table }) => {
    const open = Object.fromEntries(Object.entries(schema).map(([name, one]) => [name, opened(one)]))
    return [
      property,
      collection(Type.Object(open), { source: sources(table), pages: { defaultSize: Infinity, maxSize: Infinity } })
    ]
  }))
}

const opened = (schema: TSchema): TSchema => ({
  ...schema,
  readable: true,
  writable: false,
  hidden: false,
  listed: false,
  filterable: true,
  sortable: true,
  version: false
})

/** A key that is drawn at random cannot be compared: it is replaced by the next of a row, unless the client has given it. */
function replaceDrawn (item: Values, key: string, { request }: WriteContext, drawn: { count: number }): void {
  const given = `${request.raw.url ?? ''} ${Buffer.isBuffer(request.body) ? request.body.toString() : ''}`.toLowerCase()
  if (!given.includes(String(item[key]))) item[key] = uuid(0xabc000 + drawn.count++)
}

function refusing (plan: GeneratedCollection) {
  const [property] = Object.entries(plan.schema).find(([, schema]) =>
    schema['writable'] === true && schema['type'] === 'string' && schema['format'] === undefined
  ) ?? []
  if (property === undefined) return {}
  return {
    [property]: (item: Values, value: unknown) => {
      if (value === 'forbidden') throw new ArgumentError('This is forbidden.')
      item[property] = value
    }
  }
}

const computing = (from: readonly string[]) => computed<Values, string, ReturnType<typeof Type.Unknown>>({
  type: Type.Unknown({ readable: true }),
  from,
  get: item => from.map(name => item[name] ?? null)
})

const computable = ({ schema }: GeneratedCollection) =>
  Object.entries(schema).filter(([, one]) => !isSubCollection(one) && !isSubItem(one)).map(([name]) => name).slice(0, 3)

/** What a lookup finds: the item whose key is that text. */
function findKey (text: string, { key }: GeneratedCollection): Values | undefined {
  if (key.kind === 'text') return { [key.property]: text }
  if (!/^\d{1,6}$/.test(text)) return undefined
  return { [key.property]: key.kind === 'key' ? Number(text) : uuid(Number(text)) }
}
