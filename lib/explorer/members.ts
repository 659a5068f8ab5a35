import type { InParts } from '../response/answer.ts'

/** A member of an object, or of an array, where it has no name. Its JSON text is parsed when it is shown. */
export interface Member { readonly name: string, readonly json: string }

/**
 * Splits the JSON text of an object or an array into its members, in their order: JavaScript moves names that are
 * numbers to the front of an object. The text is one that JSON.parse() takes; one that begins otherwise than with
 * `opening` has no members.
 */
export function * membersOf (json: string, opening: '{' | '['): InParts<readonly Member[]> {
  const members: Member[] = []
  let at = skip(json, 0)
  if (json[at] !== opening) return members
  at = skip(json, at + 1)
  while (at < json.length && json[at] !== '}' && json[at] !== ']') {
    const begun = at
    const nameEnds = opening === '{' ? endOf(json, at) : at
    const name = opening === '{' ? String(JSON.parse(json.slice(at, nameEnds))) : ''
    const start = opening === '{' ? skip(json, json.indexOf(':', nameEnds) + 1) : at
    const end = endOf(json, start)
    members.push({ name, json: json.slice(start, end) })
    at = skip(json, end)
    if (json[at] === ',') at = skip(json, at + 1)
    yield at - begun
  }
  return members
}

/** Returns the index after white space. */
function skip (json: string, start: number): number {
  let at = start
  while (/\s/.test(json.charAt(at))) at++
  return at
}

/** Returns the index after the value that begins at `start`. */
function endOf (json: string, start: number): number {
  let depth = 0
  for (let at = start; at < json.length; at++) {
    const character = json.charAt(at)
    if (character === '"') at = closingQuote(json, at)
    else if (character === '{' || character === '[') depth++
    else if (character === '}' || character === ']') depth--
    else if (depth > 0 || !/[,\s]/.test(character)) continue
    else return at
    if (depth < 0) return at
    if (depth === 0) return at + 1
  }
  return json.length
}

/** Returns the index of the quote that ends the text that begins at `start`. */
function closingQuote (json: string, start: number): number {
  let at = start
  do at = json.indexOf('"', at + 1)
  while (isEscaped(json, at))
  return at
}

function isEscaped (json: string, quote: number): boolean {
  let at = quote
  while (json[at - 1] === '\\') at--
  return (quote - at) % 2 === 1
}
