// Names, values and descriptions of a database or an API become inert text of a program: what they hold cannot end it.

/** Returns a text as a string literal. Every character that could end it, or is not seen, is escaped. */
export function quoteLiteral (text: string): string {
  const inner = text.replaceAll(/[\\'\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, character => escapes[character] ??
    [...character].map(one => `\\u{${(one.codePointAt(0) ?? 0).toString(16)}}`).join(''))
  return `'${inner}'`
}

const escapes: Readonly<Record<string, string | undefined>> = {
  '\\': '\\\\', "'": "\\'", '\n': '\\n', '\t': '\\t', '\r': '\\r'
}

/** Returns a text as the name of a member of an object or a type. */
export function memberName (name: string): string {
  // Without brackets, this name would set the prototype.
  if (name === '__proto__') return "['__proto__']"
  return isIdentifier(name) ? name : quoteLiteral(name)
}

/** Returns true for a name that may stand in source without quotes. */
const isIdentifier = (name: string): boolean => /^[A-Za-z_$][\w$]*$/.test(name)

/** Returns a text for a comment or a document: on one line, without what could end either. */
export const plainText = (text: string): string => text
  .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, ' ')
  .replaceAll('*/', '* /')
