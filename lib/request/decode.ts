import { malformedUrl } from '../errors.ts'

/**
 * Percent-decodes a piece of a URL, once; `what` names it in the error. Throws malformed_url for what is no UTF-8, and for half a surrogate pair:
 * no source could store it, and a link that repeats it could not be encoded.
 */
export function decodePercent (piece: string, what: string): string {
  if (plain.test(piece)) return piece
  const text = decode(piece)
  if (text === undefined || loneSurrogate.test(text)) throw malformedUrl(`The ${what} '${piece}' is not valid percent-encoded UTF-8.`)
  return text
}

/** ASCII that stands for itself, as most pieces are. */
const plain = /^[ -$&-~]*$/

const loneSurrogate = /\p{Surrogate}/u

function decode (piece: string): string | undefined {
  try {
    return decodeURIComponent(piece)
  } catch {
    return undefined
  }
}
