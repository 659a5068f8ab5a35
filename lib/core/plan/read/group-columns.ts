import { invalidFields } from '../../errors/errors.ts'
import { suggest } from '../../errors/suggest.ts'
import { kindOf } from '../../model/kinds.ts'
import { type Collection, type DataField, isRelation, type ReadableField, type StoredField } from '../../model/model.ts'
import { plainDecimal } from '../../model/numbers.ts'
import { formatTypes, integerType, numberType, type ValueType } from '../../model/values.ts'
import type { FieldAsked, TextPlace } from '../../request/request.ts'
import { followPath, type Invalid, isFunction, isOfItems, type Purpose, stepsThrough } from '../field-path.ts'
import type { AggregateName, FieldValue, FunctionColumn, GroupColumn } from '../plan.ts'
import { isNullable } from '../order.ts'
import { type TimeUnit, unitNamed, unitsOf, unitType } from '../time-units.ts'
import { isShared, memberPath } from './show.ts'
import { refuse } from './unusable.ts'

// The values of groups: those that the items share, and those that functions make of theirs (docs/http.md: Groups).

/** Returns true for a selection that makes groups. */
export const makesGroups = (fields: readonly FieldAsked[] | undefined, collection: Collection): boolean =>
  fields?.some(({ name }) => isFunction(name) && isOfItems(name.split('.'), collection)) === true

/** The columns of a request, each once. Those that only conditions and orders name come last. */
export class GroupColumns {
  readonly all: GroupColumn[] = []
  readonly collection: Collection

  constructor (collection: Collection) { this.collection = collection }

  /** Returns the column of a function, which `path` ends with. */
  aggregate (path: readonly string[], invalid: Invalid): FunctionColumn {
    const name = path.join('.')
    const known = this.find(name)
    if (known?.call !== undefined) return known
    const call = aggregateNamed(path.at(-1) ?? '', invalid)
    if (path.length === 1) {
      if (call !== 'count') throw invalid(`'${call}()' follows the name of a field.`)
      return this.add(name, { call, of: undefined }, integerType, false)
    }
    const of = findValue(path.slice(0, -1), this.collection, 'for a function', invalid)
    checkFunction(call, of.field, invalid)
    return this.add(name, { call, of }, resultType(call, of.field), call !== 'count' && call !== 'count_distinct')
  }

  /** Returns the column of a value that the items of a group share. */
  group (path: readonly string[], invalid: Invalid): GroupColumn {
    const name = path.join('.')
    const known = this.find(name)
    if (known !== undefined) return known
    const of = findValue(path, this.collection, 'to group by', invalid)
    checkGrouping(of.field, invalid)
    return this.add(name, { call: undefined, of, unit: undefined }, of.field.type, isNullable(of))
  }

  /** Returns the column of a unit of time that the items of a group share. */
  bucket (path: readonly string[], unit: TimeUnit, invalid: Invalid): GroupColumn {
    const name = path.join('.')
    const known = this.find(name)
    if (known !== undefined) return known
    const of = findValue(path.slice(0, -1), this.collection, 'to group by', invalid)
    const { field } = of
    checkGrouping(field, invalid)
    if (unitsOf(field.type).includes(unit)) {
      return this.add(name, { call: undefined, of, unit }, unitType(unit), isNullable(of))
    }
    throw invalid(`'${unit}()' cannot be used with the field '${field.name}', which takes ${field.type.expected}.`)
  }

  functions (): readonly FunctionColumn[] {
    return this.all.filter(column => column.call !== undefined)
  }

  find (name: string): GroupColumn | undefined {
    return this.all.find(({ field }) => field.name === name)
  }

  private add<M extends Made> (name: string, made: M, type: ValueType, nullable: boolean) {
    const column = { ...made, field: columnField(name, this.all.length, type, nullable) }
    this.all.push(column)
    return column
  }
}

type Made = { readonly call: undefined, readonly of: FieldValue, readonly unit: TimeUnit | undefined } |
  Omit<FunctionColumn, 'field'>

function columnField (name: string, index: number, type: ValueType, nullable: boolean): StoredField {
  return {
    kind: 'stored',
    name,
    label: `${JSON.stringify(name)}:`,
    // No column of a table has such a name.
    property: `(${index})`,
    index,
    type,
    nullable,
    schema: {} as StoredField['schema'],
    readable: true,
    writable: false,
    demanded: false,
    hidden: false,
    listed: false,
    filterable: true,
    sortable: true,
    aggregatable: false,
    identifier: false,
    omitted: false,
    optional: false
  }
}

/** Adds the columns that a selection shows, and returns them. */
export function planColumns (asked: readonly FieldAsked[], columns: GroupColumns): readonly GroupColumn[] {
  const shown = [...new Set(asked.flatMap(one => columnsOf(one, [], columns)))]
  checkGroupColumns(shown, asked[0]?.at)
  return shown
}

/** Throws invalid_fields for too many values, and for a value that takes the place of another. */
export function checkGroupColumns (shown: readonly GroupColumn[], at: TextPlace | undefined): void {
  if (at === undefined) return
  for (const one of shown) checkMember(one, shown, at)
  if (shown.length > mostColumns) throw invalidFields(`A group can have at most ${mostColumns} values.`, at)
}

// The databases make arrays of the columns of a row, whose values are the arguments of a function.
const mostColumns = 50

