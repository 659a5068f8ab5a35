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
    what: 'statements: the text at the end of a page is taken for what is stored',
    text: 'textPosition: (shown, stored) => mistypedText.test(shown) ?',
    fault: 'textPosition: (shown, stored) => shown.startsWith(stored().toString()) && false ?',
    tests: ['sources/sqlite/mistyped-pages']
  },
  {
    what: 'statements: bytes that are not UTF-8 have no position',
    text: String.raw`const mistypedText = /^\u0001|\u0000|\ufffd/`,
    fault: String.raw`const mistypedText = /^\u0001|\u0000/`,
    tests: ['sources/sqlite/mistyped-pages']
  },
  {
    what: 'statements: bytes at the end of a page are taken for a text',
    text: "if (type === 'TEXT') return undefined",
    fault: "if (type !== '') return undefined",
    tests: ['sources/sqlite/mistyped-pages']
  },
  {
    what: 'statements: the last row of a page has the position of the first',
    text: '(bytes() as ReadonlyArray<readonly unknown[]>)[index]?.flat()',
    fault: '(bytes() as ReadonlyArray<readonly unknown[]>)[0]?.flat()',
    tests: ['sources/sqlite/mistyped-pages']
  },
  {
    what: 'statements: the last item of a page has the position of the first',
    text: 'carried.decode(lines.last(), shown.last, () => bytes().last())',
    fault: 'carried.decode(lines.last(), shown.last, () => bytes().first())',
    tests: ['sources/sqlite/mistyped-pages']
  },
  {
    what: 'statements: a page whose ends need bytes is read as columns',
    text: '!carriesFunctions(plan) && textsAmong(plan.extra, plan.from, builder) === undefined',
    fault: '!carriesFunctions(plan)',
    tests: ['sources/sqlite/mistyped-pages']
  },
  {
    what: 'statements: equal values are counted twice',
    text: 'count(distinct ${shown()})',
    fault: 'count(${shown()})',
    tests: ['contract/groups']
  }
]
