/**
 * Splits the JSON text of an object into its members, in their order: JavaScript moves names that are numbers to the
 * front of an object. The text is one that JSON.parse() takes.
 */
export function membersOf (json: string): ReadonlyArray<readonly [name: string, value: unknown]> {
  const members: Array<readonly [string, unknown]> = []
  let at = skip(json, json.indexOf('{') + 1)
  while (json[at] === '"') {
    const nameEnds = endOf(json, at)
    const start = skip(json, json.indexOf(':', nameEnds) + 1)
    const end = endOf(json, start)
    members.push([String(JSON.parse(json.slice(at, nameEnds))), JSON.parse(json.slice(start, end))])
    at = skip(json, end)
    if (json[at] === ',') at = skip(json, at + 1)
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
  let quoted = false
  for (let at = start; at < json.length; at++) {
    const character = json.charAt(at)
    if (quoted) {
      if (character === '\\') at++
      else if (character === '"') quoted = false
      if (!quoted && depth === 0) return at + 1
    } else if (character === '"') {
      quoted = true
    } else if (character === '{' || character === '[') {
      depth++
    } else if (character === '}' || character === ']') {
      depth--
      if (depth === 0) return at + 1
      if (depth < 0) return at
    } else if (depth === 0 && /[,\s]/.test(character)) {
      return at
    }
  }
  return json.length
}
