import { type Operator, traitsOf } from '../model/values.ts'
import type { ComparisonFilter, FieldAsked, Filter, PageAsked, Query, SortAsked, ValueText } from './request.ts'
import { nameEnd, type ParameterKind, parameterOf, type Syntax } from './syntax.ts'

/** A part of a query without the places of its texts, as code makes it: it stands in no text of a client. */
type Unplaced<Part> = Part extends ReadonlyArray<infer One>
  ? ReadonlyArray<Unplaced<One>>
  : Part extends object ? { readonly [Name in keyof Part as Exclude<Name, 'at'>]: Unplaced<Part[Name]> } : Part

type FilterPrinted = Unplaced<Filter>
type ComparisonPrinted = Unplaced<ComparisonFilter>
type ValuePrinted = Unplaced<ValueText>
type SortPrinted = Unplaced<SortAsked>
type PagePrinted = Unplaced<PageAsked>
interface FieldPrinted { readonly name: FieldAsked['name'], readonly query?: QueryPrinted | undefined }

/** A query as it is printed: what it leaves out is not asked for. */
export interface QueryPrinted extends Partial<Unplaced<Omit<Query, 'fields'>>> {
  readonly fields?: readonly FieldPrinted[] | undefined
}

/**
 * Prints a query as a raw query string: the inverse of parseQuery(). What is parsed of it is the query again, but for
 * the places of its texts and for quotes that change no value. `syntax`: that of the resource.
 */
export const print = (query: QueryPrinted, syntax: Syntax): string =>
  printParts(query, syntax).map(encodePart).join('&')

/** Prints a query as the parts of a query string, which are not encoded yet. */
export function printParts (query: QueryPrinted, syntax: Syntax): readonly string[] {
  const { filters = [], fields, sort = [], page = {}, format } = query
  return [
    ...filters.map(filter => printPart(filter, syntax)),
    ...fields === undefined ? [] : [`${parameterOf('fields', syntax)}=${printFields(fields, syntax)}`],
    ...printSort(sort, syntax).map(terms => `${parameterOf('sort', syntax)}=${terms}`),
    ...printPage(page, syntax),
    ...format === undefined ? [] : [`${parameterOf('format', syntax)}=${format.text}`]
  ]
}

