/** Splits the text of a header at each delimiter outside of quoted strings (RFC 9110, 5.6.4). */
export function splitUnquoted (text: string, delimiter: string): readonly string[] {
  const parts: string[] = []
  let quoted = false
  let start = 0
  for (let index = 0; index < text.length; index++) {
    const character = text[index]
    if (character === '"') quoted = !quoted
    else if (quoted && character === '\\') index++
    else if (!quoted && character === delimiter) {
      parts.push(text.slice(start, index))
      start = index + 1
    }
  }
  return [...parts, text.slice(start)]
}
