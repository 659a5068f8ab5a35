import {
  generateAmendment, generateCreate, generatePatch, generateUpdate, generateValue, mergePatchType, someAsPatch,
  takesPatches
} from '../requests/bodies.ts'
import { fits } from '../world/examples.ts'
import type { ValueGenerator } from '../world/generator.ts'
import { generateEach } from '../requests/many.ts'
import { encodeText, generateText, keySegment, relationsOf, scalarFields, textOfValue } from '../requests/resources.ts'
import type { Collection, ScalarField } from '../../../core/model/model.ts'
import { operatorNames, traitsOf } from '../../../core/model/values.ts'
import { syntaxOf } from '../../../core/plan/path/syntax.ts'
import { amendmentsOf } from '../../../core/plan/write/amendment.ts'
import { comparison, valueText } from '../../../core/request/made.ts'
import { print, spellingOf } from '../../../core/request/print.ts'
import { agentWays } from './agents.ts'
import { batchWays } from './batches.ts'
import type { KnownCaller } from './callers.ts'
import { liveWays } from './live.ts'
import { canGroup, numberWays } from './numbers.ts'
import { rowFor, type View } from './sight.ts'
import { type Guess, ownCode, read, request, type Way } from './way.ts'
import type { ServedApi } from './world.ts'
import { generateImport } from '../requests/imports.ts'
import { overriding } from '../serving/send.ts'

/** Returns everything that the caller can do with a registration, so that a report can say what was driven. */
export function waysOf (
  served: ServedApi, callers: ReadonlyMap<string, KnownCaller>, guess: Guess
): readonly Way[] {
  const { prefix, api: { options: { openapi, explorer } } } = served
  const views = [...callers].flatMap(([name, { caller }]): readonly View[] => {
    const collection = caller.model.collections.get(name) ?? served.api.model.collections.get(name)
    if (collection === undefined) return []
    return [{ collection, caller, canRead: caller.denial('read', collection) === undefined }]
  })
  const writes = views.flatMap(view => (view.canRead ? writesOf : blindWritesOf)(served, view, guess))
  const written = [...writes, ...batchWays(served, views, writes, guess)]
    .map(way => tried(merging(served.api.keys === undefined ? way : keyed(way))))
  const reads = views.filter(view => view.canRead).map(view =>
    ({ name: view.collection.name, ways: readsOf(served, view, guess) }))
  return [
    read(`${prefix}/`, () => `${prefix}/`),
    ...openapi === undefined ? [] : [read(`${prefix}/openapi.json`, () => `${prefix}/openapi.json`)],
    ...explorer === undefined ? [] : [read(`${prefix}/ as a page`, () => `${prefix}/`, 'text/html')],
    // A refusal can tell something too.
    ...views.filter(view => !view.canRead).map(({ collection: { name } }) =>
      read(`${name} as JSON`, () => `${prefix}/${encodeText(name)}`)),
    ...reads.flatMap(({ ways }) => ways),
    ...written,
    ...importWays(served, views),
    ...agentWays(served, reads, written),
    ...liveWays(served, reads, written)
  ]
}

/** Gives each write a key of its own, as collections can require. */
const keyed = (way: Way): Way => ({
  ...way,
  make (generator) {
    const sent = way.make(generator)
    return { ...sent, headers: { ...sent.headers, 'idempotency-key': `key-${generator.below(1e9)}` } }
  }
})

/** Merges some of the changes by PATCH. */
const merging = (way: Way): Way => ({ ...way, make: generator => someAsPatch(way.make(generator)) })

/** Tries some of the writes only: what a dry run tells is told by the same rules. */
const tried = (way: Way): Way => ({
  ...way,
  make (generator) {
    const sent = way.make(generator)
    const isTried = generator.chance(8) && sent.headers['prefer'] === undefined
    return isTried ? { ...sent, headers: { ...sent.headers, prefer: 'dry-run' } } : sent
  }
})

function readsOf (served: ServedApi, view: View, guess: Guess): readonly Way[] {
  const { collection } = view
  const { prefix, api: { options: { streams, explorer, syntax } } } = served
  const { name } = collection
  const url = `${prefix}/${encodeText(name)}`
  const item = (generator: ValueGenerator) => `${url}/${segmentOf(generator, view)}`
  const formats = [
    ['JSON', undefined],
    ...streams() ? [['NDJSON', 'application/x-ndjson'], ['CSV', 'text/csv']] as const : [],
    ...explorer === undefined ? [] : [['a page', 'text/html']] as const
  ] as const
  return [
    ...formats.map(([format, accept]) => read(`${name} as ${format}`, () => url, accept)),
    { name: `${name} counted`, make: () => ({ method: 'GET', url, headers: { prefer: 'count=exact' } }) },
    {
      name: `${name} by QUERY`,
      make: generator => generator.chance(50)
        ? { method: 'POST', url, headers: overriding, body: 'limit=3' }
        : { method: 'QUERY', url, headers: form, body: 'limit=3' }
    },
    read(`${name} by key`, item),
    ...explorer === undefined ? [] : [read(`${name} by key as a page`, item, 'text/html')],
    ...scalarFields(collection).flatMap(field => fieldWays(served, collection, field, url, item)),
    ...numberWays(served, collection, url),
    ...relationsOf(collection, 'sub-item', 'sub-collection').flatMap((field): readonly Way[] => {
      const key = field.target.key.find(one => one.readable)
      const nested = key && { fields: [{ name: key.name }] }
      const select = print({ fields: [{ name: field.name, query: nested }] }, syntaxOf(collection, syntax))
      return [
        read(`${name}.${field.name} embedded`, () => `${url}?${select}`),
        read(`${name}.${field.name} as a path`, generator => `${item(generator)}/${encodeText(field.name)}`)
      ]
    }),
    ...identifierWays(served, collection, url, guess)
  ]
}

