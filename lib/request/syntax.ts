import type { QueryStringOptions } from '../../schemas/query-string.ts'
import { DeclarationError } from '../errors.ts'
import type { Operator } from '../model/values.ts'

/** What a parameter is for. */
export type ParameterKind = 'where' | 'sort' | 'fields' | 'page' | 'size' | 'offset' | 'after' | 'before'

type Spellings<K extends string> = { readonly [kind in K]: readonly string[] }

/** How query strings are written, compiled: what each name and character means. */
export interface Syntax {
  readonly parameters: ReadonlyMap<string, ParameterKind>
  /** Every spelling with its operator, the longest first, so that the first that matches is the longest. */
  readonly operators: ReadonlyArray<readonly [spelling: string, operator: Operator]>
  readonly list: ReadonlySet<string>
  readonly sort: ReadonlySet<string>
  readonly direction: ReadonlySet<string>
  readonly fields: ReadonlySet<string>
  /** Whether the word means descending. */
  readonly directions: ReadonlyMap<string, boolean>
  readonly fieldParameters: boolean
  readonly dictionaryPrefix: string
  readonly limits: Readonly<Required<NonNullable<QueryStringOptions['limits']>>>
}

const parameterDefaults: Spellings<ParameterKind> = {
  where: ['where', 'filter'],
  sort: ['sort', 'order', 'orderby'],
  fields: ['fields', 'select'],
  page: ['page'],
  size: ['size', 'limit', 'take'],
  offset: ['offset', 'skip'],
  after: ['after'],
  before: ['before']
}

/** The operators' spellings where nothing else is configured (docs/http.md: Query strings). */
export const operatorDefaults: Spellings<Operator> = {
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
}

const delimiterDefaults: Spellings<'list' | 'sort' | 'direction' | 'fields'> = { list: [',', ';'], sort: [',', ';'], direction: [' ', '+'], fields: [',', ';', '+', ' '] }
const directionDefaults: Spellings<'ascending' | 'descending'> = { ascending: ['asc', 'ascending'], descending: ['desc', 'descending'] }
const limitDefaults = { depth: 5, terms: 100, listLength: 1000, fields: 200, sortTerms: 10, items: 10_000_000 }

/** Compiles the options. Throws a DeclarationError where two things could not be told apart in a query string. */
export function compileSyntax ({ operators: spellings, delimiters: split, directions: words, limits, fieldParameters, dictionaryPrefix, ...names }: QueryStringOptions): Syntax {
  const parameters = byName('', { ...parameterDefaults, ...given(names) })
  for (const [name, kind] of parameters) checkParameter(name, kind)
  const operators = byName('operators.', { ...operatorDefaults, ...given(spellings) })
  for (const [spelling, operator] of operators) checkOperator(spelling, operator)
  const delimiters = { ...delimiterDefaults, ...given(split) }
  const directions = byName('directions.', { ...directionDefaults, ...given(words) })
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
    limits: { ...limitDefaults, ...given(limits) }
  }
}

/** The names that no field may have, because a parameter of that name means something else. */
export function reservedNames ({ parameters, fieldParameters }: Syntax): ReadonlyMap<string, string> {
  const reserved = new Map([['__proto__', 'it has a special meaning in JavaScript']])
  if (!fieldParameters) return reserved
  for (const [name, kind] of parameters) reserved.set(name, `a query parameter has this name; rename the field, or rename the parameter with the option 'queryString.${kind}'`)
  return reserved
}

/** The first name of a kind: the one that links use. */
export function parameterOf (kind: ParameterKind, { parameters }: Syntax): string {
  for (const [name, of] of parameters) if (of === kind) return name
  return kind
}

/** Whether a character may be part of a name. What ASCII does not know is never an operator. */
export function isNameCharacter (character: string | undefined): boolean {
  return character !== undefined && (/[A-Za-z0-9_.-]/.test(character) || character >= '\u0080')
}

/** How many characters of a name stand at the position. */
export function nameEnd (text: string, start: number): number {
  let end = start
  while (isNameCharacter(text[end])) end++
  return end
}

/** The longest operator at the position. */
export function operatorAt (text: string, position: number, { operators }: Syntax): readonly [spelling: string, operator: Operator] | undefined {
  return operators.find(([spelling]) => text.startsWith(spelling, position))
}

/** A member that is there but undefined would hide its default: a limit would be none. */
function given<T extends object> (options: T | undefined): Partial<T> {
  return Object.fromEntries(Object.entries(options ?? {}).filter(([, value]) => value !== undefined)) as Partial<T>
}

function byName<K extends string> (path: string, spellings: Spellings<K>): ReadonlyMap<string, K> {
  const kinds = new Map<string, K>()
  for (const kind of Object.keys(spellings) as K[]) {
    for (const name of spellings[kind]) {
      const other = kinds.get(name)
      if (other !== undefined && other !== kind) throw new DeclarationError(`option 'queryString.${path}${kind}': '${name}' already means '${other}'`)
      kinds.set(name, kind)
    }
  }
  return kinds
}

function checkParameter (name: string, kind: ParameterKind): void {
  if (name === '' || /[=&]/.test(name)) throw new DeclarationError(`option 'queryString.${kind}': '${name}' is not a valid name; a name has at least one character and contains neither '=' nor '&'`)
}

function checkOperator (spelling: string, operator: Operator): void {
  const option = `option 'queryString.operators.${operator}'`
  if (spelling === '') throw new DeclarationError(`${option}: an operator must have at least one character`)
  if (isNameCharacter(spelling[0])) throw new DeclarationError(`${option}: '${spelling}' begins with a character that names of fields may contain, so it could not be separated from them`)
  if (/["&#(),;]/.test(spelling)) throw new DeclarationError(`${option}: '${spelling}' contains a character that quotes values, groups filters or ends parameters`)
}

function characters (name: string, given: readonly string[], taken: ReadonlySet<string> = new Set()): ReadonlySet<string> {
  for (const character of given) {
    if (character.length !== 1 || isNameCharacter(character) || '"()&'.includes(character)) throw new DeclarationError(`option 'queryString.delimiters.${name}': '${character}' must be a single character that is not part of names and is not a quote, a parenthesis or '&'`)
    if (taken.has(character)) throw new DeclarationError(`option 'queryString.delimiters.${name}': '${character}' already separates the terms of a sort order`)
  }
  return new Set(given)
}
