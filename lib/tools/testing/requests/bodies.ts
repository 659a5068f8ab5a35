import { distincts } from '../../../core/model/identifiers.ts'
import type { Collection, Field, StoredField } from '../../../core/model/model.ts'
import { amendmentsOf } from '../../../core/plan/write/amendment.ts'
import { memoryView } from '../../../core/sources/memory/view.ts'
import type { ValueGenerator } from '../world/generator.ts'
import type { SentRequest } from '../serving/send.ts'
import { generateExample } from './resources.ts'
import { oddJson, spellings } from '../world/values.ts'

// Bodies are generated as text, because JSON.stringify() cannot write all numbers of JSON, such as -0 and 1e400.

/** Returns the body of a new item, as JSON. `depth`: the number of levels of nested items. */
export function generateCreate (generator: ValueGenerator, collection: Collection, depth: number): string {
  return toObject(generator, [...collection.fields.values()].flatMap(field => {
    if (!field.writable || (depth <= 0 && 'target' in field)) {
      return generator.chance(1) ? [memberOf(generator, field, collection, depth)] : []
    }
    return generator.chance(isNeeded(field, collection) ? 98 : 'target' in field ? 25 : 50)
      ? [memberOf(generator, field, collection, depth)]
      : []
  }))
}

function isNeeded (field: Field, { key }: Collection): boolean {
  if (key.some(part => part === field)) return key.length > 1 || key[0]?.type.kind === 'string'
  return field.kind === 'stored' || field.kind === 'input'
    ? !field.optional && field.schema.default === undefined
    : field.kind === 'sub-item' && field.foreignKey.every(part => !part.nullable)
}

/** Returns the body of an update, as JSON, with one or more of the writable fields. */
export function generateUpdate (generator: ValueGenerator, collection: Collection, depth: number): string {
  const fields = [...collection.fields.values()].filter(field => field.writable)
  const chosen = fields.length === 0 ? [] : [generator.of(fields), ...generator.some(fields, 25)]
  return toObject(generator, [...new Set(chosen)].map(field => memberOf(generator, field, collection, depth)))
}

/** Returns a value for a field, as JSON; sometimes one that the field does not accept. */
export function generateValue (generator: ValueGenerator, field: Field, collection: Collection, depth = 1): string {
  if (generator.chance(3) || field.kind === 'computed' || field.kind === 'expression') return generator.of(oddJson)
  if (field.kind === 'sub-item') return generator.chance(20) ? 'null' : generateElement(generator, field.target, depth)
  if (field.kind === 'sub-collection') {
    const elements = Array.from({ length: generator.below(4) }, () => generateElement(generator, field.target, depth))
    return `[${elements.join(',')}]`
  }
  if (field.kind === 'input') return JSON.stringify(generateExample(generator, field) ?? null)
  if (field.nullable && !field.omitted && generator.chance(20)) return 'null'
  return generateStored(generator, field, collection)
}

/** Returns a change that makes the new value of a field of the one that it has; undefined for a field without one. */
export function generateAmendment (
  generator: ValueGenerator, field: Field, collection: Collection
): string | undefined {
  const way = generator.from(amendmentsOf(field))
  if (way === undefined) return undefined
  const value = generateValue(generator, field, collection)
  return `{"${way}":${value.replace(/^\[([^,]*).*\]$/, '$1') || 'null'}}`
}

export const mergePatchType = 'application/merge-patch+json'

/** Returns true for a field whose URL takes merge patches, as its client may read it. */
export const takesPatches = (field: Field): field is StoredField =>
  field.kind === 'stored' && field.readable && field.type.kind === 'json'

/** Returns a patch of a value of JSON, some of whose members it has; undefined for a field of other values. */
export function generatePatch (
  generator: ValueGenerator, field: Field, collection: Collection
): string | undefined {
  if (!takesPatches(field)) return undefined
  const { rows, value } = memoryView(collection)
  const used = value(generator.from(rows()) ?? {}, field)
  if (typeof used !== 'object' || used === null || generator.chance(30)) {
    return generateValue(generator, field, collection)
  }
  const members = Object.keys(used).map(name =>
    [name, generator.chance(40) ? 'null' : generator.of(oddJson)] as const)
  return toObject(generator, members)
}

/**
 * Returns a third of the requests by PATCH as merge patches, and all others as they are. It draws nothing, so that the
 * choices of other requests stay.
 */
export function someAsPatch (sent: SentRequest): SentRequest {
  const { method, headers, body = '' } = sent
  const isPatch = method === 'PATCH' && headers['content-type'] === 'application/json' && body.length % 3 === 0
  return isPatch ? { ...sent, headers: { ...headers, 'content-type': mergePatchType } } : sent
}

function generateStored (generator: ValueGenerator, field: StoredField, collection: Collection): string {
  const { rows, value: valueIn } = memoryView(collection)
  const used = valueIn(generator.from(rows()) ?? {}, field)
  const isTaken = used !== null && generator.chance(field.identifier ? 15 : 30)
  const value = isTaken ? used : generateExample(generator, field)
  const others = field.type.kind === 'string' || field.type.kind === 'json' ? undefined : spellings[field.type.kind]
  if (others !== undefined && generator.chance(8)) {
    return field.type.kind === 'number' || field.type.kind === 'integer'
      ? generator.of(others)
      : JSON.stringify(generator.of(others))
  }
  return JSON.stringify(value ?? null)
}

/** Returns an element of a relation: an identifier of an existing item, at times with other fields, or a new item. */
export function generateElement (generator: ValueGenerator, target: Collection, depth: number): string {
  const { rows, value } = memoryView(target)
  const row = generator.from(rows())
  if (row === undefined || generator.chance(35)) return generateCreate(generator, target, depth - 1)
  const named = generator.from(distincts(target).filter(fields => fields.every(field => field.readable)))
  if (named === undefined) return '{}'
  const others = generator.chance(20)
    ? generator.some(target.stored.filter(field => field.readable && !named.includes(field)), 30)
    : []
  return toObject(
    generator, [...named, ...others].map(field => [field.name, JSON.stringify(value(row, field))])
  )
}

const memberOf = (generator: ValueGenerator, field: Field, collection: Collection, depth: number): Member =>
  [field.name, generateValue(generator, field, collection, depth)]

type Member = readonly [name: string, json: string]

function toObject (generator: ValueGenerator, members: readonly Member[]): string {
  const odd: readonly Member[] = generator.chance(3)
    ? [[generator.of(['nonsense', '__proto__', 'id', 'a/b~', '', 'constructor']), generator.of(oddJson)]]
    : []
  return `{${[...members, ...odd].map(([name, json]) => `${JSON.stringify(name)}:${json}`).join(',')}}`
}
