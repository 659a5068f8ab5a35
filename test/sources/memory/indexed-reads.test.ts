import fc, { runsOf } from '../../helpers/fast-check.ts'
import { test } from 'tap'
import type { DataField, RelationField } from '../../../lib/core/model/model.ts'
import type { Operator } from '../../../lib/core/model/values.ts'
import type { Predicate } from '../../../lib/core/plan/plan.ts'
import type { ReadResult } from '../../../lib/core/sources/source.ts'
import {
  type Person, age, bossId, compare, embed, id, itemAt, listOf, makeWorld, markId, nick, not, read, rowsOf,
  show, some, word
} from '../../helpers/memory-world.ts'

// Reads by index, against looking at every object there is, while the application changes its rows.

interface Link { personId: number, markId: number }

const rows: Person[] = []
const links: Link[] = []
const marked = [{ id: 0, word: 'a' }, { id: 1, word: 'b' }, { id: 2, word: 'a' }]
const indexed = makeWorld(rows, { links, marks: marked })

const few = fc.integer({ min: 0, max: 5 })
const letters = fc.constantFrom('a', 'b', '0', '1', null)
const operatorsOf = fc.constantFrom<Operator>('equals', 'equals', 'not_equals', 'less', 'at_least')
const compares = (fields: readonly DataField[]): fc.Arbitrary<Predicate> => fc.constantFrom(...fields).chain(field => {
  const values: fc.Arbitrary<string | number | null> = field.type.kind === 'integer' ? few : letters
  return fc.oneof(
    fc.tuple(operatorsOf, values).map(([operator, value]) =>
      compare(field, value === null ? 'equals' : operator, value)),
    fc.tuple(fc.constantFrom<Operator>('in', 'in', 'not_in'),
      fc.array(values, { maxLength: 3 })).map(([operator, value]) => compare(field, operator, value))
  )
})

const { where: conditions } = fc.letrec<{ where: Predicate }>(tie => ({
  where: fc.oneof({ maxDepth: 3, depthSize: 'small' },
    compares([id, id, nick, nick, age, bossId]),
    fc.tuple(fc.constantFrom('all' as const, 'any' as const),
      fc.array(tie('where'), { maxLength: 3 })).map(([kind, of]): Predicate => ({ kind, of })),
    tie('where').map(not),
    fc.tuple(fc.constantFrom(indexed.boss, indexed.staff), tie('where')).map(([field, where]) => some(field, where)),
    compares([markId, word]).map(where => some(indexed.marks, where))
  )
}))

const person = fc.record({ name: fc.constant('n'), nick: letters, age: fc.option(few), bossId: fc.option(few) })

type Change = (next: number) => void
const at = (place: number, list: readonly unknown[]) => Math.min(place, list.length - 1)
// What an index cannot see is followed by a refresh: a number of rows that is the same again, and values changed in
// place.
const unseen = (change: Change): Change => next => {
  change(next)
  indexed.source.refresh()
}
const changes: fc.Arbitrary<Change> = fc.oneof(
  person.map((one): Change => next => { rows.push({ ...one, id: next }) }),
  fc.tuple(few, few).map(([personId, mark]): Change => () => { links.push({ personId, markId: mark }) }),
  few.map((): Change => () => { rows.reverse() }),
  few.map(place => unseen(() => { rows.splice(at(place, rows), 1) })),
  few.map(place => unseen(() => { links.splice(place, 1) })),
  fc.tuple(few, person).map(([place, one]) => unseen(next => {
    if (rows.length > 0) rows[at(place, rows)] = { ...one, id: next }
  })),
  fc.tuple(few, person).map(([place, one]) => unseen(() => { Object.assign(rows[at(place, rows)] ?? {}, one) }))
)

const plain: Record<string, (value: string | number | null, other: unknown) => boolean> = {
  equals: (value, other) => value === other,
  not_equals: (value, other) => value !== other,
  less: (value, other) => value !== null && value < (other as typeof value),
  at_least: (value, other) => value !== null && value >= (other as typeof value),
  in: (value, other) => (other as unknown[]).includes(value),
  not_in: (value, other) => !(other as unknown[]).includes(value)
}

type Plain = Readonly<Record<string, string | number | null>>

function holds (where: Predicate, row: Plain): boolean {
  switch (where.kind) {
    case 'all': return where.of.every(one => holds(one, row))
    case 'any': return where.of.some(one => holds(one, row))
    case 'not': return !holds(where.of, row)
    case 'some': return reached(where.field, row).some(one => holds(where.where, one))
    case 'related': return holds(where.having, {
      [where.value.field.property]: reached(where.field, row).filter(one => holds(where.where, one)).length
    })
    case 'is_null': return (row[where.field.property] ?? null) === null
    case 'compare': return plain[where.operator]?.(row[where.field.property] ?? null, where.value) ?? false
  }
}

const plainRows = () => rows as unknown as readonly Plain[]

function reached (field: RelationField, row: Plain): readonly Plain[] {
  if (field === indexed.boss) return plainRows().filter(one => one['id'] === row['bossId'])
  if (field === indexed.staff) return plainRows().filter(one => one['bossId'] === row['id'])
  return marked.filter(mark => links.some(link => link.personId === row['id'] && link.markId === mark.id))
}

const ids = (some: readonly Plain[]) =>
  some.map(one => ({ id: one['id'] })).toSorted((one, other) => Number(one.id) - Number(other.id))

const scanned = (where: Predicate) => plainRows().filter(row => holds(where, row)).toSorted((one, other) =>
  Number(one['id']) - Number(other['id']))
  .map(row => ({ id: row['id'], staff: ids(reached(indexed.staff, row)), marks: ids(reached(indexed.marks, row)) }))

function stepTo (found: readonly { readonly id: unknown }[]): Exclude<ReadResult, { kind: 'groups' }> {
  const [first, second] = found
  if (first === undefined) return { kind: 'missing', step: 0 }
  return second === undefined ? { kind: 'rows', rows: [{ id: first.id }], more: false } : { kind: 'ambiguous', step: 0 }
}

function assertSame (found: unknown, expected: unknown): void {
  const [one, other] = [JSON.stringify(found), JSON.stringify(expected)]
  if (one !== other) throw new Error(`${one}\nexpected ${other}`)
}

test('reads by index give what looking at every object gives, while rows come, go and change', async t => {
  const counts = { missing: 0, rows: 0, ambiguous: 0 }
  fc.assert(fc.property(fc.array(person, { maxLength: 6 }), fc.array(fc.tuple(changes, conditions),
    { minLength: 1, maxLength: 8 }), (first, moves) => {
    rows.splice(0, Infinity, ...first.map((one, index) => ({ ...one, id: index })))
    links.length = 0
    indexed.source.refresh()
    for (const [move, [change, where]] of moves.entries()) {
      change(first.length + move)
      const expected = scanned(where)
      const stood = stepTo(expected)
      counts[stood.kind]++
      assertSame(rowsOf(
        read(listOf(indexed.people, { where, select: [...show(id), embed(indexed.staff), embed(indexed.marks)] }))
      ), expected)
      assertSame(itemAt({ collection: indexed.people, via: undefined, where }), stood)
    }
  }), { numRuns: runsOf(150) })
  t.ok(Object.values(counts).every(count => count > 0), `each outcome is met: ${JSON.stringify(counts)}`)
})
