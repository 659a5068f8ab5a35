import type { TypeDesign } from './design.ts'
import { findColumn, keyOfTarget } from './relations.ts'
import type { SeenColumn, SeenTable } from './tables.ts'

/** The types of the readable columns of each table. */
type Types = ReadonlyMap<SeenTable, Map<SeenColumn, TypeDesign>>

/**
 * Gives foreign keys of integers the type of a key of integers and texts, which is served as text, and so on along the
 * tables that refer to them: relations join values of one type.
 */
export function matchForeignKeys (types: Types): void {
  const tables = new Map([...types.keys()].map(table => [keyOfTarget(table), table]))
  let isChanged = true
  while (isChanged) {
    isChanged = false
    for (const [table, own] of types) {
      for (const { column, target, of } of pairsOf(table, tables)) {
        if (!isInteger(own.get(column)) || !isOfIntegersAsTexts(target, types.get(of)?.get(target))) continue
        own.set(column, { kind: 'string' })
        isChanged = true
      }
    }
  }
}

interface Pair { readonly column: SeenColumn, readonly target: SeenColumn, readonly of: SeenTable }

/** Returns the columns of the foreign keys of a table, each with the one that it refers to. */
const pairsOf = (table: SeenTable, tables: ReadonlyMap<string, SeenTable>): readonly Pair[] =>
  table.foreignKeys.flatMap(({ columns, target: { schema, name }, targetColumns }) => {
    const of = tables.get(keyOfTarget({ schema, name }))
    if (of === undefined) return []
    const targets = targetColumns.length > 0 ? targetColumns : of.primaryKey
    return columns.flatMap((own, index) => {
      const [column, target] = [findColumn(table, own), findColumn(of, targets[index] ?? '')]
      return column === undefined || target === undefined ? [] : [{ column, target, of }]
    })
  })

const isInteger = (type: TypeDesign | undefined) =>
  type?.kind === 'integer' || (type?.kind === 'text' && type.format === 'int64')

const isOfIntegersAsTexts = ({ sample }: SeenColumn, type: TypeDesign | undefined) =>
  type?.kind === 'string' && sample?.classes.has('integer') === true
