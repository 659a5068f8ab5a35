import { decimalKey, decimalOfKey, plainDecimal } from '../model/numbers.ts'

/** The digits of addends with one exponent: those that fit into a double, and the others. */
interface Part { small: number, large: bigint }

/**
 * The exact sum of numbers, as JavaScript writes them, and of decimals that are texts: that of 0.1, 0.2 and 0.3 is 0.6.
 * A value that is no number makes it NaN.
 */
export class ExactSum {
  private readonly parts = new Map<number, Part>()
  /** The sum of the endless numbers and NaN. */
  private special: number | undefined

  add (value: unknown): void {
    if (typeof value === 'number' && Number.isSafeInteger(value)) return this.addDigits(value, String(value), 0)
    const [, sign = '', whole = '', fraction = '', power = '0'] = form.exec(String(value)) ?? []
    if (whole === '') this.special = (this.special ?? 0) + Number(typeof value === 'object' ? NaN : value)
    else {
      const digits = `${sign}${whole}${fraction}`
      this.addDigits(Number(digits), digits, Number(power) - fraction.length)
    }
  }

  /** Returns the sum as text, without zeros at its end. */
  total (): string {
    if (this.special !== undefined) return String(this.special)
    const least = Math.min(0, ...this.parts.keys())
    let sum = 0n
    for (const [exponent, { small, large }] of this.parts) {
      sum += (large + BigInt(small)) * 10n ** BigInt(exponent - least)
    }
    return decimalOfKey(decimalKey(`${sum}e${least}`))
  }

  private addDigits (number: number, digits: string, exponent: number): void {
    const part = this.parts.get(exponent)
    if (part === undefined) {
      const isSafe = Number.isSafeInteger(number)
      this.parts.set(exponent, isSafe ? { small: number, large: 0n } : { small: 0, large: BigInt(digits) })
      return
    }
    const small = part.small + number
    if (Number.isSafeInteger(number) && Number.isSafeInteger(small)) part.small = small
    else part.large += BigInt(digits)
  }
}

const form = /^(-?)(\d+)(?:\.(\d*))?(?:[eE]([+-]?\d{1,5}))?$/

/** Returns the double that is nearest to a sum, as the text of a decimal. */
export const roundedSum = (sum: string): string => plainDecimal(String(Number(sum) + 0))

/** Returns the double that is nearest to a sum divided by a count, as the text of a decimal. */
export const meanOf = (sum: string, count: number): string => plainDecimal(String(quotientOf(sum, count) + 0))

function quotientOf (sum: string, count: number): number {
  if (!/\d/.test(sum)) return Number(sum)
  const [whole = '', fraction = ''] = sum.split('.')
  const digits = Number(whole + fraction)
  const divisor = count * 10 ** fraction.length
  // A quotient of two doubles is rounded once.
  if (Number.isSafeInteger(digits) && Number.isSafeInteger(divisor)) return digits / divisor
  // So many decimal places has a number that is half way between two doubles, at most: those from 2^-17 on have 71.
  const places = Math.abs(Number(sum)) / count >= 1e-5 ? 80 : 1100
  const dividend = BigInt(whole + fraction) * 10n ** BigInt(places)
  const exactDivisor = BigInt(count) * 10n ** BigInt(fraction.length)
  const rest = dividend % exactDivisor === 0n ? '' : '.1'
  return Number(`${dividend / exactDivisor}${rest}e-${places}`)
}
