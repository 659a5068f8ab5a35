import type { QueryStringOptions } from '../../../schemas/query-string.ts'
import { DeclarationError } from '../errors/errors.ts'
import type { Operator } from '../model/values.ts'

export type ParameterKind =
  'where' | 'sort' | 'fields' | 'page' | 'size' | 'offset' | 'after' | 'before' | 'format'

/** The spellings of each kind, the preferred one first. */
type Spellings<K extends string> = { readonly [kind in K]: readonly string[] }

/** The compiled options of query strings: the meaning of each name and character. */
export interface Syntax {
  readonly parameters: ReadonlyMap<string, ParameterKind>
  /** All spellings with their operators, sorted by length: the first that matches is the longest. */
  readonly operators: readonly SpelledOperator[]
  /** The delimiters of the values of a list. */
  readonly list: ReadonlySet<string>
  /** The delimiters of the terms of an order. */
  readonly sort: ReadonlySet<string>
  /** The delimiters of a name and its direction. */
  readonly direction: ReadonlySet<string>
  /** The delimiters of the fields of a selection. */
  readonly fields: ReadonlySet<string>
  /** The words for directions, in lower case; true means descending. */
  readonly directions: ReadonlyMap<string, boolean>
  /** True if a parameter can be a filter, such as `age>=30`. */
  readonly fieldParameters: boolean
  /** The beginning of a segment that groups items by a field. */
  readonly dictionaryPrefix: string
  readonly limits: Limits
  /** Returns true for the name of a parameter to ignore; undefined if there are none. */
  readonly ignored: ((name: string) => boolean) | undefined
  /** What the fields of a collection change; absent from the syntax of the whole API. */
  readonly here?: Here
}

/** The syntax at the URLs of one collection, whose fields take the names of parameters. */
interface Here {
  /** The syntax of the whole API. */
  readonly api: Syntax
  /** The parameters whose names are those of fields. */
  readonly yielded: ReadonlyMap<string, ParameterKind>
  /** Returns the syntax in the parentheses after the name of a relation. */
  readonly inside: (relation: string) => Syntax
}

type SpelledOperator = readonly [spelling: string, operator: Operator]

type Limits = Readonly<Required<NonNullable<QueryStringOptions['limits']>>>

/** The options that spell operators: schemas/query-string.ts, which imports nothing of lib, must have them all. */
type OperatorOptions = NonNullable<QueryStringOptions['operators']>

const parameterDefaults: Spellings<ParameterKind> = {
  where: ['where', 'filter'],
  sort: ['sort', 'order', 'orderby'],
  fields: ['fields', 'select'],
  page: ['page'],
  size: ['size', 'limit', 'take'],
  offset: ['offset', 'skip'],
  after: ['after'],
  before: ['before'],
  format: ['format']
}

/** The default spellings of operators (docs/http.md: Query strings). */
export const operatorDefaults: Spellings<keyof OperatorOptions> = {
  equals: ['=', '=='],
  not_equals: ['!=', '!==', '<>'],
  greater: ['>'],
  less: ['<'],
  at_least: ['>='],
  at_most: ['<='],
  in: ['=*'],
  not_in: ['!=*'],
  starts_with: ['^='],
  ends_with: ['$='],
  contains: ['*='],
  equals_ignoring_case: ['~='],
  starts_with_ignoring_case: ['^~='],
  ends_with_ignoring_case: ['$~='],
  contains_ignoring_case: ['*~=']
} satisfies Spellings<Operator>

const delimiterDefaults: Spellings<'list' | 'sort' | 'direction' | 'fields'> = {
  list: [',', ';'],
  sort: [',', ';'],
  direction: [' ', '+', ':'],
  fields: [',', ';', '+', ' ']
}

const directionDefaults: Spellings<'ascending' | 'descending'> = {
  ascending: ['asc', 'ascending'],
  descending: ['desc', 'descending']
}

const limitDefaults = {
  depth: 5, terms: 100, cost: 1000, listLength: 1000, listValues: 20_000, fields: 200, sortTerms: 10, items: 2_000_000
}

/**
 * Compiles the options of query strings. Throws a DeclarationError for options that make query strings ambiguous, such
 * as one spelling for two operators.
 */
