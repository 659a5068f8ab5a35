import fc, { runsOf } from '../helpers/fast-check.ts'
import { test } from 'tap'
import type { SubCollectionField } from '../../lib/core/model/model.ts'
import { operatorNames, type Scalar } from '../../lib/core/model/values.ts'
import type { Listing, Predicate, ReadPlan, Selection, Shown, Step } from '../../lib/core/plan/plan.ts'
import { always } from '../../lib/core/plan/predicates.ts'
import { runRead } from '../../lib/core/sources/memory/read.ts'
import { inMemory, names, not, someWorld, world, operands } from '../helpers/sql-world.ts'

// The same generated plans run on both sources, memory being the oracle.

type World2 = ReturnType<typeof names>
type Make<T> = (of: World2) => T

const relations: Readonly<Record<string, readonly (readonly [path: string, target: string])[]>> = {
  artists: [[
    'artists.label', 'labels'
  ], ['artists.boss', 'artists'], ['artists.albums', 'albums'], ['artists.bossOf', 'artists']],
  albums: [['albums.artist', 'artists'], ['albums.tags', 'tags']],
  labels: [['labels.artists', 'artists']],
  tags: []
}
const many = /\.(albums|tags|bossOf|artists)$/

const scalars: Readonly<Record<string, Readonly<Record<string, readonly (Scalar | null)[]>>>> = {
  artists: operands,
  albums: { 'albums.id': [10, 12, 99], 'albums.title': ['Out', 'In', 'u'], 'albums.year': [2000, 2001, null] },
  labels: { 'labels.id': [1, 2], 'labels.name': ['Hospital', 'h', null] },
  tags: { 'tags.id': [100, 101], 'tags.word': ['rock', 'a'] }
}

function predicates (of: string, depth: number): fc.Arbitrary<Make<Predicate>> {
  const compares = fc.constantFrom(...Object.entries(scalars[of] ?? {})).chain(([path, values]) => fc.record({
    operator: fc.constantFrom(...operatorNames), value: fc.constantFrom(...values), list: fc.subarray([...values])
  })
    .map(({ operator, value, list }): Make<Predicate> => world => {
      if (!world.data(path).type.operators.has(operator)) return world.compare(path, 'equals', value)
      if (operator === 'in' || operator === 'not_in') return world.compare(path, operator, list)
      if (value === null && operator !== 'equals' && operator !== 'not_equals') {
        return world.compare(path, 'equals', value)
      }
      return world.compare(path, operator, value)
    }))
  if (depth === 0) return compares
  const deeper = predicates(of, depth - 1)
  const nested = (relations[of] ?? []).map(([path, target]) =>
    predicates(target, depth - 1).map((make): Make<Predicate> => world => world.some(path, make(world))))
  return fc.oneof(compares, deeper.map((make): Make<Predicate> => world => not(make(world))), fc.array(deeper,
    { maxLength: 3 }).chain(makers => fc.constantFrom('all' as const, 'any' as const)
    .map((kind): Make<Predicate> => world => ({ kind, of: makers.map(make => make(world)) }))), ...nested)
}

function listings (of: string, depth: number): fc.Arbitrary<Make<Listing>> {
  const paths = Object.keys(scalars[of] ?? {})
  return fc.record({
    where: fc.oneof(fc.constant<Make<Predicate>>(() => always), predicates(of, 2)),
    terms: fc.subarray(paths, { maxLength: 2 }).chain(some => fc.array(fc.boolean(), { minLength: 3, maxLength: 3 })
      .map(signs => [...some, `${of}.id`].map((path, index) => signs[index] ? `-${path}` : path))),
    offset: fc.constantFrom(0, 0, 1, 2),
    limit: fc.constantFrom(Infinity, 1, 2, 3),
    select: selections(of, depth)
  }).map(({ where, terms, offset, limit, select }): Make<Listing> =>
    world => ({ where: where(world), order: world.by(...terms), range: { offset, limit }, select: select(world) }))
}

