import { contentTooLarge, validation } from '../../errors/errors.ts'
import { isObject } from '../../errors/is-object.ts'
import { atPointer } from '../../errors/place.ts'
import { isDeeper } from '../../request/body.ts'
import { endOfString, pastSpace } from '../../request/json-text.ts'
import type { Amendment } from './amendment.ts'

/** An object of JSON. That of own code may have members that JSON.stringify() leaves out. */
type Members = Readonly<Record<string, unknown>>

/** Returns the value that a merge patch makes of none (RFC 7396): an object loses the members that are null. */
export const mergedIntoNothing = (patch: unknown): unknown =>
  isMembers(patch) ? JSON.parse(mergeText('{}', patch)) : patch

/**
 * Returns the text of JSON that a patch makes of the stored one. Throws validation or content_too_large where a body
 * could not hold it.
 */
export function mergedText (stored: string, { operand, pointer, limits }: Amendment): string {
  const text = mergeText(stored, operand as Members)
  const { depth = Infinity, bytes = Infinity } = limits ?? {}
  if (Buffer.byteLength(text) > bytes) {
    throw atPointer(contentTooLarge(`The merged value has more than ${bytes} bytes, which no body may have.`), pointer)
  }
  const own = depth - pointer.split('/').length + 1
  if (!isDeeper(text, own)) return text
  throw validation([{ pointer, message: `the merged value nests objects and arrays deeper than ${own} levels` }])
}

/**
 * Merges a patch into the text of JSON (RFC 7396); what is no object counts as an empty one. Members that the patch
 * does not name keep their texts, in their order: JSON.parse() would round their numbers. Of several members of one
 * name the last one counts, as for JSON.parse().
 */
export function mergeText (text: string, patch: Members): string {
  const changes = new Map(Object.entries(patch).filter(([, value]) => !leftOut.has(typeof value)))
  const members = text.trimStart().startsWith('{') ? membersOf(text) : []
  const last = new Map(members.map(one => [one.name, one]))
  const kept = members.flatMap(one => {
    const { name, start, value, end } = one
    if (!changes.has(name)) return [text.slice(start, end)]
    const change = changes.get(name)
    if (change === null || last.get(name) !== one) return []
    return [text.slice(start, value) + changedText(text.slice(value, end), change)]
  })
  const added = [...changes].flatMap(([name, change]) =>
    change === null || last.has(name) ? [] : [`${JSON.stringify(name)}:${changedText('{}', change)}`])
  return `{${[...kept, ...added].join(',')}}`
}

const leftOut: ReadonlySet<string> = new Set(['undefined', 'function', 'symbol'])

const changedText = (text: string, change: unknown): string =>
  isMembers(change) ? mergeText(text, change) : JSON.stringify(change)

/** Returns true for an object that merges. Own code may have one that becomes a text, such as a Date. */
const isMembers = (value: unknown): value is Members => isObject(value) && typeof value['toJSON'] !== 'function'

/** A member of an object in a text: where its name begins, and where its value begins and ends. */
interface MemberText { readonly name: string, readonly start: number, readonly value: number, readonly end: number }

/** Returns the members of an object, whose text JSON.parse() takes. */
function membersOf (text: string): readonly MemberText[] {
  const members: MemberText[] = []
  let start = pastSpace(text, text.indexOf('{') + 1)
  while (text[start] === '"') {
    const named = endOfString(text, start)
    const value = pastSpace(text, pastSpace(text, named) + 1)
    const end = endOfValue(text, value)
    members.push({ name: String(JSON.parse(text.slice(start, named))), start, value, end })
    // Past a comma, or the end.
    start = pastSpace(text, pastSpace(text, end) + 1)
  }
  return members
}

function endOfValue (text: string, start: number): number {
  let depth = 0
  for (let at = start; at < text.length; at++) {
    const character = text[at] ?? ''
    if (character === '"') at = endOfString(text, at) - 1
    else if (character === '{' || character === '[') depth++
    else if (depth === 0 && endsScalar(character)) return at
    else if (character === '}' || character === ']') depth--
    if (depth === 0 && /["}\]]/.test(character)) return at + 1
  }
  return text.length
}

const endsScalar = (character: string) => character === ',' || character === '}' || isSpace(character)

const isSpace = (character: string) => /[ \t\n\r]/.test(character)
