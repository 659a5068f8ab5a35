import type { CollectionView, FieldView, ShownItem, ShownMember, ShownRelation } from '../../core/api/face.ts'
import { sortTerm } from '../../core/request/made.ts'
import { encodePart, printSort } from '../../core/request/print.ts'
import type { Syntax } from '../../core/request/syntax.ts'
import { type Fragment, type Html, html } from './html.ts'
import { isNumeric, namingField, titleOf, unitOf } from './value.ts'
import { hiddenQuery, linkWith, type Part, pathTo, type Place, withoutPage, withParameter, wordsOf } from './place.ts'
import type { TableColumn } from './table.ts'
import { showMenu } from './page.ts'

/** Returns a menu of the columns that a table can have: all readable fields, in the order declared, and functions. */
export function showColumns (collection: CollectionView, shape: ShownItem, place: Place): Html {
  const select = apart(shape)
  const readable = collection.fields.filter(field => field.readable)
  const columns = readable.flatMap(field => columnsOf(field, select))
  const isAsked = place.spot?.asked.fields !== undefined
  const reset = linkWith(withParameter(place.query, 'fields', undefined, place.syntax), place)
  const count = select.length < readable.length && html` <b>${select.length} of ${readable.length}</b>`
  return showMenu('columns', html`Columns${count}`, html`<form method="get" action="${pathTo(place)}">
${hiddenQuery(place)}
<fieldset><legend class="unseen">Columns to show</legend><ul>${columns.map(([name, title]) =>
  html`<li><label><input type="checkbox" name="_column" value="${name}"${
    select.some(shown => columnName(shown) === name) && html` checked`}><bdi>${title}</bdi></label></li>`)}</ul>
</fieldset><button class="primary">Show these</button>${isAsked && html`<a class="button" href="${reset}">Reset</a>`}
</form>`)
}

/** Returns the columns that a field can have, with their titles: of a relation, its number and functions shown, too. */
function columnsOf (field: FieldView, select: ShownItem): ReadonlyArray<readonly [name: string, title: string]> {
  const own = [field.name, titleOf(field)] as const
  if (field.kind !== 'sub-collection') return [own]
  const others = select.filter(shown => shown.kind === 'related' && shown.field === field && !isCount(shown))
    .map(one => [columnName(one), columnName(one)] as const)
  return [own, [`${own[0]}.count()`, `${own[1]}.count()`], ...others]
}

/** Returns the name of a column, as a selection has it. */
const columnName = (shown: ShownMember): string =>
  shown.kind === 'related' ? shown.functions.map(({ name }) => `${shown.name}.${name}`).join() : shown.name

/** Returns the heading of a column; that of a number of items is the title of the relation. */
export function columnTitle (shown: ShownMember): string {
  if (shown.kind !== 'related') return titleOf(shown.field)
  return (isCount(shown) && shown.field.schema.title) || columnName(shown)
}

/** Returns true for the number of the items of a relation. */
export const isCount = ({ functions: [value] }: ShownRelation): boolean => value?.of === undefined

/** Returns the selection with a column for each function of a relation. */
export const apart = (select: ShownItem): ShownItem => select.flatMap((shown): ShownItem =>
  shown.kind === 'related' ? shown.functions.map(value => ({ ...shown, functions: [value] })) : [shown])

const withoutColumn = (name: string, select: ShownItem, { query, syntax }: Place): string =>
  (columnsIn(query, syntax) ?? select.map(columnName)).filter(text => nameOf(text) !== name).join([...syntax.fields][0])

const nameOf = (text: string) => /^[^(]*(?:\(\)$)?/.exec(text.trim())?.[0].trim() ?? ''

/**
 * Returns the selection that the form asks for: columns that were selected stay as they were, with their place and
 * their own selection.
 */
export function columnsAsked (parts: readonly Part[], { syntax }: Place): string | undefined {
  const columns = wordsOf('_column', parts)
  if (columns.length === 0) return undefined
  const before = columnsIn(parts, syntax) ?? []
  const kept = before.filter(text => columns.includes(nameOf(text)))
  const added = columns.filter(column => !before.some(text => nameOf(text) === column))
  return [...kept, ...added].join([...syntax.fields][0])
}

/** Splits the selection of a query at the delimiters outside of its parentheses and quotes. */
function columnsIn (parts: readonly Part[], { fields: delimiters }: Syntax): readonly string[] | undefined {
  const text = parts.find(({ kind }) => kind === 'fields')?.value
  if (text === undefined) return undefined
  const fields = ['']
  let depth = 0
  for (const [token] of text.matchAll(/"(?:\\.|[^"\\])*"?|./gsu)) {
    if (token === '(') depth++
    else if (token === ')') depth--
    if (depth === 0 && delimiters.has(token)) fields.push('')
    else fields.push(`${fields.pop()}${token}`)
  }
  return fields.filter(field => field !== '')
}

/** The place of a column in its table. */
interface Head {
  readonly isKey: boolean
  /** True if rows can be selected. */
  readonly isPicked: boolean
  /** True if the headers sort and filter the page. */
  readonly sorts: boolean
  readonly select: ShownItem
  /** The id of the column's menu. */
  readonly id: string
}

