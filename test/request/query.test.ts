import { test } from 'tap'
import { DataApiError } from '../../lib/core/errors/errors.ts'
import { printParts } from '../../lib/core/request/print.ts'
import { keptParameters, parseQuery, readQuery } from '../../lib/core/request/query.ts'
import { compileSyntax } from '../../lib/core/request/syntax.ts'
import { reads, readsAsWritten, refuses } from '../helpers/query-tables.ts'

// docs/http.md: Query strings

const syntax = compileSyntax({})

readsAsWritten(
  // A parameter's name and `=` win over every operator; any other operator makes a filter of it.
  '', 'page=2&size=10', 'page==3', 'page=*3', 'pages=3', 'Page=3', '__proto__=1', 'constructor=1&toString=2',
  'sort=name', 'sort=desc desc', 'fields=name', 'fields=name,albums(title,tracks(title))', 'fields=a(b(c(d(e(f)))))',
  'fields=albums(year>2000;year<2010;page=2;offset=1)'
)

reads({
  '&&': '',
  'a=1&&b>2&': 'a=1&b>2',
  'where=a=1&filter=b=2&c=3': 'a=1&b=2&c=3',
  'limit=10&offset=20': 'offset=20&size=10',
  'take=1&skip=2': 'offset=2&size=1',
  'after=%5B1%5D': 'after=[1]',
  'before=a+b': 'before=a b',
  'page>3': 'where=page>3',
  'order=year+desc,name;id asc': 'sort=year desc,name,id',
  'orderby=year%2Bdescending': 'sort=year desc',
  'sort=a%20ASC,b%20Desc': 'sort=a,b desc',
  'sort= a , b  desc ': 'sort=a,b desc',
  'sort=-a,artist.name': 'sort=a desc,artist.name',
  'sort=a:desc&order=-b;c:asc': 'sort=a desc,b desc,c',
  'sort=a,b&fields=c&sort=d': 'fields=c&sort=a,b,d',
  'select=a,b;c+d%2Be': 'fields=a,b,c,d,e',
  'fields=a,+b,,a': 'fields=a,b,a',
  'fields=albums(title;sort=year desc,title;limit=3;where=year>=2000)':
    'fields=albums(title;year>=2000;sort=year desc,title;size=3)',
  'fields=albums(limit=3),b': 'fields=albums(size=3),b',
  'fields=albums(a;b; limit=3 ;)': 'fields=albums(a,b;size=3 )',
  // An option's value ends at the `;` or `)` of its own level.
  'fields=a(where=(x=1|y=*(1;2));where=!(z="a;)"))': 'fields=a(where=(x=1|y=*(1,2));where=!(z="a;)"))',
  'fields=a(x=f(b;c),d;y=*1,f(2,3);z=*(1;2);v="c;)")':
    'fields=a(x="f(b;c),d";y=*(1,"f(2,3)");z=*(1,2);v="c;)")',
  // A quote inside a raw value is data, so it hides no option.
  'fields=a(where=x=5";where=y=6";limit=3)': 'fields=a(x=5";y=6";size=3)'
})

test('with field parameters off a filter is still a where', async t => {
  const where = compileSyntax({ fieldParameters: false })
  t.strictSame(printParts(parseQuery('where=age>5&fields=a(where=b>1)', where), where),
    ['where=age>5', 'fields=a(where=b>1)'])
})

refuses('invalid_filter', {
  age: ['age', 4, 'Expected an operator, but the text ends here.'],
  page: ['page', 5, 'Expected an operator, but the text ends here.'],
  'age 5': ['age', 4, "Expected an operator, not ' '."],
  '=5': ['', 1, 'Expected the name of a field or a parameter.'],
  '(a=1|b=2)': ['', 1, 'Expected the name of a field or a parameter.'],
  'where=': ['where', 1, "Expected a field's name, but the text ends here."],
  'where=age': ['where', 4, 'Expected an operator, but the text ends here.'],
  'fields=a(where=b)': ['fields', 10, "Expected an operator, not ')'."],
  'fields=a(b="1)': ['fields', 5, 'The quote is not closed.'],
  'fields=a(b="1"2)': ['fields', 8, "Expected the end of the value after its closing quote, not '2'."],
  'fields=a(where=(b=1)c)': ['fields', 14, "Expected ';' or ')', not 'c'."],
  'fields=a(b=*(1)2)': ['fields', 9, "Expected ';' or ')', not '2'."]
})

