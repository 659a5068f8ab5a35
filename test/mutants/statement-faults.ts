/* eslint-disable no-template-curly-in-string -- texts of sources */

import type { Fault } from './faults.ts'

/** The faults of memory() and of statements. */
export const statementFaults: readonly Fault[] = [
  {
    what: 'memory: a part of a text is found at its start alone',
    text: 'const contains = (text: string, part: string) => text.includes(part)',
    fault: 'const contains = (text: string, part: string) => text.startsWith(part)',
    tests: ['contract/queries']
  },
  {
    what: 'statements: null equals every value',
    text: 'not_equals: operands => sql`(${comparisons.not_equals(operands)} or ${nullAsShown(operands)} is null)`',
    fault: 'not_equals: operands => comparisons.not_equals(operands)',
    tests: ['contract/queries', 'contract/generated']
  },
  {
    what: 'statements: no alternative is every alternative',
    text: "case 'any': return join(predicate.of, ref, builder, sql` or `, sql`1 = 0`)",
    fault: "case 'any': return join(predicate.of, ref, builder, sql` or `, sql`1 = 1`)",
    tests: ['contract/queries', 'contract/generated', 'sources/generated-plans', 'sources/conformance']
  },
  {
    what: 'statements: a condition of groups is ignored',
    text: 'buildFilter(plan.having, groups, outer)',
    fault: 'plan.having && sql`1 = 1`',
    tests: ['contract/groups']
  },
  {
    what: 'statements: a foreign key leads to items of every type',
    text: '[condition, ...constants.map(one => isConstant(one, columnOf))]',
    fault: '[condition]',
    tests: ['contract/relations-with-constants', 'sources/sqlite']
  },
  {
    what: 'statements: equal values are counted twice',
    text: 'count(distinct ${shown()})',
    fault: 'count(${shown()})',
    tests: ['contract/groups']
  }
]
