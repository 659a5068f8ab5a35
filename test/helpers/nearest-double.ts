/** Returns the double that is nearest to a fraction, by the bits of its quotient; of two the even one. */
export function nearestDouble (numerator: bigint, denominator: bigint): number {
  if (numerator < 0n) return -nearestDouble(-numerator, denominator)
  const bits = (value: bigint) => value.toString(2).length
  // The quotient of 53 bits or one more, or of fewer where the double is below 2^-1022.
  const places = Math.min(53 - bits(numerator) + bits(denominator), 1074)
  const first = roundedQuotient(numerator, denominator, places)
  const [quotient, exponent] = bits(first) > 53
    ? [roundedQuotient(numerator, denominator, places - 1), 1 - places]
    : [first, -places]
  // Such a power may itself be no double.
  return exponent > 900 ? Number(quotient) * 2 ** 900 * 2 ** (exponent - 900) : Number(quotient) * 2 ** exponent
}

function roundedQuotient (numerator: bigint, denominator: bigint, places: number): bigint {
  const [dividend, divisor] = places < 0
    ? [numerator, denominator << BigInt(-places)]
    : [numerator << BigInt(places), denominator]
  const quotient = dividend / divisor
  const rest = 2n * (dividend % divisor)
  const isUp = rest > divisor || (rest === divisor && quotient % 2n === 1n)
  return isUp ? quotient + 1n : quotient
}
