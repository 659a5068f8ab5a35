import type { ValueGenerator } from '../world/generator.ts'
import type { Collection, Field, RelationField, StoredField } from '../../../core/model/model.ts'
import { exampleOf, fits } from '../world/examples.ts'
import type { Contents, WorldRow, ProvedWorld } from './world.ts'

/** A throw-away table, as all collections over it declare it. */
export interface TableShape {
  readonly name: string
  /** The first collection over the table, by which reports name it; the name of a join table that has none. */
  readonly label: string
  readonly fields: ReadonlyMap<string, StoredField>
  readonly key: readonly string[]
  /** What is unique beside the key, and is no single field. */
  readonly unique: ReadonlyArray<readonly string[]>
  readonly references: readonly RowReference[]
  /** The values that tell where foreign keys beside them lead, by their properties. */
  readonly constants: ReadonlyMap<string, ReadonlySet<unknown>>
  /** False for a table that holds links only. */
  readonly isCollection: boolean
  /** The references by which its rows are links of a many-to-many relation. */
  readonly links: readonly RowReference[]
}

/** Properties that hold the key of a row of another table, or of the same one. */
export interface RowReference {
  readonly properties: readonly string[]
  readonly table: string
  readonly key: readonly string[]
}

/** Values by which rows become visible. */
export interface Hints {
  /** By `table.property`. */
  readonly fields: ReadonlyMap<string, ReadonlySet<unknown>>
  /** What the application knows of the caller, for all fields that fit. */
  readonly caller: ReadonlyArray<string | number>
}

/** Describes the throw-away tables of an application. */
export function tableShapes ({ apis }: ProvedWorld): readonly TableShape[] {
  const shapes = new Map<string, TableShape>()
  const add = (shape: TableShape) => {
    const known = shapes.get(shape.name) ?? shape
    const all = [...known.references, ...shape.references]
    shapes.set(shape.name, {
      ...known.isCollection ? known : shape,
      fields: new Map([...shape.fields, ...known.fields]),
      references: [...new Map(all.map(one => [JSON.stringify(one), one])).values()],
      constants: union(known.constants, shape.constants),
      links: [...known.links, ...shape.links]
    })
  }
  for (const api of apis) {
    const nameOf = (collection: Collection) => api.tableOf(collection)
    for (const collection of api.api.model.collections.values()) {
      add(shapeOf(collection, nameOf))
      for (const field of collection.fields.values()) {
        if (field.kind !== 'sub-collection') continue
        const { link, target } = field
        if (link.kind === 'foreign-key') {
          const references = [referTo(link.foreignKey.map(propertyOf), collection, nameOf)]
          add({ ...shapeOf(target, nameOf), references, constants: constantsOf(field) })
        } else {
          const links = [referTo(link.foreignKey, collection, nameOf), referTo(link.otherKey, target, nameOf)]
          const name = api.joinOf(collection, link.through)
          const label = link.through
          const none = { fields: new Map(), key: [], unique: [], constants: new Map() }
          add({ ...none, name, label, references: links, links, isCollection: false })
        }
      }
    }
  }
  return [...shapes.values()]
}

const constantsOf = ({ constants }: RelationField): TableShape['constants'] =>
  new Map(constants.map(({ field, value }) => [field.property, new Set([value])]))

/** Returns the values of both, by their properties. */
function union (one: TableShape['constants'], other: TableShape['constants']): TableShape['constants'] {
  const all = new Map(one)
  for (const [property, values] of other) all.set(property, new Set([...all.get(property) ?? [], ...values]))
  return all
}

const propertyOf = ({ property }: { readonly property: string }) => property

const referTo = (
  properties: readonly string[], target: Collection, nameOf: (collection: Collection) => string
): RowReference => ({ properties, table: nameOf(target), key: target.key.map(propertyOf) })

function shapeOf (collection: Collection, nameOf: (collection: Collection) => string): TableShape {
  const { property, key, unique, stored, fields } = collection
  const own = (field: Field) => field.kind === 'sub-item'
    ? [referTo(field.foreignKey.map(propertyOf), field.target, nameOf)]
    : []
  return {
    name: nameOf(collection),
    label: property,
    fields: new Map(stored.map(field => [field.property, field])),
    key: key.map(propertyOf),
    unique: unique.map(list => list.map(propertyOf)),
    references: [...fields.values()].flatMap(own),
    constants: [...fields.values()].filter(field => field.kind === 'sub-item').map(constantsOf)
      .reduce(union, new Map()),
    links: [],
    isCollection: true
  }
}

