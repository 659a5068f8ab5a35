import type { TSchema } from '@sinclair/typebox'
import type { Declared } from '../declare/collection.ts'
import { isSubCollection, isSubItem } from '../declare/relations.ts'
import { DeclarationError } from '../errors/errors.ts'
import { orNearest } from '../errors/suggest.ts'

/** Throws a DeclarationError for a rule of an unknown field, and for one that its field cannot have. */
export function checkRules (declared: Readonly<Record<string, Declared>>): void {
  for (const [collection, { schema, computed, inputs, rules: { fields = {} } }] of Object.entries(declared)) {
    const known = [schema.properties, computed, inputs].flatMap(Object.keys)
    for (const [field, { read, writeItem } = {}] of Object.entries(fields)) {
      const place = `collection '${collection}', rules.fields.${field}`
      if (!known.includes(field)) {
        throw new DeclarationError(`${place}: there is no such field${orNearest(field, known)}`)
      }
      if (Object.hasOwn(inputs, field) && read !== undefined) {
        throw new DeclarationError(`${place}.read: nobody reads an input; its only rule is 'write'`)
      }
      if (writeItem !== undefined && !isStored(schema.properties[field])) {
        const advice = 'only a stored field has this rule; give that of a relation to its foreign key'
        throw new DeclarationError(`${place}.writeItem: ${advice}`)
      }
    }
  }
}

const isStored = (schema: TSchema | undefined) =>
  schema !== undefined && !isSubItem(schema) && !isSubCollection(schema)
