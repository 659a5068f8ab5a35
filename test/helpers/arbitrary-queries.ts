import { dates, numbers, words } from '../fixtures/people.ts'
import fc from './fast-check.ts'

// Queries of the people of fixtures/people.ts.

/** A value in a filter. */
export type Value = string | number | boolean | null

/** A filter. */
export type Condition =
  | {
    readonly kind: 'compare',
    readonly path: readonly string[],
    readonly operator: string,
    readonly value: Value | readonly Value[]
  }
  | { readonly kind: 'all' | 'any', readonly of: readonly Condition[] }
  | { readonly kind: 'not', readonly of: Condition }
  | { readonly kind: 'some', readonly relation: 'boss' | 'pets', readonly of: Condition }

/** A selection of pets with a query of its own. */
export interface Nested {
  readonly names: readonly string[]
  readonly word: string | undefined
  readonly descending: boolean
  readonly limit: number | undefined
}

/** A page that is asked for. */
export type Page =
  | { kind: 'page', page: number, size: number }
  | { kind: 'offset', offset: number, limit: number }
  | { kind: 'all' }

const equality = ['=', '!=', '=*', '!=*']
const ordering = ['>', '<', '>=', '<=']
const textual = ['^=', '$=', '*=', '~=', '^~=', '$~=', '*~=']

const fields: ReadonlyArray<{
  path: readonly string[]
  operators: readonly string[]
  values: readonly Value[]
  nullable: boolean
}> = [
  { path: ['id'], operators: [...equality, ...ordering], values: [0, 1, 30, 60], nullable: false },
  { path: ['name'], operators: [...equality, ...ordering, ...textual], values: words, nullable: false },
  { path: ['nick'], operators: [...equality, ...ordering, ...textual], values: words, nullable: true },
  {
    path: [
      'age'
    ],
    operators: [...equality, ...ordering],
    values: [0, 1, -7, 42, Number.MAX_SAFE_INTEGER],
    nullable: true
  },
  { path: ['score'], operators: [...equality, ...ordering], values: numbers, nullable: true },
  { path: ['live'], operators: equality, values: [true, false], nullable: false },
  { path: ['born'], operators: [...equality, ...ordering], values: dates, nullable: true },
  { path: ['pets', 'name'], operators: [...equality, ...ordering, ...textual], values: words, nullable: false },
  { path: ['boss', 'nick'], operators: [...equality, ...textual], values: words, nullable: true },
  { path: ['boss', 'boss', 'age'], operators: [...equality, ...ordering], values: [0, 1, 42], nullable: true },
  { path: ['boss', 'id'], operators: equality, values: [1, 2, 3, 30], nullable: false },
  { path: ['pets', 'id'], operators: equality, values: [1, 2, 25, 50], nullable: false },
  { path: ['pets', 'count()'], operators: [...equality, ...ordering], values: [0, 1, 2], nullable: false },
  { path: ['pets', 'name', 'max()'], operators: [...equality, ...ordering], values: words, nullable: true },
  { path: ['pets', 'id', 'min()'], operators: [...equality, ...ordering], values: [1, 2, 25, 50], nullable: true },
  { path: ['boss', 'pets', 'id', 'max()'], operators: [...equality, ...ordering], values: [1, 25], nullable: true },
  { path: ['boss', 'pets', 'count()'], operators: [...equality, ...ordering], values: [0, 1], nullable: false },
  { path: ['boss', 'pets', 'id'], operators: [...equality, ...ordering], values: [1, 25, 50], nullable: false }
]

const compare: fc.Arbitrary<Condition> = fc.constantFrom(...fields)
  .chain(field => fc.constantFrom(...field.operators).chain(operator => {
    const mayBeNull = field.nullable && equality.includes(operator)
    const value = fc.constantFrom(...(mayBeNull ? [...field.values, null] : field.values))
    const operand = operator.endsWith('=*') ? fc.array(value, { minLength: 1, maxLength: 4 }) : value
    return operand.map((value): Condition => ({ kind: 'compare', path: field.path, operator, value }))
  }))

/** A comparison of a field that pets have too. */
const compareShared = compare.filter(one => one.kind === 'compare' && (one.path[0] === 'id' || one.path[0] === 'name'))
const every = fc.constant<Condition>({ kind: 'all', of: [] })

/** Draws a filter. */
export const condition = fc.letrec<{ tree: Condition, group: Condition, element: Condition }>(tie => ({
  tree: fc.oneof({ maxDepth: 2 }, compare, tie('group'), tie('element')),
  element: fc.oneof(
    fc.record({ kind: fc.constant('some' as const), relation: fc.constant('boss' as const), of: tie('tree') }),
    fc.record({
      kind: fc.constant('some' as const),
      relation: fc.constant('pets' as const),
      of: fc.oneof(every, fc.record({
        kind: fc.constantFrom('all' as const, 'any' as const),
        of: fc.array(compareShared, { minLength: 1, maxLength: 3 })
      }))
    }),
    fc.constant<Condition>({ kind: 'not', of: { kind: 'all', of: [] } })
  ),
  group: fc.oneof(
    fc.record({
      kind: fc.constantFrom('all' as const, 'any' as const), of: fc.array(tie('tree'), { minLength: 1, maxLength: 3 })
    }),
    fc.record({ kind: fc.constant('not' as const), of: tie('tree') })
  )
})).tree

/** What people are sorted by. */
export const sortable = [
  'id', 'name', 'nick', 'age', 'score', 'live', 'born', 'boss.name', 'boss.age', 'boss.boss.nick', 'boss.boss.boss.id',
  'pets.count()', 'boss.pets.count()', 'pets.name.max()', 'pets.id.min()', 'boss.pets.name.min()'
] as const

/** Draws an order. */
export const sort = fc.uniqueArray(fc.record({ name: fc.constantFrom(...sortable), descending: fc.boolean() }),
  { selector: term => term.name, maxLength: 3 })

/** Draws a selection of pets with a query of its own, or none. */
export const nested: fc.Arbitrary<Nested | undefined> = fc.option(fc.record({
  names: fc.uniqueArray(fc.constantFrom('id', 'name'), { minLength: 1 }),
  word: fc.option(fc.constantFrom(...words), { nil: undefined }),
  descending: fc.boolean(),
  limit: fc.option(fc.integer({ min: 0, max: 3 }), { nil: undefined })
}), { nil: undefined })

/** Draws the names of some fields. */
export const selection = fc.uniqueArray(fc.constantFrom('id', 'name', 'nick', 'age', 'score', 'live', 'born'),
  { minLength: 1, maxLength: 4 })

/** Draws a page. */
export const page = fc.oneof(
  fc.record({
    kind: fc.constant('page' as const), page: fc.integer({ min: 1, max: 5 }), size: fc.integer({ min: 1, max: 20 })
  }),
  fc.record({
    kind: fc.constant('offset' as const),
    offset: fc.integer({ min: 0, max: 70 }),
    limit: fc.integer({ min: 0, max: 20 })
  }),
  fc.constant({ kind: 'all' as const })
)
