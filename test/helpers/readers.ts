import { DataApiError } from '../../lib/core/errors/errors.ts'
import { parsePath } from '../../lib/core/request/path.ts'
import { parsePrefer } from '../../lib/core/request/parse.ts'
import { keptParameters, parseQuery } from '../../lib/core/request/query.ts'
import { compileSyntax } from '../../lib/core/request/syntax.ts'

const generous = compileSyntax({
  limits: { depth: 100, terms: 1e6, listLength: 1e6, listValues: 1e6, fields: 1e6, sortTerms: 1e6 }
})
const queries: Record<string, (length: number) => string> = {
  'one name': n => 'a'.repeat(n),
  'one value': n => `a=${'b'.repeat(n)}`,
  'many parameters': n => 'a=1&'.repeat(n / 4),
  'nothing but delimiters': n => '&'.repeat(n),
  'percent signs': n => `a=${'%25'.repeat(n / 3)}`,
  'a dotted name': n => `${'a.'.repeat(n / 2)}a=1`,
  'a list': n => `a=*${'1,'.repeat(n / 2)}`,
  'a quoted list': n => `a=*${'"1",'.repeat(n / 4)}`,
  quotes: n => `a=*${'"'.repeat(n)}`,
  'an unclosed quote': n => `a=*"${'",'.repeat(n / 2)}`,
  backslashes: n => `a="${'\\'.repeat(n)}`,
  escapes: n => `a="${'\\"'.repeat(n / 2)}"`,
  'a wide group': n => `where=(${'a=1|'.repeat(n / 4)}a=1)`,
  'groups in a group': n => `where=(${'!(a=1),'.repeat(n / 7)}a=1)`,
  'a deep group': n => `where=${'(a=1,'.repeat(99)}(${'a=1,'.repeat(n / 4)}a=1${')'.repeat(100)}`,
  'open groups': n => `where=${'('.repeat(n)}`,
  'equals signs': n => `a${'='.repeat(n)}`,
  'an order': n => `sort=${'a desc,'.repeat(n / 7)}a`,
  'an order of spaces': n => `sort=a${' '.repeat(n)}!`,
  'a selection': n => `fields=${'a,'.repeat(n / 2)}`,
  'a selection of delimiters': n => `fields=${';+,'.repeat(n / 3)}`,
  'wide nested selections': n => `fields=${'a(b),'.repeat(n / 5)}`,
  'a deep selection': n => `fields=${'a('.repeat(100)}${'b,'.repeat(n / 2)}${')'.repeat(100)}`,
  'open selections': n => `fields=${'a('.repeat(n / 2)}`,
  options: n => `fields=a(${'b=1;'.repeat(n / 4)})`,
  'parentheses in an option': n => `fields=a(b=${'('.repeat(n)}`,
  'lists in options': n => `fields=a(${'b=*(1,2);'.repeat(n / 9)})`
}

/** The readers of text, each with a text of the given length whose characters are of one kind. */
export const readers: Record<string, (text: string) => unknown> = {
  ...Object.fromEntries(Object.entries(queries).map(([name, make]) =>
    [`a query of ${name}`, (text: string) => refused(() => parseQuery(make(text.length), generous))])),
  'kept parameters': text => keptParameters(text.replaceAll('x', 'a&'), generous),
  'a path of slashes': text => parsePath(text.replaceAll('x', '/')),
  'a path of escapes': text => parsePath(`/${text.replaceAll('x', '%2F')}`),
  'an absolute URL': text => parsePath(`${text}://${text}`),
  preferences: text => parsePrefer(text.replaceAll('x', 'a=1,')),
  'preferences of quotes': text => parsePrefer(text.replaceAll('x', '"\\')),
  'a preference of backslashes': text => parsePrefer(`a="${text.replaceAll('x', '\\\\')}`)
}

function refused (read: () => unknown): void {
  try {
    read()
  } catch (error) {
    if (!(error instanceof DataApiError)) throw error
  }
}
