import { type DocumentOptions, documentOptions, type OpenApiOptions } from '../../../schemas/openapi.ts'
import { DeclarationError, invalidParameter } from '../../core/errors/errors.ts'
import { didYouMean, orNearest, suggest } from '../../core/errors/suggest.ts'
import { compileCheck } from '../../core/model/check.ts'
import type { Model } from '../../core/model/model.ts'
import type { Resource } from '../../core/plan/path/walk.ts'
import type { Permissions } from '../../core/plan/request.ts'
import type { Syntax } from '../../core/request/syntax.ts'
import { RecentMap } from '../../core/scheduling/memoize.ts'
import { type AnswerOptions, itemOf, listOf, mayCreate, methodsOf, type View, versions } from './describing.ts'
import { type Described, documentParts, type PermissionsFor } from './document.ts'
import type { Document } from './objects.ts'
import { jsonParts, runAtOnce, runInSlices } from './parts.ts'
import { profileNames } from './profiles.ts'

/** The documents of one registration. */
export interface Documents {
  /** Returns the document of the whole API. Throws a DeclarationError for a wrong option. */
  whole (options?: DocumentOptions): Document
  /** Returns the text of the document of what the permissions allow. Requests are answered while it is made. */
  text (permissionsFor: PermissionsFor, options: DocumentOptions): Promise<string>
}

/** The options of a registration that its documents depend on. */
interface DocumentSettings {
  readonly openapi: OpenApiOptions | undefined
  readonly syntax: Syntax
  readonly responseContent: AnswerOptions
  readonly imports?: Described['imports']
  readonly batch: Described['batch']
  readonly idempotency?: Described['idempotency']
  streams (): boolean
  isLive (resource: Resource): boolean
}

/**
 * Prepares the documents of a registration. None is made before it is asked for. `root`: the path of the API.
 * `forAnyone`: the permissions of who may do whatever anybody may. `mostBytes`: the size of all texts that are kept;
 * that of 600 collections has 5 MB, one of 20 has 0.4 MB.
 */
export function makeDocuments (
  model: Model, root: string,
  { openapi: info = {}, responseContent: answers, imports, idempotency, ...more }: DocumentSettings,
  forAnyone: PermissionsFor, mostBytes = 32 * 2 ** 20
): Documents {
  const collections = [...model.collections.values()]
  const described: Described = { ...more, collections, answers, info, root, imports, idempotency }
  const texts = new RecentMap<string>(mostBytes, mostBytes)
  const unfinished = new Map<string, Promise<string>>()
  const identityOf = identities()
  return {
    whole (options) {
      if (options !== undefined) checkOptions(options, [...model.collections.keys()])
      return runAtOnce(documentParts(described, forAnyone, options))
    },
    async text (permissionsFor, options) {
      const keys = [...model.collections.keys()].map(name => keyOf(permissionsFor(name), name))
      const key = JSON.stringify([options, keys])
      const known = texts.get(key) ?? unfinished.get(key)
      if (known !== undefined) return known
      const made = make(key, permissionsFor, options).finally(() => { unfinished.delete(key) })
      unfinished.set(key, made)
      return made
    }
  }

  async function make (key: string, permissionsFor: PermissionsFor, options: DocumentOptions): Promise<string> {
    const text = await runInSlices(jsonParts(documentParts(described, permissionsFor, options)))
    texts.set(key, text, key.length + Buffer.byteLength(text))
    return text
  }

  /** The key of a document: the caller's form of the collection, what is known of its table, and the permissions. */
  function keyOf (permissions: Permissions | undefined, name: string): unknown {
    const collection = permissions?.model.collections.get(name)
    if (permissions === undefined || collection === undefined) return null
    const view = { collection, permissions }
    const resources = [listOf(collection), itemOf(collection)]
    const known = [collection, collection.source.writes ?? collection].map(identityOf)
    return [...known, mayCreate(collection, permissions), ...resources.map(resource => allowedOf(resource, view))]
  }
}

/** Returns the methods that the caller may use, each with true if it may use it on some items only. */
const allowedOf = (resource: Resource, view: View) => methodsOf(resource, view).map(method =>
  [method, view.permissions.changes(method, resource).length > 0])

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
