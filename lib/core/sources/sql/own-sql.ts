import type { Expression as SqlExpression, RawBuilder } from 'kysely'
import type { Expression, NamedTables } from '../../declare/computed.ts'
import { DeclarationError, describeValue, longestShown } from '../../errors/errors.ts'
import { atAnotherTime, recordingDraws } from './another-time.ts'
import { loadKysely, sql } from './load-kysely.ts'

// SQL of the application (docs/declaring.md: Values in SQL). A statement is kept with the values that it was built
// with, so each of them must be a constant.

/** A build of own SQL: its text, and the values in it. */
interface Build { readonly text: string, readonly values: readonly unknown[] }

/** The first build of each expression, with which all others are compared. */
const firstBuilds = new WeakMap<Expression, Build>()

/**
 * Returns the first build of an expression's SQL. That is built twice as it is, and once at another time: throws a
 * DeclarationError if the builds differ, and for a value of a kind that may change. `place`: the beginning of its
 * message.
 */
export function checkOwnSql (place: string, expression: Expression): Build {
  // Each caller who is denied something has a model of its own.
  const known = firstBuilds.get(expression)
  if (known !== undefined) return known
  const build = () => compile(built(expression))
  try {
    const first = checked(place, build())
    const { result, draws } = recordingDraws(build)
    for (const other of [result, atAnotherTime(draws, build)]) compareBuilds(place, first, checked(place, other))
    firstBuilds.set(expression, first)
    return first
  } catch (error) {
    if (error instanceof DeclarationError) throw error
    const reason = error instanceof Error ? error.message : String(error)
    throw new DeclarationError(`${place}: 'sql' throws: ${reason}`, { cause: error })
  }
}

/** Builds the SQL of an expression for a statement. Throws a DeclarationError if it is not as it was at the start. */
export function buildOwnSql (place: string, expression: Expression): SqlExpression<unknown> {
  const first = checkOwnSql(place, expression)
  const made = built(expression)
  compareBuilds(place, first, compile(made))
  return made
}

function built ({ sql: build }: Expression): SqlExpression<unknown> {
  if (build === undefined) throw new TypeError('an expression of an SQL source has a part for SQL')
  return build(loadKysely().expressionBuilder<NamedTables, string>())
}

/** Builds are compared with each other alone, so one compiler serves all databases. */
function compile (made: SqlExpression<unknown>): Build {
  const { createQueryId, PostgresQueryCompiler } = loadKysely()
  const own: RawBuilder<unknown> = sql`${made}`
  const { sql: text, parameters } = new PostgresQueryCompiler().compileQuery(own.toOperationNode(), createQueryId())
  return { text, values: parameters }
}

/** Throws a DeclarationError for a value that is no scalar: what it holds can change. */
function checked (place: string, build: Build): Build {
  const found = build.values.find(value => value !== null && !constantTypes.has(typeof value))
  if (found === undefined && !build.values.includes(undefined)) return build
  const expected = 'expected texts, numbers, bigints, booleans and null, which do not change'
  throw new DeclarationError(`${place}: the SQL holds ${describeHeld(found)}; ${expected}. ${advice}`)
}

const constantTypes = new Set(['string', 'number', 'bigint', 'boolean'])

function describeHeld (value: unknown): string {
  if (value instanceof Date) return 'a Date'
  return value instanceof Uint8Array ? 'bytes' : describeValue(value)
}

const advice = 'Let the database say it (sql`now()`, strftime)'

function compareBuilds (place: string, first: Build, other: Build): void {
  const changing = first.text === other.text
    ? first.values.filter((value, index) => !Object.is(value, other.values[index])).map(showValue)
    : [differingWord(first.text, other.text)]
  const [shown] = changing
  if (shown !== undefined) {
    throw new DeclarationError(`${place}: the SQL holds a value that changes (${shown}). ${advice}`)
  }
}

function showValue (value: unknown): string {
  if (typeof value !== 'string') return String(value)
  return `'${value.length <= longestShown ? value : `${value.slice(0, longestShown)}…`}'`
}

/** Returns the first word of a text that is not in the same place of the other one. */
function differingWord (one: string, other: string): string {
  const others = other.split(betweenWords)
  return one.split(betweenWords).find((word, index) => word !== others[index])?.slice(0, longestShown) ?? 'its text'
}

const betweenWords = /[\s(),]+/
