import { filters, refuses } from '../helpers/query-tables.ts'

// docs/http.md: Query strings. The grammar of a filter.

filters({
  'age=5': ['age', 'equals', '5'],
  'age==5': ['age', 'equals', '5'],
  'age!==5': ['age', 'not_equals', '5'],
  'age<>5': ['age', 'not_equals', '5'],
  'age%3E=5': ['age', 'at_least', '5'],
  'age%3E%3D5': ['age', 'at_least', '5'],
  'age<=-5': ['age', 'at_most', '-5'],
  'name^=A': ['name', 'starts_with', 'A'],
  'name^~=a': ['name', 'starts_with_ignoring_case', 'a'],
  'artist.label.name~=x': ['artist.label.name', 'equals_ignoring_case', 'x'],
  'größe😀=1': ['größe😀', 'equals', '1'],
  'name=': ['name', 'equals', ''],
  'name=a+b%2Bc': ['name', 'equals', 'a b+c'],
  'name=%2520': ['name', 'equals', '%20'],
  'name=a%26b=c': ['name', 'equals', 'a&b=c'],
  'name= a ': ['name', 'equals', ' a '],
  'name=(a|b,c);d)': ['name', 'equals', '(a|b,c);d)'],
  'name=a"b': ['name', 'equals', 'a"b'],
  'name=null': ['name', 'equals', 'null'],
  'name="null"': ['name', 'equals', ['null']],
  'name="*x"': ['name', 'equals', ['*x']],
  'name=""': ['name', 'equals', ['']],
  'name="a\\"b\\\\c\\d\\n"': ['name', 'equals', ['a"b\\c\\d\\n']],
  'name="\\\\"': ['name', 'equals', ['\\']],
  'name="a b|c)"': ['name', 'equals', ['a b|c)']]
})

// Lists

filters({
  'id=*1,2;3': ['id', 'in', '1', '2', '3'],
  'id!=*1': ['id', 'not_in', '1'],
  'id=*': ['id', 'in'],
  'id=*,': ['id', 'in', '', ''],
  'id=*""': ['id', 'in', ['']],
  'id=*"a,b",c;"d\\""': ['id', 'in', ['a,b'], 'c', ['d"']],
  'id=*a"b,c"': ['id', 'in', 'a"b', 'c"'],
  'id=*(1),(2)': ['id', 'in', '(1)', '(2)'],
  'where=(id=*(1,2;3))': { all: [['id', 'in', '1', '2', '3']] },
  'where=(id=*()|a=1)': { any: [['id', 'in'], ['a', 'equals', '1']] },
  'where=(id=*,a=1)': { all: [['id', 'in'], ['a', 'equals', '1']] },
  'where=(id=*1;2,a=1)': { all: [['id', 'in', '1', '2'], ['a', 'equals', '1']] },
  'where=(id=*("a)",b"c,d|e))': { all: [['id', 'in', ['a)'], 'b"c', 'd|e']] }
})

// Groups

filters({
  'where=(age<5|age>60)': { any: [['age', 'less', '5'], ['age', 'greater', '60']] },
  'where=!(genre=rock,year<1990)': { not: { all: [['genre', 'equals', 'rock'], ['year', 'less', '1990']] } },
  'where=(a=1)': { all: [['a', 'equals', '1']] },
  'where=((a=1,b=2)|!(c=3|d=4))': {
    any: [
      { all: [['a', 'equals', '1'], ['b', 'equals', '2']] },
      { not: { any: [['c', 'equals', '3'], ['d', 'equals', '4']] } }
    ]
  },
  'where=!(!(a=1))': { not: { all: [{ not: { all: [['a', 'equals', '1']] } }] } },
  'where=(a=|b=x"y|c="1,2|3)")': { any: [['a', 'equals', ''], ['b', 'equals', 'x"y'], ['c', 'equals', ['1,2|3)']]] },
  'where=(a=(b;c)': { all: [['a', 'equals', '(b;c']] },
  'where=!()': { not: { all: [] } },
  'moons(name=Io,radius>5)': { some: 'moons', of: { all: [['name', 'equals', 'Io'], ['radius', 'greater', '5']] } },
  'where=a.b(x=1|y=2)': { some: 'a.b', of: { any: [['x', 'equals', '1'], ['y', 'equals', '2']] } },
  'where=!(moons()|a(b(c=*(1,2))))': {
    not: {
      any: [
        { some: 'moons', of: { all: [] } },
        { some: 'a', of: { all: [{ some: 'b', of: { all: [['c', 'in', '1', '2']] } }] } }
      ]
    }
  },
  'where=(((((a=1)))))': { all: [{ all: [{ all: [{ all: [{ all: [['a', 'equals', '1']] }] }] }] }] }
})

