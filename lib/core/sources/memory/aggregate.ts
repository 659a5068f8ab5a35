import { tooManyGroups } from '../../errors/errors.ts'
import { kindOf, type ValueKind } from '../../model/kinds.ts'
import { decimalOfKey } from '../../model/numbers.ts'
import type { AggregateName, Elements, FunctionColumn, GroupColumn, ReadPlanOf, Row } from '../../plan/plan.ts'
import { startOf, type TimeUnit } from '../../plan/time-units.ts'
import { ExactSum, meanOf, roundedSum } from '../exact-sum.ts'
import { compareValues } from './compare.ts'
import { compileFilter } from './filter.ts'
import { relatedOf } from './relations.ts'
import { valueReader } from './sort.ts'
import type { Tick } from './tick.ts'
import { comparableReaderOf, type Reader, readerOf } from './values.ts'

/** Reads a value of an item as it is compared, and as it is shown. */
interface Readers { readonly compared: Reader, readonly shown: Reader }

/** What is made of the values of a group. */
interface Reduction { add (row: object): void, result (): unknown }

/** Makes the groups of objects: rows of the plan's columns. Throws answer_too_large for too many groups. */
export function groupRows (
  rows: readonly object[], { columns, named, mostGroups }: ReadPlanOf<'aggregate'>, tick: Tick
): readonly Row[] {
  const makers = columns.map(column => reductionOf(column, tick))
  const keys = columns.flatMap(column => column.call === undefined ? [readersOf(column, tick).compared] : [])
  const groups = new Map<string, readonly Reduction[]>()
  if (keys.length === 0) groups.set('[]', makers.map(make => make()))
  for (const row of rows) {
    tick(1)
    const key = keys.map(read => read(row))
    if (named && key[0] === null) continue
    const text = JSON.stringify(key.map(value => [typeof value, String(value)]))
    const known = groups.get(text)
    const group = known ?? makers.map(make => make())
    if (known === undefined) groups.set(text, group)
    if (groups.size > mostGroups) throw tooManyGroups(mostGroups)
    for (const reduction of group) reduction.add(row)
  }
  return [...groups.values()].map(group => resultOf(group, columns))
}

const resultOf = (group: readonly Reduction[], columns: readonly GroupColumn[]): Row =>
  Object.fromEntries(group.map((reduction, index) => [columns[index]?.field.property, reduction.result()]))

/** Returns a function that makes a row of what functions make of a row's elements. */
export function relatedReducer (
  { field, where }: Elements, columns: readonly FunctionColumn[], tick: Tick
): (row: object) => Row {
  const related = relatedOf(field, tick)
  const exists = compileFilter(where, tick)
  const makers = columns.map(column => reductionOf(column, tick))
  return row => {
    const group = makers.map(make => make())
    for (const element of related(row)) if (exists(element)) for (const reduction of group) reduction.add(element)
    return resultOf(group, columns)
  }
}

function readersOf (column: GroupColumn, tick: Tick): Readers {
  const { of } = column
  if (of === undefined) throw new TypeError('a count of items has no value')
  if (column.call === undefined && column.unit !== undefined) {
    const start = bucketReader(valueReader(of, readerOf, tick), column.unit)
    return { compared: start, shown: start }
  }
  return { compared: valueReader(of, comparableReaderOf, tick), shown: valueReader(of, readerOf, tick) }
}

const bucketReader = (read: Reader, unit: TimeUnit): Reader => row => {
  const value = read(row)
  return typeof value === 'string' ? startOf(value, unit) : value
}

function reductionOf (column: GroupColumn, tick: Tick): () => Reduction {
  const { call, of } = column
  if (of === undefined) return counted(() => true)
  const readers = readersOf(column, tick)
  if (call === undefined) return () => labelled(readers, of.field.type.kind)
  return reductions[call](readers, of.field.type.kind)
}

const counted = (has: (row: object) => boolean) => (): Reduction => {
  let count = 0
  return { add: row => { if (has(row)) count++ }, result: () => count }
}

/** The value that all rows of a group share, as it is shown: one text of all spellings of a decimal. */
function labelled ({ compared, shown }: Readers, kind: ValueKind): Reduction {
  let first: object | undefined
  return {
    add: row => { first ??= row },
    result () {
      const value = first === undefined ? null : compared(first)
      if (first === undefined || value === null) return null
      return kind === 'mixed' ? String(value) : plainly(value, shown(first), kind)
    }
  }
}

/** Returns a value as a group shows it. `compared`: the same value, as it is compared. */
const plainly = (compared: unknown, shown: unknown, kind: ValueKind): unknown =>
  kind === 'decimal' ? decimalOfKey(String(compared)) : shown

const reductions: Readonly<Record<AggregateName, (readers: Readers, kind: ValueKind) => () => Reduction>> = {
  count: ({ compared }) => counted(row => compared(row) !== null),
  count_distinct: ({ compared }) => () => {
    const values = new Set<unknown>()
    return {
      add (row) {
        const value = compared(row)
        if (value !== null) values.add(value)
      },
      result: () => values.size
    }
  },
  sum: (readers, kind) => () => summed(readers, kind, sum => kind === 'number' ? roundedSum(sum.total()) : sum.total()),
  avg: (readers, kind) => () => summed(readers, kind, (sum, count) => meanOf(sum.total(), count)),
  min: (readers, kind) => () => extreme(readers, kind, -1),
  max: (readers, kind) => () => extreme(readers, kind, 1)
}

function summed (
  { shown }: Readers, kind: ValueKind, result: (sum: ExactSum, count: number) => string
): Reduction {
  const { add } = kindOf(kind)
  const sum = new ExactSum()
  let count = 0
  return {
    add (row) {
      const value = shown(row)
      if (value === null) return
      count++
      sum.add(add?.(value))
    },
    result: () => count === 0 ? null : result(sum, count)
  }
}

function extreme ({ compared, shown }: Readers, kind: ValueKind, sign: number): Reduction {
  let found: { readonly value: unknown, readonly row: object } | undefined
  return {
    add (row) {
      const value = compared(row)
      if (value === null) return
      if (found === undefined || compareValues(value, found.value) * sign > 0) found = { value, row }
    },
    result: () => found === undefined ? null : plainly(found.value, shown(found.row), kind)
  }
}
