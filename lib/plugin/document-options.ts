import { type DocumentOptions, documentOptions } from '../../schemas/openapi.ts'
import { DeclarationError, invalidParameter } from '../core/errors/errors.ts'
import { didYouMean, orNearest, suggest } from '../core/errors/suggest.ts'
import { compileCheck } from '../core/model/check.ts'
import { profileNames } from '../doors/documents/profiles.ts'
import { versions } from '../doors/documents/versions.ts'

const check = compileCheck(documentOptions)

/** Returns the options of own code. Throws a DeclarationError for a wrong one, with a near name. */
export function checkDocumentOptions (options: DocumentOptions, collections: readonly string[]): DocumentOptions {
  check(options, path => `openapi(), option '${path}'`)
  for (const name of options.collections ?? []) {
    if (collections.includes(name)) continue
    const advice = orNearest(name, collections)
    throw new DeclarationError(`openapi(), option 'collections': there is no collection '${name}'${advice}`)
  }
  return options
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
