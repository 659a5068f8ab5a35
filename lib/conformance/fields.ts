import { Type, type TSchema } from '@sinclair/typebox'
import type { FieldFlags } from '../../schemas/flags.ts'
import type { ValueGenerator } from './generator.ts'
import type { ColumnKind } from './table.ts'
import { longText, pools } from './values.ts'

export type ScalarKind = Exclude<ColumnKind, 'key'>

/** A stored field: its schema, of which `examples` are values that it takes, and what its column may hold. */
export interface GeneratedField {
  readonly kind: ColumnKind
  readonly schema: TSchema
  readonly nullable: boolean
  readonly unique: boolean
  readonly pool: readonly unknown[]
}

const kinds: readonly ScalarKind[] = [
  'text', 'integer', 'number', 'boolean', 'date', 'date-time', 'time', 'uuid', 'json'
]

/** A field of some kind, with some flags. */
export function generateField (generator: ValueGenerator): GeneratedField {
  const kind = generator.weighted<ScalarKind>(
    [4, 'text'], [2, 'integer'], [2, 'number'], ...kinds.slice(3).map(one => [1, one] as const)
  )
  const flags = generateFlags(generator, kind)
  const wrapping = generator.weighted<Wrapping>([3, 'none'], [2, 'null'], [2, 'optional'], [1, 'both'])
  const type = generateType(generator, kind)
  const nullable = wrapping !== 'none'
  const fallback = flags.identifier === true || !generator.chance(flags.writable === true || nullable ? 35 : 90)
    ? {}
    : {
      default: nullable && generator.chance(50)
        ? (wrapping === 'optional' ? type.examples[0] : null)
        : generator.of(type.examples)
    }
  const isLong = kind === 'text' && flags.identifier !== true && type.examples === pools.text
  return {
    kind,
    schema: wrap(type, wrapping, { ...flags, ...fallback }),
    nullable,
    unique: flags.identifier === true,
    pool: isLong && generator.chance(20) ? [...type.examples, longText] : type.examples
  }
}

/** The field that holds the key of another collection's item. It is seldom a client's business. A self reference that must be there could only be the first row's own. */
export function generateForeignKey (
  generator: ValueGenerator, kind: ColumnKind,
  { isOwn, mayBeWritten }: { readonly isOwn: boolean, readonly mayBeWritten: boolean }
): GeneratedField {
  const nullable = generator.chance(80) || isOwn
  const held = kind === 'key' ? 'integer' : kind
  const flags = { readable: generator.chance(40), ...mayBeWritten && generator.chance(30) && { writable: true } }
  return {
    kind: held,
    schema: wrap(typeOf(held), nullable ? generator.of<Wrapping>(['optional', 'null']) : 'none', flags),
    nullable,
    unique: false,
    pool: []
  }
}

export interface GeneratedKey extends GeneratedField { readonly property: string }

/** The first identifier of a collection. */
export function generateKey (generator: ValueGenerator, mayBeWritten: boolean): GeneratedKey {
  const kind = generator.weighted<'key' | 'uuid' | 'text'>([6, 'key'], [2, 'uuid'], [2, 'text'])
  const flags: FieldFlags = {
    identifier: true,
    readable: !generator.chance(8),
    writable: mayBeWritten && (kind === 'text' || generator.chance(kind === 'key' ? 25 : 60)),
    ...generator.chance(10) && { listed: true }
  }
  const property = generator.weighted([6, 'id'], [1, 'Key'], [1, 'artistID'])
  const readable = flags.listed === true ? { readable: true } : {}
  const held = kind === 'key' ? 'integer' : kind
  return {
    property,
    kind,
    schema: wrap({ ...typeOf(held), examples: pools[kind] }, 'none', { ...flags, ...readable }),
    nullable: false,
    unique: true,
    pool: pools[kind]
  }
}

/** The field that counts changes. */
export const version = (generator: ValueGenerator): GeneratedField =>
  ({
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

const identifying: ReadonlySet<ScalarKind> = new Set(['text', 'integer', 'uuid', 'date', 'date-time', 'number'])

function generateFlags (generator: ValueGenerator, kind: ScalarKind): FieldFlags {
  const readable = !generator.chance(15)
  const identifier = identifying.has(kind) && generator.chance(12)
  const hidden = readable && generator.chance(12)
  return {
    ...readable && { readable },
    ...!generator.chance(30) && { writable: true },
    ...hidden && { hidden },
    ...readable && !hidden && generator.chance(20) && { listed: true },
    ...identifier && { identifier },
    ...generator.chance(6) && { filterable: false },
    ...generator.chance(6) && { sortable: false }
  }
}

interface Plain { readonly members: readonly TSchema[], readonly examples: readonly unknown[] }

function generateType (generator: ValueGenerator, kind: ScalarKind): Plain {
  if (generator.chance(70)) return typeOf(kind)
  switch (kind) {
    case 'text': return generator.of<() => Plain>([
      () => choice(['a', 'B', 'null', 'é "x"', '\u{1F600}', '']),
      () => fitting(Type.String({ minLength: 2 }), pools.text, text => lengthOf(text) >= 2),
      () => fitting(Type.String({ maxLength: 3 }), pools.text, text => lengthOf(text) <= 3),
      () => fitting(Type.String({ pattern: '^[a-z]{1,3}$' }), pools.text, text => /^[a-z]{1,3}$/.test(String(text)))
    ])()
    case 'integer': return generator.of<() => Plain>([
      () => choice([1, 2, 7, -1]),
      () => fitting(Type.Integer({ minimum: 0, maximum: 10 }), pools.integer, value =>
        Number(value) >= 0 && Number(value) <= 10
      )
    ])()
    case 'number': return fitting(Type.Number({ exclusiveMinimum: 0, maximum: 1e21 }), pools.number, value =>
      Number(value) > 0 && Number(value) <= 1e21
    )
    case 'json': return generator.of<() => Plain>([
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

const choice = (values: ReadonlyArray<string | number>): Plain => ({
  members: values.map(value => Type.Literal(value)),
  examples: values
})

const fitting = (schema: TSchema, pool: readonly unknown[], fits: (value: unknown) => boolean): Plain => ({
  members: [schema],
  examples: pool.filter(fits)
})

function typeOf (kind: ScalarKind): Plain {
  const examples = pools[kind]
  switch (kind) {
    case 'text': return { members: [Type.String()], examples }
    case 'integer': return { members: [Type.Integer()], examples }
    case 'number': return { members: [Type.Number()], examples }
    case 'boolean': return { members: [Type.Boolean()], examples }
    case 'json': return { members: [Type.Unknown()], examples }
    default: return { members: [Type.String({ format: kind })], examples }
  }
}

function wrap (
  { members: [first = Type.Null(), ...others], examples }: Plain, wrapping: Wrapping,
  flags: FieldFlags & { default?: unknown }
): TSchema {
  const options = { ...flags, examples }
  const isNull = wrapping === 'null' || wrapping === 'both'
  const schema = others.length > 0 || isNull
    ? Type.Union([first, ...others, ...isNull ? [Type.Null()] : []], options)
    : { ...first, ...options }
  return wrapping === 'optional' || wrapping === 'both' ? Type.Optional(schema) : schema
}
