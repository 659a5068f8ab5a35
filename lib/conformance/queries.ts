import type { Collection, DataField, RelationField, ScalarField } from '../model/model.ts'
import { type Operator, operatorNames, traitsOf } from '../model/operators.ts'
import { startOf, unitsOf } from '../plan/time-units.ts'
import { operatorDefaults } from '../request/syntax.ts'
import { tableOf } from '../sources/memory/relations.ts'
import { ownValue } from '../sources/memory/values.ts'
import { generateCall } from './functions.ts'
import type { ValueGenerator, Weighted } from './generator.ts'
import { generateText, encode, relationsOf, scalarsOf, textOf, wellFormed } from './resources.ts'

/** Returns a query of a collection, as a query string without its `?`. */
export function generateQuery (generator: ValueGenerator, collection: Collection): string {
  const count = generator.weighted([3, 0], [4, 1], [1, 2])
  const filters = Array.from({ length: count }, () => generateFilterPart(generator, collection))
  const sort = generator.chance(50) ? [generateSortParameter(generator, collection)] : []
  const fields = generator.chance(45) ? [generateFieldsParameter(generator, collection)] : []
  return shuffle(generator, [...filters, ...sort, ...fields, ...generatePage(generator)])
    .filter(part => part !== '')
    .join('&')
}

function generateSortParameter (generator: ValueGenerator, collection: Collection): string {
  const name = generator.weighted([4, 'sort'], [1, 'order'], [1, 'orderby'])
  return parameter(generator, name, generateSort(generator, collection))
}

function generateFieldsParameter (generator: ValueGenerator, collection: Collection): string {
  const name = generator.weighted([3, 'fields'], [1, 'select'])
  return parameter(generator, name, generateSelection(generator, collection, 2))
}

/** Returns a query of an item: its selection. */
export const generateFields = (generator: ValueGenerator, collection: Collection) =>
  parameter(generator, 'fields', generateSelection(generator, collection, 2))

const shuffle = (generator: ValueGenerator, parts: readonly string[]) =>
  generator.chance(20) ? parts.toReversed() : parts

/** Returns a parameter, in one of the encodings that clients use. */
function parameter (generator: ValueGenerator, name: string, value: string): string {
  const text = wellFormed(value)
  const choices: Weighted<() => string> = [
    [4, () => `${name}=${encode(text)}`],
    [1, () => new URLSearchParams({ [name]: text }).toString()],
    [1, () => new URL(`http://h/?${name}=${text.replaceAll(/[%+&#\t\n\r]/g, encodeURIComponent)}`).search.slice(1)]
  ]
  return generator.weighted(...choices)()
}

// Filters

/** Returns a filter of items. */
export function generateFilterPart (generator: ValueGenerator, collection: Collection): string {
  const comparison = () => generateComparison(generator, collection, false, 2)
  const choices: Weighted<() => string> = [
    [4, () => encode(comparison())],
    [3, () => parameter(generator, generator.of(['where', 'filter']), comparison())],
    [3, () => parameter(generator, 'where', generateGroup(generator, collection, 3))]
  ]
  return generator.weighted(...choices)()
}

function generateGroup (generator: ValueGenerator, collection: Collection, depth: number): string {
  const terms = Array.from({ length: 1 + generator.below(3) }, () => depth > 0 && generator.chance(35)
    ? generateGroup(generator, collection, depth - 1)
    : generateComparison(generator, collection, true, 2))
  return `${generator.chance(30) ? '!' : ''}(${terms.join(generator.of([',', '|']))})`
}

