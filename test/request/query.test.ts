import { test } from 'tap'
import { DataApiError } from '../../lib/core/errors/errors.ts'
import { keptParameters, parseQuery, readQuery } from '../../lib/core/request/query.ts'
import { compileSyntax } from '../../lib/core/request/syntax.ts'
import { brief, reads, refuses } from '../helpers/query-tables.ts'

const syntax = compileSyntax({})

// Parameters

reads({
  '': {},
  '&&': {},
  'a=1&&b>2&': { filters: [['a', 'equals', '1'], ['b', 'greater', '2']] },
  'where=a=1&filter=b=2&c=3': { filters: [['a', 'equals', '1'], ['b', 'equals', '2'], ['c', 'equals', '3']] },
  'page=2&size=10': { page: { page: '2', size: '10' } },
  'limit=10&offset=20': { page: { size: '10', offset: '20' } },
  'take=1&skip=2': { page: { size: '1', offset: '2' } },
  'after=%5B1%5D': { page: { after: '[1]' } },
  'before=a+b': { page: { before: 'a b' } },
  // A parameter's name and `=` win over every operator; any other operator makes a filter of it.
  'page==3': { page: { page: '=3' } },
  'page=*3': { page: { page: '*3' } },
  'page>3': { filters: [['page', 'greater', '3']] },
  'pages=3': { filters: [['pages', 'equals', '3']] },
  'Page=3': { filters: [['Page', 'equals', '3']] },
  '__proto__=1': { filters: [['__proto__', 'equals', '1']] },
  'constructor=1&toString=2': { filters: [['constructor', 'equals', '1'], ['toString', 'equals', '2']] }
})

refuses({
  age: ['invalid_filter', 'age', 4, 'Expected an operator, but the text ends here.'],
  page: ['invalid_filter', 'page', 5, 'Expected an operator, but the text ends here.'],
  'age 5': ['invalid_filter', 'age', 4, "Expected an operator, not ' '."],
  '=5': ['invalid_filter', '', 1, 'Expected the name of a field or a parameter.'],
  '(a=1|b=2)': ['invalid_filter', '', 1, 'Expected the name of a field or a parameter.'],
  'where=': ['invalid_filter', 'where', 1, "Expected a field's name, but the text ends here."],
  'where=age': ['invalid_filter', 'where', 4, 'Expected an operator, but the text ends here.'],
  'fields=a&select=b': ['invalid_fields', 'select', 1, 'The selection is given twice.'],
  'size=1&limit=1': ['invalid_page', 'limit', 1, "The page's size is given twice."],
  'page=1&a=1&page=1': ['invalid_page', 'page', 1, "The page's number is given twice."],
  'after=&after=': ['invalid_page', 'after', 1, "The page's cursor is given twice."]
})

refuses({
  'age>5': ['invalid_parameter', 'age', 1, "There is no parameter 'age'."],
  'x[y]=5': ['invalid_parameter', 'x', 1, "There is no parameter 'x'."],
  'fields=albums(year>5)': ['invalid_fields', 'fields', 8, "There is no parameter 'year'."]
}, { fieldParameters: false })

