import { test } from 'tap'
import { conformance, ConformanceError, type Open } from '../../lib/tools/testing/conformance/index.ts'
import { memory } from '../../lib/index.ts'
import { rowName } from '../../lib/core/plan/order.ts'
import type { ChangedTables } from '../../lib/core/sources/changes.ts'
import type { Predicate, ReadPlan, Row } from '../../lib/core/plan/plan.ts'
import type { Change, Changed, Database, FoundRows, ReadResult } from '../../lib/core/sources/source.ts'
import { plantedIn, runsOf } from '../helpers/fast-check.ts'

// A suite that finds nothing proves nothing, unless it is known to find what is wrong.

/** What is wrong with a source that is right but for that. */
interface Fault {
  plan? (plan: ReadPlan): ReadPlan
  read? (result: FoundRows, plan: ReadPlan): ReadResult
  change? (change: Change, make: (change: Change) => Changed | Promise<Changed>): Changed | Promise<Changed>
  /** What it tells of a change. Without it, documents are not live. */
  told? (tables: ChangedTables): ChangedTables
}

/** memory() with a fault. */
const faulty = (fault: Fault): Open => tables => {
  const rows = Object.fromEntries(tables.map(table => [table.name, table.rows.map(row =>
    Object.fromEntries(table.columns.map(({ name, property }) => [property, structuredClone(row[name])])))]))
  let database: Database | undefined
  return {
    source (table) {
      const right = memory(rows[table] ?? [], { joins: rows })
      database ??= spoilDatabase(right.database, fault)
      return { ...right, database }
    },
    close () {}
  }
}

function spoilDatabase (right: Database, {
  plan: spoilPlan = plan => plan, read: spoil = result => result, change: spoilChange = (change, make) => make(change),
  told
}: Fault): Database {
  const spoilRead = (read: Database['read']): Database['read'] => async plan => {
    const result = await read(spoilPlan(plan))
    return result.kind === 'rows' || result.kind === 'groups' ? spoil(result, plan) : result
  }
  return {
    kind: right.kind,
    read: spoilRead(plan => right.read(plan)),
    change: change => spoilChange(change, one => right.change(one)),
    ...told && { watch: tell => right.watch?.(tables => { tell(told(tables)) }) ?? (() => {}) },
    transaction: work => right.transaction(session => work({
      transaction: session.transaction,
      announce: call => { session.announce(call) },
      read: spoilRead(plan => session.read(plan)),
      lock: spoilRead(plan => session.lock(plan as Parameters<typeof session.lock>[0])),
      change: change => spoilChange(change, one => session.change(one))
    }))
  }
}

const everyRow = (result: FoundRows, change: (row: Row) => Row): FoundRows => result.kind === 'rows'
  ? { ...result, rows: result.rows.map(change) }
  : result

const everyValue = (result: FoundRows, change: (value: unknown) => unknown): FoundRows =>
  everyRow(result, row => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, change(value)])))

function ignoringCase (predicate: Predicate): Predicate {
  switch (predicate.kind) {
    case 'is_null': return predicate
    case 'compare': return predicate.operator === 'equals' && predicate.field.type.kind === 'string'
      ? { ...predicate, operator: 'equals_ignoring_case' }
      : predicate
    case 'all':
    case 'any': return { ...predicate, of: predicate.of.map(ignoringCase) }
    case 'not': return { ...predicate, of: ignoringCase(predicate.of) }
    case 'some': case 'related': return { ...predicate, where: ignoringCase(predicate.where) }
  }
}

const inSteps = ({ steps }: ReadPlan) => ({
  steps: steps.map(step => ({ ...step, where: ignoringCase(step.where) }))
})

