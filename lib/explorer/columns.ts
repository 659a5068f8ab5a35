import type { Collection, Field } from '../model/model.ts'
import type { Selection, Shown } from '../plan/plan.ts'
import { type Html, html } from './html.ts'
import { titleOf } from './label.ts'
import { pathTo, type Place } from './place.ts'
import { hiddenQuery, queryOf, withParameter } from './rewrite.ts'
import { ownQuery, type Part, wordsOf } from './words.ts'

/** Returns a menu of the columns that a table can have: all readable fields, in the order declared, and counts. */
export function showColumns (collection: Collection, select: Selection, place: Place): Html {
  const readable = [...collection.fields.values()].filter(field => field.readable)
  const isAsked = place.spot?.asked.fields !== undefined
  const reset = pathTo(place) + queryOf(withParameter(place.query, 'fields', undefined, place.syntax))
  const count = select.length < readable.length && html` <b>${select.length} of ${readable.length}</b>`
  return html`<button class="quiet menu" popovertarget="columns">Columns${count}</button>
<div popover id="columns" class="cols"><form method="get" action="${pathTo(place)}">
${hiddenQuery(ownQuery(place.query), place)}
<fieldset><legend class="unseen">Columns to show</legend><ul>${readable.flatMap(columnsOf).map(([name, title]) =>
  html`<li><label><input type="checkbox" name="_column" value="${name}"${
    select.some(shown => columnName(shown) === name) && html` checked`}><bdi>${title}</bdi></label></li>`)}</ul>
</fieldset><button class="primary">Show these</button>${isAsked && html`<a class="button" href="${reset}">Reset</a>`}
</form></div>`
}

/** Returns the columns that a field can have, with their titles: itself, and the number of the items of a relation. */
function columnsOf (field: Field): ReadonlyArray<readonly [name: string, title: string]> {
  const [name, title] = [field.name, titleOf(field)]
  return [[name, title], ...field.kind === 'sub-collection' ? [[countOf(name), countOf(title)] as const] : []]
}

const countOf = (name: string) => `${name}.count()`

/** Returns the name of a column, as a selection has it. */
export const columnName = ({ kind, name }: Shown): string => kind === 'count' ? countOf(name) : name

/** Returns the heading of a column. */
export const columnTitle = ({ kind, field }: Shown): string =>
  kind === 'count' ? field.schema.title ?? countOf(field.name) : titleOf(field)

/** Returns a selection without one of its columns. */
export function withoutColumn (name: string, select: Selection, { query, syntax }: Place): string {
  const [delimiter = ','] = syntax.fields
  const current = query.find(({ kind }) => kind === 'fields')?.value
  const columns = current === undefined ? select.map(columnName) : topLevel(current, syntax.fields)
  return columns.filter(text => nameOf(text) !== name).join(delimiter)
}

const nameOf = (text: string) => /^[^(]*(?:\(\)$)?/.exec(text.trim())?.[0].trim() ?? ''

/**
 * Returns the selection that the form asks for: columns that were selected stay as they were, with their place and
 * their own selection.
 */
export function columnsAsked (parts: readonly Part[], { syntax }: Place): string | undefined {
  const columns = wordsOf('_column', parts)
  if (columns.length === 0) return undefined
  const [delimiter = ','] = syntax.fields
  const current = parts.find(({ kind }) => kind === 'fields')?.value
  const before = current === undefined ? [] : topLevel(current, syntax.fields)
  const kept = before.filter(text => columns.includes(nameOf(text)))
  const added = columns.filter(column => !before.some(text => nameOf(text) === column))
  return [...kept, ...added].join(delimiter)
}

/** Splits a selection at the delimiters outside of its parentheses and quotes. */
function topLevel (text: string, delimiters: ReadonlySet<string>): readonly string[] {
  const fields: string[] = []
  let depth = 0
  let quoted = false
  let start = 0
  for (let index = 0; index < text.length; index++) {
    const character = text.charAt(index)
    if (quoted && character === '\\') index++
    else if (character === '"') quoted = !quoted
    else if (!quoted && character === '(') depth++
    else if (!quoted && character === ')') depth--
    else if (!quoted && depth === 0 && delimiters.has(character)) {
      fields.push(text.slice(start, index))
      start = index + 1
    }
  }
  return [...fields, text.slice(start)].filter(field => field !== '')
}
