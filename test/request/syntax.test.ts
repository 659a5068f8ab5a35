import { test } from 'tap'
import type { QueryStringOptions } from '../../schemas/query-string.ts'
import { DeclarationError } from '../../lib/core/errors/errors.ts'
import { parseQuery } from '../../lib/core/request/query.ts'
import {
  compileSyntax, insteadOf, isNameCharacter, operatorAt, operatorDefaults, parameterOf, yieldTo
} from '../../lib/core/request/syntax.ts'
import { print } from '../../lib/core/request/print.ts'

test('every spelling of every operator is found, the longest that matches', async t => {
  const syntax = compileSyntax({})
  for (const [operator, spellings] of Object.entries(operatorDefaults)) {
    for (const spelling of spellings) t.same(operatorAt(`age${spelling}5`, 3, syntax), [spelling, operator], spelling)
  }
  t.equal(operatorAt('age:5', 3, syntax), undefined)
})

test('a name is of letters, digits, _ and -, and of whatever is not ASCII', async t => {
  t.ok([...'azAZ09_-.é😀\u0080'].every(isNameCharacter))
  t.notOk([...' !"#$%&\'()*+,/:;<=>?@[\\]^`{|}~\x7f\0'].some(isNameCharacter))
})

const begins = 'begins with a character that names of fields may contain, so it could not be separated from them'
const single = "must be a single character that is not part of names and is not a quote, a parenthesis or '&'"
const named = "is not a valid name; a name has at least one character and contains neither '=' nor '&'"

const mistakes: ReadonlyArray<[options: QueryStringOptions, option: string, message: string]> = [
  [{ operators: { equals: [''] } }, 'operators.equals', 'an operator must have at least one character'],
  [{ operators: { equals: ['eq'] } }, 'operators.equals', `'eq' ${begins}`],
  [{ operators: { greater: ['-gt-'] } }, 'operators.greater', `'-gt-' ${begins}`],
  [{ operators: { less: ['≤'] } }, 'operators.less', `'≤' ${begins}`],
  [{ operators: { in: ['=('] } }, 'operators.in',
    "'=(' contains a character that quotes values, groups filters or ends parameters"],
  [{ operators: { equals: ['>'] } }, 'operators.greater', "'>' already means 'equals'"],
  [{ operators: { contains: ['~'], equals_ignoring_case: ['~'] } }, 'operators.equals_ignoring_case',
    "'~' already means 'contains'"],
  [{ page: ['size'] }, 'size', "'size' already means 'page'"],
  [{ page: [''] }, 'page', `'' ${named}`],
  [{ where: ['a=b'] }, 'where', `'a=b' ${named}`],
  [{ directions: { ascending: ['up'], descending: ['up'] } }, 'directions.descending',
    "'up' already means 'ascending'"],
  [{ delimiters: { list: ['||'] } }, 'delimiters.list', `'||' ${single}`],
  [{ delimiters: { fields: ['.'] } }, 'delimiters.fields', `'.' ${single}`],
  [{ delimiters: { sort: ['"'] } }, 'delimiters.sort', `'"' ${single}`],
  [{ delimiters: { sort: ['+'] } }, 'delimiters.direction', "'+' already separates the terms of a sort order"]
]

test('a mistake is named', async t => {
  for (const [options, option, message] of mistakes) {
    t.throws(() => compileSyntax(options), new DeclarationError(`option 'queryString.${option}': ${message}`))
  }
})

test('an option that is there but undefined is its default', async t => {
  const options = {
    sort: undefined, operators: { in: undefined }, limits: { depth: undefined }, delimiters: { list: undefined }
  } as unknown as QueryStringOptions
  t.same(compileSyntax(options), compileSyntax({}))
})

test('all of it is configurable, and links use the first name of a parameter', async t => {
  t.equal(parameterOf('size', compileSyntax({ size: ['top', 'size'] })), 'top')
  const syntax = compileSyntax({
    where: ['$filter'],
    sort: ['by'],
    fields: ['show'],
    page: ['page[number]'],
    size: ['top'],
    operators: { equals: [':'], in: [' in '], contains: ['~'], equals_ignoring_case: [] },
    delimiters: { list: ['|'], sort: ['/'], direction: [':'], fields: [','] },
    directions: { descending: ['DOWN'] }
  })
  const query = parseQuery(
    '$filter=a%3A1&id+in+1|2,3&name~x&by=a:down/b:asc&show=a,b(c;d:1;top=3;by=e:Down)&page[number]=2', syntax
  )
  t.equal(print(query, compileSyntax({})),
    'a=1&id=*1,%222,3%22&name*=x&fields=a,b(c;d=1;sort=e+desc;size=3)&sort=a+desc,b&page=2')
  t.match(query.filters[1], { operator: 'in', values: [{ text: '1' }, { text: '2,3' }] })
  t.throws(() => parseQuery('a=1', syntax), { code: 'invalid_filter', facts: { parameter: 'a', position: 2 } })
})

test('a parameter yields its name to a field, unless fields are no parameters, and keeps one that no field has', t => {
  const fields = new Set(['sort', 'order', 'page', 'limit'])
  const yielded = yieldTo(fields, compileSyntax({}))
  t.same([...fields].map(name => insteadOf(name, yielded)), ['orderby', 'orderby', '.page', 'size'])
  t.equal(insteadOf('size', yielded), undefined)
  const query = parseQuery('page=1&.page=2&.sort=-a', yielded)
  t.match(query, { page: { page: { text: '2' } }, filters: [{ path: ['page'] }] })
  t.equal(insteadOf('sort', yieldTo(fields, compileSyntax({ fieldParameters: false }))), undefined)
  t.throws(() => parseQuery('.page=1', compileSyntax({ page: [] })), { code: 'invalid_filter' }, 'it was switched off')
  t.end()
})
