import type { Collection, DataField } from '../model/model.ts'
import { filterableFields } from '../openapi/filters.ts'
import { syntaxOf } from '../plan/path/syntax.ts'
import type { Syntax } from '../request/syntax.ts'
import { choicesOf } from './choices.ts'
import { type Html, html } from './html.ts'
import { namingField } from './label.ts'
import { pathTo, type Place, rootPathTo } from './place.ts'
import { queryOf, spellingOf, withFilter, withParameter } from './rewrite.ts'

/**
 * Returns the attributes by which the script knows what a filter's value can be completed with: the values of the field
 * if they are few, or a URL of the API that lists those which begin with a text; `{}` stands for that text.
 */
export function valueOffers (path: string, field: DataField, place: Place): Html | undefined {
  const choices = choicesOf(field)
  if (choices !== undefined) return html` data-values="${JSON.stringify(choices)}"`
  if (!field.type.operators.has(beginning)) return undefined
  const names = path.split('.')
  const selection = names.join('(') + ')'.repeat(names.length - 1)
  return html` data-from="${pathTo(place)}${listing(path, selection, place.syntax)}"`
}

/** The suggestions for a field that refers to an item: a URL that lists items by the beginning of their name. */
export function itemOffers (target: Collection, place: Place): Html | undefined {
  const fields = searchFields(target)
  if (fields === undefined || !mayList(target, place)) return undefined
  const syntax = syntaxOf(target, place.syntax)
  const [delimiter = ','] = syntax.fields
  const selection = fields.map(({ name }) => name).join(delimiter)
  const query = listing(fields.at(-1)?.name ?? '', selection, syntax)
  return html` data-from="${rootPathTo(place, [[target.name]])}${query}"`
}

const beginning = 'starts_with_ignoring_case'

function listing (path: string, selection: string, syntax: Syntax): string {
  const filter = withFilter([], `${path}${spellingOf(beginning, syntax)}"{}"`, syntax)
  const fields = withParameter([], 'fields', selection, syntax)
  return queryOf([...filter, ...fields, ...withParameter([], 'size', '10', syntax)])
}

/**
 * Returns the fields that a search for an item shows: those that identify it, if its name does not, and its name.
 * Undefined for a collection whose items have no name to search for.
 */
export function searchFields (target: Collection): readonly DataField[] | undefined {
  const name = namingField(target)
  if (name === undefined || !filterableFields(target).includes(name)) return undefined
  if (name.identifier) return [name]
  return target.key.every(field => field.readable) ? [...target.key, name] : undefined
}

/** Returns true for a caller who may list a collection. */
const mayList = (target: Collection, { spot }: Place): boolean =>
  spot !== undefined && spot.permissions.readingDenial('GET', target.name) === undefined
