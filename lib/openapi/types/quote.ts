// Names, values and descriptions of an API become inert text of a program: what they hold cannot end it.

/** Returns a text as a string literal. Every character that could end it, or is not seen, is escaped. */
export function quote (text: string): string {
  const inner = text.replaceAll(/[\\'\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, character =>
    character === '\\' || character === "'" ? `\\${character}` : [...character].map(escapeCode).join(''))
  return `'${inner}'`
}

const escapeCode = (character: string) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`

/** Returns a name as that of a member of a type. */
export const memberName = (name: string): string => /^[A-Za-z_$][\w$]*$/.test(name) ? name : quote(name)

/** Returns a text as a comment on one line before a member; an empty text without one. */
export function comment (text: unknown, indent: string): string {
  if (typeof text !== 'string' || text.trim() === '') return ''
  const inner = text.trim().replaceAll(/[\s\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]+/gu, ' ').replaceAll('*/', '* /')
  return `${indent}/** ${inner} */\n`
}
