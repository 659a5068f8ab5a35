import type { Declared, Rule } from '../declare/collection.ts'
import { DeclarationError } from '../errors/errors.ts'
import { orNearest } from '../errors/suggest.ts'
import type { Declarations } from './denials.ts'

/**
 * Returns the declarations with a rule that keeps agents from reading other collections than these, and so from
 * relations to them (docs/mcp.md). `shown`: names in the application; undefined for all. Throws a DeclarationError for
 * an unknown one.
 */
export function closeToAgents<D extends Declarations> (declared: D, shown: readonly string[] | undefined): D {
  if (shown === undefined) return declared
  const names = Object.keys(declared)
  const unknown = shown.find(name => !names.includes(name))
  if (unknown !== undefined) {
    const near = orNearest(unknown, names)
    throw new DeclarationError(`option 'mcp.collections': there is no collection '${unknown}'${near}`)
  }
  return Object.fromEntries(Object.entries(declared).map(([name, one]) =>
    [name, shown.includes(name) ? one : closed(one)])) as D
}

const closed = (declared: Declared): Declared =>
  ({ ...declared, rules: { ...declared.rules, read: notByAgents(declared.rules.read) } })

const notByAgents = (rule: Rule | undefined): Rule => context =>
  context.door !== 'mcp' && (rule === undefined || rule(context))
