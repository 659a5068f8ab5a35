import type { Declared } from '../collection.ts'
import { DeclarationError } from '../errors.ts'

/** Throws a DeclarationError for a rule of a field that there is not, and for what is no function. */
export function checkRules (declared: Readonly<Record<string, Declared>>): void {
  for (const [collection, { schema, computed, scope, rules: { fields = {}, ...operations } }] of Object.entries(declared)) {
    const isRule = (rule: unknown) => rule === undefined || typeof rule === 'function'
    if (!isRule(scope)) throw new DeclarationError(`collection '${collection}', scope: expected a function`)
    for (const [operation, rule] of Object.entries(operations)) {
      if (!['read', 'create', 'update', 'delete'].includes(operation)) throw new DeclarationError(`collection '${collection}', rules.${operation}: there is no such rule`)
      if (!isRule(rule)) throw new DeclarationError(`collection '${collection}', rules.${operation}: expected a function`)
    }
    for (const [field, { read, write, ...others } = {}] of Object.entries(fields)) {
      const place = `collection '${collection}', rules.fields.${field}`
      if (!(Object.hasOwn(schema.properties, field) || Object.hasOwn(computed, field))) throw new DeclarationError(`${place}: there is no such field`)
      if (Object.keys(others).length > 0 || !isRule(read) || !isRule(write)) throw new DeclarationError(`${place}: expected functions 'read' and 'write'`)
    }
  }
}
