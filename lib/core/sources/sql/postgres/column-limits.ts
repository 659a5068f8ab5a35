import type { ColumnLimits } from '../../../declare/source.ts'
import type { TypeFamily } from '../catalog.ts'
import { isPadded } from './codecs.ts'

interface Limited {
  /** The type as PostgreSQL writes it. */
  readonly type: string
  readonly family: TypeFamily
  /** The members of an enum, or the values that a check of a domain lists. */
  readonly choices: readonly string[] | undefined
}

/** Returns what a type does not take of the values of its family; undefined if it takes all. */
export function limitsOf ({ type, family, choices }: Limited): ColumnLimits | undefined {
  const ofType = limitsOfType(type.replace(/\[\]$/, ''))
  if (family === 'array') return ofType && { elements: ofType }
  return choices !== undefined && hasOneText(type, family) ? { ...ofType, choices } : ofType
}

/** Returns true if equal values have equal texts: spaces at the end make no difference to `char(n)`. */
const hasOneText = (type: string, family: TypeFamily) =>
  family === 'enum' || family === 'integer' || (family === 'text' && !isPadded(type))

function limitsOfType (type: string): ColumnLimits | undefined {
  const bits = integerBits[type]
  if (bits !== undefined) {
    return { lowest: String(-(2n ** (bits - 1n))), highest: String(2n ** (bits - 1n) - 1n), places: 0 }
  }
  if (type === 'real') return { lowest: '-3.4028235e+38', highest: '3.4028235e+38', least: '1e-45' }
  const [, length] = /^(?:character|character varying|bpchar)\((\d+)\)$/.exec(type) ?? []
  if (length !== undefined) return { length: Number(length) }
  const [, digits, places] = /^numeric\((\d+),(-?\d+)\)$/.exec(type) ?? []
  return digits === undefined ? undefined : numericLimits(Number(digits), Number(places))
}

const integerBits: Readonly<Record<string, bigint | undefined>> = { smallint: 16n, integer: 32n, bigint: 64n }

/** Returns the limits of `numeric(digits,places)`. The places may be more than the digits, or fewer than none. */
function numericLimits (digits: number, places: number): ColumnLimits {
  const nines = '9'.repeat(digits) + '0'.repeat(Math.max(-places, 0))
  const padded = nines.padStart(places + 1, '0')
  const highest = places > 0 ? `${padded.slice(0, -places)}.${padded.slice(-places)}` : nines
  return { lowest: `-${highest}`, highest, places }
}
