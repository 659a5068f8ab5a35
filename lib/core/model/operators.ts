/** The properties of an operator that more than one room needs. */
export interface OperatorTraits {
  /** The group of operators that a type of values takes or refuses as a whole. */
  readonly family: 'equality' | 'ordering' | 'text'
  /** The part of the field's value that the operand is compared with. */
  readonly part: 'whole' | 'start' | 'end' | 'anywhere'
  /** True if the operand is a list of values. */
  readonly list: boolean
  /** True if the operator is the negation of another one. */
  readonly negated: boolean
  /** True if the operand can be null or, for a list, can contain null. */
  readonly takesNull: boolean
  /** True if upper and lower case are equal, so that both sides are folded before they are compared. */
  readonly ignoresCase: boolean
}

const plain = { part: 'whole', list: false, negated: false, takesNull: false, ignoresCase: false } as const
const equality = { ...plain, family: 'equality', takesNull: true } as const
const ordering = { ...plain, family: 'ordering' } as const
const text = { ...plain, family: 'text' } as const

/**
 * The table of all operators (docs/http.md: Query strings). No other file compares an operator by its name: it asks
 * this table, or has a `Record<Operator, ...>` of its own, which does not compile until it has every operator.
 */
export const operators = {
  equals: equality,
  not_equals: { ...equality, negated: true },
  greater: ordering,
  less: ordering,
  at_least: ordering,
  at_most: ordering,
  in: { ...equality, list: true },
  not_in: { ...equality, list: true, negated: true },
  starts_with: { ...text, part: 'start' },
  ends_with: { ...text, part: 'end' },
  contains: { ...text, part: 'anywhere' },
  equals_ignoring_case: { ...text, ignoresCase: true },
  starts_with_ignoring_case: { ...text, part: 'start', ignoresCase: true },
  ends_with_ignoring_case: { ...text, part: 'end', ignoresCase: true },
  contains_ignoring_case: { ...text, part: 'anywhere', ignoresCase: true }
} as const satisfies Readonly<Record<string, OperatorTraits>>

export type Operator = keyof typeof operators

export const operatorNames = Object.keys(operators) as readonly Operator[]

export const traitsOf = (operator: Operator): OperatorTraits => operators[operator]

/**
 * Returns true if an operator holds only for a field that equals the operand or, for a list, one of its members: an
 * index then finds every match.
 */
export function isExact (operator: Operator): boolean {
  const { family, negated } = traitsOf(operator)
  return family === 'equality' && !negated
}

/** Returns the operators of some families, for a type of values that takes them. */
export const operatorsOf = (...families: ReadonlyArray<OperatorTraits['family']>): ReadonlySet<Operator> =>
  new Set(families.flatMap(family => operatorNames.filter(operator => traitsOf(operator).family === family)))
