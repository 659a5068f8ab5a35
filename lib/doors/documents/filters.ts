import type { CollectionView, ValueView } from '../../core/api/face.ts'
import { type Operator, operatorNames, traitsOf } from '../../core/model/operators.ts'
import type { Syntax } from '../../core/request/syntax.ts'
import { memoize } from '../../core/scheduling/memoize.ts'
import type { Parameter, Schema } from './objects.ts'
import { fieldSchema, safeBounds, valueFields } from './value-schema.ts'

/**
 * Returns a parameter for each operator of each field that ends in `=`: its name is the field and the operator without
 * that `=`, which a client writes between name and value anyway. `age>` is `age>=30` on the wire.
 */
export function filterParameters (collection: CollectionView, syntax: Syntax): readonly Parameter[] {
  if (!syntax.fieldParameters) return []
  const spelled = spelledWithEquals(syntax)
  return valueFields(collection).flatMap(field => {
    const operands = field.filterable ? operandsOf(field) : field.comparesNull ? nullOperands : undefined
    return operands === undefined
      ? []
      : spelled.filter(({ operator }) => operands.takes(operator)).map(one => ({
        name: field.name + one.name,
        in: 'query' as const,
        description: `${field.name} ${words[one.operator]}`,
        schema: operands.schema(one)
      }))
  })
}

/** The operators that a field takes, and the schemas of what it is compared with. */
interface Operands { takes (operator: Operator): boolean, schema (spelled: Spelled): Schema }

function operandsOf (field: ValueView): Operands {
  const shown = fieldSchema(field, 'answer')
  return {
    takes: operator => field.operators.has(operator),
    schema: ({ operator, unsafe }) => operandSchema(field, shown, operator, unsafe)
  }
}

const nullOperands: Operands = {
  takes: operator => traitsOf(operator).takesNull, schema: () => ({ type: 'string', enum: ['null'] })
}

/** An operator whose shortest spelling with `=` at its end is `name` and that; `unsafe`: see unsafeStarts. */
interface Spelled { readonly operator: Operator, readonly name: string, readonly unsafe: string }

/** Returns the operators of one value that have a spelling which ends in `=`. */
const spelledWithEquals = memoize(({ operators }: Syntax): readonly Spelled[] => operatorNames.flatMap(operator => {
  // The spellings are sorted by length, the longest first.
  const text = operators.findLast(([text, of]) => of === operator && text.endsWith('='))?.[0]
  if (text === undefined || traitsOf(operator).list) return []
  return [{ operator, name: text.slice(0, -1), unsafe: escaped(unsafeStarts(text, operators)) }]
}))

const words: Readonly<Record<Operator, string>> = {
  equals: 'is this value',
  not_equals: 'is not this value',
  greater: 'is greater',
  less: 'is less',
  at_least: 'is this value or greater',
  at_most: 'is this value or less',
  in: 'is one of these values',
  not_in: 'is none of these values',
  starts_with: 'starts with this text',
  ends_with: 'ends with this text',
  contains: 'contains this text',
  equals_ignoring_case: 'is this text, ignoring case',
  starts_with_ignoring_case: 'starts with this text, ignoring case',
  ends_with_ignoring_case: 'ends with this text, ignoring case',
  contains_ignoring_case: 'contains this text, ignoring case'
}

/** The first characters of a value that would make the operator a longer one, or begin a quoted value. */
function unsafeStarts (spelling: string, operators: Syntax['operators']): string {
  const next = operators.flatMap(([text]) =>
    text.length > spelling.length && text.startsWith(spelling) ? [text.charAt(spelling.length)] : [])
  return [...new Set(['"', '=', ...next])].join('')
}

function operandSchema (field: ValueView, shown: Schema, operator: Operator, unsafe: string): Schema {
  const { description: _, title: __, examples: ___, type, ...schema } = shown
  const types = [type].flat().filter(one => one !== 'null')
  const isText = field.values === 'string' && schema['enum'] === undefined
  if (isText || traitsOf(operator).family === 'text') {
    return { type: 'string', pattern: `^(?![${unsafe}])[^\\u0000]*$` }
  }
  const choices = Array.isArray(schema['enum']) ? { enum: schema['enum'].filter(one => one !== null) as unknown[] } : {}
  const { format, pattern } = schema
  return {
    type: types.length === 1 ? types[0] : types,
    ...choices,
    ...field.values === 'integer' && safeBounds,
    ...format !== undefined && { format },
    ...pattern !== undefined && { pattern }
  }
}

const escaped = (characters: string) => characters.replaceAll(/[\^\]\\-]/g, '\\$&')