function selections (of: string, depth: number): fc.Arbitrary<Make<Selection>> {
  const values = fc.subarray(
    [...Object.keys(scalars[of] ?? {}), ...of === 'artists' ? ['artists.meta', 'artists.initial'] : []]
  ).map(paths => paths.map((path): Make<Shown> => world => world.value(path)))
  if (depth === 0) return values.map((makers): Make<Selection> => world => makers.map(make => make(world)))
  const nested = (relations[of] ?? []).map(([path, target]) => fc.option(
    many.test(path)
      ? listings(target, depth - 1).map((make): Make<Shown> => world => world.list(path, make(world)))
      : fc.tuple(selections(target, depth - 1), predicates(target, 1)).map(([select, where]): Make<Shown> =>
        world => world.item(path, select(world), where(world))), { nil: undefined }))
  return fc.tuple(values, ...nested).map(([first, ...rest]): Make<Selection> =>
    world => [...first, ...rest.filter(make => make !== undefined)].map(make => make(world)))
}

const paths: fc.Arbitrary<{
  readonly of: string,
  readonly steps: readonly Make<Step>[],
  readonly via: string | undefined
}> = fc.constantFrom(...Object.keys(relations)).chain(root => fc.tuple(
  predicates(root, 1), fc.array(fc.nat({ max: 3 }), { maxLength: 3 })
).map(([where, turns]) => {
  if (turns.length === 0) return { of: root, steps: [], via: undefined }
  const steps: Make<Step>[] = [world => world.step(root, where(world))]
  let of = root
  for (const turn of turns.slice(1)) {
    const [path, target] = relations[of]?.[turn] ?? []
    if (path === undefined || target === undefined) break
    steps.push(world => world.step(target, always, path))
    of = target
  }
  const [path, target] = (relations[of] ?? []).find(([path]) => many.test(path)) ?? []
  return path === undefined || target === undefined
    ? { of: root, steps: [], via: undefined }
    : { of: target, steps, via: path }
}))

const plans: fc.Arbitrary<Make<ReadPlan>> = paths.chain(({ of, steps, via }) => fc.record({
  listing: listings(of, 2),
  cursorBound: fc.oneof(fc.constant<Make<Predicate>>(() => always), predicates(of, 1)),
  kind: fc.constantFrom('item', 'list', 'groups'),
  count: fc.boolean(),
  descending: fc.boolean(),
  by: fc.constantFrom(...Object.keys(scalars[of] ?? {})),
  range: fc.record({ offset: fc.constantFrom(0, 1), limit: fc.constantFrom(Infinity, 1, 2) })
}).map(({ listing, cursorBound, kind, count, descending, by, range }): Make<ReadPlan> => world => {
  const from = { collection: world.at(of), via: via === undefined ? undefined : world.field(via) as SubCollectionField }
  const made = steps.map(make => make(world))
  if (kind === 'item' && via === undefined) {
    return { kind, steps: [world.step(of, listing(world).where)], select: listing(world).select }
  }
  if (kind === 'groups') {
    return {
      kind,
      steps: made,
      from,
      by: world.data(by),
      cursorBound: always,
      descending,
      range,
      members: listing(world),
      count
    }
  }
  return {
    kind: 'list',
    steps: made,
    from,
    listing: listing(world),
    cursorBound: cursorBound(world),
    extra: [
      world.data(by)
    ],
    count
  }
}))

test('generated plans read the same on SQLite as in memory', async t => {
  const here = world()
  const model = inMemory(someWorld)
  const there = names(model)
  fc.assert(fc.property(plans, make => {
    const expected = runRead(make(there))
    const found = here.read(make(here))
    if (JSON.stringify(sorted(found)) !== JSON.stringify(sorted(expected))) {
      throw new Error(`${JSON.stringify(found)}\nexpected ${JSON.stringify(expected)}`)
    }
  }), { numRuns: runsOf(500) })
  t.pass()
})

/** Members of objects in order, since a row's order of properties means nothing. */
function sorted (value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).filter(([key]) => !key.includes('\0')).toSorted(
    ([one], [other]) => one < other ? -1 : 1
  ).map(([key, one]) => [key, sorted(one)]))
}
