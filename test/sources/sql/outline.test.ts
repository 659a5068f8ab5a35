import { isDeepStrictEqual } from 'node:util'
import { test } from 'tap'
import type { StoredField } from '../../../lib/core/model/model.ts'
import type { Predicate, ReadPlan } from '../../../lib/core/plan/plan.ts'
import type { Change } from '../../../lib/core/sources/source.ts'
import { outlineOf, ownerOf, valuesBy } from '../../../lib/core/sources/sql/statements/outline.ts'
import { shapeOf, shapeOfChange } from '../../../lib/core/sources/sql/statements/shape.ts'
import fc, { runsOf } from '../../helpers/fast-check.ts'
import { world } from '../../helpers/sql-world.ts'

// An outline finds the statement of a plan and its values as the shape does, which is told by its key.

type Planned = ReadPlan | Change

const { at, data, value } = world()
const albums = at('albums')
const fields = ['albums.id', 'albums.title', 'albums.year'].map(name => data(name) as StoredField)
const selects = [Object.freeze([value('albums.title')]), Object.freeze([value('albums.id'), value('albums.year')])]
const known: readonly Predicate[] = fields.map(field => ({ kind: 'compare', field, operator: 'equals', value: 7 }))

const scalar = fc.constantFrom<string | number>('7', 'x', 'NaN', 7, 8)
const { predicate } = fc.letrec<{ predicate: Predicate }>(tie => ({
  predicate: fc.oneof(
    { maxDepth: 2, withCrossShrink: true },
    fc.record({
      kind: fc.constant('compare' as const),
      field: fc.constantFrom(...fields),
      operator: fc.constantFrom('equals' as const, 'less' as const, 'starts_with_ignoring_case' as const),
      value: scalar
    }),
    // The same node may be in a plan twice.
    fc.constantFrom(...known),
    fc.record({ kind: fc.constant('is_null' as const), field: fc.constantFrom(...fields) }),
    fc.record({ kind: fc.constant('not' as const), of: tie('predicate') }),
    fc.record({
      kind: fc.constantFrom('all' as const, 'any' as const),
      of: fc.array(tie('predicate'), { maxLength: 3 })
    })
  )
}))

const steps = predicate.map(where => [{ collection: albums, via: undefined, where }])
const stored = fc.uniqueArray(fc.tuple(fc.constantFrom(...fields), fc.option(scalar)), {
  selector: ([field]) => field, minLength: 1
}).map(entries => new Map<StoredField, unknown>(entries))

interface Drawn { values: ReadonlyMap<StoredField, unknown>, several: boolean, orNothing: boolean, keyed: boolean }

function insertOf ({ values, several, orNothing, keyed }: Drawn): Change {
  const row = [...values.values()]
  return {
    kind: 'insert', collection: albums, fields: [...values.keys()], rows: several ? [row, row] : [row], orNothing, keyed
  }
}

const planned: fc.Arbitrary<Planned> = fc.oneof(
  fc.record({
    kind: fc.constant('item' as const),
    steps,
    select: fc.constantFrom(...selects),
    longest: fc.constantFrom(100, undefined)
  }) as fc.Arbitrary<ReadPlan>,
  fc.record({ kind: fc.constant('update' as const), collection: fc.constant(albums), steps, values: stored }),
  fc.record({ values: stored, several: fc.boolean(), orNothing: fc.boolean(), keyed: fc.boolean() }).map(insertOf)
)

const toShape = (one: Planned) =>
  one.kind === 'item' ? shapeOf(one) : shapeOfChange(one as Change)

test('a plan has the outline of another exactly where it has its shape, and its values are the same', async t => {
  let alike = 0
  fc.assert(fc.property(planned, fc.oneof(planned, fc.constant(undefined)), fc.boolean(), (one, drawn, again) => {
    const other = again ? structure(one) : drawn ?? one
    if (ownerOf(one) !== ownerOf(other)) return
    const [first, second] = [toShape(one), toShape(other)]
    const outline = outlineOf(one, first.values.length)
    if (outline === undefined) return
    const values = valuesBy(outline, other)
    const isRepeated = second.key.includes('=')
    const isSame = first.key === second.key
    if (values !== undefined && isSame) alike++
    const isWrong = isRepeated
      ? values !== undefined && values.length !== first.values.length
      : isSame !== (values !== undefined)
    if (isWrong) {
      throw new Error(`${first.key} and ${second.key}`)
    }
    if (isSame && !isDeepStrictEqual(values, second.values)) throw new Error(JSON.stringify([values, second.values]))
  }), { numRuns: runsOf(6_000) })
  t.ok(alike > 100, `${alike} pairs of one shape`)
})

/** Returns an equal plan whose nodes are its own. */
function structure (one: Planned): Planned {
  if (one.kind !== 'item' && one.kind !== 'update') return one
  return { ...one, steps: one.steps.map(step => ({ ...step, where: copy(step.where) })) }
}

function copy (one: Predicate): Predicate {
  switch (one.kind) {
    case 'not': return { ...one, of: copy(one.of) }
    case 'all':
    case 'any': return { ...one, of: one.of.map(copy) }
    case 'compare': return { ...one, value: one.value === 7 ? 9 : one.value }
    default: return one
  }
}
