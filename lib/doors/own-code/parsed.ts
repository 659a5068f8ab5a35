import { calls } from '../../clients/client/groups.ts'
import { type AnyFields, type FieldMaker, walkFields } from '../../clients/client/query.ts'
import { type FilterMaker, walkWhere } from '../../clients/client/where.ts'
import type { OperatorWord } from '../../clients/client/types/where.ts'
import type { Members } from '../../core/api/own-face.ts'
import {
  invalidFields, invalidFilter, invalidPage, invalidParameter, invalidSort
} from '../../core/errors/errors.ts'
import { isObject } from '../../core/errors/is-object.ts'
import { didYouMean, suggest } from '../../core/errors/suggest.ts'
import { type Operator, traitsOf } from '../../core/model/operators.ts'
import type {
  FieldAsked, Filter, PageAsked, Query, SortAsked, TextPlace, ValueText
} from '../../core/request/request.ts'

/** Returns true for an object that a literal makes, in contrast to an array, a Date or a value. */
const isMembers = (value: unknown): value is Members =>
  isObject(value) && !(value instanceof Date)

/** Own code has no text with a position: its errors name the member by its path. */
export const memberPlace = (parameter: string): TextPlace => ({ parameter, position: 1 })

/**
 * Returns the query that own code gives as an object, as the client takes it (docs/clients.md: The typed client), in
 * the form in which a query string is parsed. `known`: the members that the call takes. Throws invalid_filter,
 * invalid_sort, invalid_fields, invalid_page, or invalid_parameter for an unknown member.
 */
export function parsedQuery (asked: unknown, known: readonly string[]): Query {
  checkMembers(asked, known)
  return partsOf(asked, '')
}

/** Throws invalid_parameter for what is no query of these members. */
export function checkMembers (asked: unknown, known: readonly string[]): asserts asked is Members {
  if (!isMembers(asked)) throw invalidParameter('The query must be an object.', memberPlace('query'))
  for (const [name, value] of Object.entries(asked)) {
    if (value === undefined || known.includes(name)) continue
    const near = suggest(name, known)
    throw invalidParameter(`A query has no member '${name}'.${didYouMean(near)}`, memberPlace(name), near)
  }
}

/**
 * Returns the query of what a write returns: the fields that `returning` names, or all scalars. `known`: the options
 * that the write takes.
 */
export function returnedOf (options: unknown, known: readonly string[] = ['returning']): Query {
  checkMembers(options, known)
  const { returning } = options
  if (returning === undefined || returning === true) return { filters: [], page: {}, at: {} }
  const fields = selectionOf(returning, 'returning')
  return { filters: [], fields, page: {}, at: { fields: memberPlace('returning') } }
}

export const listMembers: readonly string[] =
  ['where', 'sort', 'fields', 'page', 'size', 'offset', 'limit', 'after', 'before', 'count']

export const groupMembers: readonly string[] =
  ['by', 'count', ...calls, 'where', 'having', 'sort', 'page', 'size', 'offset', 'limit']

/** Returns the parts of a query. `path`: the path of a relation in a selection, with a dot; empty for the query. */
function partsOf (query: Members, path: string): Query {
  const { where, sort, fields } = query
  const at = (name: string) => memberPlace(path + name)
  const page = pageOf(query, path)
  const paged = Object.keys(page)[0]
  return {
    filters: where === undefined ? [] : walkWhere(where, filters, `${path}where`),
    sort: sort === undefined ? undefined : [sort].flat().map(term => termOf(term, `${path}sort`)),
    fields: fields === undefined ? undefined : selectionOf(fields, `${path}fields`),
    page,
    at: {
      ...where !== undefined && { filter: at('where') },
      ...sort !== undefined && { sort: at('sort') },
      ...fields !== undefined && { fields: at('fields') },
      ...paged !== undefined && { page: at(paged) }
    }
  }
}

const all = (of: readonly Filter[]): Filter => of.length === 1 && of[0] !== undefined ? of[0] : { kind: 'all', of }

const filters: FilterMaker<Filter> = {
  compare (name, word, operand, at) {
    const operator = operatorNamed[word]
    const { list } = traitsOf(operator)
    const place = memberPlace(at)
    if (list === Array.isArray(operand)) return compare(name, operator, [operand].flat(), place)
    throw invalidFilter(`'${at}' takes ${list ? 'an array of values' : 'a single value'}.`, place)
  },
  some: (name, of, at) => ({ kind: 'some', path: name.split('.'), of: all(of), at: memberPlace(at) }),
  not: of => ({ kind: 'not', of: all(of) }),
  any: members => [{ kind: 'any', of: members.map(all) }],
  fault: (at, found) => found === undefined
    ? invalidFilter(`'${at}' is undefined; leave it out, or use null for no value.`, memberPlace(at))
    : invalidFilter(`'${at}' must be an object.`, memberPlace(at))
}

