import type { Collection, DataField, ScalarField } from '../model/model.ts'
import { type Operator, traitsOf } from '../model/values.ts'
import { operatorDefaults } from '../request/syntax.ts'
import { tableOf } from '../sources/memory/relations.ts'
import { ownValue } from '../sources/memory/values.ts'
import type { Draw } from './draw.ts'
import { drawText, encode, relationsOf, scalarsOf, textOf, wellFormed } from './places.ts'

/** What a client asks of a collection, as a query string without its `?`. */
export function drawQuery (draw: Draw, collection: Collection): string {
  const filters = Array.from({ length: draw.weighted([3, 0], [4, 1], [1, 2]) }, () => drawFilterPart(draw, collection))
  const sort = draw.chance(50) ? [named(draw, draw.weighted([4, 'sort'], [1, 'order'], [1, 'orderby']), drawSort(draw, collection))] : []
  const fields = draw.chance(45) ? [named(draw, draw.weighted([3, 'fields'], [1, 'select']), drawSelection(draw, collection, 2))] : []
  return shuffle(draw, [...filters, ...sort, ...fields, ...drawPage(draw)]).filter(part => part !== '').join('&')
}

/** The selection of an item. */
export const drawFields = (draw: Draw, collection: Collection) => named(draw, 'fields', drawSelection(draw, collection, 2))

const shuffle = (draw: Draw, parts: readonly string[]) => draw.chance(20) ? parts.toReversed() : parts

/** A parameter as clients of some kinds encode it. */
function named (draw: Draw, name: string, value: string): string {
  const text = wellFormed(value)
  return draw.weighted<() => string>(
    [4, () => `${name}=${encode(text)}`],
  [1, () => new URLSearchParams({ [name]: text }).toString()],
  [1, () => new URL(`http://h/?${name}=${text.replaceAll(/[%+&#\t\n\r]/g, encodeURIComponent)}`).search.slice(1)]
  )()
}

// Filters

function drawFilterPart (draw: Draw, collection: Collection): string {
  return draw.weighted<() => string>(
    [4, () => encode(drawComparison(draw, collection, false, 2))],
  [3, () => named(draw, draw.of(['where', 'filter']), drawComparison(draw, collection, false, 2))],
  [3, () => named(draw, 'where', drawGroup(draw, collection, 3))]
  )()
}

function drawGroup (draw: Draw, collection: Collection, depth: number): string {
  const of = Array.from({ length: 1 + draw.below(3) }, () => depth > 0 && draw.chance(35) ? drawGroup(draw, collection, depth - 1) : drawComparison(draw, collection, true, 2))
  return `${draw.chance(30) ? '!' : ''}(${of.join(draw.of([',', '|']))})`
}

function drawComparison (draw: Draw, collection: Collection, grouped: boolean, hops: number): string {
  const relation = hops > 0 && draw.chance(25) ? draw.from(relationsOf(collection, 'sub-item', 'sub-collection')) : undefined
  if (relation?.kind === 'sub-item' && draw.chance(20)) return `${relation.name}${draw.of(['=', '!='])}null`
  if (relation !== undefined) return `${relation.name}.${drawComparison(draw, relation.target, grouped, hops - 1)}`
  const field = draw.from(draw.chance(96) ? filterable(collection) : [...collection.fields.values()].filter(one => one.kind !== 'sub-item' && one.kind !== 'sub-collection') as ScalarField[])
  if (field === undefined) return `nothing=${draw.of(['', '1'])}`
  const operators = field.kind === 'computed' || field.type.operators.size === 0 ? ['equals' as const] : [...field.type.operators]
  const operator = draw.chance(97) ? draw.of(operators) : draw.of(Object.keys(operatorDefaults) as Operator[])
  return `${field.name}${draw.of(operatorDefaults[operator])}${drawOperand(draw, field, operator, collection, grouped)}`
}

const filterable = (collection: Collection) => scalarsOf(collection).filter((one): one is DataField => one.kind !== 'computed' && one.filterable && one.type.operators.size > 0)

function drawOperand (draw: Draw, field: ScalarField, operator: Operator, collection: Collection, grouped: boolean): string {
  const rows = [...tableOf(collection).all()]
  if (traitsOf(operator).list) {
    const list = Array.from({ length: draw.below(4) }, () => printValue(draw, drawText(draw, field, rows), true)).join(draw.of([',', ',', ';']))
    return grouped && !draw.chance(10) ? `(${list})` : list
  }
  if (field.kind !== 'computed' && field.nullable && draw.chance(12)) return 'null'
  const isPiece = traitsOf(operator).family === 'text'
  const text = isPiece ? drawPiece(draw, field, rows, operator) : drawText(draw, field, rows)
  return printValue(draw, draw.chance(20) ? recase(draw, text) : text, grouped)
}

