import type { Kysely } from 'kysely'
import { memoizeFrozen, RecentMap } from '../../../scheduling/memoize.ts'
import type { ReadPlan } from '../../../plan/plan.ts'
import { loadKysely } from '../load-kysely.ts'
import { defaultStatementCache } from '../../source-options.ts'
import type { Change, JsonResult, ReadResult } from '../../source.ts'
import type { FindTable } from '../catalog.ts'
import { makeBuilder } from './builder.ts'
import type { Dialect, Sql } from './dialect.ts'
import type { Cardinality, CompiledRead, ReadLimit, RowValues } from './compiled-read.ts'
import { chooseRead } from './read.ts'
import { executionsOf } from './inserts.ts'
import { type Outline, outlineOf, ownerOf, valuesBy } from './outline.ts'
import { type StatementShape, shapeOf, shapeOfChange } from './shape.ts'
import { isSlot, type Slot, type Value } from './slots.ts'
import { buildChange, type CompiledChange } from './write.ts'

/** A statement that reads, with the values of one plan. */
export interface PreparedRead<Result = ReadResult> {
  readonly text: string
  /** The collection of the items, by its name in the application. */
  readonly collection: string
  readonly cardinality: Cardinality
  readonly parameters: readonly unknown[]
  /** The most characters of the answer. */
  readonly longest: number
  /** The values of the result that can be long (CompiledRead.longValues). */
  readonly longValues: number
  decode (rows: readonly RowValues[]): Result
}

/** A statement that changes data, to be run `times`. `parametersOf`: the values of a run, from 0. */
export interface PreparedChange extends Omit<CompiledChange, 'sql'> {
  readonly text: string
  readonly times: number
  parametersOf (run: number): readonly unknown[]
}

/** The statements of a database. The text of each shape of plan is built once and cached. */
export interface Statements {
  /**
   * Returns the statement that reads a plan's rows. `locking` locks the item that the plan reads against changes by
   * others.
   */
  bind (plan: ReadPlan, locking?: boolean): PreparedRead
  /** Returns the statement that reads a plan as JSON text, or its rows where JSON text is not faster (chooseRead). */
  bindJson (plan: ReadPlan): PreparedRead<ReadResult | JsonResult>
  bindChange (change: Change): PreparedChange
}

/** A statement's text without values. Each parameter takes a value of the plan, or is a constant of the application. */
interface CachedStatement<Compiled> {
  readonly text: string
  readonly parameters: ReadonlyArray<Slot | Constant>
  readonly compiled: Compiled
}

/** A value in an expression of the application. */
interface Constant { readonly kind: 'constant', readonly value: unknown }

/** The most statements of each cache. Caches are bounded because clients choose the shapes. */
const cacheSize = 500

/** `characters`: the most characters of the texts and keys in each cache. */
export function makeStatements (
  dialect: Dialect, findTable: FindTable = () => undefined, characters = defaultStatementCache
): Statements {
  const compiler = makeCompiler(dialect)
  const builderOf = (shape: StatementShape) => makeBuilder(dialect, findTable, shape)
  const readOf = (form: 'rows' | 'locking') =>
    keepOutlines(shapeOf, cacheByShape(characters, (plan: ReadPlan, shape) => {
      return compile(chooseRead(plan, builderOf(shape), form), dialect, compiler)
    }))
  const rows = readOf('rows')
  const locking = readOf('locking')
  const json = keepOutlines(shapeOf, cacheByShape(characters, (plan: ReadPlan, shape) => {
    return compile(chooseRead(plan, builderOf(shape), 'json'), dialect, compiler)
  }))
  const changes = keepOutlines(shapeOfChange, cacheByShape(characters, (change: Change, shape) => {
    return compile(buildChange(change, builderOf(shape)), dialect, compiler)
  }))
  const bindChange = (change: Change): PreparedChange => {
    const { statement: { text, parameters, compiled }, values } = changes(change)
    const { times, valuesOf } = executionsOf(change, values, dialect)
    return { text, times, parametersOf: run => bindValues(parameters, valuesOf(run), dialect), ...compiled }
  }
  const bindRows = memoizeFrozen((plan: ReadPlan) => bindRead(plan, rows, dialect))
  return {
    bind: (plan, isLocking = false) => isLocking ? bindRead(plan, locking, dialect) : bindRows(plan),
    bindJson: memoizeFrozen((plan: ReadPlan) => bindRead(plan, json, dialect)),
    bindChange
  }
}

