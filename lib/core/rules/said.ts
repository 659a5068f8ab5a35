import type { Declared, OperationRules } from '../declare/collection.ts'
import { DeclarationError } from '../errors/errors.ts'
import type { Collection, Model } from '../model/model.ts'
import { databaseOf } from '../sources/source.ts'
import type { Operation } from './caller.ts'
import type { Declarations } from './denials.ts'
import { type Served, servedOperations } from './served.ts'

/** The declarations of a registration, and its option `rules`; undefined where it has none, and no facts on callers. */
interface Said { readonly declared: Declarations, readonly rules: OperationRules | undefined }

/**
 * Returns the declarations with one rule for each operation (docs/rules.md: Who may do what): none for everybody,
 * `false` for nobody, and for what is not said. Those of an API without rules stay as they are.
 */
export function withSaidRules<D extends Declarations> (declared: D, rules: OperationRules | undefined): D {
  if (!hasRules({ declared, rules })) return declared
  return Object.fromEntries(Object.entries(declared).map(([name, one]) => {
    const { fields } = one.rules
    const said = operations.flatMap(operation => {
      const rule = saidOf(operation, one, rules) ?? false
      return rule === true ? [] : [[operation, rule] as const]
    })
    return [name, { ...one, rules: { ...Object.fromEntries(said), ...fields && { fields } } }]
  })) as D
}

/**
 * Throws a DeclarationError if the API has rules and a collection does not say who may do what can be done to it. It is
 * for the start: what a table refuses is known by then, or its database cannot be reached. Of such a table only `read`
 * is demanded; what else is not said of it is for nobody.
 */
export function refuseSilence (said: Said, model: Model): void {
  const [first, ...others] = hasRules(said) ? silentIn(said, model).map(describe) : []
  if (first === undefined) return
  if (others.length === 0) throw new DeclarationError(first)
  const head = `${others.length + 1} collections do not say who may do what; the option 'rules' says it for all of them`
  throw new DeclarationError(`${head}:\n${[first, ...others].map(one => `- ${one}`).join('\n')}`)
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

/** A collection that does not say who may do some of what can be done to it. */
interface Silence { readonly collection: Collection, readonly served: Served, readonly unsaid: readonly Operation[] }

function silentIn ({ declared, rules }: Said, model: Model): readonly Silence[] {
  return [...servedOperations(model)].flatMap(([collection, served]) => {
    const { property } = collection
    const one = Object.hasOwn(declared, property) ? declared[property] : undefined
    if (one === undefined) return []
    const demanded = operations.filter(operation => served.has(operation) && isKnown(operation, collection))
    const unsaid = demanded.filter(operation => saidOf(operation, one, rules) === undefined)
    return unsaid.length === 0 ? [] : [{ collection, served, unsaid }]
  })
}

/** Returns false for a change that a table may refuse, which the comparison at the start has not been told yet. */
function isKnown (operation: Operation, collection: Collection): boolean {
  const { source: { column, known } } = collection
  const isTable = column !== undefined
  const { mode = 'off' } = databaseOf(collection).catalogCheck ?? {}
  return operation === 'read' || known?.() !== undefined || !isTable || mode === 'off'
}

/** Returns the sentence on a collection, with the line to write. */
function describe ({ collection: { property }, served, unsaid }: Silence): string {
  const parts = unsaid.map(one => one === 'read' ? "'read'" : `'${one}', which ${served.get(one) ?? ''} switches on`)
  const line = `rules: { ${unsaid.map(one => `${one}: false`).join(', ')} }`
  return `collection '${property}' says nothing of ${parts.join(', nor of ')}: add ${line}, or true for everybody`
}
