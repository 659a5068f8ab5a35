import { DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector } from 'kysely'
import { LruMap } from 'toad-cache'
import type { ReadPlan } from '../../../plan/plan.ts'
import { memoize } from '../../../memoize.ts'
import type { Change, ReadResult, JsonResult } from '../../source.ts'
import { makeBuilder, type Tables } from './builder.ts'
import type { Dialect, Sql } from './dialect.ts'
import { buildItemColumns, buildItemText, buildPageColumns, buildPageText } from './columns-read.ts'
import { type Bounds, buildRead, type Cardinality, type ReadCode, type Values } from './read.ts'
import { isSlot, type Shape, shapeOf, shapeOfChange, type Slot } from './shape.ts'
import { buildChange, type ChangeCode } from './write.ts'
import { buildJsonRead } from './json-read.ts'

/** A statement that is ready to run. */
export interface BoundRead<Result = ReadResult> { readonly text: string, readonly cardinality: Cardinality, readonly parameters: readonly unknown[], decode (rows: readonly Values[]): Result }

/** A statement that changes data. `key`: decodes what an insert gives of its row. */
export interface BoundChange { readonly text: string, readonly parameters: readonly unknown[], readonly key: ChangeCode['key'] }

/** The statements of a database: their text is made once for each shape of a plan. */
export interface Statements {
  /** `locking` keeps the item that the plan reads from being changed by others. */
  bind (plan: ReadPlan, locking?: boolean): BoundRead
  /** The same, as JSON text where the database can write it. */
  bindJson (plan: ReadPlan): BoundRead<ReadResult | JsonResult>
  bindChange (change: Change): BoundChange
}

/** A text without values, and what was learnt as it was built. Each of its parameters takes a value of the plan, or is a constant of an application's expression. */
interface Statement<Code> { readonly text: string, readonly parameters: ReadonlyArray<Slot | Constant>, readonly code: Code }

interface Constant { readonly kind: 'constant', readonly value: unknown }

/** Bounded, because clients choose the shapes. */
const most = 500

/** `types`: of the columns, for a dialect that asks; they may become known later, before the first statement. */
export function makeStatements (dialect: Dialect, { types = new Map<string, never>(), deferrable = new Set<string>() }: Partial<Tables> = {}): Statements {
  const compiler = driverless(dialect)
  const builderOf = (shape: Shape) => makeBuilder(dialect, { types, deferrable }, shape)
  const reads = cache((plan: ReadPlan, shape) => {
    const builder = builderOf(shape)
    return compile(buildItemColumns(plan, builder) ?? buildPageColumns(plan, builder) ?? buildRead(plan, builder), dialect, compiler)
  })
  const locks = cache((plan: ReadPlan, shape) => compile(buildRead(plan, builderOf(shape), true), dialect, compiler))
  const texts = cache((plan: ReadPlan, shape): Statement<ReadCode<ReadResult | JsonResult>> => {
    const builder = builderOf(shape)
    const text = buildItemText(plan, builder) ?? (dialect.fetchesPages ? buildPageText(plan, builder) : undefined) ?? buildJsonRead(plan, builder)
    return text === undefined ? reads(plan, shape) : compile(text, dialect, compiler)
  })
  const changes = cache((change: Change, shape) => compile(buildChange(change, builderOf(shape)), dialect, compiler))
  const bindAll = ({ parameters }: Statement<unknown>, shape: Shape) =>
    parameters.map(parameter => parameter.kind === 'slot' ? bindValue(shape, parameter.index, dialect) : parameter.value)
  const bindRead = <Result>(plan: ReadPlan, find: (plan: ReadPlan, shape: Shape) => Statement<ReadCode<Result>>): BoundRead<Result> => {
    const shape = shapeOf(plan)
    const statement = find(plan, shape)
    return { text: statement.text, cardinality: statement.code.cardinality, parameters: bindAll(statement, shape), decode: rows => statement.code.decode(rows, boundsOf(plan)) }
  }
  const bindReading = rememberFrozen((plan: ReadPlan) => bindRead(plan, reads))
  return {
    bind: (plan, locking = false) => locking ? bindRead(plan, locks) : bindReading(plan),
    bindJson: rememberFrozen((plan: ReadPlan) => bindRead(plan, texts)),
    bindChange (change) {
      const shape = shapeOfChange(change)
      const statement = changes(change, shape)
      return { text: statement.text, parameters: bindAll(statement, shape), key: statement.code.key }
    }
  }
}

/** What is bound of a frozen plan, which outlives its request, is bound once. */
function rememberFrozen<Plan extends ReadPlan, Bound> (bind: (plan: Plan) => Bound): (plan: Plan) => Bound {
  const remembered = memoize(bind)
  return plan => Object.isFrozen(plan) ? remembered(plan) : bind(plan)
}

/** A statement by the shape of what it does, made where there is none yet. */
function cache<Does, Code> (make: (does: Does, shape: Shape) => Statement<Code>): (does: Does, shape: Shape) => Statement<Code> {
  const known = new LruMap<Statement<Code>>(most)
  return (does, shape) => {
    const found = known.get(shape.key)
    if (found !== undefined) return found
    const made = make(does, shape)
    known.set(shape.key, made)
    return made
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

function compile<Code extends { readonly sql: Sql }> (code: Code, dialect: Dialect, compiler: Compiler): Statement<Code> {
  const { sql: text, parameters } = code.sql.compile(compiler)
  return { text, parameters: parameters.map(parameter => isSlot(parameter) ? parameter : constant(parameter, dialect)), code }
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
