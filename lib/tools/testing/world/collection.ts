import type { TSchema } from '@sinclair/typebox'
import type { RequestStrategies } from '../../../../schemas/request-strategies.ts'
import type { Declared } from '../../../core/declare/collection.ts'
import { words } from '../../../core/model/names.ts'
import type { GeneratedExpression } from './expressions.ts'
import type { GeneratedField, GeneratedKey } from './fields.ts'
import type { ValueGenerator } from './generator.ts'
import type { Fill } from './relations.ts'
import type { Column, Reference, TableReference } from './table.ts'

/** A generated collection, as an application declares it. */
export interface GeneratedCollection {
  readonly property: string
  /** The table's name. */
  readonly table: string
  /** The fields of the key; its columns are the table's first. */
  readonly keys: readonly GeneratedKey[]
  readonly schema: Readonly<Record<string, TSchema>>
  /** By their names in the application. */
  readonly expressions: ReadonlyMap<string, GeneratedExpression>
  readonly requestStrategies: RequestStrategies
  readonly pages: Declared['pages']
  readonly extras: Extras
}

/** The application code of a collection: hooks, a setter, a computed field, a lookup, a special identifier. */
interface Extras {
  readonly hooks: boolean
  readonly setter: boolean
  readonly computed: boolean
  readonly lookup: boolean
  readonly special: boolean
}

/** A collection whose fields and rows are being added. */
export interface GeneratedDraft extends GeneratedCollection {
  readonly schema: Record<string, TSchema>
  readonly expressions: Map<string, GeneratedExpression>
  readonly columns: Column[]
  readonly fills: Map<Column, Fill>
  /** Foreign keys of several columns. */
  readonly references: TableReference[]
  /** The rows' values, by the columns' names in the database. */
  readonly rows: Array<Record<string, unknown>>
}

/** The settings that all collections of a world share. */
export interface WorldSettings {
  readonly naming: 'none' | 'snake_case' | 'named'
  /** True where the database checks foreign keys. Where it does not, clients cannot write relations. */
  readonly constrained: boolean
  /** True where rules hide rows: no key counts then, as a counted key shows how many rows there are. */
  readonly guarded: boolean
}

/** Returns one of the names, with a number at its end if the collection has it already. */
export function unusedName (
  generator: ValueGenerator, { schema, expressions }: GeneratedDraft, names: readonly string[]
): string {
  const taken = new Set([...Object.keys(schema), ...expressions.keys()].map(one => words(one).join('')))
  const name = generator.of(names)
  for (let n = 2; ; n++) {
    if (!taken.has(words(name).join(''))) return name
    if (!taken.has(words(`${name}${n}`).join(''))) return `${name}${n}`
  }
}

/** Adds a stored field, its column, and what fills the column. */
export function addStored (
  draft: GeneratedDraft,
  property: string,
  field: GeneratedField,
  settings: WorldSettings,
  references?: Reference | false
): Column {
  const { kind, schema, nullable, unique, pool, columnDefault } = field
  const name = columnName(property, draft, settings)
  const column: Column = {
    name, property, kind, nullable, unique, default: columnDefault, ...references && { references }
  }
  draft.schema[property] = schema
  draft.columns.push(column)
  draft.fills.set(column, generator => nullable && generator.chance(25) ? null : generator.of(pool))
  return column
}

function columnName (property: string, { columns }: GeneratedDraft, { naming }: WorldSettings): string {
  if (naming === 'none') return property
  return naming === 'snake_case' ? words(property).join('_') : `c${columns.length} "${property.slice(0, 3)}"`
}