const recase = (draw: Draw, text: string) => draw.of([text.toUpperCase(), text.toLowerCase()])

/** Part of a text that is there, perhaps in other case. */
function drawPiece (draw: Draw, field: ScalarField, rows: readonly object[], operator: Operator): string {
  const whole = [...textOf(ownValue(draw.from(rows) ?? {}, field.property)).slice(0, 300)]
  const { part, ignoresCase } = traitsOf(operator)
  const start = part === 'start' || part === 'whole' ? 0 : draw.below(whole.length + 1)
  const end = part === 'end' || part === 'whole' ? whole.length : start + draw.below(whole.length - start + 1)
  const piece = draw.chance(80) ? whole.slice(start, end).join('') : drawText(draw, field, rows).slice(0, 300)
  return ignoresCase && draw.chance(66) ? recase(draw, piece) : piece
}

function printValue (draw: Draw, text: string, grouped: boolean): string {
  const mustQuote = /^["*=~]/.test(text) || (text === '' && grouped) || (grouped && /[,|();"]/.test(text))
  return (mustQuote && !draw.chance(6)) || draw.chance(15) ? `"${text.replaceAll(/["\\]/g, '\\$&')}"` : text
}

// Sorts, selections and pages

function drawSort (draw: Draw, collection: Collection): string {
  const fields = draw.chance(95) ? scalarsOf(collection).filter(one => one.kind !== 'computed' && one.sortable && one.type.kind !== 'json') : [...collection.fields.values()]
  const names = fields.length === 0 ? ['x'] : Array.from({ length: draw.weighted([3, 1], [2, 2], [1, 3]) }, () => draw.of(fields).name)
  return names.map(name => `${name}${draw.weighted([3, ''], [2, ' desc'], [1, ' asc'], [1, ' descending'])}`).join(draw.of([',', ';']))
}

function drawSelection (draw: Draw, collection: Collection, depth: number): string {
  const scalars = draw.some(draw.chance(97) ? scalarsOf(collection) : [...collection.fields.values()], 40).map(one => one.name)
  const relations = depth === 0 ? [] : draw.some(relationsOf(collection, 'sub-item', 'sub-collection'), 45)
  const nested = relations.map(({ kind, name, target }) => draw.chance(20) ? name : `${name}(${drawNested(draw, target, kind === 'sub-collection', depth - 1)})`)
  const names = [...scalars, ...nested]
  return (names.length > 0 ? names : scalarsOf(collection).slice(0, 1).map(one => one.name)).join(draw.weighted([4, ','], [1, ' '], [1, ';']))
}

function drawNested (draw: Draw, target: Collection, many: boolean, depth: number): string {
  const names = drawSelection(draw, target, depth)
  if (!many) return names
  const options = [
    ...draw.chance(35) ? [`${draw.of(['', 'where='])}${drawComparison(draw, target, true, 1)}`] : [],
    ...draw.chance(15) ? [`where=${drawGroup(draw, target, 1)}`] : [],
    ...draw.chance(35) ? [`sort=${drawSort(draw, target).replaceAll(';', ',')}`] : [],
    ...draw.chance(35) ? [`limit=${draw.below(4)}`] : [],
    ...draw.chance(15) ? [`offset=${draw.below(3)}`] : []
  ]
  return [...draw.chance(15) && options.length > 0 ? [] : [names], ...options].join(';')
}

function drawPage (draw: Draw): readonly string[] {
  const size = `${draw.of(['size', 'limit', 'take'])}=${draw.weighted([3, 2], [3, 3], [2, 1], [1, 0], [1, 5], [1, 1000])}`
  return draw.weighted<() => readonly string[]>(
    [5, () => []],
  [3, () => [size]],
  [3, () => [`page=${1 + draw.below(4)}`, size]],
  [3, () => [`${draw.of(['offset', 'skip'])}=${draw.below(6)}`, size]],
  [1, () => [draw.of(['page=0', 'page=1', 'size=-1', 'limit=99999999999999999999', 'offset=9007199254740991', 'offset=9007199254740993', 'page=2&offset=1', 'after=x', 'after=W10', 'before=', 'size=1&size=2', 'page=9007199254740991&size=1000'])]]
  )()
}
