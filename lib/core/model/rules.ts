// The rules of declarations are this room's to check, also where one place asks for it.
import type { TSchema } from '@sinclair/typebox'
import type { Declared } from '../declare/collection.ts'
import { relationOf } from '../declare/relations.ts'
import { fieldRules } from '../declare/shapes.ts'
import { DeclarationError } from '../errors/errors.ts'
import { orNearest } from '../errors/suggest.ts'
import { compileCheck } from './check.ts'

const checkField = compileCheck(fieldRules)

/** Throws a DeclarationError for a rule of an unknown field, and for one that its field cannot have. */
export function checkRules (declared: Readonly<Record<string, Declared>>): void {
  for (const [collection, { schema, computed, inputs, rules: { fields = {} } }] of Object.entries(declared)) {
    const known = [schema.properties, computed, inputs].flatMap(Object.keys)
    for (const [field, given = {}] of Object.entries(fields)) {
      const place = `collection '${collection}', rules.fields.${field}`
      if (!known.includes(field)) {
        throw new DeclarationError(`${place}: there is no such field${orNearest(field, known)}`)
      }
      checkField(given, path => path === '' ? place : `${place}.${path}`)
      if (Object.hasOwn(inputs, field) && given.read !== undefined) {
        throw new DeclarationError(`${place}.read: nobody reads an input; its only rule is 'write'`)
      }
      if (given.writeItem !== undefined && !isStored(schema.properties[field])) {
        const advice = 'only a stored field has this rule; give that of a relation to its foreign key'
        throw new DeclarationError(`${place}.writeItem: ${advice}`)
      }
    }
  }
}

const isStored = (schema: TSchema | undefined) => schema !== undefined && relationOf(schema) === undefined