function generateComparison (
  generator: ValueGenerator, collection: Collection, grouped: boolean, hops: number
): string {
  const relation = hops > 0 && generator.chance(25)
    ? generator.from(relationsOf(collection, 'sub-item', 'sub-collection'))
    : undefined
  if (relation?.kind === 'sub-item' && generator.chance(20)) return `${relation.name}${generator.of(['=', '!='])}null`
  if (relation !== undefined && generator.chance(relation.kind === 'sub-collection' ? 50 : 1)) {
    return compareCall(generator, relation, grouped)
  }
  if (relation !== undefined) {
    return `${relation.name}.${generateComparison(generator, relation.target, grouped, hops - 1)}`
  }
  const field = generator.from(generator.chance(96) ? filterable(collection) : allScalars(collection))
  if (field === undefined) return `nothing=${generator.of(['', '1'])}`
  const unit = field.kind !== 'computed' && generator.chance(20) ? generator.from(unitsOf(field.type)) : undefined
  if (unit !== undefined) {
    const value = generateText(generator, field, [...tableOf(collection).all()])
    const start = startOf(value, generator.chance(85) ? unit : 'hour').slice(0, unit === 'hour' ? 24 : 10)
    const operator = generator.of(['=', '!=', '>', '<', '>=', '<='])
    return `${field.name}.${unit}()${operator}${printValue(generator, start, grouped)}`
  }
  const operators = field.kind === 'computed' || field.type.operators.size === 0
    ? [simplest]
    : [...field.type.operators]
  const choices: Weighted<readonly Operator[]> = [
    [65, operators],
    [32, [simplest]],
    [3, Object.keys(operatorDefaults) as Operator[]]
  ]
  const operator = generator.of(generator.weighted(...choices))
  const spelling = generator.of(operatorDefaults[operator])
  return `${field.name}${spelling}${generateOperand(generator, field, operator, collection, grouped)}`
}

function compareCall (generator: ValueGenerator, { name, target }: RelationField, grouped: boolean): string {
  const call = generateCall(generator, target)
  const isExtreme = /\.m(?:in|ax)\(\)$/.test(call)
  const field = isExtreme ? filterable(target).find(one => call.startsWith(`${one.name}.`)) : undefined
  const operator = generator.of(operatorNames.filter(one => field !== undefined || traitsOf(one).family !== 'text'))
  const number = () => generator.weighted<string>([6, String(generator.below(4))], [1, 'null'])
  const numbers = () => generator.chance(50) || !grouped ? number() : `(${number()},${number()})`
  const operand = field === undefined ? numbers() : generateOperand(generator, field, operator, target, grouped)
  return `${name}.${call}${operatorDefaults[operator][0]}${operand}`
}

// Every field that has operators has this one.
const simplest: Operator = 'equals'

const allScalars = ({ fields }: Collection) => [...fields.values()].filter((one): one is ScalarField =>
  one.kind !== 'sub-item' && one.kind !== 'sub-collection'
)

const filterable = (collection: Collection) => scalarsOf(collection).filter((one): one is DataField =>
  one.kind !== 'computed' && one.filterable && one.type.operators.size > 0
)

function generateOperand (
  generator: ValueGenerator, field: ScalarField, operator: Operator, collection: Collection, grouped: boolean
): string {
  const rows = [...tableOf(collection).all()]
  if (traitsOf(operator).list) {
    const values = Array.from({ length: generator.below(4) }, () =>
      printValue(generator, generateText(generator, field, rows), true))
    const list = values.join(generator.of([',', ',', ';']))
    return grouped && !generator.chance(10) ? `(${list})` : list
  }
  if (field.kind !== 'computed' && field.nullable && generator.chance(12)) return 'null'
  const isPiece = traitsOf(operator).family === 'text'
  const text = isPiece ? generatePiece(generator, field, rows, operator) : generateText(generator, field, rows)
  return printValue(generator, generator.chance(45) ? recase(generator, text) : text, grouped)
}

const recase = (generator: ValueGenerator, text: string) => generator.of([text.toUpperCase(), text.toLowerCase()])

/** Returns a part of the text of a row, for operators on parts of texts; at times in another letter case. */
function generatePiece (
  generator: ValueGenerator, field: ScalarField, rows: readonly object[], operator: Operator
): string {
  const whole = [...textOf(ownValue(generator.from(rows) ?? {}, field.property)).slice(0, 300)]
  const { part, ignoresCase } = traitsOf(operator)
  const start = part === 'start' || part === 'whole' ? 0 : generator.below(whole.length + 1)
  const end = part === 'end' || part === 'whole'
    ? whole.length
    : start + generator.below(whole.length - start + 1)
  const piece = generator.chance(80)
    ? whole.slice(start, end).join('')
    : generateText(generator, field, rows).slice(0, 300)
  return ignoresCase && generator.chance(66) ? recase(generator, piece) : piece
}

