import { sql } from '../load-kysely.ts'
import type { KeyValues } from '../../../model/identifiers.ts'
import type { Collection, StoredField } from '../../../model/model.ts'
import type { Scalar } from '../../../model/values.ts'
import type { Step } from '../../../plan/plan.ts'
import type { Change, ChangeOf, LinkChange } from '../../source.ts'
import { joinTableOf, sourceOf, tableOf } from '../source.ts'
import { tableId } from '../table-name.ts'
import type { Builder } from './builder.ts'
import type { ColumnType, Sql } from './dialect.ts'
import { buildFilter } from './filter.ts'
import { isTogether } from './inserts.ts'
import type { Slot } from './slots.ts'
import type { RowValues } from './compiled-read.ts'
import { buildSteps, cardinalityOf, isOfOwnValues, stepRefs, withSteps } from './steps.ts'
import { column, columnOf, tableRef } from './table.ts'

export interface CompiledChange {
  readonly sql: Sql
  /** Decodes the columns that an insert returns; undefined for other changes. */
  readonly key: ((values: RowValues) => KeyValues) | undefined
  /** True if a change that is no insert returns a row for each row that it changes. */
  readonly returnsRows: boolean
}

export function buildChange (change: Change, builder: Builder): CompiledChange {
  switch (change.kind) {
    case 'insert': return buildInsert(change, builder)
    case 'update': return changing(buildUpdate(change, builder), change, builder)
    case 'delete': return changing(buildDelete(change, builder), change, builder)
    case 'link': return { sql: buildLink(change, builder), key: undefined, returnsRows: false }
    case 'unlink': return { sql: buildUnlink(change, builder), key: undefined, returnsRows: false }
  }
}

function changing (statement: Sql, { collection }: ChangeOf<'update' | 'delete'>, builder: Builder): CompiledChange {
  // SQLite counts no row that a trigger of a view has changed, but returns it.
  const returnsRows = builder.isReplaced(tableOf(collection))
  return { sql: returnsRows ? sql`${statement} returning 1` : statement, key: undefined, returnsRows }
}

/** Builds the statement that inserts items: all of them where the dialect can, else one. */
function buildInsert (change: ChangeOf<'insert'>, builder: Builder): CompiledChange {
  const { collection, orNothing, keyed } = change
  const table = tableOf(collection)
  const { dialect } = builder
  const conflict = orNothing ? builder.onConflict(table) : sql``
  const insert = sql`insert${builder.orAbort(table)} into ${tableId(table)} ${buildRows(change, builder)}${conflict}`
  if (!keyed) return { sql: insert, key: undefined, returnsRows: false }
  const key = collection.key.map(field => ({ field, type: builder.columnType(collection, field) }))
  const decoders = key.map(({ type }) => dialect.decoder(type))
  const returned = sql.join(key.map(({ field, type }, index) => {
    return sql`${dialect.fetch(columnOf(collection, field), type)} as ${sql.id(`k${index}`)}`
  }))
  return {
    sql: sql`${insert} returning ${returned}`,
    // A key is never null, and compileKey accepts only types whose values are scalars.
    key: values => decoders.map((decode, index) => decode(values[index]) as Scalar),
    returnsRows: false
  }
}

/** Builds the columns and values of an insert. */
function buildRows (change: ChangeOf<'insert'>, builder: Builder): Sql {
  const { collection, fields, rows } = change
  const { dialect } = builder
  const slots = builder.slotsOf(rows)
  const [first] = slots
  if (first === undefined) return sql`default values`
  const overriding = collection.key.some(field => fields.includes(field)) ? dialect.givenKey() : sql``
  const columns = sql`(${sql.join(fields.map(field => columnOf(collection, field)))})${overriding}`
  if (isTogether(change, dialect)) {
    return sql`${columns} ${dialect.manyRows?.(first, fields.map(field => builder.columnType(collection, field)))}`
  }
  return sql`${columns} values (${sql.join(buildStored(collection, fields, slots, builder))})`
}

function buildUpdate ({ collection, steps, values }: ChangeOf<'update'>, builder: Builder): Sql {
  const target = buildTarget(collection, steps, builder)
  const fields = [...values.keys()]
  const stored = buildStored(collection, fields, builder.slotsOf(values), builder, target.own)
  const set = fields.map((field, index) => sql`${columnOf(collection, field)} = ${stored[index]}`)
  const { version } = collection
  if (version !== undefined && !values.has(version)) {
    set.push(sql`${columnOf(collection, version)} = ${columnOf(collection, version)} + 1`)
  }
  const orAbort = builder.orAbort(tableOf(collection))
  return sql`${target.path}update${orAbort} ${target.table} set ${sql.join(set)} where ${target.where}`
}

