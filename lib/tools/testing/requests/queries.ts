import type { Collection, RelationField, ScalarField } from '../../../core/model/model.ts'
import { type Operator, operatorNames, traitsOf } from '../../../core/model/operators.ts'
import { startOf, unitsOf } from '../../../core/plan/time-units.ts'
import { valueText } from '../../../core/request/made.ts'
import { printParts } from '../../../core/request/print.ts'
import { compileSyntax } from '../../../core/request/syntax.ts'
import { memoryView } from '../../../core/sources/memory/view.ts'
import { generateCall } from './functions.ts'
import type { ValueGenerator, Weighted } from '../world/generator.ts'
import { generateText, relationsOf, scalarFields, textOfValue, valueCompared, wellFormed } from './resources.ts'

/** Returns a query of a collection, as a query string without its `?`. */
export function generateQuery (generator: ValueGenerator, collection: Collection): string {
  const count = generator.weighted([3, 0], [4, 1], [1, 2])
  const filters = Array.from({ length: count }, () => generateFilterPart(generator, collection))
  const sort = generator.chance(50)
    ? generateParts(generator, { sort: generateSort(generator, collection) })
    : []
  const fields = generator.chance(45) ? [generateFields(generator, collection)] : []
  return shuffle(generator, [...filters, ...sort, ...fields, ...generatePage(generator)])
    .filter(part => part !== '')
    .join('&')
}

/** Returns a query of an item: its selection. */
export const generateFields = (generator: ValueGenerator, collection: Collection): string =>
  generateParts(generator, { fields: generateSelection(generator, collection, 2) }).join('&')

const shuffle = <T>(generator: ValueGenerator, parts: readonly T[]) =>
  generator.chance(20) ? parts.toReversed() : parts

/** Returns the parts of a query string: in one of the spellings of the query, and in encodings that clients use. */
export function generateParts (generator: ValueGenerator, query: QueryPrinted): readonly string[] {
  const parts = printParts(query, generator.chance(40) ? generateSyntax(generator) : standard)
  // Without its quotes a value may be another one, or break the filter.
  const texts = generator.chance(3) ? parts.map(part => part.replaceAll('"', '')) : parts
  return texts.map(text => encodePart(generator, wellFormed(text)))
}

function encodePart (generator: ValueGenerator, text: string): string {
  const [name = '', value] = /^(\w+)=([^]*)$/.exec(text)?.slice(1) ?? []
  const choices: Weighted<() => string> = [
    [4, () => value === undefined ? encodeURIComponent(text) : `${name}=${encodeURIComponent(value)}`],
    [1, () => value === undefined ? encodeURIComponent(text) : new URLSearchParams({ [name]: value }).toString()],
    [1, () => new URL(`http://h/?${text.replaceAll(/[%+&#\t\n\r]/g, encodeURIComponent)}`).search.slice(1)]
  ]
  return generator.weighted(...choices)()
}

const standard = compileSyntax({})

/** Returns the standard syntax, which prefers other spellings. */
function generateSyntax (generator: ValueGenerator): typeof standard {
  const turned = <T>(list: Iterable<T>): readonly T[] => {
    const all = [...list]
    const start = generator.below(all.length)
    return [...all.slice(start), ...all.slice(0, start)]
  }
  return {
    ...standard,
    parameters: new Map(turned(standard.parameters)),
    operators: turned(standard.operators.filter(([spelling]) => spelling !== '=' || generator.chance(50))),
    list: new Set(turned(standard.list)),
    sort: new Set(turned(standard.sort)),
    direction: new Set(turned(standard.direction)),
    fields: new Set(turned(standard.fields)),
    directions: new Map(turned(standard.directions))
  }
}

// Filters

/** Returns a filter of items, as a part of a query string. */
export function generateFilterPart (generator: ValueGenerator, collection: Collection): string {
  const filter = generator.chance(30)
    ? generateGroup(generator, collection, 3)
    : generateComparison(generator, collection, 2)
  return generateParts(generator, { filters: [filter] }).join('&')
}

function generateGroup (generator: ValueGenerator, collection: Collection, depth: number): Filter {
  const of = Array.from({ length: 1 + generator.below(3) }, () => depth > 0 && generator.chance(35)
    ? generateGroup(generator, collection, depth - 1)
    : generateComparison(generator, collection, 2))
  return negatedOrNot(generator, { kind: generator.of(['all', 'any'] as const), of })
}

export const negatedOrNot = (generator: ValueGenerator, of: Filter): Filter =>
  generator.chance(30) ? { kind: 'not', of } : of

