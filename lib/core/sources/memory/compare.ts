/** Compares two values in ascending order: numbers and booleans, then texts, then nulls. */
export function compareValues (one: unknown, other: unknown): number {
  if (one === other) return 0
  if (one === null) return 1
  if (other === null) return -1
  if (typeof one === 'string' && typeof other === 'string') return compareText(one, other)
  if (typeof one === 'string') return 1
  return typeof other === 'string' || (one as number) < (other as number) ? -1 : 1
}

/**
 * Compares texts by code point. The operator `<` compares UTF-16 units, in which code points above U+FFFF sort before
 * U+E000 to U+FFFF.
 */
function compareText (one: string, other: string): number {
  const length = Math.min(one.length, other.length)
  for (let index = 0; index < length; index++) {
    const unit = one.charCodeAt(index)
    const otherUnit = other.charCodeAt(index)
    if (unit !== otherUnit) return codeRank(unit) - codeRank(otherUnit)
  }
  return one.length - other.length
}

const codeRank = (unit: number) => unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit
