import type { Collection } from '../model/model.ts'
import { textOfDate, toValue } from '../model/values.ts'
import type { Row, Selection, Shown } from '../plan/plan.ts'
import { isMembers, type Members } from './where.ts'

/**
 * Returns a row as own code gets it: a copy of the selected fields, by the names of their declarations. An optional
 * property without a value is left out.
 */
export function itemOf (row: Row, select: Selection): Members {
  const item: Record<string, unknown> = {}
  for (const shown of select) {
    const value = valueOf(row, shown)
    if (value !== undefined) item[shown.name] = value
  }
  return item
}

function valueOf (row: Row, shown: Shown): unknown {
  const value = row[shown.field.property] ?? null
  switch (shown.kind) {
    case 'item': return value === null ? null : itemOf(value as Row, shown.select)
    case 'list': return (value as readonly Row[]).map(element => itemOf(element, shown.listing.select))
    case 'value': {
      const { field } = shown
      if (field.kind === 'computed') return field.get(row)
      return field.kind === 'stored' ? toValue(structuredClone(value), field) : value
    }
  }
}

/** Returns values to write as the JSON of a body: without undefined members, and with the texts of Dates. */
export function bodyOf (values: unknown, collection: Collection): unknown {
  if (!isMembers(values)) return values
  return Object.fromEntries(Object.entries(values).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, memberOf(value, name, collection)]]))
}

function memberOf (value: unknown, name: string, { fields }: Collection): unknown {
  const field = fields.get(name)
  if (field?.kind === 'sub-item') return bodyOf(value, field.target)
  if (field?.kind === 'sub-collection') {
    return Array.isArray(value) ? value.map((one: unknown) => bodyOf(one, field.target)) : value
  }
  if (typeof value === 'bigint') return String(value)
  const isText = field?.kind === 'stored' || field?.kind === 'input'
  return value instanceof Date && isText ? textOfDate(value, field.type) : value
}
