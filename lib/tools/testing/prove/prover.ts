import { choiceLimit, makeGenerator, type ValueGenerator } from '../world/generator.ts'
import { encodeText } from '../requests/resources.ts'
import type { SentRequest } from '../serving/send.ts'
import { compareWorlds, type FilledWorld, type Pair } from './compare.ts'
import { isOpen, isRefusal, makeDriver, type Proving, type Ways } from './driver.ts'
import { turn } from './live.ts'
import { generateRows, type Hints, type TableShape } from './rows.ts'
import { type Leak, shrink } from './shrink.ts'
import { hintsOf, look, type ProvedCaller, type CallerSight, seesRow } from './sight.ts'
import { applyChanges, type TwinChange, makeTwin } from './twin.ts'
import type { Contents, WorldRow } from './world.ts'

/** What was driven for one caller, and what was found. */
export interface Proved {
  readonly caller: string
  /** False where the application refused every request before the API saw it, though the caller has headers. */
  isKnown: boolean
  requests: number
  readonly ways: Ways
  /** Server errors by their texts, with the first request of each. */
  readonly faults: Map<string, SentRequest>
  /** Writes at a collection that the caller may not read, which were not refused: by the ways, the first of each. */
  readonly unrefused: Map<string, { readonly request: SentRequest, readonly status: number }>
  /** Facts that were other ones in the twins: `collection.field`, or `collection` for rows. */
  readonly changed: Set<string>
  /** Collections that show all rows, also those that belong to hidden ones. */
  readonly unscoped: Set<string>
  leak?: Leak
}

// Of each pair of worlds.
const requestsEach = 60

/** Sends requests of a caller to pairs of worlds until one tells what is hidden, or all were sent. */
export async function prove (name: string, caller: ProvedCaller, proving: Proving): Promise<Proved> {
  const proved: Proved = {
    caller: name,
    isKnown: caller.headers === undefined,
    requests: 0,
    ways: new Map(),
    faults: new Map(),
    unrefused: new Map(),
    changed: new Set(),
    unscoped: new Set()
  }
  const kept = new Set<string>()
  let hints: Hints = { fields: new Map(), caller: [] }
  while (isLeft(proved, proving)) {
    const generator = generatorOf(proving.random, 6000)
    const made = await makeContents(generator, proving, caller, hints)
    hints = made.hints
    const { worlds, shapes, allow } = proving
    const changes = await makeTwin(generator, worlds, made.contents, caller, made.sight, { shapes, allow, kept })
    note(proved, made, changes, proving, caller)
    await drive(proved, made, changes, proving, caller)
  }
  return proved
}

const isLeft = ({ leak, requests, ways }: Proved, proving: Proving) =>
  leak === undefined && (requests < proving.requests || [...ways.values()].some(isOpen))

async function drive (
  proved: Proved, { contents, sight }: Made, changes: readonly TwinChange[], proving: Proving, caller: ProvedCaller
): Promise<void> {
  const [world, twin] = proving.worlds
  const worlds: readonly [FilledWorld, FilledWorld] = [
    { world, contents }, { world: twin, contents: applyChanges(contents, changes) }
  ]
  const turned = (places: number) => turn(contents, proving.shapes, places)
  const pair: Pair = { worlds, reads: readsOf(sight, caller), turned }
  const driver = makeDriver(proving, sight, caller, proved.ways, changes)
  for (let left = requestsEach; left > 0 && isLeft(proved, proving); left--) {
    const { request, way } = driver.next(generatorOf(proving.random, 120))
    const { answer, difference } = await compareWorlds(pair, request)
    proved.requests++
    driver.answered(request, answer, way)
    if (way?.isRefused === true && !isRefusal(answer) && !proved.unrefused.has(way.name)) {
      proved.unrefused.set(way.name, { request, status: answer.status })
    }
    if (answer.status >= 500) proved.faults.set(answer.body, proved.faults.get(answer.body) ?? request)
    if (difference !== undefined) proved.leak = await shrink(pair, { request, changes, difference })
  }
}

const generatorOf = (random: () => number, length: number) =>
  makeGenerator(Array.from({ length }, () => Math.floor(random() * choiceLimit)))

interface Made { readonly contents: Contents, readonly sight: CallerSight, readonly hints: Hints }

/** Generates rows until the caller sees some as the scopes ask for; a scope may ask the rows themselves. */
async function makeContents (
  generator: ValueGenerator, { worlds: [world], shapes }: Proving, caller: ProvedCaller, known: Hints
): Promise<Made> {
  let hints = known
  for (let left = 3; ; left--) {
    const contents = generateRows(generator, shapes, hints)
    world.fill(contents)
    const sight = await look(world, caller)
    const next = merge(hints, hintsOf(sight))
    if (sizeOf(next) === sizeOf(hints) || left === 0) return { contents, sight, hints }
    hints = next
  }
}

const merge = (one: Hints, other: Hints): Hints => ({
  fields: new Map([...one.fields, ...other.fields].map(([name]) =>
    [name, new Set([...one.fields.get(name) ?? [], ...other.fields.get(name) ?? []])])),
  caller: [...new Set([...one.caller, ...other.caller])]
})

const sizeOf = ({ fields, caller }: Hints) => [...fields.values()].reduce((sum, { size }) => sum + size, caller.length)

function note (
  proved: Proved, { contents, sight }: Made, changes: readonly TwinChange[], { shapes }: Proving, caller: ProvedCaller
): void {
  if ([...sight.known.values()].some(callers => callers.size > 0)) proved.isKnown = true
  for (const { shape: { label }, values } of changes) {
    for (const name of values === undefined ? [label] : Object.keys(values).map(one => `${label}.${one}`)) {
      proved.changed.add(name)
    }
  }
  const isSeen = (shape: TableShape) => (row: WorldRow, index: number) =>
    seesRow(row, sight.marks.get(shape.name)?.[index] ?? '', shape, caller)
  for (const shape of shapes.filter(one => one.isCollection)) {
    const rows = contents.get(shape.name) ?? []
    if (!rows.every(isSeen(shape))) continue
    for (const { properties, table, key } of shape.references) {
      const target = shapes.find(one => one.name === table)
      const isDemanded = properties.every(one => shape.fields.get(one)?.nullable === false)
      if (target === undefined || target === shape || !isDemanded) continue
      const hidden = (contents.get(table) ?? []).filter((row, index) => !isSeen(target)(row, index))
      const belongs = (row: WorldRow) =>
        hidden.some(other => properties.every((one, index) => row[one] === other[key[index] ?? '']))
      if (rows.some(belongs)) proved.unscoped.add(`${shape.label}, whose items belong to ${target.label}`)
    }
  }
}

/** The requests that show what a write has changed: all collections. */
const readsOf = ({ known }: CallerSight, { headers = {} }: ProvedCaller): readonly SentRequest[] =>
  [...known].flatMap(([{ prefix }, callers]) => [...callers].flatMap(([name, { caller }]) => {
    const collection = caller.model.collections.get(name)
    if (collection === undefined || caller.denial('read', collection) !== undefined) return []
    return [{ method: 'GET', url: `${prefix}/${encodeText(name)}`, headers }]
  }))