const form = { 'content-type': 'application/x-www-form-urlencoded' }

function fieldWays (
  { api: { options: { syntax } } }: ServedApi, collection: Collection, field: ScalarField, url: string,
  item: (generator: ValueGenerator) => string
): readonly Way[] {
  const name = `${collection.name}.${field.name}`
  const alone = read(`${name} alone`, generator => `${item(generator)}/${encodeText(field.name)}`)
  if (field.kind === 'computed') return [alone]
  const text = (generator: ValueGenerator) => generateText(generator, field, collection)
  const operators = field.filterable
    ? operatorNames.filter(one => field.type.operators.has(one) && syntax.operators.some(([, other]) => other === one))
    : []
  const query = (asked: Parameters<typeof print>[0]) => print(asked, syntaxOf(collection, syntax))
  return [
    alone,
    ...operators.map(operator => read(`${name} ${spellingOf(operator, syntax)}`, generator => {
      const values = traitsOf(operator).list ? [text(generator), text(generator)] : text(generator)
      return `${url}?${query({ filters: [comparison(field.name, operator, values)] })}`
    })),
    ...field.sortable && field.type.kind !== 'json'
      ? [read(`${name} sorted`, () =>
          `${url}?${query({ sort: [{ path: [field.name], descending: false }], page: { size: valueText('2') } })}`)]
      : [],
    ...canGroup(field)
      ? [read(`${name} as a dictionary`, () => `${url}/${encodeText(`${syntax.dictionaryPrefix}${field.name}`)}`)]
      : []
  ]
}

/** Lookups and special identifiers: the application finds the item. Any value may find one. */
function identifierWays (
  { api: { options: { syntax } } }: ServedApi, { name, identifiers, specials }: Collection, url: string, guess: Guess
): readonly Way[] {
  const ways = [
    ...identifiers.filter(one => one.kind === 'lookup').map(one => read(`${name} by ${one.name}`, generator => {
      const by = generator.chance(50) ? `${encodeText(`${syntax.dictionaryPrefix}${one.name}`)}/` : ''
      return `${url}/${by}${encodeText(textOfValue(guess(generator)))}`
    })),
    ...specials.map(({ segment }) => read(`${name} by '${segment}'`, () => `${url}/${encodeText(segment)}`))
  ]
  return ways.map(way => ({ ...way, weight: ownCode }))
}

function writesOf (served: ServedApi, view: View, guess: Guess): readonly Way[] {
  const { prefix } = served
  const { collection } = view
  const { name, strategies } = collection
  const url = `${prefix}/${encodeText(name)}`
  const headers = { 'content-type': 'application/json' }
  const isWritable = [...collection.fields.values()].some(field => field.writable)
  const item = (generator: ValueGenerator) => `${url}/${segmentOf(generator, view)}`
  return [
    ...codedWays(collection, item, guess),
    ...strategies.create && isWritable
      ? [{
          name: creationOf(collection),
          weight: ownCode,
          make: (generator: ValueGenerator) =>
            ({ method: 'POST', url, headers, body: generateCreate(generator, collection, 1) })
        }]
      : [],
    ...isWritable
      ? strategies.update.map((method): Way => ({
        name: `${name} changed by ${method}`,
        weight: ownCode,
        make: generator => ({
          method, url: item(generator), headers, body: generateUpdate(generator, collection, 1)
        })
      }))
      : [],
    ...strategies.delete
      ? [{
          name: `${name} deleted`,
          weight: ownCode,
          make: (generator: ValueGenerator) => request('DELETE', item(generator))
        }]
      : [],
    ...isWritable ? waysByArray(collection, url) : [],
    ...waysByValue(collection, item),
    ...waysByFilter(collection, url, served)
  ]
}

const creationOf = ({ name }: Collection) => `${name} created`

/** Writes of who may not read the collection: all but creations must be refused (docs/http.md: Rules). */
function blindWritesOf (served: ServedApi, view: View, guess: Guess): readonly Way[] {
  const { collection } = view
  return [...writesOf(served, view, guess), blindWay(served, view)].map(way =>
    ({ ...way, isRefused: way.name !== creationOf(collection) }))
}