type FindRead<Result> = (plan: ReadPlan) => Found<Omit<CompiledRead<Result>, 'sql'>>

function bindRead<Result> (
  plan: ReadPlan, find: FindRead<Result>, dialect: Dialect
): PreparedRead<Result> {
  const { statement: { text, parameters, compiled }, values } = find(plan)
  const limit = limitOf(plan)
  return {
    text,
    collection: collectionOf(plan),
    cardinality: compiled.cardinality,
    parameters: bindValues(parameters, values, dialect),
    longest: limit.longest,
    longValues: compiled.cardinality === 'rows' ? (limit.limit + 1) * Math.max(compiled.longValues ?? 1, 1) : 1,
    decode: rows => compiled.decode(rows, limit)
  }
}

function collectionOf (plan: ReadPlan): string {
  const collection = plan.kind === 'item' ? plan.steps.at(-1)?.collection : plan.from.collection
  return collection?.property ?? ''
}

function limitOf (plan: ReadPlan): ReadLimit {
  const { longest = Infinity } = plan
  if (plan.kind === 'item') return { limit: 1, longest }
  return { limit: plan.kind === 'list' ? plan.listing.range.limit : plan.range.limit, longest }
}

const bindValues = (
  parameters: CachedStatement<unknown>['parameters'], values: readonly Value[], dialect: Dialect
): readonly unknown[] => parameters.map(parameter =>
  parameter.kind === 'slot' ? bindValue(values, parameter.index, dialect) : parameter.value)

function bindValue (values: readonly Value[], index: number, dialect: Dialect): unknown {
  const value = values[index]
  if (value === undefined) throw new TypeError('a slot stands for a value of the plan')
  return dialect.bind(value)
}

/** A statement with the values of one plan. */
interface Found<Compiled> { readonly statement: CachedStatement<Compiled>, readonly values: readonly Value[] }

/** Keeps the statements of the last outlines beside what they are of. Others are found by `find`. */
function keepOutlines<Planned extends ReadPlan | Change, Compiled> (
  shapeOf: (planned: Planned) => StatementShape,
  find: (planned: Planned, shape: StatementShape) => CachedStatement<Compiled>
): (planned: Planned) => Found<Compiled> {
  const kept = new WeakMap<object, { readonly outline: Outline, readonly statement: CachedStatement<Compiled> }>()
  return planned => {
    const owner = ownerOf(planned)
    const last = owner && kept.get(owner)
    const values = last && valuesBy(last.outline, planned)
    if (last !== undefined && values !== undefined) return { statement: last.statement, values }
    const shape = shapeOf(planned)
    const statement = find(planned, shape)
    const outline = owner && outlineOf(planned, shape.values.length)
    if (owner !== undefined && outline !== undefined) kept.set(owner, { outline, statement })
    return { statement, values: shape.values }
  }
}

/** Caches statements by the key of a shape, the least recently used going first. */
function cacheByShape<Planned, Compiled> (
  characters: number, make: (planned: Planned, shape: StatementShape) => CachedStatement<Compiled>
): (planned: Planned, shape: StatementShape) => CachedStatement<Compiled> {
  const cache = new RecentMap<CachedStatement<Compiled>>(cacheSize, characters)
  return (planned, shape) => {
    const cached = cache.get(shape.key)
    if (cached !== undefined) return cached
    const made = make(planned, shape)
    cache.set(shape.key, made, shape.key.length + made.text.length)
    return made
  }
}

type Compiler = Kysely<Record<string, never>>

/** Makes a Kysely that compiles text and has no driver. */
export function makeCompiler (dialect: Dialect): Compiler {
  const { DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector } = loadKysely()
  return new Kysely({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: db => new SqliteIntrospector(db),
      createQueryCompiler: () => dialect.makeCompiler()
    }
  })
}

/** Compiles the SQL of a statement to text, and drops its tree, which takes ten times the memory. */
function compile<Compiled extends { readonly sql: Sql }> (
  { sql, ...compiled }: Compiled, dialect: Dialect, compiler: Compiler
): CachedStatement<Omit<Compiled, 'sql'>> {
  const { sql: text, parameters: all } = sql.compile(compiler)
  const parameters = all.map(parameter => isSlot(parameter) ? parameter : constant(parameter, dialect))
  return { text, parameters, compiled }
}

function constant (value: unknown, dialect: Dialect): Constant {
  return { kind: 'constant', value: typeof value === 'boolean' ? dialect.bind(value) : value }
}