const mostRows = 9

/** Generates rows for all tables, so that some are visible and foreign keys hold. */
export function generateRows (generator: ValueGenerator, shapes: readonly TableShape[], hints: Hints): Contents {
  const contents = new Map(shapes.map(shape => {
    const length = shape.isCollection ? mostRows : 2 * mostRows
    return [shape.name, Array.from({ length }, (_, index) => generateRow(generator, shape, index, hints))] as const
  }))
  // Keys that are foreign keys as well come first: others refer to them.
  const isKey = ({ key }: TableShape, { properties }: RowReference) => properties.some(one => key.includes(one))
  for (const first of [true, false]) {
    for (const shape of shapes) {
      for (const reference of shape.references.filter(one => isKey(shape, one) === first)) {
        for (const row of contents.get(shape.name) ?? []) refer(generator, shape, reference, row, contents, hints)
      }
    }
    for (const { name, key, unique, references, isCollection } of shapes) {
      const first = isCollection ? key : references.flatMap(({ properties }) => properties)
      contents.set(name, [first, ...unique].reduce(distinct, contents.get(name) ?? []))
    }
  }
  return contents
}

function generateRow (generator: ValueGenerator, shape: TableShape, index: number, hints: Hints): WorldRow {
  const follows = generator.chance(55)
  const row: WorldRow = {}
  for (const [property, field] of shape.fields) {
    const value = generateValue(generator, shape, field, { index, follows, hints })
    if (value !== undefined) row[property] = value
  }
  return row
}

interface Drawing { readonly index: number, readonly follows: boolean, readonly hints: Hints }

function generateValue (
  generator: ValueGenerator, shape: TableShape, field: StoredField, { index, follows, hints }: Drawing
): unknown {
  const { property, schema, nullable, identifier } = field
  const known = [...hints.fields.get(`${shape.name}.${property}`) ?? []]
  const constants = hints.caller.filter(value => fits(schema, value))
  const isUnique = identifier || (shape.key.length === 1 && shape.key[0] === property)
  if (isUnique) {
    const first = [...new Set<unknown>([...known, ...constants])].filter(value => value !== null)
    const others = Array.from({ length: mostRows + first.length }, (_, n) => exampleOf(schema, n))
    return [...first, ...others.filter(value => !first.some(one => one === value))][index]
  }
  const told = [...shape.constants.get(property) ?? []]
  if (told.length > 0 && generator.chance(70)) return generator.of(told)
  if (known.length > 0 && (follows || generator.chance(30))) return emptied(generator.from(known), field)
  if (nullable && generator.chance(25)) return emptied(null, field)
  return constants.length > 0 && generator.chance(25) ? generator.of(constants) : exampleOf(schema, generator.below(8))
}

const emptied = (value: unknown, { omitted }: StoredField) => value === null && omitted ? undefined : value

/** Sets a foreign key to that of a row, at times to null. */
function refer (
  generator: ValueGenerator,
  { name, key: ownKey, fields }: TableShape,
  { properties, table, key }: RowReference,
  row: WorldRow,
  contents: ReadonlyMap<string, readonly WorldRow[]>, { fields: hints, caller }: Hints
): void {
  const isNullable = properties.every(one => fields.get(one)?.nullable === true && !ownKey.includes(one))
  // The others are never referred to, so that they can be deleted, and be missing in the twin.
  const rows = (contents.get(table) ?? []).slice(0, Math.ceil(mostRows * 2 / 3))
  const isKnown = (one: WorldRow) => properties.every((property, index) => {
    const value = one[key[index] ?? '']
    return hints.get(`${name}.${property}`)?.has(value) === true || caller.some(one => one === value)
  })
  const known = rows.filter(isKnown)
  const target = known.length > 0 && generator.chance(55) ? generator.of(known) : generator.from(rows)
  const empty = isNullable && (target === undefined || generator.chance(20))
  for (const [index, property] of properties.entries()) {
    const field = fields.get(property)
    if (empty && field !== undefined) row[property] = emptied(null, field)
    else row[property] = target?.[key[index] ?? '']
    if (row[property] === undefined) Reflect.deleteProperty(row, property)
  }
}

function distinct (rows: readonly WorldRow[], key: readonly string[]): WorldRow[] {
  const byKey = new Map(rows.map(row => [JSON.stringify(key.map(property => row[property])), row]))
  return [...byKey.values()]
}
