import { DataApiError } from '../errors/errors.ts'
import { isObject } from '../errors/is-object.ts'
import { singleKey } from '../model/identifiers.ts'
import type { Collection } from '../model/model.ts'
import type { Operator } from '../model/operators.ts'
import { filterableFields } from '../openapi/filters.ts'
import { isSortable } from '../plan/read/sort.ts'
import { planSelection } from '../plan/read/select.ts'
import { parameterOf } from '../request/syntax.ts'
import { newOpenings, type Row } from './cell.ts'
import { type Html, html } from './html.ts'
import { pathTo, type Place } from './place.ts'
import { encodePart, formatFilter, queryOf, sortTerm, withFilter } from './rewrite.ts'
import { showTable } from './table.ts'
import type { Visit } from './visit.ts'

/** The items whose keys are next to one that names no item, in the listing of the same caller. */
export interface Near { readonly collection: Collection, readonly rows: readonly Row[], readonly place: Place }

/** Reads the neighbours of an item that was not found; undefined where its identifier is no key, or there are none. */
export async function readNear (visit: Visit): Promise<Near | undefined> {
  const { parts, syntax } = visit.place
  const { resource } = await visit.spot()
  const [text, ...others] = parts.at(-1) ?? []
  const isGrouped = String(parts.at(-2)?.[0] ?? '').startsWith(syntax.dictionaryPrefix)
  if (resource.kind !== 'item' || text === undefined || others.length > 0 || isGrouped) return undefined
  const { collection } = resource
  const key = singleKey(collection)
  const isOrdered = key?.type.operators.has('at_least') === true && filterableFields(collection).includes(key)
  if (!isOrdered || !isSortable(key) || key.type.parse(String(text)) === undefined) return undefined
  const place = { ...visit.place, parts: parts.slice(0, -1), query: [] }
  const parent = visit.ownPath.replace(/\/[^/]*\/?$/, '')
  const read = async (operator: Operator, size: number, descending: boolean): Promise<readonly Row[]> => {
    const filter = withFilter([], formatFilter(key.name, operator, String(text), syntax), syntax)
    const rest = [['sort', sortTerm(key.name, descending, syntax)], ['size', String(size)]] as const
    const query = rest.map(([kind, value]) => encodePart(`${parameterOf(kind, syntax)}=${value}`))
    const { body } = await visit.ask({ url: parent + queryOf([...filter, ...query]) })
    const items: unknown = typeof body === 'string' ? JSON.parse(body) : []
    return Array.isArray(items) ? items.filter(isObject).map(item => ({ json: '', item })) : []
  }
  try {
    const rows = [...await read('less', 1, true), ...await read('greater', 2, false)]
    return rows.length === 0 ? undefined : { collection, rows, place }
  } catch (error) {
    // Who may not list them sees none.
    if (error instanceof DataApiError && error.statusCode < 500) return undefined
    throw error
  }
}

/** Returns the neighbours of an item that was not found as a table. */
export function showNear ({ collection, rows, place }: Near): Html {
  const select = planSelection(undefined, collection, 'listed')
  const table = { caption: 'items near it', collection, select, rows, base: pathTo(place), sorts: false }
  return html`<section class="part"><h2>Near it</h2><div class="frame">${
    showTable(table, place, newOpenings())}</div></section>`
}
