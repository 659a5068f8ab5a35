import { isUtf8 } from 'node:buffer'
import { malformedBody, unsupportedMediaType } from '../errors.ts'
import { memoizeRecent } from '../memoize.ts'

/** A body as it came in. */
export interface BodyText { readonly contentType: string | undefined, readonly bytes: Buffer | undefined }

/** How much one body may hold. */
export interface BodyLimits {
  /** Objects and arrays within each other. */
  readonly depth: number
  /** Items, those of sub-collections included. */
  readonly items: number
}

/** What bodies that write must be. A merge patch (RFC 7396) is taken as what it is: JSON that holds what is to change. */
export const bodyTypes = ['application/json', 'application/merge-patch+json'] as const

/**
 * The JSON of a body; undefined where there is none (docs/http.md: Writing). Throws unsupported_media_type, or malformed_body for what is no JSON
 * and for JSON nested deeper than the limit, which would end the calls within calls that read it.
 */
export function parseBody (body: BodyText, { depth }: BodyLimits): unknown {
  if (body.bytes === undefined || body.bytes.length === 0) return undefined
  if (!isJson(body.contentType)) throw unsupportedMediaType(...bodyTypes)
  const text = decodeBody(body)
  if (mayNest(text, depth) && nesting(text) > depth) throw malformedBody(`The body nests objects and arrays deeper than ${depth} levels.`)
  try {
    return JSON.parse(text)
  } catch (error) {
    throw malformedBody(`The body is not valid JSON: ${error instanceof Error ? error.message : 'it cannot be read'}.`)
  }
}

/** The text of a body. Throws malformed_body where it is not UTF-8. */
export function decodeBody ({ bytes = Buffer.alloc(0) }: BodyText): string {
  if (!isUtf8(bytes)) throw malformedBody('The body is not UTF-8.')
  const text = bytes.toString()
  // A byte order mark.
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text
}

/** The media type alone, in lower case. */
export const mediaTypeOf = (contentType: string | undefined) => contentType === undefined ? undefined : readContentType(contentType).type

const isJson = (contentType = '') => readContentType(contentType).json

/** What clients say is nearly always the same. */
const readContentType = memoizeRecent(contentType => {
  const type = contentType.split(';', 1).join('').trim().toLowerCase()
  return { type, json: bodyTypes.some(one => one === type) && isUtf8Charset(contentType) }
}, { most: 100, longest: 200 })

function isUtf8Charset (contentType: string): boolean {
  const [, charset = 'utf-8'] = /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(contentType) ?? []
  return ['utf-8', 'utf8', 'us-ascii'].includes(charset.toLowerCase())
}

/** Whether the text holds more brackets than that, which few do: only then is it looked at more closely. */
function mayNest (text: string, depth: number): boolean {
  let count = 0
  for (const bracket of ['{', '[']) {
    for (let index = text.indexOf(bracket); index >= 0 && count <= depth; index = text.indexOf(bracket, index + 1)) count++
  }
  return count > depth
}

/** How deep the text nests, found without a call for each level. Right for JSON; what is none is refused afterwards. */
function nesting (text: string): number {
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
