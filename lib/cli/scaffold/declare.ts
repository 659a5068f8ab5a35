import { Type, type TObject, type TSchema } from '@sinclair/typebox'
import { collection, type Declared } from '../../declare/collection.ts'
import { SubCollection, SubItem } from '../../declare/relations.ts'
import type { SqlSource, TableDefinition, TableOptions } from '../../sources/sql/source.ts'
import { behaviourOf, type Call, type CallName, type Part, schemaCall, tableArguments } from './calls.ts'
import type { Design } from './design.ts'

/** A database whose tables are sources. */
export interface TableDatabase { table (table: string | TableDefinition, options?: TableOptions): SqlSource }

/** Returns the collections of a design, by name. */
export function declare ({ collections }: Design, db: TableDatabase): Record<string, Declared> {
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

function evaluate (part: Part): unknown {
  if (typeof part !== 'object') return part
  if (isList(part)) return part.map(evaluate)
  if (isCall(part)) return functions[part.call](...part.args.map(evaluate) as never[])
  return Object.fromEntries(Object.entries(part).map(([name, value]) => [name, evaluate(value)]))
}

export const isList = (part: Part): part is readonly Part[] => Array.isArray(part)
export const isCall = (part: Part): part is Call =>
  typeof part === 'object' && 'call' in part && Array.isArray((part as { readonly args?: unknown }).args)
