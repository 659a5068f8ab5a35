import { isUtf8 } from 'node:buffer'
import type { Readable } from 'node:stream'
import { DataApiError, malformedBody, unsupportedEncoding, unsupportedMediaType } from '../errors/errors.ts'
import { memoizeRecent } from '../scheduling/memoize.ts'
import { refuseDuplicates } from './members.ts'
import type { Received } from './receive.ts'

/** A body as it was received; `bytes` is undefined if it is empty or missing. */
export interface BodyText {
  readonly contentType: string | undefined
  readonly bytes: Buffer | undefined
  /** The `Content-Encoding` of bytes that nothing has unpacked. */
  readonly encoding?: string | undefined
}

/**
 * A body that was parsed when it arrived. `value` is the parsed JSON, or undefined for an empty body; `refusal` is the
 * error of a body that is not acceptable as JSON. It is thrown only if the request turns out to be a write.
 */
export interface Body extends BodyText {
  readonly value: unknown
  readonly refusal: DataApiError | undefined
  /** The bytes of an import: as they come, or once all have come. */
  readonly stream?: Readable | Received
}

export interface BodyLimits {
  /** The greatest depth of nested objects and arrays. */
  readonly depth: number
  /** The most bytes, which what parses the body has counted already. */
  readonly bytes: number
  /** The greatest number of items, those of sub-collections included. */
  readonly items: number
}

/** The media type of most bodies that write: a value of a field of JSON replaces the one that the item has. */
export const jsonType = 'application/json'
/** That of a merge patch (RFC 7396): a value of a field of JSON is merged into the one that the item has. */
export const mergePatchType = 'application/merge-patch+json'

/** Returns true for a merge patch, whose values of JSON are merged. */
export const isMergePatch = ({ contentType }: Pick<BodyText, 'contentType'>): boolean =>
  contentType !== undefined && readContentType(contentType).type === mergePatchType

/** Parses a body once, for the hooks of the application and for the plan of the request. Throws nothing. */
export function receiveBody (text: BodyText, limits: BodyLimits): Body {
  try {
    return { ...text, value: parseBody(text, limits), refusal: undefined }
  } catch (error) {
    if (error instanceof DataApiError) return { ...text, value: undefined, refusal: error }
    throw error
  }
}

/** Returns the JSON of a body. Throws malformed_body for an empty one; `wanted`: what the client must send. */
export function jsonOf ({ value, refusal }: Body, wanted: string): unknown {
  if (refusal !== undefined) throw refusal
  if (value === undefined) throw malformedBody(`The body is empty; send ${wanted}.`)
  return value
}

/**
 * Throws unsupported_media_type for a body of no such type, even if it is empty: pages of other sites can send such a
 * request without a CORS preflight. One without a type is JSON. `patches`: see unsupportedMediaType().
 */
export function checkMediaType (
  body: Body, types: readonly string[] = [jsonType], patches: () => readonly string[] = () => []
): void {
  checkEncoding(body)
  const isRead = body.refusal?.code !== 'unsupported_media_type'
  if (!isRead || !types.includes(isMergePatch(body) ? mergePatchType : jsonType)) {
    throw unsupportedMediaType(types, patches())
  }
}

/** Throws unsupported_media_type for a body that is compressed. */
export function checkEncoding ({ encoding }: BodyText): void {
  if (encoding !== undefined) throw unsupportedEncoding(encoding)
}

/** Returns a body of which a merge patch is refused. */
export const withoutPatch = (body: Body): Body =>
  isMergePatch(body) ? { ...body, refusal: unsupportedMediaType([jsonType]) } : body

/**
 * Parses the JSON of a body; returns undefined for no body or an empty one (docs/http.md: Writing). Throws
 * unsupported_media_type, or malformed_body for a body that is not JSON or is nested deeper than the limit. The
 * functions that read the result are recursive, so without the limit they could overflow the call stack.
 */
