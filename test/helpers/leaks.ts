import type { Predicate, ReadPlan, Shown } from '../../lib/core/plan/plan.ts'
import type { Database, DataSource as Source } from '../../lib/core/sources/source.ts'
import type { Guarded } from '../../lib/tools/testing/world/guards.ts'

// APIs with a leak, made on purpose.

/** What stands between the API and its sources. */
type Between = (source: Source) => Source
type Rules = (guards: Guarded['guards']) => Guarded['guards']
/** `seed`: one whose first world shows the leak; where it no longer does, one of the later worlds will. */
interface Leak { readonly seed: number, readonly between?: Between, readonly rules?: Rules }

export const leaks: Readonly<Record<string, Leak>> = {
  'fields have no rules': {
    seed: 1,
    rules: guards => Object.fromEntries(
      Object.entries(guards).map(([name, { scope, rules: { fields: _fields, ...rules } }]) => [name, { scope, rules }])
    )
  },
  'collections have no scope': {
    seed: 2,
    rules: guards => Object.fromEntries(Object.entries(guards).map(([name, { rules }]) =>
      // A scope says who may do its operations.
      [name, { scope: undefined, rules: { read: true, update: true, delete: true, ...rules } }]))
  },
  'a path is followed without the scope': {
    seed: 2,
    between: asking(plan => ({ ...plan, steps: plan.steps.map(step => ({ ...step, where: bare(step.where) })) }))
  },
  'embedded lists are read without the scope': {
    seed: 2,
    between: asking(plan => inSelection(plan, shown =>
      shown.kind === 'list' ? { ...shown, listing: { ...shown.listing, where: bare(shown.listing.where) } } : shown))
  },
  'embedded items are read without the scope': {
    seed: 2,
    between: asking(plan => inSelection(plan, shown => shown.kind === 'item' ? { ...shown, where: everything } : shown))
  },
  'filters through relations are read without the scope': {
    seed: 2,
    between: asking(plan => inFilter(plan, bareSome))
  },
  'dictionaries are read without the scope': {
    seed: 2,
    between: asking(plan => plan.kind === 'groups' ? inFilter(plan, bare) : plan)
  }
}

type Rewrite = (plan: ReadPlan) => ReadPlan

/** A database that is asked something else than the caller's plan. */
function asking (rewrite: Rewrite): Between {
  const made = new WeakMap<Database, Database>()
  return source => {
    const { database } = source
    const other = made.get(database) ?? rewriting(database, rewrite)
    made.set(database, other)
    return { ...source, database: other }
  }
}

/** A database that reads other plans than it is asked for. */
function rewriting (database: Database, rewrite: Rewrite): Database {
  const { readJson, readBatches } = database
  return {
    ...database,
    read: (plan, fresh) => database.read(rewrite(plan), fresh),
    ...readJson !== undefined && { readJson: (plan, fresh) => readJson(rewrite(plan), fresh) },
    ...readBatches !== undefined && {
      readBatches: (plan, size, fresh) => readBatches(rewrite(plan) as typeof plan, size, fresh)
    }
  }
}

const everything: Predicate = { kind: 'all', of: [] }

/** A condition without its first part, which is the scope. */
const bare = (where: Predicate): Predicate => where.kind === 'all' && where.of.length === 2
  ? where.of[1] ?? everything
  : everything

function inSelection (plan: ReadPlan, rewrite: (shown: Shown) => Shown): ReadPlan {
  switch (plan.kind) {
    case 'item': return { ...plan, select: plan.select.map(rewrite) }
    case 'list': return { ...plan, listing: { ...plan.listing, select: plan.listing.select.map(rewrite) } }
    case 'groups': return { ...plan, members: { ...plan.members, select: plan.members.select.map(rewrite) } }
    case 'aggregate': return plan
  }
}

function inFilter (plan: ReadPlan, rewrite: (where: Predicate) => Predicate): ReadPlan {
  switch (plan.kind) {
    case 'item': return plan
    case 'list': return { ...plan, listing: { ...plan.listing, where: rewrite(plan.listing.where) } }
    case 'groups': return { ...plan, members: { ...plan.members, where: rewrite(plan.members.where) } }
    case 'aggregate': return { ...plan, where: rewrite(plan.where) }
  }
}

function bareSome (where: Predicate): Predicate {
  switch (where.kind) {
    case 'compare': case 'is_null': return where
    case 'related': return { ...where, where: bare(where.where) }
    case 'not': return { ...where, of: bareSome(where.of) }
    case 'some': return { ...where, where: bare(where.where) }
    default: return { ...where, of: where.of.map(bareSome) }
  }
}
