/** Returns the value of JSON in a column of text; a text that is not JSON as a string (docs/databases.md). */
export function parseText (text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/**
 * Returns the scalar of JSON in a column of text. A text that is no scalar in JSON is a string, and so is one that
 * JavaScript would write in another way, such as `1.10` or `9007199254740993`: by what is shown, its row is found.
 */
export function parseScalar (text: string): unknown {
  const parsed = parseText(text)
  if (typeof parsed === 'string') return text.startsWith('"') && text.endsWith('"') ? parsed : text
  return typeof parsed !== 'object' && String(parsed) === text ? parsed : text
}
