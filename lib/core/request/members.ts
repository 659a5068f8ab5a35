import { longestShown, malformedBody } from '../errors/errors.ts'
import { atPointer, tokenOf } from '../errors/place.ts'
import { endOfString, pastSpace } from './json-text.ts'

/**
 * Throws malformed_body for JSON of which an object has two members of one name: JSON.parse() keeps the last one alone
 * (RFC 8259, 4). `value`: what it has made of the text. The text is searched only where it has more names than the
 * value has members. `from`: where the text stands in an item.
 */
export function refuseDuplicates (text: string, value: unknown, from: string): void {
  if (!isNested(value) || namesIn(text) === membersIn(value)) return
  const found = findDuplicate(text)
  if (found === undefined) return
  const { name, pointer } = found
  const named = name.length <= longestShown ? `'${name}'` : `of ${name.length} characters`
  const error = malformedBody(`The body has the member ${named} twice in one object; send it once.`)
  throw atPointer(error, from + pointer)
}

const isNested = (value: unknown): value is object => typeof value === 'object' && value !== null

function membersIn (value: object): number {
  let count = 0
  if (Array.isArray(value)) {
    for (const element of value as readonly unknown[]) if (isNested(element)) count += membersIn(element)
    return count
  }
  for (const name in value) {
    const member = (value as Readonly<Record<string, unknown>>)[name]
    count++
    if (isNested(member)) count += membersIn(member)
  }
  return count
}

/** Returns the number of strings before a colon. */
function namesIn (text: string): number {
  let count = 0
  for (let at = text.indexOf('"'); at >= 0;) {
    const end = endOfString(text, at)
    if (isName(text, end)) count++
    at = text.indexOf('"', end)
  }
  return count
}

const isName = (text: string, end: number): boolean => {
  const code = text.charCodeAt(end)
  return code === colon || (code <= space && text.charCodeAt(pastSpace(text, end)) === colon)
}

const colon = 0x3a
const space = 0x20

/** An object or an array of a text. `names`: those of an object so far. `token`: leads to its present part. */
interface Open { readonly names: Set<string> | undefined, token: string, index: number }

/** Returns the first member whose name its object has before it. Names are compared without their escapes. */
function findDuplicate (text: string): { readonly name: string, readonly pointer: string } | undefined {
  const open: Open[] = []
  for (let at = 0; at < text.length; at++) {
    const character = text[at]
    const inner = open.at(-1)
    if (character === '{') open.push({ names: new Set(), token: '', index: 0 })
    else if (character === '[') open.push({ names: undefined, token: '/0', index: 0 })
    else if (character === '}' || character === ']') open.pop()
    else if (character === ',' && inner !== undefined && inner.names === undefined) inner.token = `/${++inner.index}`
    else if (character === '"') {
      const end = endOfString(text, at)
      const name = inner?.names !== undefined && isName(text, end) ? String(JSON.parse(text.slice(at, end))) : undefined
      if (inner !== undefined && name !== undefined) inner.token = tokenOf(name)
      if (name !== undefined && inner?.names?.has(name)) {
        return { name, pointer: open.map(({ token }) => token).join('') }
      }
      if (name !== undefined) inner?.names?.add(name)
      at = end - 1
    }
  }
  return undefined
}
