import type { FieldFlags } from '../../schemas/flags.ts'
import { type GeneratedField, typeOf, wrap } from './fields.ts'
import type { ValueGenerator } from './generator.ts'
import { pools } from './values.ts'
import type { CollectionDraft } from './draft.ts'

/** A field of a generated key. */
export interface GeneratedKey extends GeneratedField {
  readonly property: string
  /** The collection whose key this part of a key holds; undefined for one that refers to no item. */
  readonly target?: CollectionDraft
}

/** Returns the fields of a collection's key, most often one. */
export const generateKeys = (
  generator: ValueGenerator, drafts: readonly CollectionDraft[], mayBeWritten: boolean
): readonly GeneratedKey[] => generator.chance(22)
  ? ['orderId', 'line'].map(property => generatePart(generator, property, drafts, mayBeWritten))
  : [generateKey(generator, mayBeWritten)]

/** Returns the only field of a key: the first identifier of its collection. */
function generateKey (generator: ValueGenerator, mayBeWritten: boolean): GeneratedKey {
  const kind = generator.weighted<'key' | 'uuid' | 'text' | 'date'>(
    [12, 'key'], [4, 'uuid'], [4, 'text'], [1, 'date']
  )
  const flags: FieldFlags = {
    identifier: true,
    readable: !generator.chance(8),
    writable: mayBeWritten && (kind === 'text' || kind === 'date' || generator.chance(kind === 'key' ? 25 : 60)),
    ...generator.chance(10) && { listed: true }
  }
  const property = generator.weighted([6, 'id'], [1, 'Key'], [1, 'artistID'])
  const readable = flags.listed === true ? { readable: true } : {}
  const storedKind = kind === 'key' ? 'integer' : kind
  return {
    property,
    kind,
    schema: wrap({ ...typeOf(storedKind), examples: pools[kind] }, 'none', { ...flags, ...readable }),
    nullable: false,
    unique: true,
    pool: pools[kind]
  }
}

// Few values, so that the items of a collection share them.
const partPools = {
  integer: [1, 2, 3, 10, -1],
  text: ['a', 'b', 'A', 'a,b', ',', '', '.', '%', '\u{1F600}', '1', 'by_line', 'null'],
  uuid: pools.uuid.slice(0, 4),
  int64: ['1', '2', '9007199254740993', '-9223372036854775808'],
  // No two of one value: a column of text would take both, a column of numbers only one.
  decimal: ['1', '1.5', '-9', '10.00', '123456789012345678901234567890.123'],
  date: ['2001-12-31', '0001-01-01', 'infinity'],
  'date-time': ['2001-12-31T23:59:59.999Z', '2024-02-29T12:00:00.500Z', '-infinity']
}

/** Returns one of several fields of a key; at times it is the key of another collection's item. */
function generatePart (
  generator: ValueGenerator, property: string, drafts: readonly CollectionDraft[], mayBeWritten: boolean
): GeneratedKey {
  const target = generator.chance(35) ? generator.from(drafts.filter(({ keys }) => keys.length === 1)) : undefined
  const [key] = target?.keys ?? []
  const own = generator.weighted<keyof typeof partPools>(
    [4, 'integer'], [4, 'text'], [1, 'uuid'], [1, 'int64'], [1, 'decimal'], [1, 'date'], [1, 'date-time']
  )
  const kind = key === undefined ? own : key.kind === 'key' ? 'integer' : key.kind
  const pool = key?.pool ?? partPools[own]
  const flags = { readable: !generator.chance(8), writable: mayBeWritten && !generator.chance(15) }
  return {
    property,
    kind,
    schema: wrap({ ...typeOf(kind), examples: pool }, 'none', flags),
    nullable: false,
    unique: false,
    pool,
    ...target !== undefined && { target }
  }
}
