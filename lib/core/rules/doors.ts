import type { Declared, Rule } from '../declare/collection.ts'
import { DeclarationError } from '../errors/errors.ts'
import { orNearest } from '../errors/suggest.ts'
import type { Declarations } from './denials.ts'

/** What agents may use, by names in the application. `collections`: undefined for all. `write`: true for all. */
interface ForAgents {
  readonly collections?: readonly string[] | undefined
  readonly write: boolean | readonly string[]
}

/**
 * Returns the declarations with rules that keep agents from reading, and from writing, other collections than these,
 * and so from relations to them (docs/agents.md). Throws a DeclarationError for an unknown one.
 */
export function closeToAgents<D extends Declarations> (declared: D, opened: ForAgents | undefined): D {
  const read = opened?.collections
  const written = Array.isArray(opened?.write) ? opened.write as readonly string[] : undefined
  if (read === undefined && written === undefined) return declared
  const names = Object.keys(declared)
  checkNames('collections', read, names)
  checkNames('write', written, names)
  return Object.fromEntries(Object.entries(declared).map(([name, one]) => {
    const isRead = read?.includes(name) ?? true
    const isWritten = written?.includes(name) ?? true
    return [name, closed(one, [...isRead ? [] : ['read'] as const, ...isWritten ? [] : writes])]
  })) as D
}

const writes = ['create', 'update', 'delete'] as const

function checkNames (option: string, given: readonly string[] | undefined, names: readonly string[]): void {
  const unknown = given?.find(name => !names.includes(name))
  if (unknown === undefined) return
  const near = orNearest(unknown, names)
  throw new DeclarationError(`option 'mcp.${option}': there is no collection '${unknown}'${near}`)
}

function closed (declared: Declared, operations: ReadonlyArray<'read' | typeof writes[number]>): Declared {
  if (operations.length === 0) return declared
  const rules = operations.map(operation => [operation, notByAgents(declared.rules[operation])])
  return { ...declared, rules: { ...declared.rules, ...Object.fromEntries(rules) as Declared['rules'] } }
}

const notByAgents = (rule: Rule | boolean = true): Rule | false => rule !== false && (context =>
  context.door !== 'mcp' && (rule === true || rule(context)))