test('with field parameters off a filter is still a where', async t => {
  t.same(brief(parseQuery('where=age>5&fields=a(where=b>1)', compileSyntax({ fieldParameters: false }))),
    { filters: [['age', 'greater', '5']], fields: [{ name: 'a', query: { filters: [['b', 'greater', '1']] } }] })
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

// Orders

reads({
  'sort=name': { sort: ['name up'] },
  'order=year+desc,name;id asc': { sort: ['year down', 'name up', 'id up'] },
  'orderby=year%2Bdescending': { sort: ['year down'] },
  'sort=a%20ASC,b%20Desc': { sort: ['a up', 'b down'] },
  'sort= a , b  desc ': { sort: ['a up', 'b down'] },
  'sort=-a,artist.name': { sort: ['a down', 'artist.name up'] },
  'sort=a:desc&order=-b;c:asc': { sort: ['a down', 'b down', 'c up'] },
  'sort=a,b&fields=c&sort=d': { sort: ['a up', 'b up', 'd up'], fields: ['c'] },
  'sort=desc+desc': { sort: ['desc down'] }
})

refuses({
  'sort=': ['invalid_sort', 'sort', 1, "Expected a field's name."],
  'sort=a,': ['invalid_sort', 'sort', 3, "Expected a field's name."],
  'sort=a,,b': ['invalid_sort', 'sort', 3, "Expected a field's name."],
  'sort="a"': ['invalid_sort', 'sort', 1, "Expected a field's name."],
  'order=a up': ['invalid_sort', 'order', 3, "Expected one of asc, ascending, desc, descending, not 'up'."],
  'sort=b,a desc asc': ['invalid_sort', 'sort', 5, "Expected one of asc, ascending, desc, descending, not 'desc asc'."],
  'sort=a:down': ['invalid_sort', 'sort', 3, "Expected one of asc, ascending, desc, descending, not 'down'."],
  'sort=-a:desc': ['invalid_sort', 'sort', 4, "'-a' is descending already, so no direction may follow."]
})

// Selections

reads({
  'fields=name': { fields: ['name'] },
  'select=a,b;c+d%2Be': { fields: ['a', 'b', 'c', 'd', 'e'] },
  'fields=a,+b,,a': { fields: ['a', 'b', 'a'] },
  'fields=name,albums(title,tracks(title))': {
    fields: ['name', { name: 'albums', query: { fields: ['title', { name: 'tracks', query: { fields: ['title'] } }] } }]
  },
  'fields=albums(title;sort=year desc,title;limit=3;where=year>=2000)': {
    fields: [{
      name: 'albums',
      query: {
        fields: ['title'], sort: ['year down', 'title up'], page: { size: '3' }, filters: [['year', 'at_least', '2000']]
      }
    }]
  },
  'fields=albums(limit=3),b': { fields: [{ name: 'albums', query: { page: { size: '3' } } }, 'b'] },
  'fields=albums(a;b; limit=3 ;)': {
    fields: [{ name: 'albums', query: { fields: ['a', 'b'], page: { size: '3 ' } } }]
  },
  'fields=albums(year>2000;year<2010;page=2;offset=1)': {
    fields: [{
      name: 'albums',
      query: { filters: [['year', 'greater', '2000'], ['year', 'less', '2010']], page: { page: '2', offset: '1' } }
    }]
  },
  // An option's value ends at the `;` or `)` of its own level.
  'fields=a(where=(x=1|y=*(1;2));where=!(z="a;)"))': {
    fields: [{
      name: 'a',
      query: {
        filters: [{ any: [['x', 'equals', '1'], ['y', 'in', '1', '2']] }, { not: { all: [['z', 'equals', ['a;)']]] } }]
      }
    }]
  },
  'fields=a(x=f(b;c),d;y=*1,f(2,3);z=*(1;2);v="c;)")': {
    fields: [{
      name: 'a',
      query: {
        filters: [
          ['x', 'equals', 'f(b;c),d'], ['y', 'in', '1', 'f(2,3)'], ['z', 'in', '1', '2'], ['v', 'equals', ['c;)']]
        ]
      }
    }]
  },
  // A quote inside a raw value is data, so it hides no option.
  'fields=a(where=x=5";where=y=6";limit=3)': {
    fields: [{ name: 'a', query: { filters: [['x', 'equals', '5"'], ['y', 'equals', '6"']], page: { size: '3' } } }]
  },
  'fields=a(b(c(d(e(f)))))': {
    fields: [{
      name: 'a',
      query: {
        fields: [{
          name: 'b',
          query: {
            fields: [
              {
                name: 'c',
                query: {
                  fields: [{ name: 'd', query: { fields: [{ name: 'e', query: { fields: ['f'] } }] } }]
                }
              }
            ]
          }
        }]
      }
    }]
  }
})

refuses({
  'fields=': ['invalid_fields', 'fields', 1, 'Expected the name of at least one field.'],
  'fields=,': ['invalid_fields', 'fields', 1, 'Expected the name of at least one field.'],
  'fields=a,*': ['invalid_fields', 'fields', 3, "Expected a field's name, not '*'."],
  'fields=a)': ['invalid_fields', 'fields', 2, "Expected a field's name, not ')'."],
  'fields=a=1': ['invalid_fields', 'fields', 2, "Expected ',' or the end, not '='."],
  'fields=(a)': ['invalid_fields', 'fields', 1, "Expected a field's name, not '('."],
  'select=albums()': ['invalid_fields', 'select', 7, 'The parentheses are empty.'],
  'fields=albums(;, )': ['invalid_fields', 'fields', 7, 'The parentheses are empty.'],
  'fields=a,b(c': ['invalid_fields', 'fields', 4, 'The parenthesis is not closed.'],
  'fields=b(c;x=1': ['invalid_fields', 'fields', 2, 'The parenthesis is not closed.'],
  'fields=a,b.c.d': [
    'invalid_fields', 'fields', 3, "'b.c.d' is not the name of a field; the fields of a relation are written 'b(c(d))'."
  ],
  'fields=a(b)c': ['invalid_fields', 'fields', 5, "Expected ',' or the end, not 'c'."],
  'fields=a(limit=3;b)': ['invalid_fields', 'fields', 11, 'The names of fields must come before the options.'],
  'fields=a(after=x)': ['invalid_fields', 'fields', 3, "'after' cannot be used inside a selection."],
  'fields=a(b;before=x)': ['invalid_fields', 'fields', 5, "'before' cannot be used inside a selection."],
  'fields=a(fields=b)': ['invalid_fields', 'fields', 3, "'fields' cannot be used inside a selection."],
  'fields=a(limit=1;take=2)': ['invalid_page', 'fields', 16, "The page's size is given twice."],
  'fields=a(sort=b;format=csv)': ['invalid_fields', 'fields', 10, "'format' cannot be used inside a selection."],
  'fields=a(sort=b up)': ['invalid_sort', 'fields', 10, /^Expected one of/],
  'fields=a(where=b)': ['invalid_filter', 'fields', 10, "Expected an operator, not ')'."],
  'fields=a(b="1)': ['invalid_filter', 'fields', 5, 'The quote is not closed.'],
  'fields=a(b="1"2)': [
    'invalid_filter', 'fields', 8, "Expected the end of the value after its closing quote, not '2'."
  ],
  'fields=a(where=(b=1)c)': ['invalid_filter', 'fields', 14, "Expected ';' or ')', not 'c'."],
  'fields=a(b=*(1)2)': ['invalid_filter', 'fields', 9, "Expected ';' or ')', not '2'."],
  'fields=a(b(c(d(e(f(g))))))': [
    'invalid_fields', 'fields', 13, "Selections can be nested at most 5 deep (limit 'depth')."
  ]
})

// Limits

const times = (count: number, text: string) => Array.from({ length: count }, () => text)

refuses({
  [times(101, 'a=1').join('&')]: [
    'invalid_filter', 'a', 1, "A request can have at most 100 comparisons (limit 'terms')."
  ],
  [`where=(${times(101, 'a=1').join(',')})`]: [
    'invalid_filter', 'where', 402, "A request can have at most 100 comparisons (limit 'terms')."
  ],
  [`fields=${times(2, `a(${times(51, 'b=1').join(';')})`).join(',')}`]: [
    'invalid_filter', 'fields', 406, "A request can have at most 100 comparisons (limit 'terms')."
  ],
  [`id=*${times(1001, '1').join(',')}`]: [
    'invalid_filter', 'id', 2005, "A list can have at most 1000 values (limit 'listLength')."
  ],
  [`fields=${times(201, 'a').join(',')}`]: [
    'invalid_fields', 'fields', 401, "A request can name at most 200 fields (limit 'fields')."
  ],
  [`fields=${times(101, 'a(b)').join(',')}`]: [
    'invalid_fields', 'fields', 501, "A request can name at most 200 fields (limit 'fields')."
  ],
  [`sort=${times(11, 'a').join(',')}`]: [
    'invalid_sort', 'sort', 1, "A sort order can have at most 10 terms (limit 'sortTerms')."
  ]
})

refuses({
  'where=((a=1))': ['invalid_filter', 'where', 2, "Groups can be nested at most 1 deep (limit 'depth')."],
  'fields=a(b(c))': ['invalid_fields', 'fields', 5, "Selections can be nested at most 1 deep (limit 'depth')."],
  'a.b=1': ['invalid_filter', 'a.b', 1, "A path in a filter can have at most 1 names (limit 'depth')."],
  'a=1&b=*1,2,3': ['invalid_filter', 'b', 8, "A list can have at most 2 values (limit 'listLength')."],
  'a=*1,2&b=*3,4': [
    'invalid_filter', 'b', 6,
    "The lists of a request can have at most 3 values together (limit 'listValues')."
  ],
  'a=1&b=1&c=1': ['invalid_filter', 'c', 1, "A request can have at most 2 comparisons (limit 'terms')."]
}, { limits: { depth: 1, listLength: 2, listValues: 3, terms: 2 } })

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
        fields: [
          { at: at('fields', 5) }
        ],
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

test('a query that repeats is parsed once, if it has at most 5,000 characters', async t => {
  const syntax = compileSyntax({})
  const read = (text: string) => readQuery(text, syntax)
  const [long, longer] = [5000, 5001].map(length => `name=${'x'.repeat(length - 5)}`) as [string, string]
  t.equal(read(long), read(long))
  t.not(read(longer), read(longer))
})

test('the queries that are remembered have at most 150,000 characters together', async t => {
  const syntax = compileSyntax({})
  const read = (text: string) => readQuery(text, syntax)
  const texts = Array.from({ length: 31 }, (_, index) => `name=${index}`.padEnd(5000, 'x'))
  const parsed = texts.map(read)
  for (const [index, isKept] of [[30, true], [1, true], [0, false]] as const) {
    t.equal(read(texts[index] ?? '') === parsed[index], isKept, `text ${index}`)
  }
})
