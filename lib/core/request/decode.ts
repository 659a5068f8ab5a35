import { malformedUrl } from '../errors/errors.ts'

/**
 * Percent-decodes a piece of a URL once; `what` is its name in the message. Throws malformed_url for a piece that is
 * not UTF-8 or has half a surrogate pair: no source could store it, and it could not be encoded again in a link.
 */
export function decodePercent (piece: string, what: string): string {
  const text = tryDecodePercent(piece)
  if (text === undefined) throw malformedUrl(`The ${what} '${piece}' is not valid percent-encoded UTF-8.`)
  return text
}

/** Percent-decodes a piece of a URL once. Returns undefined where decodePercent() throws. */
export function tryDecodePercent (piece: string): string | undefined {
  if (plain.test(piece)) return piece
  const text = decode(piece)
  return text === undefined || loneSurrogate.test(text) ? undefined : text
}

/** Printable ASCII without `%`, which needs no decoding. Most pieces are such. */
const plain = /^[ -$&-~]*$/

const loneSurrogate = /\p{Surrogate}/u

function decode (piece: string): string | undefined {
  try {
    return decodeURIComponent(piece)
  } catch {
    return undefined
  }
}
