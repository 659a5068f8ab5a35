import type { TSchema } from '@sinclair/typebox'
import { relationOf } from '../../../core/declare/relations.ts'
import type { ValueGenerator } from './generator.ts'
import type { Column, Table } from './table.ts'
import { uuid } from './values.ts'
import type { World } from './world.ts'
import {
  columnsOf, isForeignKeyIn, isKey, isSecret, isVisible, keyIn, keyOf, ownKeeper, type Part, type Row,
  throughOf, valuesIn
} from './visible.ts'

/**
 * Returns the tables of two worlds that differ in hidden data. Rows of both have the same unique values, so that a
 * write conflicts with them in both. Rows of one only have unique values that no request writes.
 */
export function generateTwins (generator: ValueGenerator, parts: readonly Part[], world: World): readonly [
  readonly Table[], readonly Table[]
] {
  const fresh = { count: 0 }
  const made = parts.map(part => generateTables(generator, part, parts, world, fresh))
  const joins = world.tables.slice(parts.length).map(table => generateJoins(generator, table, parts, world, made))
  return [
    [...made.map(([one]) => one), ...joins.map(([one]) => one)],
    [...made.map(([, other]) => other), ...joins.map(([, other]) => other)]
  ]
}

function generateTables (
  generator: ValueGenerator, part: Part, parts: readonly Part[], world: World, fresh: { count: number }
): readonly [Table, Table] {
  const { table } = part
  const secret = table.columns.filter(column => isSecret(column, part, parts))
  const isHidden = (row: Row) => !isVisible(row, part, parts, world)
  const regenerated = table.rows.map(row => isHidden(row)
    ? regenerateHidden(generator, row, part, parts)
    : regenerate(generator, row, secret, part, fresh))
  const hidden = table.rows.filter(isHidden)
  const more = () =>
    hidden.filter(() => generator.chance(40)).flatMap(row => copyHidden(generator, row, part, parts, world, fresh))
  return [{ ...table, rows: [...table.rows, ...more()] }, { ...table, rows: [...regenerated, ...more()] }]
}

/** Returns a hidden row of both worlds for the other world: its unique values and its foreign keys stay. */
function regenerateHidden (generator: ValueGenerator, row: Row, part: Part, parts: readonly Part[]): Row {
  const free = part.table.columns.filter(column =>
    !column.unique && !isKey(column.property, part) && column.property !== 'keeper' &&
      !parts.some(one => isForeignKeyIn(column.property, part, one))
  )
  // The caller's keeper stays, because it can make other rows visible.
  return {
    ...regenerate(generator, row, free, part, { count: 0 }),
    keeper: row['keeper'] === ownKeeper ? ownKeeper : generator.of([2, 3])
  }
}

const examplesOf = (schema: TSchema | undefined) => schema?.['examples'] as readonly unknown[] ?? []

function regenerate (
  generator: ValueGenerator, row: Row, columns: readonly Column[], { generated }: Part, fresh: { count: number }
): Row {
  const changed = columns.filter(() => generator.chance(60))
    .map(column => [
      column.name,
      column.unique
        ? freshValue(column, fresh)
        : generator.chance(15) && column.nullable
          ? null
          : generator.from(examplesOf(generated.schema[column.property])) ?? row[column.name]
    ])
  return { ...row, ...Object.fromEntries(changed) as Row }
}

/**
 * Returns a hidden row of one world only. It refers to no visible row: it would prevent that row's deletion. An empty
 * list where a foreign key that is not nullable would have to.
 */
function copyHidden (
  generator: ValueGenerator, row: Row, part: Part, parts: readonly Part[], world: World, fresh: { count: number }
): readonly Row[] {
  const copy: Record<string, unknown> = { ...regenerateHidden(generator, row, part, parts), keeper: 2 }
  const { table } = part
  const isFree = ({ property, references }: Column) => isKey(property, part) && references === undefined
  if (!keyOf(part).some(isFree)) return []
  for (const column of table.columns) {
    if (column.unique || isFree(column)) copy[column.name] = freshValue(column, fresh)
  }
  for (const { columns, table: name } of referencesOf(table)) {
    const target = parts.find(one => one.table.name === name)
    const named = valuesIn(copy, columns)
    const referred = target?.table.rows.find(one => keyIn(one, target) === named)
    if (target === undefined || referred === undefined || !isVisible(referred, target, parts, world)) continue
    const nullable = columns.find(column => column.nullable)
    if (nullable === undefined) return []
    copy[nullable.name] = null
  }
  return [copy]
}

