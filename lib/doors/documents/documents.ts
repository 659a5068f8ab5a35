import { type DocumentOptions, documentOptions } from '../../../schemas/openapi.ts'
import type { CollectionView, Face, ResourceView, Sight } from '../../core/api/face.ts'
import { DeclarationError, invalidParameter } from '../../core/errors/errors.ts'
import { didYouMean, orNearest, suggest } from '../../core/errors/suggest.ts'
import { compileCheck } from '../../core/model/check.ts'
import { RecentMap } from '../../core/scheduling/memoize.ts'
import { versions } from './describing.ts'
import { type Described, documentParts } from './document.ts'
import type { Document } from './objects.ts'
import { jsonParts, runAtOnce, runInSlices } from './parts.ts'
import { profileNames } from './profiles.ts'

/** The documents of one registration. */
export interface Documents {
  /** Returns the document of the whole API. Throws a DeclarationError for a wrong option. */
  whole (options?: DocumentOptions): Document
  /** Returns the text of the document of what a caller sees. Requests are answered while it is made. */
  text (sight: Sight, options: DocumentOptions): Promise<string>
}

/**
 * Prepares the documents of a registration. None is made before it is asked for. `root`: the path of the API. `more`:
 * what the application tells of its servers. `mostBytes`: the size of all texts that are kept; that of 600 collections
 * has 5 MB, one of 20 has 0.4 MB.
 */
export function makeDocuments (
  face: Face, root: string, more: Described['more'], mostBytes = 32 * 2 ** 20
): Documents {
  const described: Described = { face, root, more }
  const texts = new RecentMap<string>(mostBytes, mostBytes)
  const unfinished = new Map<string, Promise<string>>()
  const identityOf = identities()
  return {
    whole (options) {
      if (options !== undefined) checkOptions(options, face.collections.map(({ name }) => name))
      return runAtOnce(documentParts(described, face.anyone, options))
    },
    async text (sight, options) {
      const seen = new Map(sight.collections.map(one => [one.name, one]))
      const keys = face.collections.map(one => keyOf(seen.get(one.name) ?? one, sight))
      const key = JSON.stringify([options, keys])
      const known = texts.get(key) ?? unfinished.get(key)
      if (known !== undefined) return known
      const made = make(key, sight, options).finally(() => { unfinished.delete(key) })
      unfinished.set(key, made)
      return made
    }
  }

  async function make (key: string, sight: Sight, options: DocumentOptions): Promise<string> {
    const text = await runInSlices(jsonParts(documentParts(described, sight, options)))
    texts.set(key, text, key.length + Buffer.byteLength(text))
    return text
  }

  /** The key of a document: what the caller sees of the collection, what is known of its table, and the permissions. */
  function keyOf (collection: CollectionView, sight: Sight): unknown {
    const known = [collection, collection.known].map(identityOf)
    const list = sight.at({ kind: 'collection', collection })
    const item = sight.at({ kind: 'item', collection })
    return [...known, list.denial('POST') === undefined, allowedAt(list), allowedAt(item)]
  }
}

/** Returns the methods that the caller may use, each with true if it may use it on some items only. */
const allowedAt = (place: ResourceView) => place.methods.map(method => [method, place.dependsOnItem(method)])

const check = compileCheck(documentOptions)

function checkOptions (options: DocumentOptions, collections: readonly string[]): void {
  check(options, path => `openapi(), option '${path}'`)
  for (const name of options.collections ?? []) {
    if (collections.includes(name)) continue
    const advice = orNearest(name, collections)
    throw new DeclarationError(`openapi(), option 'collections': there is no collection '${name}'${advice}`)
  }
}

/** Returns a function that numbers objects. Equal numbers mean the same object. */
function identities (): (object: object) => number {
  const numbers = new WeakMap<object, number>()
  let last = 0
  return object => {
    const number = numbers.get(object) ?? ++last
    numbers.set(object, number)
    return number
  }
}

/**
 * Parses the query of a document's URL: `profile`, `version` and `collections`, names separated by commas. Throws
 * invalid_parameter for anything else, with a near name.
 */
export function parseDocumentOptions (query: string, collections: readonly string[]): DocumentOptions {
  const choices: Readonly<Record<string, readonly string[]>> = { profile: profileNames, version: versions, collections }
  const given = new URLSearchParams(query)
  for (const name of given.keys()) {
    if (!Object.hasOwn(choices, name)) throw unknown('parameter', name, Object.keys(choices), name)
    if (given.getAll(name).length > 1) {
      throw invalidParameter(`The parameter '${name}' is given twice.`, { parameter: name, position: 1 })
    }
  }
  const valueOf = <T extends string>(name: string, values: readonly T[]): T | undefined => {
    const value = given.get(name)
    return value === null ? undefined : choose(name, value, values)
  }
  return {
    profile: valueOf('profile', profileNames),
    version: valueOf('version', versions),
    collections: given.get('collections')?.split(',').map(name => choose('collections', name, collections))
  }
}

function choose<T extends string> (parameter: string, value: string, values: readonly T[]): T {
  const found = values.find(one => one === value)
  if (found !== undefined) return found
  throw unknown(parameter === 'collections' ? 'collection' : parameter, value, values, parameter)
}

function unknown (noun: string, value: string, values: readonly string[], parameter: string) {
  const suggestion = suggest(value, values)
  const message = `There is no ${noun} '${value}'.${didYouMean(suggestion)} Expected one of: ${values.join(', ')}.`
  return invalidParameter(message, { parameter, position: 1 }, suggestion)
}
