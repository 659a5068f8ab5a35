// A database cannot write every number as JavaScript does. In its JSON such a number is an array of one string,
// `["<text>"]`, which is the form of no scalar; writeMarked puts the number in its place.

/** Replaces the marked numbers in a text of JSON that a database wrote by numbers as JavaScript writes them. */
export function writeMarked (text: string): string {
  if (!text.includes('["')) return text
  // The pattern matches marked numbers alone. Inside a string a quote follows a backslash, and no digit or letter
  // follows
  // the closing quote of a string that ends in `:[`.
  return text.replaceAll(/(^|:)\["([-+.\w]+)"\]/gm, (_marked, before: string, number: string) => {
    return `${before}${readNumber(number)}`
  })
}

/**
 * Parses a number from a database's text, such as the result of SQLite's quote(). Returns `null` for any text that is
 * no finite number.
 */
export function readNumber (text: string): number | null {
  const value = Number(text)
  return text === 'NULL' || !Number.isFinite(value) ? null : value + 0
}
