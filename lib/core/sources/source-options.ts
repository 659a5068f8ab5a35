import { Type } from '@sinclair/typebox'
import type { SchemaOf } from '../declare/shapes.ts'
import { compileCheck } from '../model/check.ts'

/** The longest time that a timer can have: 24 days, in milliseconds. */
export const longestDelay = 2 ** 31 - 1

/**
 * The default of the option `statementCache`, in characters of the texts of statements. Each kind of request (rows,
 * JSON, changes, items that are locked) remembers as many, of 500 statements at most.
 */
export const defaultStatementCache = 1_000_000

/** Schemas of options that several sources have. */
export const milliseconds = Type.Integer({ minimum: 0, maximum: longestDelay, title: 'milliseconds' })
export const characters = Type.Integer({ minimum: 0, title: 'characters' })
export const checkMode = Type.Union([Type.Literal('error'), Type.Literal('warn'), Type.Literal('off')])

/**
 * Returns a check of the options of `call`, such as `sqlite(file)`, which throws a DeclarationError for a wrong one.
 */
export function compileSourceOptions<T> (call: string, schema: SchemaOf<T>): (options: T) => void {
  // Every option of a source has a default.
  const check = compileCheck({ ...schema, required: [] })
  return options => { check(options, path => path === '' ? `${call}, options` : `${call}, option '${path}'`) }
}
