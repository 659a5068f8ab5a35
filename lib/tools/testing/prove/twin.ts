import type { ValueGenerator } from '../world/generator.ts'
import type { StoredField } from '../../../core/model/model.ts'
import type { RowReference, TableShape } from './rows.ts'
import { look, type ProvedCaller, seeAlike, seesField, seesRow, type CallerSight, usableCollections } from './sight.ts'
import { exampleOf } from '../world/examples.ts'
import type { Contents, WorldRow, ProvedWorld } from './world.ts'

/** A fact that the caller may not know, and that is another one in the twin: a value, or that a row exists. */
export interface TwinChange {
  readonly shape: TableShape
  /** True where the caller does not know of the row, false where it may not know the value. */
  readonly hidden: boolean
  /** The row's place in its table. */
  readonly index: number
  readonly row: WorldRow
  /** The values of the twin by their properties; undefined for a row that the twin has not. */
  readonly values: WorldRow | undefined
}

export function applyChanges (contents: Contents, changes: readonly TwinChange[]): Contents {
  const copied = (rows: readonly WorldRow[]) => rows.map((row): WorldRow | undefined => ({ ...row }))
  const tables = new Map([...contents].map(([name, rows]) => [name, copied(rows)]))
  for (const { shape, index, values } of changes) {
    const rows = tables.get(shape.name)
    const row = rows?.[index]
    if (rows === undefined || row === undefined) continue
    rows[index] = values && present({ ...row, ...values })
  }
  return new Map([...tables].map(([name, rows]) => [name, rows.filter(row => row !== undefined)]))
}

/** The row without the properties that have no value. */
const present = (row: WorldRow): WorldRow =>
  Object.fromEntries(Object.entries(row).filter(([, value]) => value !== undefined))

/** What twins are made by. `kept`: the facts of visible rows that are known to decide what is visible. */
interface Twins {
  readonly shapes: readonly TableShape[]
  readonly allow: ReadonlySet<string>
  readonly kept: Set<string>
}

/**
 * Returns changes of facts that the caller may not know, as many as there are, after which the caller may see and do
 * the same. `world` has the contents; the twin gets them with the changes. Facts that docs/testing.md lists as
 * learnable stay alike: keys, foreign keys to visible items, unique values, versions.
 */
export async function makeTwin (
  generator: ValueGenerator,
  [world, twin]: readonly [ProvedWorld, ProvedWorld],
  contents: Contents,
  caller: ProvedCaller,
  sight: CallerSight, { shapes, allow, kept }: Twins
): Promise<readonly TwinChange[]> {
  const all = shapes.flatMap(shape => [changesOf, referencesOf].flatMap(make =>
    make(generator, shape, contents, caller, sight, { world, shapes, allow })))
  const isAlike = async (changes: readonly TwinChange[]) => {
    const changed = applyChanges(contents, changes)
    twin.fill(changed)
    return seeAlike(withoutRemoved(sight, changes), await look(twin, caller))
  }
  const tried = all.filter(change => change.hidden || !kept.has(nameOf(change)))
  const settled = await settle([], tried, isAlike, change => { if (!change.hidden) kept.add(nameOf(change)) })
  twin.fill(applyChanges(contents, settled))
  return settled
}

const nameOf = ({ shape, values = {} }: TwinChange) => `${shape.name}.${Object.keys(values).join()}`

/** The sight without the rows that the twin has not. */
function withoutRemoved ({ known, marks }: CallerSight, changes: readonly TwinChange[]): CallerSight {
  const rows = changes.filter(one => one.values === undefined)
  const removed = new Set(rows.map(({ shape, index }) => `${shape.name} ${index}`))
  const left = [...marks].map(([name, all]) =>
    [name, all.filter((_, index) => !removed.has(`${name} ${index}`))] as const)
  return { known, marks: new Map(left) }
}

/** Returns the changes that can be made beside the others. Halves what cannot be made as a whole. */
async function settle (
  made: readonly TwinChange[],
  changes: readonly TwinChange[],
  isAlike: (changes: readonly TwinChange[]) => Promise<boolean>,
  drop: (change: TwinChange) => void
): Promise<readonly TwinChange[]> {
  const [first] = changes
  if (first === undefined) return made
  if (await isAlike([...made, ...changes])) return [...made, ...changes]
  if (changes.length === 1) {
    drop(first)
    return made
  }
  const half = Math.ceil(changes.length / 2)
  const more = await settle(made, changes.slice(0, half), isAlike, drop)
  return settle(more, changes.slice(half), isAlike, drop)
}