refuses('invalid_fields', {
  'fields=a&select=b': ['select', 1, 'The selection is given twice.'],
  'fields=': ['fields', 1, 'Expected the name of at least one field.'],
  'fields=,': ['fields', 1, 'Expected the name of at least one field.'],
  'fields=a,*': ['fields', 3, "Expected a field's name, not '*'."],
  'fields=a)': ['fields', 2, "Expected a field's name, not ')'."],
  'fields=a=1': ['fields', 2, "Expected ',' or the end, not '='."],
  'fields=(a)': ['fields', 1, "Expected a field's name, not '('."],
  'select=albums()': ['select', 7, 'The parentheses are empty.'],
  'fields=albums(;, )': ['fields', 7, 'The parentheses are empty.'],
  'fields=a,b(c': ['fields', 4, 'The parenthesis is not closed.'],
  'fields=b(c;x=1': ['fields', 2, 'The parenthesis is not closed.'],
  'fields=a,b.c.d': [
    'fields', 3, "'b.c.d' is not the name of a field; the fields of a relation are written 'b(c(d))'."
  ],
  'fields=a(b)c': ['fields', 5, "Expected ',' or the end, not 'c'."],
  'fields=a(limit=3;b)': ['fields', 11, 'The names of fields must come before the options.'],
  'fields=a(after=x)': ['fields', 3, "'after' cannot be used inside a selection."],
  'fields=a(b;before=x)': ['fields', 5, "'before' cannot be used inside a selection."],
  'fields=a(fields=b)': ['fields', 3, "'fields' cannot be used inside a selection."],
  'fields=a(sort=b;format=csv)': ['fields', 10, "'format' cannot be used inside a selection."],
  'fields=a(b(c(d(e(f(g))))))': ['fields', 13, "Selections can be nested at most 5 deep (limit 'depth')."]
})

refuses('invalid_page', {
  'size=1&limit=1': ['limit', 1, "The page's size is given twice."],
  'page=1&a=1&page=1': ['page', 1, "The page's number is given twice."],
  'after=&after=': ['after', 1, "The page's cursor is given twice."],
  'fields=a(limit=1;take=2)': ['fields', 16, "The page's size is given twice."]
})

refuses('invalid_sort', {
  'sort=': ['sort', 1, "Expected a field's name."],
  'sort=a,': ['sort', 3, "Expected a field's name."],
  'sort=a,,b': ['sort', 3, "Expected a field's name."],
  'sort="a"': ['sort', 1, "Expected a field's name."],
  'order=a up': ['order', 3, "Expected one of asc, ascending, desc, descending, not 'up'."],
  'sort=b,a desc asc': ['sort', 5, "Expected one of asc, ascending, desc, descending, not 'desc asc'."],
  'sort=a:down': ['sort', 3, "Expected one of asc, ascending, desc, descending, not 'down'."],
  'sort=-a:desc': ['sort', 4, "'-a' is descending already, so no direction may follow."],
  'fields=a(sort=b up)': ['fields', 10, /^Expected one of/]
})

test('broken percent-encoding and a NUL are refused wherever they stand', async t => {
  for (const part of [
    '%', 'a=%f', 'a=%ff', '%zz=1', 'a=%ed%a0%80', 'a=\ud800', 'a=%00', '%00', 'where=a="%00"', 'sort=%00', 'page=\0',
    'fields=a(b%00)'
  ]) {
    t.throws(() => parseQuery(`x=1&${part}`, syntax),
      { constructor: DataApiError, code: 'malformed_url' }, JSON.stringify(part))
  }
})

const withoutFields = { fieldParameters: false }
refuses('invalid_parameter', {
  'age>5': ['age', 1, "There is no parameter 'age'."], 'x[y]=5': ['x', 1, "There is no parameter 'x'."]
}, withoutFields)
refuses('invalid_fields', { 'fields=albums(year>5)': ['fields', 8, "There is no parameter 'year'."] }, withoutFields)

// Limits

const times = (count: number, text: string) => Array.from({ length: count }, () => text)