const referencesOf = ({ columns, references = [] }: Table) => [
  ...columns.flatMap(column => column.references === undefined
    ? []
    : [{ columns: [column], table: column.references.table }]),
  ...references.map(({ columns: names, table }) => ({
    columns: names.flatMap(name => columns.find(column => column.name === name) ?? []), table
  }))
]

/** Returns a value that no row has and no request writes; namesHiddenRow() recognizes it. */
function freshValue ({ kind }: Column, fresh: { count: number }): unknown {
  const n = fresh.count++
  const date = `2345-${String(1 + Math.floor(n / 28) % 12).padStart(2, '0')}-${String(1 + n % 28).padStart(2, '0')}`
  switch (kind) {
    case 'text': return `secret-${n}`
    case 'uuid': return uuid(0xdead0000 + n)
    case 'date': return date
    case 'date-time': return `${date}T00:00:00.000Z`
    case 'int64':
    case 'decimal': return String(7_654_000 + n)
    case 'integer':
    case 'number': return 7_654_000 + n
    default: throw new TypeError(`no column of kind ${kind} is unique`)
  }
}

/**
 * True where a request names a row that may exist in one world only. A read of such a row gives 404 in both worlds; but
 * a write of its unique value conflicts in one.
 */
export const namesHiddenRow = (text: string) => /secret-|dead0|2345-|7654\d/i.test(text)

/** Returns two versions of a join table, which differ in links of hidden items, unless a scope uses the table. */
function generateJoins (
  generator: ValueGenerator, table: Table, parts: readonly Part[], world: World,
  made: ReadonlyArray<readonly [Table, Table]>
): readonly [Table, Table] {
  const usesTable = ({ generated, hiding }: Part) =>
    hiding.kind === 'through' && throughOf(generated.schema[hiding.relation]) === table.name
  const holder = parts.find(({ generated }) =>
    Object.values(generated.schema).some(schema => throughOf(schema) === table.name))
  const relation = Object.values(holder?.generated.schema ?? {}).map(relationOf).filter(one => one?.type === 'array')
    .find(({ link }) => link.through === table.name)
  const target = parts.find(({ generated }) => generated.property === relation?.target)
  if (parts.some(usesTable) || holder === undefined || target === undefined ||
    relation?.link.through === undefined) return [table, table]
  const [own, other] = [columnsOf(relation.link.foreignKey, table), columnsOf(relation.link.otherKey, table)]
  const linked = (which: 0 | 1) => {
    const rowsOf = (part: Part) => made[parts.indexOf(part)]?.[which].rows ?? []
    const isHidden = (key: string | undefined, part: Part) =>
      rowsOf(part).some(row => keyIn(row, part) === key && !isVisible(row, part, parts, world))
    const remaining = table.rows.filter(row =>
      !(isHidden(valuesIn(row, own), holder) || isHidden(valuesIn(row, other), target)) || generator.chance(50)
    )
    const added: Row[] = []
    for (let left = generator.below(6); left > 0; left--) {
      const [one, two] = [generator.from(rowsOf(holder)), generator.from(rowsOf(target))]
      if (one === undefined || two === undefined) continue
      const link: Row = { ...keyAs(own, one, holder), ...keyAs(other, two, target) }
      const isKnown = [...remaining, ...added].some(row =>
        valuesIn(row, table.columns) === valuesIn(link, table.columns))
      if (!isKnown && (isHidden(keyIn(one, holder), holder) || isHidden(keyIn(two, target), target))) added.push(link)
    }
    return { ...table, rows: [...remaining, ...added] }
  }
  return [linked(0), linked(1)]
}

/** Returns the key of a row as values of other columns. */
const keyAs = (columns: readonly Column[], row: Row, part: Part): Row =>
  Object.fromEntries(columns.map(({ name }, index) => [name, row[keyOf(part)[index]?.name ?? '']]))
