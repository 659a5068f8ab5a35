/**
 * Returns a number as a field of integers shows it: as text, unless it is an integer that a double holds exactly
 * (docs/databases.md: Types of columns).
 */
export function showInteger (value: number): number | string {
  if (Number.isSafeInteger(value)) return value + 0
  return Number.isInteger(value) ? String(BigInt(value)) : String(value)
}