function parseBody (body: BodyText, limits: BodyLimits): unknown {
  const { contentType, bytes } = body
  checkEncoding(body)
  if (bytes === undefined && contentType === undefined) return undefined
  if (!isJson(contentType)) throw unsupportedMediaType([jsonType])
  if (bytes === undefined) return undefined
  return parseJson(decodeBody(body), limits)
}

/**
 * Throws malformed_body for a text that is not JSON, is nested deeper than the limit, or gives a member twice.
 * `otherwise`: returns the value of a text that is not JSON. `pointer`: where the text stands in an item.
 */
export function parseJson (
  text: string, limits: Pick<BodyLimits, 'depth'>, { otherwise = refuseJson, pointer = '' }: Parsing = {}
): unknown {
  checkDepth(text, limits)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    return otherwise(error)
  }
  refuseDuplicates(text, value, pointer)
  return value
}

interface Parsing { readonly otherwise?: (error: unknown) => unknown, readonly pointer?: string }

function refuseJson (error: unknown): never {
  throw malformedBody(`The body is not valid JSON: ${error instanceof Error ? error.message : 'it cannot be read'}.`)
}

/** Throws malformed_body for JSON that is nested deeper than the limit. */
function checkDepth (text: string, { depth }: Pick<BodyLimits, 'depth'>): void {
  if (isDeeper(text, depth)) throw malformedBody(`The body nests objects and arrays deeper than ${depth} levels.`)
}

/** Returns true for JSON that is nested deeper than so many levels. */
export const isDeeper = (text: string, depth: number): boolean => mayExceed(depth, text) && depthOf(text) > depth

/** Returns the text of a body, without a byte order mark. Throws malformed_body for a body that is not UTF-8. */
export function decodeBody (body: BodyText): string {
  const { bytes = Buffer.alloc(0) } = body
  checkEncoding(body)
  if (!isUtf8(bytes)) throw malformedBody('The body is not UTF-8.')
  const text = bytes.toString()
  return text.charCodeAt(0) === byteOrderMark ? text.slice(1) : text
}

const byteOrderMark = 0xfeff

/** Returns the media type of a Content-Type, in lower case and without parameters. */
export function mediaTypeOf (contentType: string | undefined): string | undefined {
  return contentType === undefined ? undefined : readContentType(contentType).type
}

const isJson = (contentType = '') => readContentType(contentType).json

// Cached, because clients send few different values.
const readContentType = memoizeRecent(contentType => {
  const type = contentType.split(';', 1).join('').trim().toLowerCase()
  return { type, json: (type === jsonType || type === mergePatchType) && isUtf8Charset(contentType) }
}, { most: 100, longest: 200 })

function isUtf8Charset (contentType: string): boolean {
  const [, charset = 'utf-8'] = /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(contentType) ?? []
  return ['utf-8', 'utf8', 'us-ascii'].includes(charset.toLowerCase())
}

/**
 * Returns true if the text has more opening brackets than the depth allows. This is fast, and false for most texts, so
 * that they need no exact count.
 */
function mayExceed (depth: number, text: string): boolean {
  // An object of scalars, such as a line of an import.
  if (!text.includes('{', 1) && !text.includes('[')) return false
  return countOf('{', text, depth) + countOf('[', text, depth) > depth
}

function countOf (bracket: string, text: string, most: number): number {
  let count = 0
  for (let at = text.indexOf(bracket); at >= 0 && count <= most; at = text.indexOf(bracket, at + 1)) count++
  return count
}

/**
 * Returns the depth of nested objects and arrays, without recursion. The result is right for JSON; any other text is
 * refused later, when it is parsed.
 */
function depthOf (text: string): number {
  let depth = 0
  let deepest = 0
  let inString = false
  for (let index = 0; index < text.length; index++) {
    const character = text[index]
    if (inString) {
      if (character === '\\') index++
      else if (character === '"') inString = false
    } else if (character === '"') {
      inString = true
    } else if (character === '{' || character === '[') {
      deepest = Math.max(deepest, ++depth)
    } else if (character === '}' || character === ']') {
      depth--
    }
  }
  return deepest
}