type QueryPrinted = Parameters<typeof printParts>[0]

export type FieldAsked = NonNullable<QueryPrinted['fields']>[number]
export type Filter = NonNullable<QueryPrinted['filters']>[number]
type Comparison = Extract<Filter, { kind: 'compare' }>
type Value = Comparison['values'][number]

const compare = (path: readonly string[], operator: Operator, values: readonly Value[]): Comparison =>
  ({ kind: 'compare', path, operator, values })

function generateComparison (generator: ValueGenerator, collection: Collection, hops: number): Comparison {
  const relation = hops > 0 && generator.chance(25)
    ? generator.from(relationsOf(collection, 'sub-item', 'sub-collection'))
    : undefined
  if (relation?.kind === 'sub-item' && generator.chance(20)) {
    return compare([relation.name], generator.of(equality), [valueText(null)])
  }
  if (relation !== undefined && generator.chance(relation.kind === 'sub-collection' ? 50 : 1)) {
    return compareCall(generator, relation)
  }
  if (relation !== undefined) {
    const inside = generateComparison(generator, relation.target, hops - 1)
    return { ...inside, path: [relation.name, ...inside.path] }
  }
  const field = generator.from(generator.chance(96) ? comparable(collection) : allScalars(collection))
  if (field === undefined) return compare(['nothing'], simplest, [valueOf(generator, generator.of(['', '1']))])
  if (isJson(field) && generator.chance(90)) return compare([field.name], generator.of(equality), [valueText(null)])
  const unit = field.kind !== 'computed' && generator.chance(20) ? generator.from(unitsOf(field.type)) : undefined
  if (unit !== undefined) {
    const value = generateText(generator, field, collection)
    const start = startOf(value, generator.chance(85) ? unit : 'hour').slice(0, unit === 'hour' ? 24 : 10)
    return compare([field.name, `${unit}()`], generator.of(ordering), [valueOf(generator, start)])
  }
  const operators = field.kind === 'computed' || field.type.operators.size === 0
    ? [simplest]
    : [...field.type.operators]
  const choices: Weighted<readonly Operator[]> = [[65, operators], [32, [simplest]], [3, operatorNames]]
  const operator = generator.of(generator.weighted(...choices))
  return compare([field.name], operator, generateOperands(generator, field, operator, collection))
}

/** Operators that every number takes, and those that null takes too. */
export const ordering = operatorNames.filter(one => traitsOf(one).family !== 'text' && !traitsOf(one).list)
const equality = ordering.filter(one => traitsOf(one).takesNull)

function compareCall (generator: ValueGenerator, { name, target }: RelationField): Comparison {
  const call = generateCall(generator, target)
  const isExtreme = /\.m(?:in|ax)\(\)$/.test(call)
  const field = isExtreme ? filterable(target).find(one => call.startsWith(`${one.name}.`)) : undefined
  const operator = generator.of(operatorNames.filter(one => field !== undefined || traitsOf(one).family !== 'text'))
  const values = field === undefined
    ? Array.from({ length: traitsOf(operator).list && generator.chance(50) ? 2 : 1 }, () => generateNumber(generator))
    : generateOperands(generator, field, operator, target)
  return compare([name, ...call.split('.')], operator, values)
}

/** Returns a number that counts may be, or null. */
export const generateNumber = (generator: ValueGenerator): Value => generator.weighted(
  [6, valueText(String(generator.below(4)))], [1, valueText(null)])

// Every field that has operators has this one.
const simplest: Operator = 'equals'

const allScalars = ({ fields }: Collection) => [...fields.values()].filter((one): one is ScalarField =>
  one.kind !== 'sub-item' && one.kind !== 'sub-collection'
)

const isJson = (field: ScalarField) => field.kind !== 'computed' && field.type.kind === 'json'

/** The fields that filters compare with a value, or with null alone. */
const comparable = (collection: Collection) => scalarFields(collection).filter(one => one.kind !== 'computed')
  .filter(one => one.filterable && (one.type.operators.size > 0 || isJson(one)))

const filterable = (collection: Collection) => comparable(collection).filter(one => !isJson(one))

function generateOperands (
  generator: ValueGenerator, field: ScalarField, operator: Operator, collection: Collection
): readonly Value[] {
  if (traitsOf(operator).list) {
    return Array.from({ length: generator.below(4) }, () =>
      valueOf(generator, generateText(generator, field, collection)))
  }
  if (field.kind !== 'computed' && field.nullable && generator.chance(12)) return [valueText(null)]
  const isPiece = traitsOf(operator).family === 'text'
  const text = isPiece
    ? generatePiece(generator, field, collection, operator)
    : generateText(generator, field, collection)
  return [valueOf(generator, generator.chance(45) ? recase(generator, text) : text)]
}

