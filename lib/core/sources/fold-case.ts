/**
 * Returns a text with each code point replaced by its lower case, where that has the same length in UTF-16 units; other
 * code points stay. The result depends on no neighbour and no locale, so a part of a text folds as it does within the
 * whole, and every source folds alike (docs/http.md: Query strings).
 */
export function foldCase (text: string): string {
  // Most text is ASCII, for which toLowerCase() gives the same result.
  if (/^[\0-\x7f]*$/.test(text)) return text.toLowerCase()
  let folded = ''
  for (const character of text) {
    const lower = character.toLowerCase()
    folded += lower.length === character.length ? lower : character
  }
  return folded
}
