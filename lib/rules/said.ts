import type { Declared, OperationRules } from '../declare/collection.ts'
import type { Operation } from './caller.ts'
import type { Declarations } from './denials.ts'

/** The declarations of a registration, and its option `rules`; undefined where it has none, and no facts on callers. */
interface Said { readonly declared: Declarations, readonly rules: OperationRules | undefined }

/**
 * Returns the declarations with one rule for each operation (docs/rules.md: Who may do what): none for everybody,
 * `false` for nobody. Those of an API without rules stay as they are.
 */
export function withSaidRules<D extends Declarations> (declared: D, rules: OperationRules | undefined): D {
  if (!hasRules({ declared, rules })) return declared
  return Object.fromEntries(Object.entries(declared).map(([name, one]) => {
    const { fields } = one.rules
    const said = operations.flatMap(operation => {
      const rule = saidOf(operation, one, rules) ?? true
      return rule === true ? [] : [[operation, rule] as const]
    })
    return [name, { ...one, rules: { ...Object.fromEntries(said), ...fields && { fields } } }]
  })) as D
}

const operations: readonly Operation[] = ['read', 'create', 'update', 'delete']

const hasRules = ({ declared, rules }: Said): boolean => rules !== undefined ||
  Object.values(declared).some(one => one.scope !== undefined || Object.values(one.rules).some(isSaid))

const isSaid = (rule: unknown) => rule !== undefined

/** Returns the rule of an operation: that of the collection, else its scope, else that of the registration. */
function saidOf (operation: Operation, { rules, scope }: Declared, ofApi: OperationRules = {}) {
  return rules[operation] ?? (isScoped(operation, scope) ? true : ofApi[operation])
}

/** Returns true if a scope decides to which items the operation may be done. */
function isScoped (operation: Operation, scope: Declared['scope']): boolean {
  if (typeof scope === 'function') return operation === 'read'
  return operation !== 'create' && scope?.[operation] !== undefined
}