const valueOf = (generator: ValueGenerator, text: string): Value =>
  ({ ...valueText(text), quoted: generator.chance(15) })

const recase = (generator: ValueGenerator, text: string) => generator.of([text.toUpperCase(), text.toLowerCase()])

/** Returns a part of the text of a row, for operators on parts of texts; at times in another letter case. */
function generatePiece (
  generator: ValueGenerator, field: ScalarField, collection: Collection, operator: Operator
): string {
  const row = generator.from(memoryView(collection).rows())
  const whole = [...textOfValue(valueCompared(row, field, collection)).slice(0, 300)]
  const { part, ignoresCase } = traitsOf(operator)
  const start = part === 'start' || part === 'whole' ? 0 : generator.below(whole.length + 1)
  const end = part === 'end' || part === 'whole'
    ? whole.length
    : start + generator.below(whole.length - start + 1)
  const piece = generator.chance(80)
    ? whole.slice(start, end).join('')
    : generateText(generator, field, collection).slice(0, 300)
  return ignoresCase && generator.chance(66) ? recase(generator, piece) : piece
}

// Sorts, selections and pages

function generateSort (generator: ValueGenerator, collection: Collection): NonNullable<QueryPrinted['sort']> {
  return Array.from({ length: generator.weighted([3, 1], [2, 2], [1, 3]) }, () =>
    ({ path: generateSortPath(generator, collection, 3), descending: generator.chance(40) }))
}

function generateSortPath (generator: ValueGenerator, collection: Collection, hops: number): readonly string[] {
  const relation = hops > 0 && generator.chance(35)
    ? generator.from(relationsOf(collection, 'sub-item', ...generator.chance(3) ? ['sub-collection' as const] : []))
    : undefined
  if (relation !== undefined) return [relation.name, ...generateSortPath(generator, relation.target, hops - 1)]
  const counted = generator.chance(20) ? generator.from(relationsOf(collection, 'sub-collection')) : undefined
  if (counted !== undefined) return [counted.name, ...generateCall(generator, counted.target).split('.')]
  const fields = generator.chance(95)
    ? scalarFields(collection).filter(one => one.kind !== 'computed' && one.sortable && one.type.kind !== 'json')
    : [...collection.fields.values()]
  return [generator.from(fields)?.name ?? 'x']
}

function generateSelection (generator: ValueGenerator, collection: Collection, depth: number): readonly FieldAsked[] {
  const scalars = generator.some(generator.chance(97) ? scalarFields(collection) : [...collection.fields.values()], 40)
    .map(({ name }) => ({ name }))
  const relations = depth === 0 ? [] : generator.some(relationsOf(collection, 'sub-item', 'sub-collection'), 45)
  const nested = relations.flatMap(({ kind, name, target }): readonly FieldAsked[] => {
    if (generator.chance(kind === 'sub-collection' ? 20 : 1)) {
      const length = 1 + generator.below(3)
      return Array.from({ length }, () => ({ name: `${name}.${generateCall(generator, target)}` }))
    }
    if (generator.chance(10)) return [{ name }]
    return [{ name, query: generateNested(generator, target, kind === 'sub-collection', depth - 1) }]
  })
  const fields = [...scalars, ...nested]
  return fields.length > 0 ? fields : scalarFields(collection).slice(0, 1).map(({ name }) => ({ name }))
}

function generateNested (generator: ValueGenerator, target: Collection, many: boolean, depth: number): QueryPrinted {
  const fields = generateSelection(generator, target, depth)
  if (!many) return { fields }
  const query = {
    filters: [
      ...generator.chance(35) ? [generateComparison(generator, target, 1)] : [],
      ...generator.chance(15) ? [generateGroup(generator, target, 1)] : []
    ],
    sort: generator.chance(35) ? generateSort(generator, target) : undefined,
    page: generateRange(generator)
  }
  const hasOptions = query.filters.length > 0 || query.sort !== undefined || Object.keys(query.page).length > 0
  return { ...query, fields: generator.chance(15) && hasOptions ? undefined : fields }
}

function generateRange (generator: ValueGenerator): NonNullable<QueryPrinted['page']> {
  const value = (limit: number) => valueText(String(generator.below(limit)))
  return {
    ...generator.chance(35) && { size: value(4) },
    ...generator.chance(15) && { offset: value(3) }
  }
}

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
