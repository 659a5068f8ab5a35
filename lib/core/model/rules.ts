import type { TSchema } from '@sinclair/typebox'
import type { Declared } from '../declare/collection.ts'
import { isSubCollection, isSubItem } from '../declare/relations.ts'
import { DeclarationError } from '../errors/errors.ts'
import { isObject } from '../errors/is-object.ts'
import { orNearest } from '../errors/suggest.ts'
import { describeGiven } from './known-names.ts'

/** Throws a DeclarationError for a rule of an unknown operation or field, and for one that cannot tell. */
export function checkRules (declared: Readonly<Record<string, Declared>>): void {
  for (const [collection, one] of Object.entries(declared)) {
    const { scope, rules } = one
    checkScope(scope, `collection '${collection}', scope`)
    // A function has no members either: what is no object would be open silently.
    if (!isObject(rules)) throw noObject(`collection '${collection}', rules`, rules)
    const { fields = {}, ...operations } = rules
    if (!isObject(fields)) throw noObject(`collection '${collection}', rules.fields`, fields)
    const placeOf = (operation: string) => `collection '${collection}', rules.${operation}`
    checkOperations(operations, placeOf, "'update', 'delete' or 'fields'")
    for (const [field, given = {}] of Object.entries(fields)) {
      const place = `collection '${collection}', rules.fields.${field}`
      const isInput = Object.hasOwn(one.inputs, field)
      const known = [one.schema.properties, one.computed, one.inputs].flatMap(Object.keys)
      if (!known.includes(field)) {
        throw new DeclarationError(`${place}: there is no such field${orNearest(field, known)}`)
      }
      if (!isObject(given)) throw noObject(place, given, '{ read, write }')
      const { read, write, writeItem, ...others } = given
      if (isInput && read !== undefined) {
        throw new DeclarationError(`${place}.read: nobody reads an input; its only rule is 'write'`)
      }
      if (Object.keys(others).length > 0 || ![read, write, writeItem].every(isRule)) {
        const choices = "'read', 'write' and 'writeItem'"
        throw new DeclarationError(`${place}: expected an object that holds only the functions ${choices}`)
      }
      if (writeItem !== undefined && !isStored(one.schema.properties[field])) {
        const advice = 'only a stored field has this rule; give that of a relation to its foreign key'
        throw new DeclarationError(`${place}.writeItem: ${advice}`)
      }
    }
  }
}

/** Throws a DeclarationError for what the option `rules` cannot hold. */
export function checkApiRules (rules: unknown): void {
  if (rules === undefined) return
  if (!isObject(rules)) throw noObject("option 'rules'", rules)
  if ('fields' in rules) {
    throw new DeclarationError("option 'rules': fields are of one collection; give 'fields' to its rules")
  }
  checkOperations(rules, operation => `option 'rules.${operation}'`, "'update' or 'delete'")
}

function checkOperations (rules: object, placeOf: (operation: string) => string, last: string): void {
  for (const [operation, rule] of Object.entries(rules)) {
    const place = placeOf(operation)
    if (!['read', 'create', 'update', 'delete'].includes(operation)) {
      const choices = `use 'read', 'create', ${last}`
      throw new DeclarationError(`${place}: there is no such rule; ${choices}`)
    }
    if (isRule(rule) || typeof rule === 'boolean') continue
    throw new DeclarationError(`${place}: expected a function, true or false; found ${describeGiven(rule)}`)
  }
}

function checkScope (scope: unknown, place: string): void {
  if (!isObject(scope)) {
    if (!isRule(scope)) throw noFunction(place, scope)
    return
  }
  for (const [operation, one] of Object.entries(scope)) {
    if (!['read', 'update', 'delete'].includes(operation)) {
      const choices = "use 'read', 'update' or 'delete', or a function"
      throw new DeclarationError(`${place}.${operation}: there is no such scope; ${choices}`)
    }
    if (!isRule(one)) throw noFunction(`${place}.${operation}`, one)
  }
}

const noFunction = (place: string, found: unknown) =>
  new DeclarationError(`${place}: expected a function; found ${describeGiven(found)}`)

const noObject = (place: string, found: unknown, form = 'an object') =>
  new DeclarationError(`${place}: expected ${form}; found ${describeGiven(found)}`)

const isStored = (schema: TSchema | undefined) =>
  schema !== undefined && !isSubItem(schema) && !isSubCollection(schema)

const isRule = (rule: unknown) => rule === undefined || typeof rule === 'function'