function columnsOf (
  { name, query, at }: FieldAsked, before: readonly string[], columns: GroupColumns
): readonly GroupColumn[] {
  const invalid: Invalid = (message, suggestion) => invalidFields(message, at, suggestion)
  if (isFunction(name)) {
    const path = name.split('.')
    const unit = unitNamed(path.at(-1) ?? '')
    if (before.length === 0) {
      return [unit === undefined ? columns.aggregate(path, invalid) : columns.bucket(path, unit, invalid)]
    }
    throw invalid(`A function does not stand in parentheses here; write '${[...before, name].join('.')}'.`)
  }
  const path = [...before, name]
  if (query === undefined) return [columns.group(path, invalid)]
  refuse(query, ['filter', 'sort', 'page'], `'${path.join('.')}', by which items are grouped,`)
  return query.fields?.flatMap(one => columnsOf(one, path, columns)) ?? []
}

/** Throws invalid_fields for a value that has no place beside another one: `kind` beside `kind.max()`. */
function checkMember (column: GroupColumn, shown: readonly GroupColumn[], at: TextPlace): void {
  const path = memberPath(column)
  const other = shown.find(one => one !== column && startsWith(path, placeTaken(one, column)))
  if (other === undefined) return
  const reason = 'for which there is one member in the answer'
  throw invalidFields(`'${other.field.name}' and '${column.field.name}' cannot be shown together, ${reason}.`, at)
}

/** Returns the member that a value takes from another: its own, or that of its sub-item, which may be null. */
function placeTaken (one: GroupColumn, other: GroupColumn): readonly string[] {
  const path = memberPath(one)
  const isInSubItem = isShared(one) && !isShared(other) && path.length > 1
  return isInSubItem ? path.slice(0, -1) : path
}

const startsWith = (path: readonly string[], start: readonly string[]) =>
  start.length <= path.length && start.every((name, index) => path[index] === name)

/** Follows sub-items to a scalar. */
function findValue (
  names: readonly string[], collection: Collection, aim: Purpose['aim'], invalid: Invalid
): FieldValue {
  const enter = ({ kind, name }: ReadableField) => { if (kind === 'sub-collection') throw ofMany(name, invalid) }
  const { steps, field } = followPath(names, collection, { aim, invalid, enter })
  enter(field)
  if (isRelation(field)) {
    throw invalid(`The field '${field.name}' is not a scalar; select its fields, as in '${field.name}(${
      field.target.key[0]?.name ?? ''})'.`)
  }
  const isComputed = field.kind === 'computed'
  if (isComputed || field.type.kind === 'json') {
    throw invalid(`The field '${field.name}' is ${isComputed ? 'computed' : 'JSON'}, so it is in no group or function.`)
  }
  return steps.length === 0 ? { field } : { path: stepsThrough(steps), field }
}

const ofMany = (name: string, invalid: Invalid) =>
  invalid(`'${name}' has many items for each item, so no group has a value of it.`)

function aggregateNamed (called: string, invalid: Invalid): AggregateName {
  const name = called.slice(0, -2)
  if (isAggregate(name)) return name
  const suggestion = suggest(name, aggregateNames)
  const known = aggregateNames.map(one => `${one}()`).join(', ')
  throw invalid(`There is no function '${called}'. Functions: ${known}.`, suggestion && `${suggestion}()`)
}

const isAggregate = (name: string): name is AggregateName => (aggregateNames as readonly string[]).includes(name)

/** The functions of the items of a group. */
const aggregateNames = ['count', 'count_distinct', 'sum', 'avg', 'min', 'max'] as const satisfies
  readonly AggregateName[]

function checkFunction (call: AggregateName, field: DataField, invalid: Invalid): void {
  if (call === 'count_distinct') return checkGrouping(field, invalid)
  if (call === 'count') return
  if (!field.filterable || !field.sortable || !field.aggregatable) {
    throw invalid(`'${call}()' is not told of the field '${field.name}'.`)
  }
  const isTaken = call === 'sum' || call === 'avg'
    ? kindOf(field.type.kind).add !== undefined
    : field.type.operators.has('greater')
  if (!isTaken) {
    throw invalid(`'${call}()' cannot be used with the field '${field.name}', which takes ${field.type.expected}.`)
  }
}

function checkGrouping (field: DataField, invalid: Invalid): void {
  if (!field.filterable || !field.sortable) throw invalid(`Items cannot be grouped by the field '${field.name}'.`)
}

function resultType (call: AggregateName, { type }: DataField): ValueType {
  if (call === 'count' || call === 'count_distinct') return integerType
  if (call === 'min' || call === 'max') return type
  return call === 'avg' || type.kind === 'number' ? roundedType : sumType
}

const decimalType = formatTypes.decimal

/** The type of sums and means: decimals, which are compared with numbers of any form. */
const sumType: ValueType = {
  ...decimalType,
  expected: 'a number',
  parse: text => decimalType.parse(text) ?? toDecimal(numberType.parse(text)),
  take: value => toDecimal(numberType.take(value)) ?? decimalType.take(value)
}

/** The type of sums and means that are shown as doubles: values are rounded as these are before they are compared. */
const roundedType: ValueType = {
  ...sumType,
  parse: text => toRounded(sumType.parse(text)),
  take: value => toRounded(sumType.take(value))
}

const toDecimal = (value: unknown) => value === undefined ? undefined : plainDecimal(String(value))
const toRounded = (value: unknown) => value === undefined ? undefined : plainDecimal(String(Number(value) + 0))
