import { type TObject, type TSchema, Type } from '@sinclair/typebox'
import { collection, type Declared } from '../../../core/declare/collection.ts'
import { SubCollection, SubItem } from '../../../core/declare/relations.ts'
import type { SqlDatabase } from '../../../core/sources/sql/tables.ts'
import type { CollectionDesign, Design, FieldDesign, TypeDesign } from './design.ts'

/** A database whose tables are sources. */
export type TableDatabase = Pick<SqlDatabase, 'table'>

export function declareDesign ({ collections }: Design, db: TableDatabase): Record<string, Declared> {
  return Object.fromEntries(collections.map(design => {
    const schema = evaluate(schemaCall(design)) as TObject
    // tableArguments() makes what table() takes.
    const source = db.table(...tableArguments(design) as unknown as Parameters<TableDatabase['table']>)
    return [design.property, collection(schema, { source, ...behaviourOf(design) })]
  }))
}

// The arguments are those that calls.ts makes.
const functions: Readonly<Record<CallName, (...args: never[]) => TSchema>> = {
  'Type.Array': Type.Array,
  'Type.Boolean': Type.Boolean,
  'Type.Integer': Type.Integer,
  'Type.Literal': Type.Literal,
  'Type.Null': Type.Null,
  'Type.Number': Type.Number,
  'Type.Object': Type.Object,
  'Type.Optional': Type.Optional,
  'Type.String': Type.String,
  'Type.Union': Type.Union,
  'Type.Unknown': Type.Unknown,
  SubItem,
  SubCollection
}

function evaluate (part: CodePart): unknown {
  if (typeof part !== 'object') return part
  if (isList(part)) return part.map(evaluate)
  if (isCall(part)) return functions[part.call](...part.args.map(evaluate) as never[])
  return Object.fromEntries(Object.entries(part).map(([name, value]) => [name, evaluate(value)]))
}

export const isList = (part: CodePart): part is readonly CodePart[] => Array.isArray(part)
export const isCall = (part: CodePart): part is Call =>
  typeof part === 'object' && 'call' in part && Array.isArray((part as { readonly args?: unknown }).args)

// A declaration as calls of TypeBox and of this package. What is served at once and what is written as source are made
// from the same calls, so that both answer alike.

/** A call such as `Type.Integer({ readable: true })`. */
interface Call { readonly call: CallName, readonly args: readonly CodePart[] }
export type CodePart = Call | string | number | boolean | readonly CodePart[] | CodeParts
export interface CodeParts { readonly [name: string]: CodePart }

type CallName =
  | 'Type.Array' | 'Type.Boolean' | 'Type.Integer' | 'Type.Literal' | 'Type.Null' | 'Type.Number' | 'Type.Object'
  | 'Type.Optional' | 'Type.String' | 'Type.Union' | 'Type.Unknown' | 'SubItem' | 'SubCollection'

export function schemaCall ({ fields, description, view }: CollectionDesign): Call {
  const properties = Object.fromEntries(fields.map(field => [field.property, fieldCall(field)]))
  const words: CodeParts = {
    ...description !== undefined && { description }, ...view !== undefined && { views: { All: view } }
  }
  return { call: 'Type.Object', args: [properties, ...given(words)] }
}

/** Returns the behaviour but for its source. */
export const behaviourOf = ({ key, creatable, deletable }: CollectionDesign): CodeParts => ({
  ...key !== undefined && { key: [...key] },
  ...!(creatable && deletable) && {
    requestStrategies: { ...!creatable && { create: false }, ...!deletable && { delete: false } }
  }
})

/** Returns the arguments of `db.table()`. */
export function tableArguments ({ table: { schema, name }, columns }: CollectionDesign): readonly CodePart[] {
  const options: CodeParts = { ...columns !== 'none' && { columns } }
  if (schema !== undefined) return [{ schema, name, ...options }]
  // A dot in a text would end the schema.
  if (name.includes('.')) return [{ name, ...options }]
  return Object.keys(options).length === 0 ? [name] : [name, options]
}

function fieldCall (field: FieldDesign): Call {
  const { flags } = field
  if (field.kind === 'sub-item') {
    return { call: 'SubItem', args: [field.target, { foreignKey: one(field.foreignKey), ...flags }] }
  }
  if (field.kind === 'sub-collection') {
    const { target, foreignKey, join } = field
    const joined: CodeParts = join === undefined ? {} : { through: join.through, otherKey: one(join.otherKey) }
    return { call: 'SubCollection', args: [target, { foreignKey: one(foreignKey), ...joined, ...flags }] }
  }
  const { type, optional, nullable, description } = field
  const options: CodeParts = { ...flags, ...description !== undefined && { description } }
  const isWritten = flags.writable === true && nullable
  const call = isWritten
    ? union([typeCall(type, {}), { call: 'Type.Null', args: [] }], options)
    : typeCall(type, options)
  return optional ? { call: 'Type.Optional', args: [call] } : call
}

const one = (names: readonly string[]): CodePart => names.length === 1 ? names.join() : [...names]

const union = (members: readonly Call[], options: CodeParts): Call =>
  ({ call: 'Type.Union', args: [members, ...given(options)] })

const given = (options: CodeParts): readonly CodePart[] => Object.keys(options).length === 0 ? [] : [options]

function typeCall (type: TypeDesign, options: CodeParts): Call {
  switch (type.kind) {
    case 'integer': return { call: 'Type.Integer', args: given(options) }
    case 'number': return { call: 'Type.Number', args: given(options) }
    case 'boolean': return { call: 'Type.Boolean', args: given(options) }
    case 'string': return { call: 'Type.String', args: given(options) }
    case 'json': return { call: 'Type.Unknown', args: given(options) }
    case 'text': return { call: 'Type.String', args: [{ format: type.format, ...options }] }
    case 'list': return { call: 'Type.Array', args: [typeCall(type.of, {}), ...given(options)] }
    case 'choice': {
      const literals = type.values.map((value): Call => ({ call: 'Type.Literal', args: [value] }))
      const [only, ...others] = literals
      return only === undefined || others.length > 0
        ? union(literals, options)
        : { call: 'Type.Literal', args: [...only.args, ...given(options)] }
    }
  }
}
