/** Returns where a string of JSON ends, behind its second quote. */
export function endOfString (text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    if (!isEscaped(text, at)) return at + 1
  }
  return text.length
}

function isEscaped (text: string, quote: number): boolean {
  let at = quote - 1
  while (text.charCodeAt(at) === backslash) at--
  return (quote - at) % 2 === 0
}

/** Returns the place of the first character from `start` that is no white space of JSON. */
export function pastSpace (text: string, start: number): number {
  let at = start
  while (spaces.has(text.charCodeAt(at))) at++
  return at
}

const backslash = 0x5c
const spaces: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d])
