import { sql } from 'kysely'
import type { Collection } from '../../../model/model.ts'
import type { Scalar } from '../../../model/values.ts'
import type { Step } from '../../../plan/plan.ts'
import type { Change, Stored, ChangeOf } from '../../source.ts'
import type { Builder } from './builder.ts'
import type { Sql } from './dialect.ts'
import { buildFilter } from './filter.ts'
import { buildSteps, cardinalityOf } from './steps.ts'
import { sourceOf } from '../source.ts'
import { column, columnOf, tableRef } from './table.ts'

/** A change as one statement. `key`: reads the key out of the only column that an insert gives; nothing for a statement that gives no row. */
export interface ChangeCode { readonly sql: Sql, readonly key: ((value: unknown) => Scalar) | undefined }

export function buildChange (change: Change, builder: Builder): ChangeCode {
  switch (change.kind) {
    case 'insert': return buildInsert(change, builder)
    case 'update': return { sql: buildUpdate(change, builder), key: undefined }
    case 'delete': return { sql: buildDelete(change, builder), key: undefined }
    case 'link': return { sql: buildLink(change, builder), key: undefined }
  }
}

function buildInsert ({ collection, values, orNothing }: ChangeOf<'insert'>, builder: Builder): ChangeCode {
  const { table } = sourceOf(collection)
  const { key } = collection
  const columns = [...values.keys()].map(field => columnOf(collection, field))
  const given = columns.length === 0 ? sql`default values` : sql`(${sql.join(columns)})${values.has(key) ? builder.dialect.givenKey : sql``} values (${sql.join(stored(collection, values, builder))})`
  const held = builder.columnType(collection, key)
  const fetched = builder.dialect.fetched(held)
  return {
    sql: sql`insert into ${sql.id(table)} ${given}${orNothing ? builder.onConflict(table) : sql``} returning ${builder.dialect.fetch(columnOf(collection, key), held)} as ${sql.id('key')}`,
    // A key is never null and of a type whose values are scalars, as compileKey has seen to.
    key: value => fetched(value) as Scalar
  }
}

function buildUpdate ({ collection, steps, values }: ChangeOf<'update'>, builder: Builder): Sql {
  const target = buildTarget(collection, steps, builder)
  const bound = stored(collection, values, builder)
  const set = [...values.keys()].map((field, index) => sql`${columnOf(collection, field)} = ${bound[index]}`)
  const { version } = collection
  if (version !== undefined && !values.has(version)) set.push(sql`${columnOf(collection, version)} = ${columnOf(collection, version)} + 1`)
  return sql`${target.steps}update ${target.table} set ${sql.join(set)} where ${target.where}`
}

/** The values of fields, each as its column takes it. */
function stored (collection: Collection, values: Stored, builder: Builder): readonly Sql[] {
  const slots = builder.slotsOf(values)
  return [...values.keys()].flatMap((field, index) => {
    const slot = slots[index]
    return slot === undefined ? [] : [builder.dialect.store(slot, builder.columnType(collection, field))]
  })
}

function buildDelete ({ collection, steps }: ChangeOf<'delete'>, builder: Builder): Sql {
  const target = buildTarget(collection, steps, builder)
  return sql`${target.steps}delete from ${target.table} where ${target.where}`
}

interface Target { readonly steps: Sql, readonly table: Sql, readonly where: Sql }

/** The one item that the last step stands on, and none where a step stands on none or on two. */
function buildTarget (collection: Collection, steps: readonly Step[], builder: Builder): Target {
  const [only, ...others] = steps
  const use = tableRef(collection, '(target)')
  const table = sql`${sql.id(sourceOf(collection).table)} as ${sql.id(use.alias)}`
  if (only !== undefined && others.length === 0 && cardinalityOf(only) !== 'rows') return { steps: sql``, table, where: buildFilter(only.where, use, builder) }
  const stands = steps.map((step, index) => tableRef(step.collection, `(s${index})`))
  const last = stands.at(-1)
  if (last === undefined) throw new TypeError('an item is reached by a step at least')
  const key = sql`(select ${column(last, collection.key)} from ${sql.id(last.alias)} limit 1)`
  const counts = stands.map(stand => sql`(select count(*) from ${sql.id(stand.alias)}) = 1`)
  return { steps: sql`with ${sql.join(buildSteps(steps, stands, builder))} `, table, where: sql`${column(use, collection.key)} = ${key} and ${sql.join(counts, sql` and `)}` }
}

function buildLink (change: ChangeOf<'link'>, builder: Builder): Sql {
  const { link, holder } = change.field
  if (link.kind !== 'join') throw new TypeError('only the elements of a many-to-many relation are linked')
  const { target } = change.field
  const [own, other] = builder.slotsOf(change).map((slot, index) => builder.dialect.operand(slot, index === 0 ? builder.columnType(holder, holder.key) : builder.columnType(target, target.key)))
  const { column: nameOf } = sourceOf(holder)
  const join = sql.id(link.through)
  const [foreignKey, otherKey] = [sql.id(nameOf(link.foreignKey)), sql.id(nameOf(link.otherKey))]
  // The join table may or may not have a unique index.
  const linked = sql`select 1 from ${join} where ${foreignKey} = ${own} and ${otherKey} = ${other}`
  return sql`insert into ${join} (${foreignKey}, ${otherKey}) select ${own}, ${other} where not exists (${linked})${builder.onConflict(link.through)}`
}
