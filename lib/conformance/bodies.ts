import type { Collection, Field, StoredField } from '../model/model.ts'
import { tableOf } from '../sources/memory/relations.ts'
import { ownValue } from '../sources/memory/values.ts'
import type { Draw } from './draw.ts'
import { examplesOf } from './places.ts'
import { oddJson, spellings } from './values.ts'

// Bodies are drawn as text, because JSON.stringify() has no way to write some that JSON has, such as -0 and 1e400.

/** The body of a new item. Relations are written so many levels deep. */
export function drawCreate (draw: Draw, collection: Collection, depth: number): string {
  return toObject(draw, [...collection.fields.values()].flatMap(field => {
    const isRelation = field.kind === 'sub-item' || field.kind === 'sub-collection'
    if (!field.writable || (depth <= 0 && isRelation)) return draw.chance(1) ? [memberOf(draw, field, collection, depth)] : []
    return draw.chance(isNeeded(field, collection) ? 98 : isRelation ? 25 : 50) ? [memberOf(draw, field, collection, depth)] : []
  }))
}

function isNeeded (field: Field, { key }: Collection): boolean {
  if (field === key) return key.type.kind === 'string'
  return field.kind === 'stored' ? !field.optional && field.schema.default === undefined : field.kind === 'sub-item' && !field.foreignKey.nullable
}

/** What is to change of an item. */
export function drawUpdate (draw: Draw, collection: Collection, depth: number): string {
  const fields = [...collection.fields.values()].filter(field => field.writable)
  const chosen = fields.length === 0 ? [] : [draw.of(fields), ...draw.some(fields, 25)]
  return toObject(draw, [...new Set(chosen)].map(field => memberOf(draw, field, collection, depth)))
}

/** A value for a field, as JSON. */
export function drawValue (draw: Draw, field: Field, collection: Collection, depth = 1): string {
  if (draw.chance(3) || field.kind === 'computed' || field.kind === 'expression') return draw.of(oddJson)
  if (field.kind === 'sub-item') return draw.chance(20) ? 'null' : drawElement(draw, field.target, depth)
  if (field.kind === 'sub-collection') return `[${Array.from({ length: draw.below(4) }, () => drawElement(draw, field.target, depth)).join(',')}]`
  if (field.nullable && !field.omitted && draw.chance(20)) return 'null'
  return drawStored(draw, field, collection)
}

function drawStored (draw: Draw, field: StoredField, collection: Collection): string {
  const rows = [...tableOf(collection).all()]
  const used = ownValue(draw.from(rows) ?? {}, field.property)
  const isTaken = used !== null && used !== undefined && draw.chance(field.identifier ? 15 : 30)
  const value = isTaken ? used : draw.from(examplesOf(field))
  const others = field.type.kind === 'string' || field.type.kind === 'json' ? undefined : spellings[field.type.kind]
  if (others !== undefined && draw.chance(8)) return field.type.kind === 'number' || field.type.kind === 'integer' ? draw.of(others) : JSON.stringify(draw.of(others))
  return JSON.stringify(value ?? null)
}

/** An item that is there, a new one, or one that is both in part. */
function drawElement (draw: Draw, target: Collection, depth: number): string {
  const row = draw.from([...tableOf(target).all()])
  if (row === undefined || draw.chance(35)) return drawCreate(draw, target, depth - 1)
  const identifiers = target.stored.filter(field => field.identifier && field.readable)
  const named = draw.from(identifiers)
  if (named === undefined) return '{}'
  const others = draw.chance(20) ? draw.some(target.stored.filter(field => field.readable && field !== named), 30) : []
  return toObject(draw, [named, ...others].map(field => [field.name, JSON.stringify(ownValue(row, field.property) ?? null)]))
}

const memberOf = (draw: Draw, field: Field, collection: Collection, depth: number): Member => [field.name, drawValue(draw, field, collection, depth)]

type Member = readonly [name: string, json: string]

function toObject (draw: Draw, members: readonly Member[]): string {
  const odd: readonly Member[] = draw.chance(3) ? [[draw.of(['nonsense', '__proto__', 'id', 'a/b~', '', 'constructor']), draw.of(oddJson)]] : []
  return `{${[...members, ...odd].map(([name, json]) => `${JSON.stringify(name)}:${json}`).join(',')}}`
}
