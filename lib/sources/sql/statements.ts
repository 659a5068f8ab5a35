import { DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector } from 'kysely'
import { LruMap } from 'toad-cache'
import type { ReadPlan } from '../../plan/plan.ts'
import type { ReadResult } from '../source.ts'
import { makeBuilder } from './builder.ts'
import type { Dialect } from './dialect.ts'
import { type Bounds, buildRead, type Output, type ReadCode } from './read.ts'
import { isSlot, type Shape, shapeOf, type Slot } from './shape.ts'

/** A statement that is ready to run. */
export interface BoundRead { readonly text: string, readonly parameters: readonly unknown[], decode (output: Output): ReadResult }

/** The statements of a database: their text is made once for each shape of a plan. */
export interface Statements { bind (plan: ReadPlan): BoundRead }

/** A text without values. Each of its parameters takes a value of the plan, or is a constant of an application's expression. */
interface Statement { readonly text: string, readonly parameters: ReadonlyArray<Slot | Constant>, readonly decode: ReadCode['decode'] }

interface Constant { readonly kind: 'constant', readonly value: unknown }

/** Bounded, because clients choose the shapes. */
const most = 500

export function makeStatements (dialect: Dialect): Statements {
  const compiler = driverless(dialect)
  const cache = new LruMap<Statement>(most)
  return {
    bind (plan) {
      const shape = shapeOf(plan)
      const statement = cache.get(shape.key) ?? compile(plan, shape, dialect, compiler)
      cache.set(shape.key, statement)
      const parameters = statement.parameters.map(parameter => parameter.kind === 'slot' ? bindValue(shape, parameter.index, dialect) : parameter.value)
      const bounds = boundsOf(plan)
      return { text: statement.text, parameters, decode: output => statement.decode(output, bounds) }
    }
  }
}

type Compiler = Kysely<Record<string, never>>

/** Kysely as a maker of text only. */
function driverless (dialect: Dialect): Compiler {
  return new Kysely({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: db => new SqliteIntrospector(db),
      createQueryCompiler: () => dialect.compiler
    }
  })
}

function compile (plan: ReadPlan, shape: Shape, dialect: Dialect, compiler: Compiler): Statement {
  const { sql, decode } = buildRead(plan, makeBuilder(dialect, shape))
  const { sql: text, parameters } = sql.compile(compiler)
  return { text, parameters: parameters.map(parameter => isSlot(parameter) ? parameter : constant(parameter, dialect)), decode }
}

/** Values of a plan are slots; any other is the application's own, the same for every plan. */
function constant (value: unknown, dialect: Dialect): Constant {
  return { kind: 'constant', value: typeof value === 'boolean' ? dialect.bind(value) : value }
}

function bindValue ({ values }: Shape, index: number, dialect: Dialect): unknown {
  const value = values[index]
  if (value === undefined) throw new TypeError('a slot stands for a value of the plan')
  return dialect.bind(value)
}

function boundsOf (plan: ReadPlan): Bounds {
  if (plan.kind === 'item') return { limit: 1 }
  return plan.kind === 'list' ? plan.listing.range : plan.range
}
