import { calls, callsIn } from '../../clients/client/groups.ts'
import { invalidFields, invalidPage, invalidParameter, invalidSort } from '../../core/errors/errors.ts'
import { didYouMean, suggest } from '../../core/errors/suggest.ts'
import { type Collection, isRelation } from '../../core/model/model.ts'
import { memoize } from '../../core/scheduling/memoize.ts'
import { findReadable } from '../../core/plan/field-path.ts'
import type { FieldAsked, PageAsked, Query, SortTerm } from '../../core/request/request.ts'
import { filtersOf, givenValue, isMembers, type Members, placeOf } from './where.ts'

/**
 * Returns the query that own code gives as an object, in the form in which a query string is parsed (docs/own-code.md:
 * Queries). `known`: the members that the call takes. Throws invalid_filter, invalid_sort, invalid_fields,
 * invalid_page, or invalid_parameter for an unknown member.
 */
export function queryOf (asked: unknown, collection: Collection, known: readonly string[]): Query {
  checkMembers(asked, known)
  return partsOf(defined(asked), collection, '')
}

/** Throws invalid_parameter for what is no query of these members. */
export function checkMembers (asked: unknown, known: readonly string[]): asserts asked is Members {
  if (!isMembers(asked)) throw invalidParameter('The query must be an object.', placeOf('query'))
  for (const name of Object.keys(defined(asked))) {
    if (known.includes(name)) continue
    const near = suggest(name, known)
    throw invalidParameter(`A query has no member '${name}'.${didYouMean(near)}`, placeOf(name), near)
  }
}

/** The members of the query of a list. */
export const listMembers: readonly string[] =
  ['where', 'sort', 'fields', 'page', 'size', 'offset', 'limit', 'after', 'before', 'count']

/** The members of a query of groups. */
export const groupMembers: readonly string[] = [
  'by', 'count', 'count_distinct', 'sum', 'avg', 'min', 'max', 'where', 'having', 'sort', 'page', 'size', 'offset',
  'limit'
]

/** Returns the parts of a query. `path`: the path of a relation in a selection, with a dot; empty for the query. */
function partsOf (query: Members, collection: Collection, path: string): Query {
  const { where, sort, fields } = query
  const at = (name: string) => placeOf(path + name)
  const page = pageOf(query, path)
  const paged = Object.keys(page)[0]
  return {
    filters: where === undefined ? [] : filtersOf(where, collection, `${path}where`),
    sort: sort === undefined ? undefined : [sort].flat().map(term => termOf(term, `${path}sort`)),
    fields: fields === undefined ? allScalars(collection) : fieldsOf(fields, collection, `${path}fields`),
    page,
    at: {
      ...where !== undefined && { filter: at('where') },
      ...sort !== undefined && { sort: at('sort') },
      ...fields !== undefined && { fields: at('fields') },
      ...paged !== undefined && { page: at(paged) }
    }
  }
}

/** Returns the selection of a query without one: all scalars that may be read, but those flagged `hidden`. */
const allScalars = memoize(({ fields }: Collection): readonly FieldAsked[] => [...fields.values()]
  .filter(({ kind, readable, hidden }) => readable && !hidden && kind !== 'sub-item' && kind !== 'sub-collection')
  .map(({ name }) => ({ name, at: placeOf('fields') })))

function termOf (term: unknown, parameter: string): SortTerm {
  const at = placeOf(parameter)
  if (typeof term !== 'string') throw invalidSort(`'${parameter}' takes names of fields.`, at)
  const by = (path: string, descending: boolean) => ({ path: path.split('.'), descending, at })
  if (term.startsWith('-')) return by(term.slice(1), true)
  if (term.endsWith(' desc')) return by(term.slice(0, -' desc'.length), true)
  return by(term.endsWith(' asc') ? term.slice(0, -' asc'.length) : term, false)
}

function fieldsOf (fields: unknown, collection: Collection, parameter: string): readonly FieldAsked[] {
  const at = placeOf(parameter)
  const isList = Array.isArray(fields) && fields.length > 0
  if (!isList) throw invalidFields(`'${parameter}' must be an array of names; it must not be empty.`, at)
  return fields.flatMap((field: unknown): readonly FieldAsked[] => {
    if (typeof field === 'string') return [plainField(field, collection, parameter)]
    if (!isMembers(field)) throw invalidFields(`'${parameter}' takes names and objects of relations.`, at)
    return Object.entries(field).flatMap(([name, query]) =>
      functionsOf(name, query, parameter) ?? nestedField(name, query, collection, parameter))
  })
}

/** Returns a field that is selected by its name: a relation shows the scalars of its items. */
function plainField (name: string, collection: Collection, parameter: string): FieldAsked {
  const field = findReadable(collection, name)
  if (field === undefined || !isRelation(field)) return { name, at: placeOf(parameter) }
  return nestedField(name, {}, collection, parameter)
}

/** Returns the functions of a relation that an object asks for; undefined for another query. */
function functionsOf (name: string, asked: unknown, parameter: string): readonly FieldAsked[] | undefined {
  const isQuery = !isMembers(asked) || Object.keys(asked).some(member => member !== 'count' && !calls.includes(member))
  const called = isQuery ? [] : callsIn(asked)
  return called.length === 0 ? undefined : called.map(call => ({ name: `${name}.${call}`, at: placeOf(parameter) }))
}

function nestedField (name: string, asked: unknown, collection: Collection, parameter: string): FieldAsked {
  const at = placeOf(parameter)
  const field = findReadable(collection, name)
  // The plan of the selection refuses what is no relation.
  if (field === undefined || !isRelation(field)) return { name, at, query: { filters: [], page: {}, at: {} } }
  const query = Array.isArray(asked) ? { fields: asked } : asked
  if (!isMembers(query)) throw invalidFields(`'${parameter}.${name}' must be an array of names or a query.`, at)
  const unknown = Object.keys(query).find(member => !nestedMembers.includes(member))
  if (unknown !== undefined) {
    const near = suggest(unknown, nestedMembers)
    throw invalidFields(`'${parameter}.${name}' has no member '${unknown}'.${didYouMean(near)}`, at, near)
  }
  return { name, at, query: partsOf(defined(query), field.target, `${parameter}.${name}.`) }
}

const nestedMembers: readonly string[] = ['fields', 'where', 'sort', 'limit', 'offset']

const defined = (query: Members): Members =>
  Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined))

function pageOf (query: Members, path: string): PageAsked {
  const { size, limit } = query
  if (size !== undefined && limit !== undefined) {
    throw invalidPage("'size' and 'limit' are the same; use one of them.", placeOf(`${path}limit`))
  }
  const given: Members = { ...query, size: size ?? limit }
  const parts = pageMembers.flatMap(name => {
    const value = given[name]
    const place = placeOf(path + (name === 'size' && limit !== undefined ? 'limit' : name))
    if (value === undefined) return []
    const isText = name === 'after' || name === 'before'
    return [[name, isText ? cursorText(value, place.parameter) : givenValue(value, place)] as const]
  })
  return Object.fromEntries(parts)
}

const pageMembers = ['page', 'size', 'offset', 'after', 'before'] as const

const cursorText = (value: unknown, parameter: string) =>
  ({ text: String(value), quoted: false, at: placeOf(parameter) })