/** Encodes a part of a query; characters that URLs can show stay as they are, so that people can read them. */
export const encodePart = (text: string): string =>
  text.replaceAll(/[^\w.~!$'()*,;:@/?=^|-]+/g, encodeURIComponent).replaceAll('%20', '+')

/** Where a value stands: what ends it there. */
type Place = 'alone' | 'inside'

/** Prints a filter as a parameter: by its field where that is no parameter's name, else by `where`. */
function printPart (filter: FilterPrinted, syntax: Syntax): string {
  const text = printFilter(filter, syntax)
  const isNamed = 'path' in filter && isFree(filter.path.join('.'), syntax)
  return isNamed ? text : `${parameterOf('where', syntax)}=${text}`
}

/** Returns true for a name that a filter can begin with. */
const isFree = (name: string, { fieldParameters, parameters, ignored }: Syntax): boolean =>
  fieldParameters && !parameters.has(name) && ignored?.(name) !== true

/** Prints a filter. `place`: `inside` of parentheses, its values end earlier. */
export function printFilter (filter: FilterPrinted, syntax: Syntax, place: Place = 'alone'): string {
  switch (filter.kind) {
    case 'compare': return printComparison(filter, syntax, place)
    case 'not': return `!${printGroup(filter.of, syntax)}`
    case 'some': return filter.path.join('.') + printGroup(filter.of, syntax)
    case 'all': case 'any': return printGroup(filter, syntax)
  }
}

function printGroup (filter: FilterPrinted, syntax: Syntax): string {
  const of = filter.kind === 'all' || filter.kind === 'any' ? filter.of : [filter]
  return `(${of.map(one => printFilter(one, syntax, 'inside')).join(filter.kind === 'any' ? '|' : ',')})`
}

function printComparison ({ path, operator, values }: ComparisonPrinted, syntax: Syntax, place: Place): string {
  const spelling = spellingOf(operator, syntax)
  const start = path.join('.') + spelling
  if (!traitsOf(operator).list) return start + printValue(values[0], spelling, place, syntax)
  const list = printValues(values, syntax, spelling, place)
  return start + (place === 'alone' ? list : `(${list})`)
}

/** `before`: the text that they follow. */
export function printValues (
  values: readonly ValuePrinted[], syntax: Syntax, before = '', place: Place = 'alone'
): string {
  const [delimiter = ','] = syntax.list
  const ends = [...syntax.list].join('') + endsOf[place]
  return values.map((value, index) => printText(value, index === 0 ? before : '', ends, syntax) || '""').join(delimiter)
}

/** The characters that end a value in each place. */
const endsOf: Readonly<Record<Place, string>> = { alone: '', inside: ',;|()' }

function printValue (value: ValuePrinted | undefined, before: string, place: Place, syntax: Syntax): string {
  const text = value === undefined ? '' : printText(value, before, endsOf[place], syntax)
  return text === '' && place === 'inside' ? '""' : text
}

/** Prints a text, in quotes where it would be read otherwise without them. `ends`: the characters that end it. */
function printText ({ text, quoted }: ValuePrinted, before: string, ends: string, syntax: Syntax): string {
  const isSafe = !quoted && !/^[("=]|^\s|\s$/.test(text) && !lengthens(before, text, syntax) &&
    ![...ends].some(end => text.includes(end))
  return isSafe ? text : `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`
}

/** Returns true if a value makes another operator of the text before it, or is one itself. */
const lengthens = (before: string, text: string, { operators }: Syntax): boolean =>
  operators.some(([other]) => other.length > before.length && (before + text).startsWith(other))

/** Returns the shortest spelling of an operator. */
export function spellingOf (operator: Operator, { operators }: Syntax): string {
  const spellings = operators.flatMap(([spelling, of]) => of === operator ? [spelling] : [])
  const [shortest = '='] = spellings.toSorted((one, other) => one.length - other.length)
  return shortest
}

/** Prints an order: as one value or, where none of its delimiters can stand there, as a value for each term. */
export function printSort (terms: readonly SortPrinted[], syntax: Syntax, taken = ''): readonly string[] {
  const delimiter = [...syntax.sort].find(one => !taken.includes(one))
  const printed = terms.map(term => printTerm(term, syntax, taken))
  return delimiter === undefined || printed.length === 0 ? printed : [printed.join(delimiter)]
}

function printTerm ({ path, descending }: SortPrinted, { directions, direction }: Syntax, taken: string): string {
  const name = path.join('.')
  if (!descending) return name
  const word = [...directions].find(([, isDescending]) => isDescending)?.[0]
  const delimiter = [...direction].find(one => !taken.includes(one))
  return word === undefined || delimiter === undefined ? `-${name}` : `${name}${delimiter}${word}`
}

const pageKinds = ['page', 'offset', 'size', 'after', 'before'] as const satisfies
  ReadonlyArray<ParameterKind & keyof PageAsked>

const printPage = (page: PagePrinted, syntax: Syntax, named = parameterOf): readonly string[] =>
  pageKinds.flatMap(kind => {
    const value = page[kind]
    return value === undefined ? [] : [`${named(kind, syntax)}=${value.text}`]
  })

export function printFields (fields: readonly FieldPrinted[], syntax: Syntax): string {
  const [delimiter = ','] = syntax.fields
  return fields.map(({ name, query }) => query === undefined ? name : `${name}(${printNested(name, query, syntax)})`)
    .join(delimiter)
}

// Fixed, as in select.ts.
const optionDelimiter = ';'

function printNested (name: string, query: QueryPrinted, outer: Syntax): string {
  const { filters = [], sort = [], fields, page = {} } = query
  const syntax = outer.here?.inside(name) ?? outer
  return [
    ...fields === undefined ? [] : [printFields(fields, syntax)],
    ...filters.map(filter => printOption(filter, syntax)),
    ...printSort(sort, syntax, `${optionDelimiter})`).map(terms => `${optionOf('sort', syntax)}=${terms}`),
    ...printPage(page, syntax, optionOf)
  ].join(optionDelimiter)
}

/** Returns the name of a parameter in a selection, where it has the characters of a field's name. */
const optionOf = (kind: ParameterKind, syntax: Syntax): string => {
  const known = [...syntax.parameters].find(([name, of]) => of === kind && nameEnd(name, 0) === name.length)
  return known?.[0] ?? parameterOf(kind, syntax)
}

/** Prints a filter as an option of a selection, where the name of a relation in parentheses would be a field. */
function printOption (filter: FilterPrinted, syntax: Syntax): string {
  const text = printFilter(filter, syntax, 'inside')
  const isNamed = filter.kind === 'compare' && isFree(filter.path.join('.'), syntax)
  return isNamed ? text : `${optionOf('where', syntax)}=${text}`
}
