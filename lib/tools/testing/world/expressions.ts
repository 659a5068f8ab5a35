import { type TSchema, Type } from '@sinclair/typebox'
import { expression } from '../../../core/declare/computed.ts'
import { type GeneratedDraft, unusedName } from './collection.ts'
import { generateReading } from './fields.ts'
import type { ValueGenerator } from './generator.ts'
import type { Column } from './table.ts'
import { pools } from './values.ts'

/** A generated expression, in SQL and for objects. */
export interface GeneratedExpression {
  readonly declared: ReturnType<typeof expression>
  /** The property whose column it reads. */
  readonly of: string
  /** The SQL, for people to read. */
  readonly text: string
}

/** An expression of one column. */
interface Form {
  readonly type: TSchema
  /** True if its value is null at times. */
  readonly nullable: boolean
  readonly text: string
  readonly sql: NonNullable<GeneratedExpression['declared']['sql']>
  /** Returns its value for a value of the column. */
  readonly memory: (value: unknown) => unknown
}

const expressionNames = ['isOver', 'getShown', 'any', 'Case']

/** Adds an expression. Half of those that are never null say so. */
export function addExpression (generator: ValueGenerator, draft: GeneratedDraft): void {
  const empty = generator.chance(60) ? generator.from(draft.columns.filter(one => one.nullable)) : undefined
  const column = empty ?? generator.of(draft.columns)
  const { type, nullable, text, sql, memory } = generator.of(formsOf(generator, column, draft))
  const declared = expression<never, TSchema, boolean>({
    type: { ...type, ...generateReading(generator) },
    ...generator.chance(50) && { nullable },
    sql,
    memory: item => memory(Object.hasOwn(item, column.property) ? item[column.property] ?? null : null)
  })
  const property = unusedName(generator, draft, expressionNames)
  draft.expressions.set(property, { declared, of: column.property, text })
}

function formsOf (generator: ValueGenerator, column: Column, { schema }: GeneratedDraft): readonly Form[] {
  const { examples = [] } = schema[column.property] as { readonly examples?: readonly unknown[] }
  switch (column.kind) {
    case 'text': return [...formsWith(column, Type.String(), '=', generator.from(examples) ?? 'a'), isNull(column)]
    case 'boolean': return [...formsWith(column, Type.Boolean(), '=', generator.chance(50)), isNull(column)]
    case 'key':
    case 'integer': return [...formsWith(column, Type.Integer(), '>', generator.of([1, 2, 7])), isNull(column)]
    // The others have one type in one database and another in the next.
    default: return [isNull(column)]
  }
}

const isNull = ({ name }: Column): Form => ({
  type: Type.Boolean(),
  nullable: false,
  text: `"${name}" is null`,
  sql: eb => eb(name, 'is', null),
  memory: value => value === null
})

/** Returns the expressions of a column and a constant. */
function formsWith (
  { name, kind, nullable }: Column, schema: TSchema, operator: '=' | '>', constant: unknown
): readonly Form[] {
  const type = { ...schema, examples: pools[kind] }
  const shown = JSON.stringify(constant)
  return [{
    type: Type.Boolean(),
    nullable,
    text: `"${name}" ${operator} ${shown}`,
    sql: eb => eb(name, operator, constant),
    memory: value => value === null ? null : operator === '=' ? value === constant : Number(value) > Number(constant)
  }, {
    type, nullable, text: `"${name}"`, sql: eb => eb.ref(name), memory: value => value
  }, {
    type,
    nullable: false,
    text: `coalesce("${name}", ${shown})`,
    sql: eb => eb.fn.coalesce(name, eb.val(constant)),
    memory: value => value ?? constant
  }, {
    type,
    nullable: true,
    text: `nullif("${name}", ${shown})`,
    sql: eb => eb.fn('nullif', [name, eb.val(constant)]),
    memory: value => value === constant ? null : value
  }]
}