export function compileSyntax (options: QueryStringOptions): Syntax {
  const {
    operators: operatorOptions, delimiters: delimiterOptions, directions: directionOptions,
    limits, fieldParameters, dictionaryPrefix, ignore = [], ...names
  } = options
  const parameters = byName('', withOwnNames({ ...parameterDefaults, ...defined(names) }))
  for (const [name, kind] of parameters) checkParameter(name, kind)
  const operators = byName('operators.', { ...operatorDefaults, ...defined(operatorOptions) })
  for (const [spelling, operator] of operators) checkOperator(spelling, operator)
  const delimiters = { ...delimiterDefaults, ...defined(delimiterOptions) }
  const directions = byName('directions.', { ...directionDefaults, ...defined(directionOptions) })
  const sort = characters('sort', delimiters.sort)
  return {
    parameters,
    operators: [...operators].toSorted(([one], [other]) => other.length - one.length),
    list: characters('list', delimiters.list),
    sort,
    direction: characters('direction', delimiters.direction, sort),
    fields: characters('fields', delimiters.fields),
    directions: new Map([...directions].map(([word, direction]) => [word.toLowerCase(), direction === 'descending'])),
    fieldParameters: fieldParameters ?? true,
    dictionaryPrefix: dictionaryPrefix ?? 'by_',
    limits: { ...limitDefaults, ...defined(limits) },
    ignored: compileIgnored(ignore, parameters)
  }
}

/**
 * Returns the syntax at the URLs of a collection: its fields take the names of parameters, which keep their others.
 * `inside`: returns the syntax in the parentheses after the name of a relation.
 */
export function yieldTo (fields: ReadonlySet<string>, api: Syntax, inside: Here['inside'] = () => api): Syntax {
  const isYielded = ([name]: readonly [string, ParameterKind]) => api.fieldParameters && fields.has(name)
  const named = [...api.parameters]
  const yielded = new Map(named.filter(isYielded))
  return { ...api, parameters: new Map(named.filter(one => !isYielded(one))), here: { api, yielded, inside } }
}

/** Returns how the parameter is written whose name is that of a field here; undefined for any other name. */
export function insteadOf (name: string, syntax: Syntax): string | undefined {
  const kind = syntax.here?.yielded.get(name)
  return kind && parameterOf(kind, syntax)
}

/** The parameters at the URLs of a collection. */
export interface NamedParameters {
  /** Returns the name of a parameter: the one that is preferred, if it is one of its names here. */
  nameOf (kind: ParameterKind, preferred?: string): string
  /** How parameters are written whose names are those of fields here. */
  readonly instead: ReadonlyMap<string, string>
}

/** Returns the parameters by their default names, at the URLs of a collection whose filters have these names. */
export function parametersBeside (filters: ReadonlySet<string>): NamedParameters {
  byDefault ??= compileSyntax({})
  const syntax = yieldTo(filters, byDefault)
  return {
    nameOf: (kind, preferred) =>
      preferred !== undefined && syntax.parameters.get(preferred) === kind ? preferred : parameterOf(kind, syntax),
    instead: new Map([...syntax.here?.yielded ?? []].map(([name, kind]) => [name, parameterOf(kind, syntax)]))
  }
}

let byDefault: Syntax | undefined

/** Throws a DeclarationError for a field, by its name on the wire, whose name is ignored. */
export function checkIgnored (fields: ReadonlySet<string>, { fieldParameters, ignored }: Syntax): void {
  if (!fieldParameters || ignored === undefined) return
  for (const field of fields) {
    if (ignored(field)) throw new DeclarationError(`option 'queryString.ignore': '${field}' is the name of a field`)
  }
}

/** Compiles names of parameters to ignore; a name that ends with `*` stands for all that begin so. */
function compileIgnored (names: readonly string[], parameters: Syntax['parameters']): Syntax['ignored'] {
  if (names.length === 0) return undefined
  const exact = new Set(names.filter(name => !name.endsWith('*')))
  const prefixes = names.filter(name => name.endsWith('*')).map(name => name.slice(0, -1))
  const ignored = (name: string) => exact.has(name) || prefixes.some(prefix => name.startsWith(prefix))
  for (const [name, kind] of parameters) {
    if (!ignored(name)) continue
    throw new DeclarationError(`option 'queryString.ignore': '${name}' is the name of the parameter '${kind}'`)
  }
  return ignored
}

