import type { ScalarField } from '../model/model.ts'
import { eachNode, type ItemsFound } from './fold.ts'
import { anyRow, type Needs, needsOf, product, through } from './needs.ts'
import type { ReadPlan } from './plan.ts'

/** What the answer to a read depends on besides its text. */
export interface Dependence {
  /**
   * The tables whose rows it may show or compare, by Source.tableKey, each with alternatives one of which a row must
   * meet before or after a change that matters; undefined for all of the database.
   */
  readonly tables: ReadonlyMap<unknown, readonly Needs[]> | undefined
  /** True if the application's own code has a part in it: a lookup, or a computed field. */
  readonly computed: boolean
}

/** Returns what a scoped read depends on. What is not understood, such as a view, makes it depend on everything. */
export function dependenceOf (plan: ReadPlan): Dependence {
  const found = new Found()
  eachNode(plan, found, anyRow)
  return { tables: found.everything ? undefined : found.tables, computed: found.computed }
}

class Found {
  readonly tables = new Map<unknown, readonly Needs[]>()
  everything = false
  computed = false

  /** Adds items that are found from some which meet one of the alternatives. Returns those that they meet. */
  items ({ collection, via, where, as }: ItemsFound, from: readonly Needs[]): readonly Needs[] {
    const needs = as === 'compared' ? anyRow : product(through(via, from), needsOf(where, collection))
    this.addTable(collection.source.tableKey?.(), needs)
    if (via?.kind === 'sub-collection' && via.link.kind === 'join') {
      this.addTable(via.holder.source.tableKey?.(via.link.through))
    }
    // A lookup may read whatever it likes.
    if (as === 'step' && collection.identifiers.some(({ kind }) => kind === 'lookup')) {
      this.everything = true
      this.computed = true
    }
    return needs
  }

  field (field: ScalarField): void {
    if (field.kind === 'computed') this.computed = true
    if (field.kind !== 'expression') return
    // It may read any table, unless the declaration names those that it reads.
    for (const table of field.reads?.() ?? [undefined]) this.addTable(table)
  }

  private addTable (key: unknown, needs: readonly Needs[] = anyRow): void {
    if (key === undefined) this.everything = true
    else this.tables.set(key, [...this.tables.get(key) ?? [], ...needs])
  }
}
