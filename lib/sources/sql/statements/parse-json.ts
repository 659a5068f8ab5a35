/** Returns the value of JSON in a column of text; a text that is not JSON as a string (docs/databases.md). */
export function parseText (text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** Returns the scalar of JSON in a column of text; a text that is no scalar in JSON as a string. */
export function parseScalar (text: string): unknown {
  const parsed = parseText(text)
  return typeof parsed === 'object' ? text : parsed
}