function printValue (generator: ValueGenerator, text: string, grouped: boolean): string {
  const mustQuote = /^["*=~]/.test(text) || (text === '' && grouped) || (grouped && /[,|();"]/.test(text))
  return (mustQuote && !generator.chance(6)) || generator.chance(15) ? `"${text.replaceAll(/["\\]/g, '\\$&')}"` : text
}

// Sorts, selections and pages

function generateSort (generator: ValueGenerator, collection: Collection): string {
  const names = Array.from({ length: generator.weighted([3, 1], [2, 2], [1, 3]) },
    () => generateSortPath(generator, collection, 3))
  return names.map(name => `${name}${generator.weighted([3, ''], [2, ' desc'], [1, ' asc'], [1, ' descending'])}`)
    .join(generator.of([',', ';']))
}

function generateSortPath (generator: ValueGenerator, collection: Collection, hops: number): string {
  const relation = hops > 0 && generator.chance(35)
    ? generator.from(relationsOf(collection, 'sub-item', ...generator.chance(3) ? ['sub-collection' as const] : []))
    : undefined
  if (relation !== undefined) return `${relation.name}.${generateSortPath(generator, relation.target, hops - 1)}`
  const counted = generator.chance(20) ? generator.from(relationsOf(collection, 'sub-collection')) : undefined
  if (counted !== undefined) return `${counted.name}.${generateCall(generator, counted.target)}`
  const fields = generator.chance(95)
    ? scalarsOf(collection).filter(one => one.kind !== 'computed' && one.sortable && one.type.kind !== 'json')
    : [...collection.fields.values()]
  return generator.from(fields)?.name ?? 'x'
}

function generateSelection (generator: ValueGenerator, collection: Collection, depth: number): string {
  const scalars = generator.some(generator.chance(97) ? scalarsOf(collection) : [...collection.fields.values()], 40)
    .map(one => one.name)
  const relations = depth === 0 ? [] : generator.some(relationsOf(collection, 'sub-item', 'sub-collection'), 45)
  const nested = relations.flatMap(({ kind, name, target }) => {
    if (generator.chance(kind === 'sub-collection' ? 20 : 1)) {
      return Array.from({ length: 1 + generator.below(3) }, () => `${name}.${generateCall(generator, target)}`)
    }
    if (generator.chance(10)) return [name]
    return [`${name}(${generateNested(generator, target, kind === 'sub-collection', depth - 1)})`]
  })
  const names = [...scalars, ...nested]
  const chosen = names.length > 0 ? names : scalarsOf(collection).slice(0, 1).map(one => one.name)
  return chosen.join(generator.weighted([4, ','], [1, ' '], [1, ';']))
}

function generateNested (generator: ValueGenerator, target: Collection, many: boolean, depth: number): string {
  const names = generateSelection(generator, target, depth)
  if (!many) return names
  const options = [
    ...generator.chance(35) ? [`${generator.of(['', 'where='])}${generateComparison(generator, target, true, 1)}`] : [],
    ...generator.chance(15) ? [`where=${generateGroup(generator, target, 1)}`] : [],
    ...generator.chance(35) ? [`sort=${generateSort(generator, target).replaceAll(';', ',')}`] : [],
    ...generator.chance(35) ? [`limit=${generator.below(4)}`] : [],
    ...generator.chance(15) ? [`offset=${generator.below(3)}`] : []
  ]
  return [...generator.chance(15) && options.length > 0 ? [] : [names], ...options].join(';')
}

/** Returns the parameters of a page. */
export function generatePage (generator: ValueGenerator): readonly string[] {
  const name = generator.of(['size', 'limit', 'take'])
  const size = `${name}=${generator.weighted([3, 2], [3, 3], [2, 1], [1, 0], [1, 5], [1, 1000])}`
  const choices: Weighted<() => readonly string[]> = [
    [5, () => []],
    [3, () => [size]],
    [3, () => [`page=${1 + generator.below(4)}`, size]],
    [3, () => [`${generator.of(['offset', 'skip'])}=${generator.below(6)}`, size]],
    [1, () => [generator.of(oddPages)]]
  ]
  return generator.weighted(...choices)()
}

const oddPages: readonly string[] = [
  'page=0', 'page=1', 'size=-1', 'limit=99999999999999999999', 'offset=9007199254740991', 'offset=9007199254740993',
  'page=2&offset=1', 'after=x', 'after=W10', 'before=', 'size=1&size=2', 'page=9007199254740991&size=1000'
]
