/**
 * Text without regard to case, for every source alike: each code point that has a lower case of one code point becomes it, the others stay.
 * Nothing depends on its neighbours or on a locale, so that a part of a text folds as it does within the whole (docs/http.md: Query strings).
 */
export function foldCase (text: string): string {
  // Most text is ASCII, for which the engine's own mapping is the same.
  if (/^[\0-\x7f]*$/.test(text)) return text.toLowerCase()
  let folded = ''
  for (const character of text) {
    const lower = character.toLowerCase()
    folded += lower.length === character.length ? lower : character
  }
  return folded
}
