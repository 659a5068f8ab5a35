import { type TSchema, Type } from '@sinclair/typebox'
import type { FieldFlags } from '../../../../schemas/flags.ts'
import type { GeneratedDraft, WorldSettings } from './collection.ts'
import type { ValueGenerator } from './generator.ts'
import type { ColumnKind } from './table.ts'
import { longText, pools, unwritable } from './values.ts'

/** The kinds of stored fields that are not keys. */
type ScalarKind = Exclude<ColumnKind, 'key'>

/** A generated stored field. */
export interface GeneratedField {
  readonly kind: ColumnKind
  /** The schema; its `examples` are values that the field accepts. */
  readonly schema: TSchema
  readonly nullable: boolean
  readonly unique: boolean
  /** Values of the column. */
  readonly pool: readonly unknown[]
  /** The column's own default. The declaration has one too, so that it is never stored. */
  readonly columnDefault?: unknown
}

const kinds = Object.keys(pools).filter(kind => kind !== 'key') as readonly ScalarKind[]

/** Returns a field of any kind but a key, with any flags. */
export function generateField (generator: ValueGenerator): GeneratedField {
  const kind = generator.weighted<ScalarKind>(
    [4, 'text'], [2, 'integer'], [2, 'number'], ...kinds.slice(3).map(one => [1, one] as const)
  )
  const flags = generateFlags(generator, kind)
  const wrapping = generator.weighted<Wrapping>([3, 'none'], [2, 'null'], [2, 'optional'], [1, 'both'])
  const type = kind === 'real' && flags.writable === true ? choice(pools.real) : generateType(generator, kind)
  const nullable = wrapping !== 'none'
  const hasDefault = flags.identifier !== true && generator.chance(flags.writable === true || nullable ? 35 : 90)
  const fallback = hasDefault ? { default: generateDefault(generator, type, wrapping) } : {}
  const unique = flags.identifier === true
  return {
    kind,
    schema: wrap(type, wrapping, { ...flags, ...fallback }),
    nullable,
    unique,
    pool: generatePool(generator, kind, type, unique),
    ...hasDefault && generator.chance(50) && { columnDefault: generator.of(type.examples) }
  }
}

/** Returns the values of a column: at times so few of them that most rows share theirs with others. */
function generatePool (
  generator: ValueGenerator, kind: ScalarKind, { examples, isFree }: FieldType, unique: boolean
): readonly unknown[] {
  const others = kind === 'text' && !unique ? [longText] : unwritable[kind] ?? []
  const rare = isFree === true && generator.chance(25) ? others : []
  const pool = rare.length > 0 ? [...rare, ...generator.slice(examples, 12)] : examples
  if (unique || !generator.chance(35)) return pool
  const start = generator.below(pool.length)
  return pool.slice(start, start + 1 + generator.below(3))
}

function generateDefault (generator: ValueGenerator, { examples }: FieldType, wrapping: Wrapping): unknown {
  if (wrapping === 'none' || !generator.chance(50)) return generator.of(examples)
  return wrapping === 'optional' ? examples[0] : null
}

/**
 * Returns the field that holds the key of an item of another collection; most clients can neither read nor write it. A
 * reference to the same collection (`isOwn`) is always nullable: otherwise the first row could refer to itself only.
 */
export function generateForeignKey (
  generator: ValueGenerator, kind: ColumnKind,
  { isOwn, mayBeWritten }: { readonly isOwn: boolean, readonly mayBeWritten: boolean }
): GeneratedField {
  const nullable = generator.chance(80) || isOwn
  const storedKind = kind === 'key' ? 'integer' : kind
  const flags = { readable: generator.chance(40), ...mayBeWritten && generator.chance(30) && { writable: true } }
  return {
    kind: storedKind,
    schema: wrap(typeOf(storedKind), nullable ? generator.of<Wrapping>(['optional', 'null']) : 'none', flags),
    nullable,
    unique: false,
    pool: []
  }
}

/** Returns a field whose values tell to which items a foreign key beside it refers. */
export function generateConstant (generator: ValueGenerator, mayBeWritten: boolean): GeneratedField {
  const [kind, pool] = generator.of([
    ['text', ['Post', 'post', 'Photo']], ['integer', [1, 2, 3]], ['boolean', [true, false]]
  ] as const)
  const nullable = generator.chance(60)
  const flags = { readable: generator.chance(70), ...mayBeWritten && generator.chance(40) && { writable: true } }
  const type = { ...typeOf(kind), examples: pool }
  const schema = wrap(type, nullable ? 'optional' : 'none', { ...flags, default: pool[0] })
  return { kind, schema, nullable, unique: false, pool }
}

/** Returns a version field, which counts the changes of an item. */
export const generateVersion = (generator: ValueGenerator): GeneratedField => ({
  kind: 'integer',
  schema: wrap(typeOf('integer'), 'none', {
    readable: true,
    version: true,
    ...generator.chance(50) && { hidden: true }
  }),
  nullable: false,
  unique: false,
  pool: [1, 2, 7]
})

type Wrapping = 'none' | 'null' | 'optional' | 'both'

const identifying: ReadonlySet<ScalarKind> = new Set([
  'text', 'integer', 'uuid', 'date', 'date-time', 'number', 'int64'
])

