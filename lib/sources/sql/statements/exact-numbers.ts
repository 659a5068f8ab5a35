// Numbers that a database would not write as JavaScript does stand in its JSON as `["<text>"]`, which no scalar is.

/** Writes the marked numbers of a text that a database wrote. */
export function writeMarked (text: string): string {
  // A `:["` is nowhere else: inside of a string a quote has a backslash before it, and behind one that ends in `:[` stands no digit or letter.
  return text.includes('["') ? text.replaceAll(/(^|:)\["([-+.\w]+)"\]/gm, (_marked, before: string, number: string) => `${before}${readNumber(number)}`) : text
}

/** The number of a database's text, such as SQLite's quote() gives; null for what is none, or none that JSON has. */
export function readNumber (text: string): number | null {
  const value = Number(text)
  return text === 'NULL' || !Number.isFinite(value) ? null : value + 0
}
