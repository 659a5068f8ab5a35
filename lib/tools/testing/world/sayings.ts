import type { TSchema } from '@sinclair/typebox'
import type { Declared } from '../../../core/declare/collection.ts'
import { relationOf } from '../../../core/declare/relations.ts'
import type { ValueGenerator } from './generator.ts'
import type { Denial, Part } from './visible.ts'
import type { World } from './world.ts'

// Who says what a caller may do: rules of the registration, rules of a collection, its scope, or nobody, of what cannot
// be served (docs/rules.md: Who may do what).

export type Operation = 'read' | 'create' | 'update' | 'delete'

/** Rules of operations, of a collection or of the registration. */
export type OperationRules = Pick<Declared['rules'], Operation>

export const operations: readonly Operation[] = ['read', 'create', 'update', 'delete']

/** A rule of an operation, by what it tells: the constants, functions that return them, and errors. */
export type Saying = Denial | 'true' | 'returns true'

type Sayings = Readonly<Partial<Record<Operation, Saying>>>

/** A collection, and the scope that it is given. */
interface Scoped { readonly part: Part, readonly scope: Declared['scope'] }

/** Returns rules of a registration, and of each collection, that tell together what the parts deny. */
export function generateSayings (
  generator: ValueGenerator, all: readonly Scoped[], world: World
): { readonly api: Sayings, readonly own: readonly Sayings[] } {
  const api = sayingsOf(() => generator.weighted<Saying | undefined>(
    [3, undefined],
    [1, 'true'],
    [1, 'returns true'],
    [1, 'false'],
    [1, 'returns false']
  ))
  const own = all.map(one => sayingsOf(operation => {
    const denial = one.part.denied.operations.get(operation)
    const said = denial ?? generator.of<Saying>(['true', 'returns true'])
    return generator.chance(50) && mayLeaveOut(operation, one, api, world) ? undefined : said
  }))
  return { api, own }
}

const sayingsOf = (say: (operation: Operation) => Saying | undefined): Sayings =>
  Object.fromEntries(operations.flatMap(operation => {
    const saying = say(operation)
    return saying === undefined ? [] : [[operation, saying] as const]
  }))

/** True where the scope or the registration tells what the collection would, or where nothing needs to be told. */
function mayLeaveOut (operation: Operation, { part, scope }: Scoped, api: Sayings, world: World): boolean {
  const isDenied = part.denied.operations.has(operation)
  const ofScope = typeof scope === 'function' ? operation === 'read' : operation !== 'create' && scope?.[operation]
  if (ofScope !== undefined && ofScope !== false) return !isDenied
  const saying = api[operation]
  return saying === undefined ? !mayBeServed(operation, part, world) : isDenied === denies(saying)
}

const denies = (saying: Saying) => saying !== 'true' && saying !== 'returns true'

/** False where no request can do it: neither at a URL of the collection nor through a relation. */
function mayBeServed (
  operation: Operation, { generated: { property, schema, requestStrategies } }: Part, { options, collections }: World
): boolean {
  const strategies = { ...options.requestStrategies, ...requestStrategies }
  const isWritable = (field: TSchema) => field['writable'] === true
  const isLinked = collections.some(one => Object.values(one.schema).some(field => {
    const target = relationOf(field)?.target
    return target !== undefined && isWritable(field) && [one.property, target].includes(property)
  }))
  switch (operation) {
    case 'read': return true
    case 'create': return strategies.create !== false || strategies.upsert !== false || isLinked
    case 'update': return isLinked || Object.values(schema).some(isWritable)
    case 'delete': return strategies.delete === true
  }
}

const rules = {
  true: true,
  'returns true': () => true,
  false: false,
  'returns false': () => false,
  throws: () => { throw new Error('a broken rule') },
  'throws 401': () => { throw Object.assign(new Error('Who are you?'), { statusCode: 401 }) }
} satisfies Record<Saying, OperationRules['read']>

export const rulesOf = (sayings: Sayings): OperationRules =>
  Object.fromEntries(Object.entries(sayings).map(([operation, saying]) => [operation, rules[saying]]))