const faults: Readonly<Record<string, Fault>> = {
  'tells nobody of a change': { told: () => new Map() },
  'tells of the first table of a transaction only': { told: tables => tables && new Map([...tables].slice(0, 1)) },
  'tells of rows as they are, not as they were': {
    told: tables => tables && new Map([...tables].map(([table, rows]) => [table, rows?.slice(-1)]))
  },
  'sorts nulls first': {
    read (result, plan) {
      const [first] = plan.kind === 'list' ? plan.listing.order : []
      if (first === undefined || first.descending || result.kind !== 'rows') return result
      const isNull = (row: Row) => row[rowName(first)] === null
      return { ...result, rows: [...result.rows.filter(isNull), ...result.rows.filter(row => !isNull(row))] }
    }
  },
  'tells false for the null of an expression': {
    read (result, plan) {
      const select = plan.kind === 'list' ? plan.listing.select : []
      const names = select.flatMap(one =>
        one.kind === 'value' && one.field.kind === 'expression' ? [one.field.property] : [])
      return everyRow(result, row => Object.fromEntries(Object.entries(row).map(([name, value]) =>
        [name, value === null && names.includes(name) ? false : value])))
    }
  },
  'compares text ignoring case': {
    plan: plan => plan.kind === 'list'
      ? { ...plan, ...inSteps(plan), listing: { ...plan.listing, where: ignoringCase(plan.listing.where) } }
      : { ...plan, ...inSteps(plan) }
  },
  'drops a row of five': {
    read: result => result.kind === 'rows' && result.rows.length >= 5
      ? { ...result, rows: result.rows.slice(0, -1) }
      : result
  },
  'says that more follows where nothing does': {
    read: (result, plan) => plan.kind === 'list' ? { ...result, more: true } : result
  },
  'takes a duplicate for another fault': {
    async change (change, make) {
      const changed = await make(change)
      return changed.kind === 'refused' && changed.by === 'unique' ? { ...changed, by: 'other' } : changed
    }
  },
  'names no fields of a dangling reference': {
    async change (change, make) {
      const changed = await make(change)
      return changed.kind === 'refused' && changed.by === 'foreign-key' ? { ...changed, fields: [] } : changed
    }
  },
  'loses what is set to null': {
    change: (change, make) => change.kind === 'update'
      ? make({ ...change, values: new Map([...change.values].filter(([, value]) => value !== null)) })
      : make(change)
  },
  'rounds to 15 digits': {
    read: result => everyValue(result,
      value => typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(15)) : value)
  },
  'trims text': { read: result => everyValue(result, value => typeof value === 'string' ? value.trimEnd() : value) },
  'forgets to link': { change: (change, make) => change.kind === 'link' ? { kind: 'changed' } : make(change) },
  'throws where text is long': {
    read (result) {
      if (JSON.stringify(result).length > 100_000) throw new TypeError('too long')
      return result
    }
  }
}

const byDay = ['tells nobody of a change', 'drops a row of five', 'forgets to link', 'trims text']

for (const [name, fault] of plantedIn(faults, byDay)) {
  test(`a source that ${name} does not pass, and the same seed and path show why`, async t => {
    const open = faulty(fault)
    // What is not told is waited for, again and again.
    const simplifyFor = fault.told === undefined ? runsOf(150) : 0
    const error: unknown = await conformance({ open, seed: 1, simplifyFor })
      .catch((error: unknown) => error)
    if (!(error instanceof ConformanceError)) throw new Error('it passed', { cause: error })
    t.match(error.message, fault.told === undefined
      ? /^'source' answers [^]* differently from memory\(\), in its /
      : /^'source' tells who follows a document something else than GET answers /)
    t.match(error.message, /create table [^]*Requests:\n[^]*memory\(\): [^]*source: /)
    t.match(error.message, `conformance({ open, seed: 1, path: '${error.path}' })`)
    await t.rejects(conformance({ open, seed: error.seed, path: error.path }),
      { message: error.message.replace(/\n {2}logged: [^]*/, '') })
  })
}

test('a source that cannot be opened is told with its tables', async t => {
  const open = () => { throw new Error('no server') }
  const message = /^A source could not be tested: Error: no server\n[^]*create table [^]*seed: 1, path: '/
  await t.rejects(conformance({ open, seed: 1, simplifyFor: 0 }), { message })
})

test('a source that memory() is passes', async t => {
  await t.resolves(conformance({ open: faulty({}), requests: runsOf(450), seed: 1 }))
})
