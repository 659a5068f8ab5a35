import { printFields, printFilter } from '../../lib/core/request/print.ts'
import type { FieldAsked, Filter, TextPlace, ValueText } from '../../lib/core/request/request.ts'
import { compileSyntax } from '../../lib/core/request/syntax.ts'
import type { Condition, Nested, Value } from './arbitrary-queries.ts'

const syntax = compileSyntax({})
const at: TextPlace = { parameter: '', position: 1 }

/** Writes a filter as text. */
export const printCondition = (condition: Condition): string => printFilter(filterOf(condition), syntax)

function filterOf (condition: Condition): Filter {
  switch (condition.kind) {
    case 'not': return { kind: 'not', of: filterOf(condition.of) }
    case 'some': return { kind: 'some', path: [condition.relation], of: filterOf(condition.of), at }
    case 'compare': {
      const { path, operator: spelling, value } = condition
      const [, operator = 'equals'] = syntax.operators.find(([text]) => text === spelling) ?? []
      return { kind: 'compare', path, operator, values: [value].flat().map(textOf), at }
    }
    default: return { kind: condition.kind, of: condition.of.map(filterOf) }
  }
}

const textOf = (value: Value | readonly Value[]): ValueText =>
  ({ text: String(value), quoted: value === 'null', at })

/** Writes the selection of pets as text, if there is one. */
export function printNested (nested: Nested | undefined): readonly string[] {
  if (nested === undefined) return []
  const { names, word, descending, limit } = nested
  const named: Condition = { kind: 'compare', path: ['name'], operator: '>=', value: word ?? '' }
  const pets: FieldAsked = {
    name: 'pets',
    at,
    query: {
      fields: names.map(name => ({ name, at })),
      filters: word === undefined ? [] : [filterOf(named)],
      sort: descending ? [{ path: ['name'], descending, at }] : undefined,
      page: limit === undefined ? {} : { size: textOf(limit) },
      at: {}
    }
  }
  return [printFields([pets], syntax)]
}

/** Ways in which clients' libraries encode a parameter. */
export const encoders: Record<string, (name: string, value: string) => string> = {
  URLSearchParams: (name, value) => new URLSearchParams({ [name]: value }).toString(),
  encodeURIComponent: (name, value) => `${name}=${encodeURIComponent(value)}`,
  'Python urlencode': (name, value) => `${name}=${encodeURIComponent(value).replaceAll('%20', '+').replace(/[!'()*]/g,
    character => `%${character.charCodeAt(0).toString(16)}`)}`,
  'WHATWG URL': (name, value) =>
    new URL(`http://h/?${name}=${value.replace(/[%+&#]/g, encodeURIComponent)}`).search.slice(1)
}