function changesOf (
  generator: ValueGenerator, shape: TableShape, contents: Contents, caller: ProvedCaller, sight: CallerSight,
  { world, shapes, allow }: Pick<Twins, 'shapes' | 'allow'> & { readonly world: ProvedWorld }
): readonly TwinChange[] {
  const rows = contents.get(shape.name) ?? []
  const views = usableCollections(shape.name, world, sight.known)
  const isHidden = hiddenIn(shape, contents, caller, sight, shapes)
  const leading = [...shape.references.flatMap(({ properties }) => properties), ...shape.constants.keys()]
  const fixed = new Set([shape.key, ...shape.unique, leading].flat())
  const fields = [...shape.fields.values()].filter(({ property }) =>
    !fixed.has(property) && !allow.has(`${shape.label}.${property}`))
  const isVersion = (property: string) => views.some(({ collection }) => collection.version?.property === property)
  const secret = fields.filter(field => !seesField(field, shape, views, caller) && !isVersion(field.property) &&
    !(field.identifier && field.writable))
  const keys = rows.filter(isHidden).map(row => Number(row[shape.key[0] ?? '']))
  // The highest key stays: keys that are counted go on from it. A client may write the value of a unique one, and an
  // upsert its key.
  const isNamed = views.some(({ collection: { strategies } }) => strategies.upsert)
  // The deletion of an item that the caller sees would be refused in one world only.
  const refersToSeen = (row: WorldRow) => shape.references.some(reference => {
    const target = shapes.find(({ name }) => name === reference.table)
    const isHiddenThere = target && hiddenIn(target, contents, caller, sight, shapes)
    const others = contents.get(reference.table) ?? []
    return others.some((one, at) => refersTo(row, reference, one) && isHiddenThere?.(one, at) === false)
  })
  const mayGo = (row: WorldRow) => !isNamed && Number(row[shape.key[0] ?? '']) !== Math.max(...keys) &&
    ![...shape.fields.values()].some(({ property, identifier, writable }) =>
      writable && (identifier || shape.key.includes(property))) &&
    !isReferred(row, shape, contents, shapes) && (!shape.isCollection || !refersToSeen(row))
  return rows.flatMap((row, index): readonly TwinChange[] => {
    const hidden = isHidden(row, index)
    if (hidden && mayGo(row) && generator.chance(50)) {
      return [{ shape, hidden, index, row, values: undefined }]
    }
    return (hidden ? fields.filter(field => !field.identifier) : secret).flatMap(field => {
      const { property, schema, nullable, omitted } = field
      const n = 100 + index + generator.below(900) * 20
      const other = nullable && generator.chance(12) ? omitted ? undefined : null : exampleOf(schema, n)
      return other === row[property] ? [] : [{ shape, hidden, index, row, values: { [property]: other } }]
    })
  })
}

/**
 * Returns changes of foreign keys that the caller may not know. They lead nowhere, or among rows that it may not know
 * of either, so that nobody may see where to, and that the twin has as well, since others refer to them.
 */
function referencesOf (
  generator: ValueGenerator, shape: TableShape, contents: Contents, caller: ProvedCaller, sight: CallerSight,
  { world, shapes, allow }: Pick<Twins, 'shapes' | 'allow'> & { readonly world: ProvedWorld }
): readonly TwinChange[] {
  const views = usableCollections(shape.name, world, sight.known)
  const isHidden = hiddenIn(shape, contents, caller, sight, shapes)
  const isFixed = ({ property, identifier }: StoredField) =>
    identifier || shape.key.includes(property) || allow.has(`${shape.label}.${property}`)
  return shape.references.flatMap(reference => {
    const { properties, table, key } = reference
    const fields = properties.flatMap(property => shape.fields.get(property) ?? [])
    const target = shapes.find(({ name }) => name === table)
    if (fields.length < properties.length || target === undefined) return []
    if (fields.some(isFixed) || sharesProperties(shape, reference)) return []
    const isUnknown = hiddenIn(target, contents, caller, sight, shapes)
    const rows = contents.get(table) ?? []
    const leading = rows.filter((row, at) => isUnknown(row, at) && isReferred(row, target, contents, shapes))
      .map((row): WorldRow => Object.fromEntries(properties.map((property, at) => [property, row[key[at] ?? '']])))
    const ways: readonly WorldRow[] = [...leading, ...fields.every(({ nullable }) => nullable) ? [nowhere(fields)] : []]
    const isSecret = fields.every(field => !seesField(field, shape, views, caller))
    return (contents.get(shape.name) ?? []).flatMap((row, index): readonly TwinChange[] => {
      const hidden = isHidden(row, index)
      const isNow = (way: WorldRow) => properties.every(property => (way[property] ?? null) === (row[property] ?? null))
      const values = generator.from(ways.filter(way => !isNow(way)))
      if (values === undefined || !ways.some(isNow) || !(hidden || isSecret)) return []
      return [{ shape, hidden, index, row, values }]
    })
  })
}

/** True if a property of the reference is part of another one, which would lead elsewhere too. */
const sharesProperties = ({ references }: TableShape, reference: RowReference) => references.some(other =>
  other !== reference && other.properties.some(property => reference.properties.includes(property)))

/** The foreign key of a row that refers to none. */
const nowhere = (fields: readonly StoredField[]): WorldRow =>
  Object.fromEntries(fields.map(({ property, omitted }) => [property, omitted ? undefined : null]))

/** Returns a function that says if the caller may not know of a row. A link is known to who knows both of its ends. */
function hiddenIn (
  shape: TableShape, contents: Contents, caller: ProvedCaller, { marks }: CallerSight, shapes: readonly TableShape[]
): (row: WorldRow, index: number) => boolean {
  const seesAt = (one: TableShape, index: number) =>
    seesRow(contents.get(one.name)?.[index] ?? {}, marks.get(one.name)?.[index] ?? '', one, caller)
  const leadsToHidden = (row: WorldRow) => shape.links.some(link => {
    const target = shapes.find(({ name }) => name === link.table)
    const at = target === undefined ? -1 : contents.get(link.table)?.findIndex(one => refersTo(row, link, one)) ?? -1
    return target !== undefined && at >= 0 && !seesAt(target, at)
  })
  return (row, index) =>
    !(shape.isCollection && seesAt(shape, index)) && (shape.links.length === 0 || leadsToHidden(row))
}

/** Returns true if another row refers to the row: its deletion would be refused, and links lead to it. */
const isReferred = (row: WorldRow, { name }: TableShape, contents: Contents, shapes: readonly TableShape[]) =>
  shapes.some(other => other.references.some(reference => reference.table === name &&
    (contents.get(other.name) ?? []).some(one => refersTo(one, reference, row))))

const refersTo = (row: WorldRow, { properties, key }: RowReference, other: WorldRow) =>
  properties.every((property, index) => row[property] === other[key[index] ?? ''])
