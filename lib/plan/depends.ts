import type { Collection, DataField, RelationField } from '../model/model.ts'
import { anyRow, type Needs, needsOf, product, through } from './needs.ts'
import type {
  Elements, GroupColumn, ItemValue, Listing, Predicate, ReadPlan, ReadPlanOf, Selection, Shown, Step
} from './plan.ts'

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
  let known = anyRow
  for (const step of plan.steps) known = found.addStep(step, known)
  if (plan.kind === 'item') found.addSelection(plan.select, known)
  else {
    const { collection, via } = plan.from
    const { where } = plan.kind === 'aggregate' ? plan : plan.kind === 'list' ? plan.listing : plan.members
    const needs = product(through(via, known), needsOf(where, collection))
    found.addItems(collection, via, needs)
    if (plan.kind === 'aggregate') found.addGroups(plan)
    else found.addListing(plan.kind === 'list' ? plan.listing : plan.members, needs)
    // A group is read by its field, also where no item shows it.
    if (plan.kind === 'groups') found.addField(plan.by)
  }
  return { tables: found.everything ? undefined : found.tables, computed: found.computed }
}

class Found {
  readonly tables = new Map<unknown, readonly Needs[]>()
  everything = false
  computed = false

  /** Adds a step from items that are known to meet one of the alternatives. Returns those of the item of the step. */
  addStep ({ collection, via, where }: Step, known: readonly Needs[]): readonly Needs[] {
    const needs = product(through(via, known), needsOf(where, collection))
    this.addItems(collection, via, needs)
    this.addPredicate(where)
    // A lookup may read whatever it likes.
    if (collection.identifiers.some(({ kind }) => kind === 'lookup')) {
      this.everything = true
      this.computed = true
    }
    return needs
  }

  /** Adds items of a collection, to which a relation leads. */
  addItems ({ source }: Collection, via: RelationField | undefined, needs: readonly Needs[] = anyRow): void {
    this.addTable(source.tableKey?.(), needs)
    if (via?.kind !== 'sub-collection' || via.link.kind !== 'join') return
    this.addTable(via.holder.source.tableKey?.(via.link.through))
  }

  addListing ({ where, order, select }: Listing, needs: readonly Needs[]): void {
    this.addPredicate(where)
    for (const term of order) this.addValue(term)
    this.addSelection(select, needs)
  }

  addGroups ({ where, columns }: ReadPlanOf<'aggregate'>): void {
    this.addPredicate(where)
    this.addColumns(columns)
  }

  private addColumns (columns: readonly GroupColumn[]): void {
    for (const { of } of columns) if (of !== undefined) this.addValue(of)
  }

  addSelection (select: Selection, known: readonly Needs[]): void {
    for (const shown of select) this.addShown(shown, known)
  }

  private addValue ({ path = [], field, related }: ItemValue): void {
    for (const { field: via, where } of path) {
      this.addItems(via.target, via)
      this.addPredicate(where)
    }
    if (field !== undefined) this.addField(field)
    if (related !== undefined) this.addElements(related, [related.value])
  }

  private addElements ({ field, where }: Elements, values: readonly GroupColumn[]): void {
    this.addItems(field.target, field)
    this.addPredicate(where)
    this.addColumns(values)
  }

  addField (field: DataField): void {
    if (field.kind !== 'expression') return
    // It may read any table, unless the declaration names those that it reads.
    for (const table of field.reads?.() ?? [undefined]) this.addTable(table)
  }

  private addTable (key: unknown, needs: readonly Needs[] = anyRow): void {
    if (key === undefined) this.everything = true
    else this.tables.set(key, [...this.tables.get(key) ?? [], ...needs])
  }

  private addShown (shown: Shown, known: readonly Needs[]): void {
    if (shown.kind === 'value') {
      if (shown.field.kind === 'computed') this.computed = true
      else this.addField(shown.field)
      return
    }
    if (shown.kind === 'related') {
      this.addElements(shown, shown.values)
      return
    }
    const { field } = shown
    const { where } = shown.kind === 'list' ? shown.listing : shown
    const needs = product(through(field, known), needsOf(where, field.target))
    this.addItems(field.target, field, needs)
    if (shown.kind === 'list') this.addListing(shown.listing, needs)
    else {
      this.addPredicate(where)
      this.addSelection(shown.select, needs)
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
        this.addItems(predicate.field.target, predicate.field)
        this.addPredicate(predicate.where)
    }
  }
}