refuses('invalid_filter', {
  [times(101, 'a=1').join('&')]: ['a', 1, "A request can have at most 100 comparisons (limit 'terms')."],
  [`where=(${times(101, 'a=1').join(',')})`]: ['where', 402, /^A request can have at most 100 comparisons/],
  [`fields=${times(2, `a(${times(51, 'b=1').join(';')})`).join(',')}`]: ['fields', 406, /at most 100 comparisons/],
  [`id=*${times(1001, '1').join(',')}`]: ['id', 2005, "A list can have at most 1000 values (limit 'listLength')."]
})
refuses('invalid_fields', {
  [`fields=${times(201, 'a').join(',')}`]: ['fields', 401, "A request can name at most 200 fields (limit 'fields')."],
  [`fields=${times(101, 'a(b)').join(',')}`]: ['fields', 501, "A request can name at most 200 fields (limit 'fields')."]
})
refuses('invalid_sort', {
  [`sort=${times(11, 'a').join(',')}`]: ['sort', 1, "A sort order can have at most 10 terms (limit 'sortTerms')."]
})

const low = { limits: { depth: 1, listLength: 2, listValues: 3, terms: 2 } }
refuses('invalid_filter', {
  'where=((a=1))': ['where', 2, "Groups can be nested at most 1 deep (limit 'depth')."],
  'a.b=1': ['a.b', 1, "A path in a filter can have at most 1 names (limit 'depth')."],
  'a=1&b=*1,2,3': ['b', 8, "A list can have at most 2 values (limit 'listLength')."],
  'a=*1,2&b=*3,4': ['b', 6, "The lists of a request can have at most 3 values together (limit 'listValues')."],
  'a=1&b=1&c=1': ['c', 1, "A request can have at most 2 comparisons (limit 'terms')."]
}, low)
refuses('invalid_fields', {
  'fields=a(b(c))': ['fields', 5, "Selections can be nested at most 1 deep (limit 'depth')."]
}, low)

test('what is at a limit is not over it', async t => {
  const text = [
    ...times(98, 'a=1'), `id=*${times(1000, '1').join(',')}`, 'where=(((((a=1)))))',
    `fields=${times(200, 'a').join(',')}`, `sort=${times(10, 'a').join(',')}`
  ].join('&')
  t.equal(parseQuery(text, syntax).filters.length, 100)
})

// Places

test('what was asked knows where it stood', async t => {
  const at = (parameter: string, position: number) => ({ parameter, position })
  t.match(parseQuery('x=0&where=(a=1|b=*("2",3))&order=c,+d&fields=e,f(g;h=4)&limit=5', syntax), {
    filters: [
      { at: at('x', 1), values: [{ at: at('x', 3) }] },
      {
        of: [
          { at: at('where', 2), values: [{ at: at('where', 4) }] },
          { at: at('where', 6), values: [{ at: at('where', 10) }, { at: at('where', 14) }] }
        ]
      }
    ],
    sort: [{ at: at('order', 1) }, { at: at('order', 4) }],
    fields: [{ at: at('fields', 1) }, {
      at: at('fields', 3),
      query: {
        fields: [{ at: at('fields', 5) }],
        filters: [{ at: at('fields', 7), values: [{ at: at('fields', 9) }] }],
        at: { filter: at('fields', 7) }
      }
    }],
    page: { size: { at: at('limit', 1) } },
    at: { filter: at('x', 1), sort: at('order', 1), fields: at('fields', 1), page: at('limit', 1) }
  })
})

test('links keep every parameter that names no page', async t => {
  t.same(keptParameters('where=(a=1|b="x%26y")&page=2&&size=5&offset=1&after=x&before=y&n=a+b%2Bc&page>1', syntax),
    'where=(a=1%7Cb=%22x%26y%22)&size=5&n=a%20b%2Bc&page%3E1')
})

test('a query that repeats is parsed once, if it has at most 5,000 characters, 150,000 of all together', async t => {
  const syntax = compileSyntax({})
  const read = (text: string) => readQuery(text, syntax)
  const [long, longer] = [5000, 5001].map(length => `name=${'x'.repeat(length - 5)}`) as [string, string]
  t.equal(read(long), read(long))
  t.not(read(longer), read(longer))
  const texts = Array.from({ length: 31 }, (_, index) => `name=${index}`.padEnd(5000, 'x'))
  const parsed = texts.map(read)
  for (const [index, isKept] of [[30, true], [1, true], [0, false]] as const) {
    t.equal(read(texts[index] ?? '') === parsed[index], isKept, `text ${index}`)
  }
})