/** Returns the head of a column: its name, which sorts, its unit, and a menu. */
export function showHeader (column: TableColumn, { isKey, isPicked, sorts, select, id }: Head, place: Place): Html {
  const { shown, kind } = column
  const name = columnTitle(shown)
  const unit = unitOf(shown.field, kind)
  const by = sorts ? termOf(shown) : undefined
  const terms = place.spot?.asked.sort ?? []
  const at = terms.findIndex(({ path }) => path.join('.') === by)
  const term = terms[at]
  const links = sorts ? menuOf(shown, by, select, place) : []
  const classes = [isKey && 'key', isKey && isPicked && 'pick', isNumeric(kind) && 'num'].filter(one => one !== false)
  return html`<th scope="col" class="${classes.join(' ')}" aria-label="${name}${unit && `, ${unit}`}"${
    at === 0 && html` aria-sort="${term?.descending === true ? 'descending' : 'ascending'}"`}><span>${
    by !== undefined ? showSort(name, by, term, place) : html`<bdi>${name}</bdi>`}${
    unit !== '' && html`<small>${unit}</small>`}${term && html`<span class="dir" aria-hidden="true">${
    term.descending ? '▼' : '▲'}${terms.length > 1 && at + 1}</span>`}${links.length > 0 && html`<button class="more"
 popovertarget="${id}" aria-label="More for ${name}"></button>`}</span>${
    links.length > 0 && html`<div popover id="${id}">${showAbout(shown)}<ul>${links}</ul></div>`}</th>`
}

/** Returns what a field says of itself, with its name in queries where its heading is another. */
function showAbout ({ name, field: { schema: { title, description } } }: ShownMember): Fragment {
  const isOther = title !== undefined && title !== name
  return (isOther || description !== undefined) && html`<p class="hint">${description}${isOther && html` <code>${
    name}</code>`}</p>`
}

/** Returns what a click on a column's header sorts by; of sub-items, the name by which they are shown. */
function termOf (shown: ShownMember): string | undefined {
  if (!shown.field.sortable || shown.kind === 'list') return undefined
  if (shown.kind !== 'item') return columnName(shown)
  const { name, target } = shown.field
  const named = namingField(target) ?? target.key[0]
  return named?.sortable === true ? `${name}.${named.name}` : undefined
}

/** Returns a link that sorts by the column: ascending, then descending, then not at all. */
function showSort (name: string, by: string, term: ReturnType<typeof sortTerm> | undefined, place: Place): Html {
  const next = term?.descending === true ? undefined : printedTerm(by, term !== undefined, place)
  const what = next === undefined ? 'no longer sorts' : term === undefined ? 'sorts ascending' : 'sorts descending'
  return html`<a href="${linkTo('sort', next, place)}" title="${name}: ${what}"><bdi>${name}</bdi></a>`
}

const linkTo = (kind: 'sort' | 'fields', value: string | undefined, place: Place) =>
  linkWith(withParameter(place.query, kind, value, place.syntax), place)

/** Returns the links of a column's menu. `by`: what it sorts by. */
function menuOf (shown: ShownMember, by: string | undefined, select: ShownItem, place: Place): Fragment[] {
  const { field } = shown
  const name = columnName(shown)
  const link = (href: string, text: string) => html`<li><a href="${href}">${text}</a></li>`
  const filter = !('target' in field) && (field.filterable || field.comparesNull) &&
    link(filterLink(name, place), 'Filter…')
  const isCounted = filter !== false && field.filterable && !place.query.some(({ value }) => value === name)
  const facet = isCounted && link(
    linkWith([...withoutPage(place.query), encodePart(`_facet=${name}`)], place), 'Values with counts')
  const hide = select.length > 1 &&
    link(linkTo('fields', withoutColumn(name, select, place), place), 'Hide this column')
  return [...by === undefined ? [] : sortsOf(by, place).map(([term, text]) => link(linkTo('sort', term, place), text)),
    filter, facet, hide].filter(one => one !== false)
}

/** Returns the order by one term, as a value of its parameter. */
const printedTerm = (by: string, descending: boolean, { syntax }: Place): string =>
  printSort([sortTerm(by, descending)], syntax).join('')

function sortsOf (by: string, place: Place): ReadonlyArray<readonly [term: string, text: string]> {
  const { query, spot, syntax } = place
  const [delimiter = ','] = syntax.sort
  const terms = spot?.asked.sort ?? []
  const earlier = query.filter(({ kind }) => kind === 'sort').map(({ value }) => value)
  const isNext = terms.length > 0 && !terms.some(({ path }) => path.join('.') === by)
  return [
    [printedTerm(by, false, place), 'Sort ascending'],
    [printedTerm(by, true, place), 'Sort descending'],
    ...isNext ? [[[...earlier, by].join(delimiter), 'Then sort by this'] as const] : []
  ]
}

/** Returns the link to the page that asks for a filter by a field. */
export const filterLink = (path: string, place: Place): string =>
  linkWith([...withoutPage(place.query), encodePart(`_filter=${path}`)], place)
