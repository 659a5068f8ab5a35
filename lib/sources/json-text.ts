/** Returns a value as JSON.stringify writes it; `null` for a value that JSON does not have. */
export function textOf (value: unknown): string {
  switch (typeof value) {
    case 'number': return String(value)
    case 'string': return quote(value)
    default: return JSON.stringify(value) as string | undefined ?? 'null'
  }
}

/**
 * Returns a string as JSON. Most short strings need no escape, and looking them through takes less time than a call of
 * JSON.stringify.
 */
function quote (text: string): string {
  if (text.length > 40) return JSON.stringify(text)
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code < 0x20 || code === 0x22 || code === 0x5c || (code >= 0xd800 && code <= 0xdfff)) return JSON.stringify(text)
  }
  return `"${text}"`
}