/** Writes at any URL of a collection, also those that it takes of nobody; POST at its own URL is a creation. */
function blindWay ({ prefix }: ServedApi, view: View): Way {
  const { collection } = view
  const url = `${prefix}/${encodeText(collection.name)}`
  return {
    name: `${collection.name} changed unread`,
    weight: 2 * ownCode,
    make (generator) {
      const { name } = generator.of([...collection.fields.values()])
      const at = `${url}/${segmentOf(generator, view)}`
      const below = `${at}/${encodeText(name)}`
      const method = generator.of(['PATCH', 'PUT', 'DELETE', 'POST'])
      const sent = request(method, generator.of(method === 'POST' ? [at, below] : [at, below, url]))
      if (method === 'DELETE') return sent
      const headers = { 'content-type': 'application/json' }
      return { ...sent, headers, body: generateUpdate(generator, collection, 1) }
    }
  }
}

/** Changes that make a new value of the one that an item has. */
function waysByValue (collection: Collection, item: (generator: ValueGenerator) => string): readonly Way[] {
  const { name, stored, strategies: { update } } = collection
  const fields = stored.filter(field => field.writable && (amendmentsOf(field).length > 0 || takesPatches(field)))
  const make = (generator: ValueGenerator) => {
    const field = generator.of(fields)
    const patch = update.includes('PATCH') ? generatePatch(generator, field, collection) : undefined
    const body = patch ?? generateAmendment(generator, field, collection) ?? ''
    const [method, type] = patch === undefined ? ['POST', 'application/json'] : ['PATCH', mergePatchType]
    return { method, url: `${item(generator)}/${encodeText(field.name)}`, headers: { 'content-type': type }, body }
  }
  return fields.length > 0 && update.length > 0 ? [{ name: `${name} changed by a value`, weight: ownCode, make }] : []
}

/** Updates of the items that the elements of an array name. */
function waysByArray (collection: Collection, url: string): readonly Way[] {
  const { name, strategies: { update, requireIfMatch } } = collection
  const make = (generator: ValueGenerator) => generateEach(generator, collection, url)
  const isTaken = update.includes('PATCH') && !requireIfMatch
  return isTaken ? [{ name: `${name} changed by an array`, weight: ownCode, make }] : []
}

/** Writes of all items that a filter finds. */
function waysByFilter (
  collection: Collection, url: string, { api: { options: { syntax } } }: ServedApi
): readonly Way[] {
  const { name, strategies: { bulk, update, delete: deletes, requireIfMatch } } = collection
  const fields = scalarFields(collection).filter(canGroup)
  const taken = { PATCH: update.includes('PATCH'), DELETE: deletes }
  const methods = requireIfMatch || fields.length === 0 ? [] : bulk.filter(method => taken[method])
  return methods.map((method): Way => ({
    name: `${name} written by a filter and ${method}`,
    weight: ownCode,
    make (generator) {
      const field = generator.of(fields)
      const text = generateText(generator, field, collection)
      const query = print({ filters: [comparison(field.name, 'equals', text)] }, syntaxOf(collection, syntax))
      const sent = request(method, `${url}?${query}`)
      if (method === 'DELETE') return sent
      const headers = { 'content-type': 'application/json' }
      return { ...sent, headers, body: generateUpdate(generator, collection, 1) }
    }
  }))
}

/** Setters and inputs are code of the application: each is given what it might compare with. */
function codedWays (
  collection: Collection, item: (generator: ValueGenerator) => string, guess: Guess
): readonly Way[] {
  const { name, fields, setters, strategies: { update: [method] } } = collection
  const coded = [...fields.values()].filter(field =>
    field.writable && (field.kind === 'input' || setters.has(field.property)))
  if (method === undefined) return []
  return coded.map(field => ({
    name: `${name}.${field.name} written`,
    weight: 6 * ownCode,
    make (generator) {
      const guesses = Array.from({ length: 5 }, () => guess(generator))
      const guessed = guesses.find(value => fits(field.schema, value))
      const isGuess = guessed !== undefined && generator.chance(70)
      const value = isGuess ? JSON.stringify(guessed) : generateValue(generator, field, collection)
      const headers = { 'content-type': 'application/json' }
      return { method, url: item(generator), headers, body: `{${JSON.stringify(field.name)}:${value}}` }
    }
  }))
}

/** Returns the segment of an item: most often of one that the caller may see. */
function segmentOf (generator: ValueGenerator, view: View): string {
  const row = rowFor(generator, view)
  return row === undefined ? '1' : keySegment(row, view.collection)
}

/** Returns the ways by imports. They take no key, and are no operations of a batch or of an agent. */
function importWays (
  { prefix, api: { options: { imports } } }: ServedApi, views: readonly View[]
): readonly Way[] {
  const isTaken = ({ collection: { strategies, fields } }: View) =>
    strategies.import && strategies.create && [...fields.values()].some(field => field.writable)
  return imports === undefined
    ? []
    : views.filter(isTaken).map(({ collection }) => ({
      name: `${collection.name} imported`,
      weight: ownCode,
      make: generator => generateImport(generator, collection, `${prefix}/${encodeText(collection.name)}`)
    }))
}
