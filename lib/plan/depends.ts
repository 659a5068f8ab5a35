import type { Collection, DataField, RelationField } from '../model/model.ts'
import type {
  Elements, GroupColumn, ItemValue, Listing, Predicate, ReadPlan, ReadPlanOf, Selection, Shown, Step
} from './plan.ts'

/** What the answer to a read depends on besides its text. */
export interface Dependence {
  /** The tables whose rows it may show or compare, by Source.tableKey; undefined for all of the database. */
  readonly tables: ReadonlySet<unknown> | undefined
  /** True if the application's own code has a part in it: a lookup, or a computed field. */
  readonly computed: boolean
}

/** Returns what a scoped read depends on. What is not understood, such as a view, makes it depend on everything. */
export function dependenceOf (plan: ReadPlan): Dependence {
  const found = new Found()
  for (const step of plan.steps) found.addStep(step)
  if (plan.kind === 'item') found.addSelection(plan.select)
  else {
    found.addCollection(plan.from.collection)
    if (plan.from.via !== undefined) found.addRelation(plan.from.via)
    if (plan.kind === 'aggregate') found.addGroups(plan)
    else found.addListing(plan.kind === 'list' ? plan.listing : plan.members)
    // A group is read by its field, also where no item shows it.
    if (plan.kind === 'groups') found.addField(plan.by)
  }
  return { tables: found.everything ? undefined : found.tables, computed: found.computed }
}

class Found {
  readonly tables = new Set<unknown>()
  everything = false
  computed = false

  addStep ({ collection, via, where }: Step): void {
    this.addCollection(collection)
    if (via !== undefined) this.addRelation(via)
    this.addPredicate(where)
    // A lookup may read whatever it likes.
    if (!collection.identifiers.some(({ kind }) => kind === 'lookup')) return
    this.everything = true
    this.computed = true
  }

  addCollection ({ source }: Collection): void {
    this.addTable(source.tableKey?.())
  }

  addRelation (field: RelationField): void {
    this.addCollection(field.target)
    if (field.kind === 'sub-item' || field.link.kind !== 'join') return
    this.addTable(field.holder.source.tableKey?.(field.link.through))
  }

  addListing ({ where, order, select }: Listing): void {
    this.addPredicate(where)
    for (const term of order) this.addValue(term)
    this.addSelection(select)
  }

  addGroups ({ where, columns }: ReadPlanOf<'aggregate'>): void {
    this.addPredicate(where)
    this.addColumns(columns)
  }

  private addColumns (columns: readonly GroupColumn[]): void {
    for (const { of } of columns) if (of !== undefined) this.addValue(of)
  }

  addSelection (select: Selection): void {
    for (const shown of select) this.addShown(shown)
  }

  private addValue ({ path = [], field, related }: ItemValue): void {
    for (const { field: via, where } of path) {
      this.addRelation(via)
      this.addPredicate(where)
    }
    if (field !== undefined) this.addField(field)
    if (related !== undefined) this.addElements(related, [related.value])
  }

  private addElements ({ field, where }: Elements, values: readonly GroupColumn[]): void {
    this.addRelation(field)
    this.addPredicate(where)
    this.addColumns(values)
  }

  addField (field: DataField): void {
    if (field.kind !== 'expression') return
    // It may read any table, unless the declaration names those that it reads.
    for (const table of field.reads?.() ?? [undefined]) this.addTable(table)
  }

  private addTable (key: unknown): void {
    if (key === undefined) this.everything = true
    else this.tables.add(key)
  }

  private addShown (shown: Shown): void {
    if (shown.kind === 'value') {
      if (shown.field.kind === 'computed') this.computed = true
      else this.addField(shown.field)
      return
    }
    if (shown.kind === 'related') {
      this.addElements(shown, shown.values)
      return
    }
    this.addRelation(shown.field)
    if (shown.kind === 'list') this.addListing(shown.listing)
    else {
      this.addPredicate(shown.where)
      this.addSelection(shown.select)
    }
  }

  private addPredicate (predicate: Predicate): void {
    switch (predicate.kind) {
      case 'compare':
      case 'is_null': this.addField(predicate.field); break
      case 'all':
      case 'any': for (const one of predicate.of) this.addPredicate(one); break
      case 'not': this.addPredicate(predicate.of); break
      case 'related': this.addElements(predicate, [predicate.value]); break
      case 'some':
        this.addRelation(predicate.field)
        this.addPredicate(predicate.where)
    }
  }
}