const compare = (name: string, operator: Operator, values: readonly unknown[], at: TextPlace): Filter =>
  ({ kind: 'compare', path: name.split('.'), operator, values: values.map(one => givenValue(one, at)), at })

/** Returns a value as a plan takes it, with its text for messages. */
const givenValue = (value: unknown, at: TextPlace): ValueText =>
  ({ text: String(value), quoted: true, at, given: { value } })

/** The words of the client for operators. */
export const operatorWords = {
  equals: 'eq',
  not_equals: 'ne',
  greater: 'gt',
  less: 'lt',
  at_least: 'gte',
  at_most: 'lte',
  in: 'in',
  not_in: 'notIn',
  starts_with: 'startsWith',
  ends_with: 'endsWith',
  contains: 'contains',
  equals_ignoring_case: 'eqIgnoreCase',
  starts_with_ignoring_case: 'startsWithIgnoreCase',
  ends_with_ignoring_case: 'endsWithIgnoreCase',
  contains_ignoring_case: 'containsIgnoreCase'
} as const satisfies Record<Operator, OperatorWord>

const operatorNamed = Object.fromEntries(
  Object.entries(operatorWords).map(([operator, word]) => [word, operator])
) as Readonly<Record<OperatorWord, Operator>>

function termOf (term: unknown, parameter: string): SortAsked {
  const at = memberPlace(parameter)
  if (typeof term !== 'string') throw invalidSort(`'${parameter}' takes names of fields.`, at)
  const by = (path: string, descending: boolean) => ({ path: path.split('.'), descending, at })
  if (term.startsWith('-')) return by(term.slice(1), true)
  if (term.endsWith(' desc')) return by(term.slice(0, -' desc'.length), true)
  return by(term.endsWith(' asc') ? term.slice(0, -' asc'.length) : term, false)
}

function selectionOf (fields: unknown, parameter: string): readonly FieldAsked[] {
  const at = memberPlace(parameter)
  const isList = Array.isArray(fields) && fields.length > 0
  if (!isList) throw invalidFields(`'${parameter}' must be an array of names; it must not be empty.`, at)
  const isField = (one: unknown) => typeof one === 'string' || isMembers(one)
  if (!fields.every(isField)) throw invalidFields(`'${parameter}' takes names and objects of relations.`, at)
  const make: FieldMaker<FieldAsked> = {
    named (name, query) {
      if (query !== undefined) checkNested(query, functions, `${parameter}.${name.split('.')[0] ?? ''}`)
      return { name, at }
    },
    nested (name, query) {
      const path = `${parameter}.${name}`
      checkNested(query, nestedMembers, path)
      return { name, at, query: partsOf(query, `${path}.`) }
    }
  }
  return walkFields(fields as AnyFields, make)
}

const nestedMembers: readonly string[] = ['fields', 'where', 'sort', 'limit', 'offset']
const functions: readonly string[] = ['count', ...calls]

/** Throws invalid_fields for what is no query of a relation with these members. */
function checkNested (query: unknown, known: readonly string[], path: string): asserts query is Members {
  const at = memberPlace(path.slice(0, path.lastIndexOf('.')))
  if (!isMembers(query)) throw invalidFields(`'${path}' must be an array of names or a query.`, at)
  const unknown = Object.keys(query).find(member => !known.includes(member) && query[member] !== undefined)
  if (unknown === undefined) return
  const near = suggest(unknown, known)
  throw invalidFields(`'${path}' has no member '${unknown}'.${didYouMean(near)}`, at, near)
}

function pageOf (query: Members, path: string): PageAsked {
  const { size, limit } = query
  if (size !== undefined && limit !== undefined) {
    throw invalidPage("'size' and 'limit' are the same; use one of them.", memberPlace(`${path}limit`))
  }
  const given: Members = { ...query, size: size ?? limit }
  const parts = pageMembers.flatMap(name => {
    const value = given[name]
    const place = memberPlace(path + (name === 'size' && limit !== undefined ? 'limit' : name))
    if (value === undefined) return []
    const isCursor = name === 'after' || name === 'before'
    return [[name, isCursor ? { text: String(value), quoted: false, at: place } : givenValue(value, place)] as const]
  })
  return Object.fromEntries(parts)
}

const pageMembers = ['page', 'size', 'offset', 'after', 'before'] as const