function generateFlags (generator: ValueGenerator, kind: ScalarKind): FieldFlags {
  return {
    ...generateReading(generator),
    ...!generator.chance(30) && { writable: true },
    ...identifying.has(kind) && generator.chance(12) && { identifier: true }
  }
}

/** Returns the flags of what clients read. */
export function generateReading (generator: ValueGenerator): FieldFlags {
  const readable = !generator.chance(15)
  const hidden = readable && generator.chance(12)
  return {
    ...readable && { readable },
    ...hidden && { hidden },
    ...readable && !hidden && generator.chance(20) && { listed: true },
    ...generator.chance(6) && { filterable: false },
    ...generator.chance(6) && { sortable: false }
  }
}

/** The type of a field's values: the members of a union, or one schema, and example values. */
interface FieldType {
  readonly members: readonly TSchema[]
  readonly examples: readonly unknown[]
  /** True for a type without constraints. */
  readonly isFree?: boolean
}

function generateType (generator: ValueGenerator, kind: ScalarKind): FieldType {
  if (generator.chance(70)) return typeOf(kind)
  switch (kind) {
    case 'text': return generator.of<() => FieldType>([
      () => choice(['a', 'B', 'null', 'é "x"', '\u{1F600}', '']),
      () => fitting(Type.String({ minLength: 2 }), pools.text, text => lengthOf(text) >= 2),
      () => fitting(Type.String({ maxLength: 3 }), pools.text, text => lengthOf(text) <= 3),
      () => fitting(Type.String({ pattern: '^[a-z]{1,3}$' }), pools.text, text => /^[a-z]{1,3}$/.test(String(text)))
    ])()
    case 'integer': return generator.of<() => FieldType>([
      () => choice([1, 2, 7, -1]),
      () => fitting(Type.Integer({ minimum: 0, maximum: 10 }), pools.integer, value =>
        Number(value) >= 0 && Number(value) <= 10
      )
    ])()
    case 'number': return fitting(Type.Number({ exclusiveMinimum: 0, maximum: 1e21 }), pools.number, value =>
      Number(value) > 0 && Number(value) <= 1e21
    )
    case 'json': return generator.of<() => FieldType>([
      () => ({ members: [Type.Array(Type.String())], examples: [[], ['a'], ['b', 'a'], ['\u{1F600}', '']] }),
      () => ({
        members: [Type.Object({ a: Type.Optional(Type.Integer()) })],
        examples: [{}, { a: 1 }, { b: 'x', a: 2 }]
      })
    ])()
    default: return typeOf(kind)
  }
}

const lengthOf = (text: unknown) => [...String(text)].length

const choice = (values: readonly unknown[]): FieldType => ({
  members: values.map(value => Type.Literal(typeof value === 'number' ? value : String(value))),
  examples: values
})

const fitting = (schema: TSchema, pool: readonly unknown[], fits: (value: unknown) => boolean): FieldType => ({
  members: [schema],
  examples: pool.filter(fits)
})

function typeOf (kind: ScalarKind): FieldType {
  const examples = pools[kind]
  const isFree = true
  switch (kind) {
    case 'text': return { members: [Type.String()], examples, isFree }
    case 'integer': return { members: [Type.Integer()], examples, isFree }
    case 'number':
    case 'real':
    case 'numeric': return { members: [Type.Number()], examples, isFree }
    case 'boolean': return { members: [Type.Boolean()], examples, isFree }
    case 'json': return { members: [Type.Unknown()], examples, isFree }
    default: return { members: [Type.String({ format: kind })], examples, isFree }
  }
}

function wrap (
  { members: [first = Type.Null(), ...others], examples }: FieldType, wrapping: Wrapping,
  flags: FieldFlags & { default?: unknown }
): TSchema {
  const options = { ...flags, examples }
  const isNull = wrapping === 'null' || wrapping === 'both'
  const schema = others.length > 0 || isNull
    ? Type.Union([first, ...others, ...isNull ? [Type.Null()] : []], options)
    : { ...first, ...options }
  return wrapping === 'optional' || wrapping === 'both' ? Type.Optional(schema) : schema
}

/** A field of a generated key. */
export interface GeneratedKey extends GeneratedField {
  readonly property: string
  /** The collection whose key this part of a key holds; undefined for one that refers to no item. */
  readonly target?: GeneratedDraft
}

/** Returns the fields of a collection's key, most often one. */
export const generateKeys = (
  generator: ValueGenerator, drafts: readonly GeneratedDraft[], settings: WorldSettings
): readonly GeneratedKey[] => generator.chance(22)
  ? ['orderId', 'line'].map(property => generatePart(generator, property, drafts, settings.constrained))
  : [generateKey(generator, settings)]

/** Returns the only field of a key: the first identifier of its collection. */
function generateKey (generator: ValueGenerator, { constrained: mayBeWritten, guarded }: WorldSettings): GeneratedKey {
  const kind = generator.weighted<'key' | 'uuid' | 'text' | 'date'>(
    [guarded ? 0 : 12, 'key'], [4, 'uuid'], [4, 'text'], [1, 'date']
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
  generator: ValueGenerator, property: string, drafts: readonly GeneratedDraft[], mayBeWritten: boolean
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