/** Adds to the names of each kind one that no field can have, such as `.size`. */
const withOwnNames = (spellings: Spellings<ParameterKind>): Spellings<ParameterKind> =>
  Object.fromEntries(Object.entries(spellings).map(([kind, names]) =>
    [kind, names.length === 0 ? names : [...names, `.${kind}`]])) as unknown as Spellings<ParameterKind>

/** Returns the name that links use for a kind of parameters: the first one. */
export function parameterOf (kind: ParameterKind, { parameters }: Syntax): string {
  for (const [name, of] of parameters) if (of === kind) return name
  return kind
}

/**
 * Returns true if a character can be part of a name. Characters outside of ASCII can: operators never begin with
 * them.
 */
export function isNameCharacter (character: string | undefined): boolean {
  return character !== undefined && (/[A-Za-z0-9_.-]/.test(character) || character >= '\u0080')
}

/** Returns the index after the name that begins at `start`; `start` if there is no name. */
export function nameEnd (text: string, start: number): number {
  let end = start
  while (isNameCharacter(text[end])) end++
  return end
}

/** Returns the longest operator at the position, or undefined. */
export function operatorAt (text: string, position: number, { operators }: Syntax): SpelledOperator | undefined {
  return operators.find(([spelling]) => text.startsWith(spelling, position))
}

/** Returns the options without undefined members, which would replace their defaults: a limit would be off. */
function defined<T extends object> (options: T | undefined): Partial<T> {
  return Object.fromEntries(Object.entries(options ?? {}).filter(([, value]) => value !== undefined)) as Partial<T>
}

/** Returns the kinds by their spellings. `path` is that of the option in error messages. */
function byName<K extends string> (path: string, spellings: Spellings<K>): ReadonlyMap<string, K> {
  const kinds = new Map<string, K>()
  for (const kind of Object.keys(spellings) as K[]) {
    for (const name of spellings[kind]) {
      const other = kinds.get(name)
      if (other !== undefined && other !== kind) {
        throw new DeclarationError(`option 'queryString.${path}${kind}': '${name}' already means '${other}'`)
      }
      kinds.set(name, kind)
    }
  }
  return kinds
}

function checkParameter (name: string, kind: ParameterKind): void {
  if (name !== '' && !/[=&]/.test(name)) return
  const reason = "a name has at least one character and contains neither '=' nor '&'"
  throw new DeclarationError(`option 'queryString.${kind}': '${name}' is not a valid name; ${reason}`)
}

function checkOperator (spelling: string, operator: Operator): void {
  const option = `option 'queryString.operators.${operator}'`
  if (spelling === '') throw new DeclarationError(`${option}: an operator must have at least one character`)
  if (isNameCharacter(spelling[0])) {
    const reason = 'begins with a character that names of fields may contain, so it could not be separated from them'
    throw new DeclarationError(`${option}: '${spelling}' ${reason}`)
  }
  if (/["&#(),;]/.test(spelling)) {
    const reason = 'contains a character that quotes values, groups filters or ends parameters'
    throw new DeclarationError(`${option}: '${spelling}' ${reason}`)
  }
}

/** Returns delimiters as a set. Throws a DeclarationError for one that cannot be a delimiter or is in `taken`. */
function characters (
  name: string, delimiters: readonly string[], taken: ReadonlySet<string> = new Set()
): ReadonlySet<string> {
  for (const character of delimiters) {
    const place = `option 'queryString.delimiters.${name}': '${character}'`
    if (character.length !== 1 || isNameCharacter(character) || '"()&'.includes(character)) {
      const expected = "a single character that is not part of names and is not a quote, a parenthesis or '&'"
      throw new DeclarationError(`${place} must be ${expected}`)
    }
    if (taken.has(character)) throw new DeclarationError(`${place} already separates the terms of a sort order`)
  }
  return new Set(delimiters)
}
