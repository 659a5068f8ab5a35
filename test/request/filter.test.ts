import { reads, readsAsWritten, refuses } from '../helpers/query-tables.ts'

// docs/http.md: Query strings. The grammar of a filter.

readsAsWritten(
  'age=5', 'age<=-5', 'name^=A', 'name^~=a', 'artist.label.name~=x', 'größe😀=1', 'name=', 'name=a"b', 'name=null',
  'name="null"', 'name="*x"', 'name=""', 'name="\\\\"', 'name="a b|c)"',
  // Lists
  'id!=*1', 'id=*', 'id=*""', 'id=*a"b,c"', 'where=(id=*()|a=1)',
  // Groups
  'where=(age<5|age>60)', 'where=!(genre=rock,year<1990)', 'where=(a=1)', 'where=((a=1,b=2)|!(c=3|d=4))',
  'where=!(!(a=1))', 'where=!()', 'moons(name=Io,radius>5)', 'where=!(moons()|a(b(c=*(1,2))))', 'where=(((((a=1)))))'
)

reads({
  'age==5': 'age=5',
  'age!==5': 'age!=5',
  'age<>5': 'age!=5',
  'age%3E=5': 'age>=5',
  'age%3E%3D5': 'age>=5',
  'name=a+b%2Bc': 'name=a b+c',
  'name=%2520': 'name=%20',
  'name=a%26b=c': 'name=a&b=c',
  'name= a ': 'name=" a "',
  'name=(a|b,c);d)': 'name="(a|b,c);d)"',
  'name="a\\"b\\\\c\\d\\n"': 'name="a\\"b\\\\c\\\\d\\\\n"',
  'id=*1,2;3': 'id=*1,2,3',
  'id=*,': 'id=*"",""',
  'id=*"a,b",c;"d\\""': 'id=*"a,b",c,"d\\""',
  'id=*(1),(2)': 'id=*"(1)","(2)"',
  'where=(id=*(1,2;3))': 'where=(id=*(1,2,3))',
  'where=(id=*,a=1)': 'where=(id=*(),a=1)',
  'where=(id=*1;2,a=1)': 'where=(id=*(1,2),a=1)',
  'where=(id=*("a)",b"c,d|e))': 'where=(id=*("a)",b"c,"d|e"))',
  'where=(a=|b=x"y|c="1,2|3)")': 'where=(a=""|b=x"y|c="1,2|3)")',
  'where=(a=(b;c)': 'where=(a="(b;c")',
  'where=a.b(x=1|y=2)': 'a.b(x=1|y=2)'
})

refuses('invalid_filter', {
  'name="a': ['name', 6, 'The quote is not closed.'],
  'name="': ['name', 6, 'The quote is not closed.'],
  'name="a\\"': ['name', 6, 'The quote is not closed.'],
  'name="a\\\\\\"': ['name', 6, 'The quote is not closed.'],
  'where=name="a"b': ['where', 9, "Expected the end of the value after its closing quote, not 'b'."],
  'name="a"%F0%9F%98%80': ['name', 9, "Expected the end of the value after its closing quote, not '😀'."],
  'where=%F0%9F%98%80=""x': ['where', 6, "Expected the end of the value after its closing quote, not 'x'."],
  'name="a",b': ['name', 9, "Expected the end of the value after its closing quote, not ','."],
  'id=*1,"2"3': ['id', 10, "Expected the end of the value after its closing quote, not '3'."],
  'id=*1,"2': ['id', 7, 'The quote is not closed.'],
  'a..b=1': ['a..b', 2, "A '.' must be between two names."],
  'where=.a=1': ['where', 1, "A '.' must be between two names."],
  'where=(x=1,a.=1)': ['where', 7, "A '.' must be between two names."],
  'where=a:1': ['where', 2, "Expected an operator, not ':'."],
  'where=!a=1': ['where', 1, "Expected a field's name, not '!'."],
  'where=(a=1,b=2|c=3)': [
    'where', 9, "A group cannot mix ',' (and) with '|' (or); put one of them in its own parentheses."
  ],
  'where=(a=1|(b=2)|c=3,d=4)': ['where', 15, /^A group cannot mix/],
  'where=(a=1': ['where', 5, "Expected ',', '|' or ')', but the text ends here."],
  'where=((a=1)': ['where', 7, "Expected ',', '|' or ')', but the text ends here."],
  'where=(a=1)b': ['where', 6, "Expected the end of the filter, not 'b'."],
  'where=(a="1"b)': ['where', 7, "Expected the end of the value after its closing quote, not 'b'."],
  'where=((a=1)b)': ['where', 7, "Expected ',', '|' or ')', not 'b'."],
  'where=()': ['where', 2, "Expected a field's name, not ')'."],
  'where=(a=1,)': ['where', 6, "Expected a field's name, not ')'."],
  'where=(': ['where', 2, "Expected a field's name, but the text ends here."],
  'where=(id=*1,2)': ['where', 9, "Expected an operator, not ')'."],
  'where=(id=*(1,2': ['where', 6, 'The parenthesis is not closed.'],
  'where=(id=*(1,2)3)': ['where', 11, "Expected ',', '|' or ')', not '3'."],
  'where=moons(a=1)b': ['where', 11, "Expected the end of the filter, not 'b'."],
  'where=moons(a=1': ['where', 10, "Expected ',', '|' or ')', but the text ends here."],
  'where=moons.(a=1)': ['where', 6, "A '.' must be between two names."],
  'where=!(': ['where', 3, "Expected a field's name, but the text ends here."],
  'where=a.b.c(d.e(f(g=1)))': ['where', 12, "Groups can be nested at most 5 deep (limit 'depth')."],
  'where=((((((a=1))))))': ['where', 6, "Groups can be nested at most 5 deep (limit 'depth')."],
  'a.b.c.d.e.f=1': ['a.b.c.d.e.f', 1, "A path in a filter can have at most 5 names (limit 'depth')."]
})