refuses({
  'name="a': ['invalid_filter', 'name', 6, 'The quote is not closed.'],
  'name="': ['invalid_filter', 'name', 6, 'The quote is not closed.'],
  'name="a\\"': ['invalid_filter', 'name', 6, 'The quote is not closed.'],
  'name="a\\\\\\"': ['invalid_filter', 'name', 6, 'The quote is not closed.'],
  'where=name="a"b': ['invalid_filter', 'where', 9, "Expected the end of the value after its closing quote, not 'b'."],
  'name="a"%F0%9F%98%80': [
    'invalid_filter', 'name', 9, "Expected the end of the value after its closing quote, not '😀'."
  ],
  'where=%F0%9F%98%80=""x': [
    'invalid_filter', 'where', 6, "Expected the end of the value after its closing quote, not 'x'."
  ],
  'name="a",b': ['invalid_filter', 'name', 9, "Expected the end of the value after its closing quote, not ','."],
  'id=*1,"2"3': ['invalid_filter', 'id', 10, "Expected the end of the value after its closing quote, not '3'."],
  'id=*1,"2': ['invalid_filter', 'id', 7, 'The quote is not closed.'],
  'a..b=1': ['invalid_filter', 'a..b', 2, "A '.' must be between two names."],
  'where=.a=1': ['invalid_filter', 'where', 1, "A '.' must be between two names."],
  'where=(x=1,a.=1)': ['invalid_filter', 'where', 7, "A '.' must be between two names."],
  'where=a:1': ['invalid_filter', 'where', 2, "Expected an operator, not ':'."],
  'where=!a=1': ['invalid_filter', 'where', 1, "Expected a field's name, not '!'."],
  'where=(a=1,b=2|c=3)': [
    'invalid_filter', 'where', 9, "A group cannot mix ',' (and) with '|' (or); put one of them in its own parentheses."
  ],
  'where=(a=1|(b=2)|c=3,d=4)': ['invalid_filter', 'where', 15, /^A group cannot mix/],
  'where=(a=1': ['invalid_filter', 'where', 5, "Expected ',', '|' or ')', but the text ends here."],
  'where=((a=1)': ['invalid_filter', 'where', 7, "Expected ',', '|' or ')', but the text ends here."],
  'where=(a=1)b': ['invalid_filter', 'where', 6, "Expected the end of the filter, not 'b'."],
  'where=(a="1"b)': ['invalid_filter', 'where', 7, "Expected the end of the value after its closing quote, not 'b'."],
  'where=((a=1)b)': ['invalid_filter', 'where', 7, "Expected ',', '|' or ')', not 'b'."],
  'where=()': ['invalid_filter', 'where', 2, "Expected a field's name, not ')'."],
  'where=(a=1,)': ['invalid_filter', 'where', 6, "Expected a field's name, not ')'."],
  'where=(': ['invalid_filter', 'where', 2, "Expected a field's name, but the text ends here."],
  'where=(id=*1,2)': ['invalid_filter', 'where', 9, "Expected an operator, not ')'."],
  'where=(id=*(1,2': ['invalid_filter', 'where', 6, 'The parenthesis is not closed.'],
  'where=(id=*(1,2)3)': ['invalid_filter', 'where', 11, "Expected ',', '|' or ')', not '3'."],
  'where=moons(a=1)b': ['invalid_filter', 'where', 11, "Expected the end of the filter, not 'b'."],
  'where=moons(a=1': ['invalid_filter', 'where', 10, "Expected ',', '|' or ')', but the text ends here."],
  'where=moons.(a=1)': ['invalid_filter', 'where', 6, "A '.' must be between two names."],
  'where=!(': ['invalid_filter', 'where', 3, "Expected a field's name, but the text ends here."],
  'where=a.b.c(d.e(f(g=1)))': ['invalid_filter', 'where', 12, "Groups can be nested at most 5 deep (limit 'depth')."],
  'where=((((((a=1))))))': ['invalid_filter', 'where', 6, "Groups can be nested at most 5 deep (limit 'depth')."],
  'a.b.c.d.e.f=1': ['invalid_filter', 'a.b.c.d.e.f', 1, "A path in a filter can have at most 5 names (limit 'depth')."]
})