/** Builds each value as its column stores it. */
function buildStored (
  collection: Collection, fields: readonly StoredField[], slots: readonly Slot[], builder: Builder, own?: Target['own']
): readonly Sql[] {
  return fields.flatMap((field, index) => {
    const slot = slots[index]
    if (slot === undefined) return []
    const type = builder.columnType(collection, field)
    const value = builder.dialect.toColumn(slot, type)
    if (own === undefined || !builder.dialect.isLossy(type)) return value
    // A client that sends back what it got does not cut what is stored.
    return sql`case when ${isShownAs(own(field), slot, type, builder)} then ${own(field)} else ${value} end`
  })
}

function buildDelete ({ collection, steps, every }: ChangeOf<'delete'>, builder: Builder): Sql {
  const target = buildTarget(collection, steps, builder, every)
  return sql`${target.path}delete from ${target.table} where ${target.where}`
}

/** Builds the condition that a column is shown as a value. */
function isShownAs (value: Sql, slot: Slot, type: ColumnType, { dialect }: Builder): Sql {
  return sql`${dialect.filtered(value, type, false)} = ${dialect.operand(slot, type, false)}`
}

/** `own`: a column of the item as it is. */
interface Target {
  readonly path: Sql
  readonly table: Sql
  readonly where: Sql
  own (field: StoredField): Sql
}

/**
 * Builds the target of an update or delete: the item of the last step, or no row if a step resolves to none or to two.
 * `every`: all items of the only step.
 */
function buildTarget (collection: Collection, steps: readonly Step[], builder: Builder, every = false): Target {
  const [only, ...others] = steps
  const name = tableOf(collection)
  // SQLite does not know an alias where a trigger of a view makes the change.
  const alias = builder.isReplaced(name) ? undefined : '(target)'
  const ref = tableRef(collection, alias ?? name.name)
  const table = alias === undefined ? tableId(name) : sql`${tableId(name)} as ${sql.id(alias)}`
  const own = (field: StoredField) => column(ref, field)
  if (only !== undefined && others.length === 0 && (every || cardinalityOf(only, builder) !== 'rows')) {
    return { path: sql``, table, where: buildFilter(only.where, ref, builder), own }
  }
  const refs = stepRefs(steps)
  const last = refs.at(-1)
  if (last === undefined) throw new TypeError('an item is reached by a step at least')
  const isTarget = collection.key.map(field => {
    return sql`${column(ref, field)} = (select ${column(last, field)} from ${sql.id(last.alias)} limit 1)`
  })
  const counts = refs.map(({ alias }) => sql`(select count(*) from ${sql.id(alias)}) = 1`)
  // PostgreSQL asks this again of a row that another transaction has changed meanwhile, but not the steps.
  const still = only !== undefined && others.length === 0 && isOfOwnValues(only.where)
    ? [buildFilter(only.where, ref, builder)]
    : []
  return {
    path: withSteps(buildSteps(steps, refs, builder)),
    table,
    where: sql.join([...isTarget, ...counts, ...still], sql` and `),
    own
  }
}

function buildLink (change: ChangeOf<'link'>, builder: Builder): Sql {
  const { table, columns, values, isSame } = joinRow(change, builder)
  const join = tableId(table)
  // Not left to `on conflict` alone, because the join table may have no unique index.
  const selected = sql`select ${sql.join(values)} where not exists (select 1 from ${join} where ${isSame})`
  return sql`insert${builder.orAbort(table)} into ${join} (${sql.join(columns)}) ${selected}`
}

function buildUnlink (change: ChangeOf<'unlink'>, builder: Builder): Sql {
  const { table, isSame } = joinRow(change, builder)
  return sql`delete from ${tableId(table)} where ${isSame}`
}

/** Returns the join table, its columns and the values of a link, and the condition of the rows that hold them. */
function joinRow (change: LinkChange, builder: Builder) {
  const { link, holder, target } = change.field
  if (link.kind !== 'join') throw new TypeError('only the elements of a many-to-many relation are linked')
  const { dialect } = builder
  const { column: nameOf } = sourceOf(holder)
  const columns = [...link.foreignKey, ...link.otherKey].map(property => sql.id(nameOf(property)))
  const types = [holder, target].flatMap(side => side.key.map(field => builder.columnType(side, field)))
  const slots = builder.slotsOf(change)
  const parts = slots.flatMap((slot, index) => {
    const [type, name] = [types[index], columns[index]]
    if (type === undefined || name === undefined) return []
    const operand = dialect.toJoinColumn(slot, type)
    // A decimal is stored as it is written, and compared by its value.
    return type.kind === 'decimal'
      ? [{ value: dialect.toColumn(slot, type), isSame: sql`${dialect.comparable(name, type)} = ${operand}` }]
      : [{ value: operand, isSame: sql`${name} = ${operand}` }]
  })
  const values = parts.map(({ value }) => value)
  const isSame = sql.join(parts.map(part => part.isSame), sql` and `)
  return { table: joinTableOf(change.field), columns, values, isSame }
}
